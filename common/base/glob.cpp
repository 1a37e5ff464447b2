#include "common/base/glob.hpp"

#include <cstring>

namespace rollcall {

bool glob_matches(std::string_view pattern, std::string_view name) {
  const std::size_t first = pattern.find('*');
  if (first == std::string_view::npos) return pattern == name;
  const std::size_t last = pattern.rfind('*');
  const std::string_view head = pattern.substr(0, first), tail = pattern.substr(last + 1);
  if (name.size() < head.size() + tail.size() || !name.starts_with(head) || !name.ends_with(tail))
    return false;
  std::string_view rest = name.substr(head.size(), name.size() - head.size() - tail.size());
  // The pieces between stars, each as far to the left as it goes.
  for (std::size_t at = first + 1; at <= last; at = pattern.find('*', at) + 1) {
    const std::string_view piece = pattern.substr(at, pattern.find('*', at) - at);
    if (piece.empty()) continue;
    const void* const found = memmem(rest.data(), rest.size(), piece.data(), piece.size());
    if (found == nullptr) return false;
    rest.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(found) - rest.data()) +
                       piece.size());
  }
  return true;
}

}  // namespace rollcall
