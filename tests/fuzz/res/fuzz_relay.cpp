// What a relay, or somebody in its place, can say to pam of its tasks; and what TaskStarters and a pam can say to a relay.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "common/wire/relay.hpp"

namespace {

using namespace rollcall;

// What is read is written again as it was, and taken off in parts that are whole.
void items(std::string_view payload) {
  std::string again, parts;
  for (std::string_view rest = payload; !rest.empty();) {
    const auto item = wire::take_item(rest);
    if (!item) break;
    if (item->first == 0 || item->last < item->first || item->message.size() > wire::kTaskMessageLimit)
      abort();
    if (item->kind == wire::RelayItem::Kind::end)
      wire::append_task_end(again, item->first);
    else
      wire::append_task_message(again, item->first, item->last, item->message);
  }
  for (std::string from = again; !from.empty();) {
    const std::string part = wire::take_items(from, 100);
    for (std::string_view rest = part; !rest.empty();)
      if (!wire::take_item(rest)) abort();
    if (part.empty()) abort();
    parts += part;
  }
  if (parts != again) abort();
}

// The shell's part: who was let go is asked no more, and every effect names somebody who is there.
class Shell {
 public:
  void turn(unsigned what, std::string_view part) {
    const wire::StarterId starter = 1 + (what & 1);
    switch (what >> 1 & 3) {
      case 0:
        if (gone_.contains(starter) || !relay_.may_read(starter)) return;
        return carry_out(relay_.said(starter, part));
      case 1:
        return carry_out(relay_.heard(starter, part));
      case 2:
        if (part.size() % 2 == 0) return carry_out(relay_.reached(starter, "0123456789abcdef"));
        relay_.took(starter, part.size());
        return items_of(relay_.output(starter, 1 + part.size()));
      case 3:
        if (part.size() > 8) return carry_out(relay_.lost(starter));
        relay_.left(starter);
        gone_.erase(starter);  // another with its number
    }
  }
  void ask(unsigned what) {
    static constexpr char kPlaces[] = {'5', '6'};
    std::string frame,
        text = std::string("1.2.3.4:") + kPlaces[what & 1] + std::string(1, '\0') + std::string(32, 'k');
    wire::append_frame(frame, text);
    if (const wire::StarterId starter = 1 + (what >> 1 & 1);
        !gone_.contains(starter) && relay_.may_read(starter))
      carry_out(relay_.said(starter, frame));
  }

 private:
  void items_of(std::string_view payload) {
    while (!payload.empty())
      if (!wire::take_item(payload)) abort();
  }
  void carry_out(const wire::Relay::Effects& effects) {
    for (const auto& effect : effects) {
      if (const auto* e = std::get_if<wire::relay::LetGo>(&effect)) gone_.insert(e->starter);
      if (const auto* e = std::get_if<wire::relay::Give>(&effect))
        if (gone_.contains(e->starter) || e->bytes.size() > 4 + wire::kTaskMessageLimit) abort();
    }
  }
  wire::Relay relay_;
  std::set<wire::StarterId> gone_;
};

void turns(std::string_view bytes) {
  Shell shell;
  while (!bytes.empty()) {
    const auto what = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (what >= 0xf8) {
      shell.ask(what);
      continue;
    }
    const auto part = bytes.substr(0, what >> 3);
    bytes.remove_prefix(part.size());
    shell.turn(what, part);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  items(bytes);
  turns(bytes);
  rollcall::wire::pam_place(bytes);
  return 0;
}
