// RelayItems: what pam and the relay of a host say to each other about its tasks. Pure: bytes in, items out; items in, bytes out.
//
//   payload = item*                                       the content of a sealed record, in both directions
//   item    = 1 task size message | 2 task | 3 first last size message
//   task, first, last, size = 4 bytes, big endian; a message has 1 ..= 65536 bytes
//
// 1: a message of that task, or for it; 2: no more of that task, or for it; 3: a message for every task from `first` to `last`, from
// pam alone. The relay numbers tasks from 1, when each says its first message, so a new number is always the next. An item for a
// task that has ended is ignored: it crossed the end. Messages are FromStarter and FromPam of task.proto; the relay reads none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace rollcall::wire {

using TaskNumber = std::uint32_t;

// The first frame of a relay's connection to pam: by its length pam tells it from a TaskStarter's Hello.
inline constexpr std::string_view kRelayHello = "rollcall relay v1";
inline constexpr std::size_t kTaskMessageLimit = 64 << 10;  // bytes of one message

struct RelayItem {
  enum class Kind : char { message = 1, end = 2, message_to_several = 3 };
  Kind kind = Kind::message;
  TaskNumber first = 0, last = 0;  // the same where it is one task
  std::string_view message;        // of the payload it was taken from
};

void append_task_message(std::string& out, TaskNumber task, std::string_view message);
void append_task_message(std::string& out, TaskNumber first, TaskNumber last, std::string_view message);
void append_task_end(std::string& out, TaskNumber task);

// Takes the first item off `payload`, which is not empty. Errors say what was found.
Result<RelayItem> take_item(std::string_view& payload);

// Takes whole items off `from`, which holds what the functions above appended: of `most` bytes together, or one that is larger.
std::string take_items(std::string& from, std::size_t most);

}  // namespace rollcall::wire
