// TerminalUse: how long the login terminals have been idle (index it), unaffected by changes of the wall clock.
//
// A stepper without effects: look() takes the times of the terminals' files and the present time by both clocks. The files have
// wall-clock times, which people change; the host's uptime only grows. So a file's time is converted to an uptime when it is
// first seen or has changed, and only the uptime is kept.
//
//   terminal \ state | not seen before              | seen, another time             | seen, the same time
//   -----------------+------------------------------+--------------------------------+--------------------
//   its time is past | used that long ago           | used that long ago, but since  | -
//                    |                              | the last look                  |
//   its time is to   | used now: the clock was set  | used now                       | -
//   come             | back                         |                                |
//
// A terminal that is gone is forgotten, its last use is not. Rule: "Administering Platform LSF 7.3", Load Indices, it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rollcall::load {

struct TerminalTime {
  std::string line;    // below /dev
  long long used = 0;  // seconds since 1970, by the wall clock
};

class TerminalUse {
 public:
  // `wall`: seconds since 1970. `uptime`: seconds, never less than at the last look.
  void look(const std::vector<TerminalTime>& terminals, long long wall, double uptime);

  // Idle seconds at that uptime; none where no terminal was ever seen.
  std::optional<double> idle(double uptime) const;

 private:
  std::map<std::string, long long> seen_;
  std::optional<double> used_at_;    // uptime
  std::optional<double> looked_at_;  // uptime
};

}  // namespace rollcall::load
