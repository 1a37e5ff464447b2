#include "elim/policy/melim/line_cutter.hpp"

#include <algorithm>

namespace rollcall::melim {

void LineCutter::feed(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const bool ends = end != std::string_view::npos;
    take(bytes.substr(0, end), ends, sink);
    bytes.remove_prefix(ends ? end + 1 : bytes.size());
  }
}

void LineCutter::take(std::string_view part, bool ends, const Sink& sink) {
  if (skipping_) {
    skipping_ = !ends;
    return;
  }
  if (rest_.size() + part.size() > limit_) {
    rest_.append(part.substr(0, limit_ - rest_.size()));
    skipping_ = !ends;
    const std::string line = std::move(rest_);
    rest_ = {};
    return sink(line, Kind::too_long);
  }
  if (!ends) {
    rest_.append(part);
    return;
  }
  if (rest_.empty()) return sink(part, Kind::whole);
  rest_.append(part);
  const std::string line = std::move(rest_);
  rest_ = {};  // gives the room back: most elims never split a line
  sink(line, Kind::whole);
}

void LineCutter::clear() {
  rest_ = {};
  skipping_ = false;
}

}  // namespace rollcall::melim
