// LineCutter: cuts what a program writes into lines, however it was split into reads, and keeps no more than one
// unfinished line. Pure; it does not know what the lines mean.
//
//   stream = { line "\n" } [ unfinished ]
//
// A line longer than the limit is handed out at once, cut at the limit and marked; the rest of it is skipped. So a line of 1 GB
// takes no more memory than the limit.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace rollcall::melim {

class LineCutter {
 public:
  enum class Kind { whole, too_long };
  using Sink = std::function<void(std::string_view line, Kind kind)>;

  // limit: bytes of a line, without its newline.
  explicit LineCutter(std::size_t limit) : limit_(limit) {}

  // The lines that `bytes` finish, in order, without their newlines.
  void feed(std::string_view bytes, const Sink& sink);

  // True where the stream stands in the middle of a line.
  bool in_line() const { return skipping_ || !rest_.empty(); }
  // What there is of the unfinished line; never more than the limit.
  const std::string& rest() const { return rest_; }
  // The stream begins anew.
  void clear();

 private:
  void take(std::string_view part, bool ends, const Sink& sink);

  std::size_t limit_;
  std::string rest_;
  bool skipping_ = false;  // the line was too long; its end has not come yet
};

}  // namespace rollcall::melim
