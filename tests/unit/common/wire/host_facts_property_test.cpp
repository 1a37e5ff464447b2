// Facts of a host lose no field on the way to the wire and back: neither a field of load.proto nor a member of HostFacts.
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/wire/host_facts.hpp"

namespace rollcall::wire {
namespace {

namespace pb = google::protobuf;

// Fields that LIM's answers add; they are no facts of the host itself.
const std::set<std::string> kOfAnswersAlone{"run_windows", "thresholds"};

// Facts as load.proto describes them, with reflection.
class Described {
 public:
  Described() {
    std::ifstream file(LOAD_DESCRIPTORS, std::ios::binary);
    pb::FileDescriptorSet files;
    if (!files.ParseFromIstream(&file) || files.file_size() != 1) return;
    if (const auto* load = pool_.BuildFile(files.file(0))) facts_ = load->FindMessageTypeByName("Facts");
  }
  const pb::Descriptor* facts() const { return facts_; }
  std::unique_ptr<pb::Message> fresh() {
    return std::unique_ptr<pb::Message>(messages_.GetPrototype(facts_)->New());
  }

 private:
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory messages_;
  const pb::Descriptor* facts_ = nullptr;
};

// Never empty, since a lost text is empty too. No control characters, since those are removed on the way.
std::string any_word() {
  return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange(' ', '~')));
}
int any_count() { return *rc::gen::inRange(1, 1'000'000); }

using Field = pb::FieldDescriptor;

void set_any(pb::Message& message, const Field* field) {
  const pb::Reflection& reflection = *message.GetReflection();
  switch (field->cpp_type()) {
    case Field::CPPTYPE_STRING:
      return reflection.SetString(&message, field, any_word());
    case Field::CPPTYPE_DOUBLE:
      return reflection.SetDouble(&message, field, any_count() / 8.0);
    case Field::CPPTYPE_BOOL:
      return reflection.SetBool(&message, field, true);
    case Field::CPPTYPE_INT32:
      return reflection.SetInt32(&message, field, any_count());
    case Field::CPPTYPE_UINT64:
      return reflection.SetUInt64(&message, field, static_cast<std::uint64_t>(any_count()));
    default:
      RC_FAIL("found a field of a kind that no fact has yet, expected a value here: " + field->name());
  }
}

void add_any(pb::Message& message, const Field* field) {
  const pb::Reflection& reflection = *message.GetReflection();
  if (!field->is_map()) return reflection.AddString(&message, field, any_word());
  pb::Message* pair = reflection.AddMessage(&message, field);
  set_any(*pair, pair->GetDescriptor()->FindFieldByNumber(1));
  set_any(*pair, pair->GetDescriptor()->FindFieldByNumber(2));
}

RC_GTEST_PROP(HostFactsOnTheWire, EveryFieldOfTheMessageIsSetAndRead, ()) {
  Described described;
  RC_ASSERT(described.facts() != nullptr);
  const auto sent = described.fresh();
  for (int i = 0; i < described.facts()->field_count(); ++i) {
    const Field* field = described.facts()->field(i);
    if (kOfAnswersAlone.contains(field->name())) continue;
    if (field->is_repeated())
      add_any(*sent, field);
    else
      set_any(*sent, field);
  }

  Facts read;
  RC_ASSERT(read.ParseFromString(sent->SerializeAsString()));
  const auto back = described.fresh();
  RC_ASSERT(back->ParseFromString(to_wire(from_wire(read)).SerializeAsString()));
  pb::util::MessageDifferencer differences;
  std::string lost;
  differences.ReportDifferencesToString(&lost);
  if (!differences.Compare(*sent, *back)) RC_FAIL(lost);
}

RC_GTEST_PROP(HostFactsOnTheWire, EveryMemberOfTheValueIsSetAndReadBack, ()) {
  HostFacts facts;
  // A new member breaks this line at compile time: give it a value below.
  auto& [name, type, model, cpu_factor, server, rexpri, ncpus, nprocs, ncores, nthreads, ndisks, maxmem,
         maxswp, maxtmp, booleans, dedicated, values, topology] = facts;
  for (std::string* word : {&name, &type, &model, &topology}) *word = any_word();
  for (int* count : {&rexpri, &ncpus, &nprocs, &ncores, &nthreads, &ndisks}) *count = any_count();
  for (std::uint64_t* size : {&maxmem, &maxswp, &maxtmp}) *size = static_cast<std::uint64_t>(any_count());
  cpu_factor = any_count() / 8.0;
  server = *rc::gen::arbitrary<bool>();
  booleans = {any_word(), any_word()};
  dedicated = {any_word()};
  values = {{any_word(), any_word()}};
  RC_ASSERT(from_wire(to_wire(facts)) == facts);
}

}  // namespace
}  // namespace rollcall::wire
