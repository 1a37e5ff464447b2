#include "common/wire/relay_items.hpp"

#include <utility>

namespace rollcall::wire {
namespace {

using Kind = RelayItem::Kind;

constexpr std::size_t kNumberBytes = 4;

void append_number(std::string& out, std::size_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(number >> shift & 0xff));
}

// Takes it off `bytes`. False: there are too few.
bool take_number(std::string_view& bytes, std::uint32_t& number) {
  if (bytes.size() < kNumberBytes) return false;
  number = 0;
  for (std::size_t i = 0; i < kNumberBytes; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(kNumberBytes);
  return true;
}

void append_message(std::string& out, std::string_view message) {
  append_number(out, message.size());
  out.append(message);
}

Error cut_short() { return internal_error("found an item of tasks that is cut short"); }

}  // namespace

void append_task_message(std::string& out, TaskNumber task, std::string_view message) {
  out.push_back(static_cast<char>(Kind::message));
  append_number(out, task);
  append_message(out, message);
}

void append_task_message(std::string& out, TaskNumber first, TaskNumber last, std::string_view message) {
  if (first == last) return append_task_message(out, first, message);
  out.push_back(static_cast<char>(Kind::message_to_several));
  append_number(out, first);
  append_number(out, last);
  append_message(out, message);
}

void append_task_end(std::string& out, TaskNumber task) {
  out.push_back(static_cast<char>(Kind::end));
  append_number(out, task);
}

Result<RelayItem> take_item(std::string_view& payload) {
  RelayItem item;
  item.kind = static_cast<Kind>(payload.front());
  if (item.kind < Kind::message || item.kind > Kind::message_to_several)
    return internal_error("found an item of kind " + std::to_string(static_cast<int>(item.kind)) +
                          ", expected 1 to 3");
  payload.remove_prefix(1);
  if (!take_number(payload, item.first)) return cut_short();
  item.last = item.first;
  if (item.kind == Kind::message_to_several && !take_number(payload, item.last)) return cut_short();
  if (item.first == 0 || item.last < item.first)
    return internal_error("found tasks " + std::to_string(item.first) + " to " + std::to_string(item.last));
  if (item.kind == Kind::end) return item;
  std::uint32_t size = 0;
  if (!take_number(payload, size)) return cut_short();
  if (size == 0 || size > kTaskMessageLimit)
    return internal_error("found a message of " + std::to_string(size) + " bytes, expected 1 to " +
                          std::to_string(kTaskMessageLimit));
  if (payload.size() < size) return cut_short();
  item.message = payload.substr(0, size);
  payload.remove_prefix(size);
  return item;
}

std::string take_items(std::string& from, std::size_t most) {
  if (from.size() <= most) return std::exchange(from, {});
  std::string_view rest = from;
  std::size_t taken = 0;
  while (!rest.empty()) {
    if (!take_item(rest)) break;
    const std::size_t end = from.size() - rest.size();
    if (end > most && taken > 0) break;
    taken = end;
  }
  std::string items = from.substr(0, taken);
  from.erase(0, taken);
  return items;
}

}  // namespace rollcall::wire
