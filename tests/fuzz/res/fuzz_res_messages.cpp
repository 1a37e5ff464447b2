// What mbatchd and clients may send RES and its shepherds, in any order: a job's life on its host goes its way and ends at
// most once; whatever an order says, words to execute, an environment and a report can be made of it.
//
//   input = { kind length bytes }     length: two bytes, low one first, of what follows
//   kind 0: a JobOrder, which begins anew; 1: a SignalJob; 2 ... 15: what happens (see happen()), bytes: its numbers
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "res/policy/file_transfers.hpp"
#include "res/policy/job_environment.hpp"
#include "res/policy/job_files.hpp"
#include "res/policy/job_life.hpp"
#include "res/policy/job_report.hpp"
#include "res/policy/process_plan.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::res;
using rollcall::fuzz::require;

namespace {

unsigned byte(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

// A count of slots is no size of the input.
void tame(google::protobuf::RepeatedPtrField<wire::ExecHost>& hosts) {
  for (auto& host : hosts) host.set_slots(host.slots() % 64);
}

class OneJob {
 public:
  explicit OneJob(wire::JobOrder order) : order_(std::move(order)) {
    if (order_.has_start()) tame(*order_.mutable_start()->mutable_hosts());
    if (order_.has_expect()) tame(*order_.mutable_expect()->mutable_hosts());
    life_.rules = attempt_rules(order_);
    make_words();
  }

  void happen(const Event& event) {
    now_ = now_ + std::chrono::seconds(7);
    for (const auto& effect : step(life_, event, now_)) {
      require(!text(effect).empty());
      if (std::holds_alternative<effect::TellOver>(effect)) require(!std::exchange(told_, true));
      if (std::holds_alternative<effect::Finish>(effect)) require(!std::exchange(finished_, true));
    }
    (void)next_deadline(life_);
  }

 private:
  void make_words() const {
    const JobPlaces places;
    (void)job_environment(order_, places);
    (void)task_environment(order_, {}, places);
    if (!order_.has_start()) return;
    require(!job_process(order_.start(), "/script").argv.empty());
    for (const auto& transfer : transfers_to_host(order_.start())) require(!transfer.command.empty());
    for (const auto& transfer : transfers_back(order_.start(), "/errors")) require(!transfer.command.empty());
    (void)wanted_directory(order_.start().submission(), order_.start().job().key());
    wire::FromRes::JobOver over;
    const ReportFacts facts{order_, over, "/", false, "", 0, [](std::int64_t) { return std::string("now"); }};
    for (const auto place : {ReportPlace::output_file, ReportPlace::mail, ReportPlace::mail_alone})
      (void)report_text(facts, place);
  }

  wire::JobOrder order_;
  JobLife life_;
  TimePoint now_;
  bool told_ = false, finished_ = false;
};

Event event_of(unsigned kind, std::string_view bytes) {
  const int status = static_cast<int>(byte(bytes, 0) | byte(bytes, 1) << 8);
  switch (kind) {
    case 2:
      return event::Began{};
    case 3:
      return event::PreEnded{status, ""};
    case 4:
      return event::ClientCame{};
    case 5:
      return event::JobStarted{};
    case 6:
      return event::JobNotStarted{std::string(bytes), status % 2 == 1};
    case 7:
      return event::JobEnded{status};
    case 8:
      return event::Emptied{};
    case 9:
      return event::CopiesEnded{};
    case 10:
      return event::PostEnded{status};
    case 11:
      return event::Sampled{double(byte(bytes, 0)), byte(bytes, 1) * std::int64_t{1000},
                            byte(bytes, 2) * std::int64_t{1000}, int(byte(bytes, 3)), int(byte(bytes, 4))};
    case 12:
      return event::DeadlinePassed{};
    case 13:
      return event::Released{};
    case 14:
      return event::GuardGone{};
    default:
      return event::TimePassed{};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<OneJob> job;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (rest.size() >= 3) {
    const unsigned kind = byte(rest, 0) % 16;
    const std::string_view bytes = rest.substr(3, byte(rest, 1) | byte(rest, 2) << 8);
    rest.remove_prefix(3 + bytes.size());
    wire::JobOrder order;
    wire::ToRes::SignalJob signal;
    if (kind == 0) {
      if (order.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) job.emplace(std::move(order));
    } else if (job && kind == 1) {
      if (signal.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        job->happen(event::Ordered{signal});
    } else if (job) {
      job->happen(event_of(kind, bytes));
    }
  }
  return 0;
}
