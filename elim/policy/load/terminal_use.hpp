// TerminalUse: for how long nobody has used a login terminal, whatever is done to the clock meanwhile.
//
// A stepper without effects: look() takes what the terminals' files say and the two clocks of that moment. A file's times
// are by the wall clock, which people set; the host's uptime only grows. So a time is turned into an uptime when it is
// first seen, or has changed, and only the uptime is kept.
//
//   terminal \ state | not seen before              | seen, another time             | seen, the same time
//   -----------------+------------------------------+--------------------------------+--------------------
//   its time is past | used that long ago           | used that long ago, but since  | -
//                    |                              | the last look                  |
//   its time is to   | used now: the clock was set  | used now                       | -
//   come             | back                         |                                |
//
// A terminal that is gone is forgotten; that it was used is not. Rule: "Administering Platform LSF 7.3", Load Indices, it.
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

  // Seconds at that uptime; nothing where no terminal was ever seen.
  std::optional<double> idle(double uptime) const;

 private:
  std::map<std::string, long long> seen_;
  std::optional<double> used_at_;    // uptime
  std::optional<double> looked_at_;  // uptime
};

}  // namespace rollcall::load
