// What a master of another cluster may say, in any order, on several connections.
//
//   input = frames; frame = byte byte bytes     the first byte: what happens, and on which connection; the second: the size of a message
#include <cstdint>
#include <string>
#include <string_view>

#include "sched/policy/peers/peer_sessions.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::sched::peers;
using rollcall::fuzz::require;

namespace {

OwnIdentity west() {
  OwnIdentity own{"west", {}, "1"};
  own.row.set_store(std::string(kIdentityBytes, 'w'));
  own.row.set_run(std::string(kIdentityBytes, 'r'));
  own.row.set_term(3);
  return own;
}

// What is said is bounded, whatever was heard.
void look_at(const Steps& steps) {
  for (const auto& one : steps) {
    if (const auto* say = std::get_if<step::Say>(&one)) require(say->message.ByteSizeLong() < 1024);
    if (const auto* tell = std::get_if<step::Tell>(&one)) {
      require(tell->line.size() < 1024);
      for (const char c : tell->line) require(c >= ' ' && c <= '~');
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  PeerSessions sessions(west());
  TimePoint now;
  sessions.configure({"/k", {{"east", {{"e", 1}}}}}, {"east"}, now);
  std::string_view left(reinterpret_cast<const char*>(data), size);
  while (left.size() >= 2) {
    const auto what = static_cast<std::uint8_t>(left[0]);
    const std::string_view bytes = left.substr(2, static_cast<std::uint8_t>(left[1]));
    left.remove_prefix(2 + bytes.size());
    const LinkNumber link = 1 + what % 4;
    wire::PeerMessage message;
    switch (what / 64) {
      case 0:
        look_at(sessions.opened(link, "east", (what & 4) != 0, now));
        break;
      case 1:
        if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) break;
        if (const auto steps = sessions.message(link, message, now))
          look_at(*steps);
        else
          look_at(sessions.ended(link, "east", steps.error().text, false, now));
        break;
      case 2:
        look_at(sessions.ended(link, "east", "cut", link % 2 == 0, now));
        break;
      default:
        now = now + std::chrono::seconds(what & 31);
        look_at(sessions.tick(now));
    }
    require(sessions.standings().size() == 1);
  }
  return 0;
}
