// The frames between lim and melim, read by each of them: melim makes orders of anything, and its elims' lives stay sound;
// a lim stays sound whatever its melim reports. Bytes that come in two pieces say the same as in one.
//
//   input = byte bytes     byte % 2: 0 what melim reads, 1 what lim reads; bytes: frames
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/load.pb.h"
#include "common/wire/message_reader.hpp"
#include "elim/melim/orders.hpp"
#include "elim/policy/lim/lim.hpp"
#include "elim/policy/melim/elim_life.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/unit/elim/lim/lim_test_rules.hpp"

using namespace rollcall;
using rollcall::fuzz::require;

namespace {

template <class Message>
std::vector<Message> messages_of(std::string_view bytes, std::size_t cut) {
  wire::MessageReader<Message> reader;
  std::vector<Message> messages;
  const auto keep = [&](const Message& message) { messages.push_back(message); };
  if (reader.feed(bytes.substr(0, cut), keep)) (void)reader.feed(bytes.substr(cut), keep);
  return messages;
}

template <class Message>
std::vector<Message> messages_of(std::string_view bytes) {
  const auto whole = messages_of<Message>(bytes, bytes.size());
  const auto halves = messages_of<Message>(bytes, bytes.size() / 2);
  require(whole.size() == halves.size());
  for (std::size_t i = 0; i < whole.size(); ++i)
    require(whole[i].SerializeAsString() == halves[i].SerializeAsString());
  return whole;
}

void obey(const std::vector<wire::ToMelim>& messages) {
  TimePoint now;
  melim::ElimOrders before;
  melim::Life life({}, now);
  for (const auto& message : messages) {
    if (!message.has_orders()) continue;
    const auto orders = melim::orders_of(message.orders());
    const auto names = melim::names_of(message.orders());
    for (const auto& known : message.orders().known()) (void)names.find(known.name());
    require(melim::same_start(orders, orders));
    for (const auto& word : melim::elim_environment({"PATH=/bin"}, orders))
      require(word.find('=') != std::string::npos && word[0] != '=');
    const bool afresh = !melim::same_start(before, orders);
    before = orders;
    for (const melim::Event& event :
         {melim::Event(melim::Ordered{orders.rules, afresh}), melim::Event(melim::TimePassed{}),
          melim::Event(melim::StringBegun{}), melim::Event(melim::TimePassed{})}) {
      now = now + std::chrono::seconds(1);
      for (const auto& effect : melim::step(life, event, now)) require(!melim::text(effect).empty());
      require(melim::broken_invariant(life).empty());
      (void)melim::next_deadline(life);
    }
  }
}

void believe(const std::vector<wire::FromMelim>& messages) {
  lim::Lim lim(std::make_shared<const lim::LimRules>(lim::test_rules("a")));
  TimePoint now;
  (void)lim::step(lim, lim::event::Started{}, now);
  for (const auto& message : messages) {
    if (!message.has_report()) continue;
    now = now + std::chrono::seconds(1);
    for (const auto& effect : lim::step(lim, lim::event::ElimsReported{message.report()}, now))
      (void)lim::text(effect);
    require(lim::broken_invariant(lim).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0)
    obey(messages_of<wire::ToMelim>(bytes));
  else
    believe(messages_of<wire::FromMelim>(bytes));
  return 0;
}
