// The picture of --plot: an SVG page that shows by time what each host's tasks did. A function.
//
// Time runs to the right, from the launcher's start to pam's end. A host is a block of rows. The row of a task:
//   grey line   from the launcher's start (asked) to the task's start
//   dark tick   its registration at pam
//   bar         from its start to its end; its colour says by what it ended
// Above kMostTaskRows tasks a host is one row: its bar reaches from its first start to its last end in the colour of the worst end,
// and two ticks are its first and its last registration. Above kMostHostRows hosts only those are drawn whose last task registered
// last: a straggler is among them.
//
// Starts and ends are by the clocks of their hosts, registrations by pam's. Times outside of the picture are drawn at its edge; the
// exact ones are in each row's <title>, which a browser shows under the pointer.
#pragma once

#include <cstdint>
#include <string>

#include "pam/policy/report.hpp"

namespace rollcall::pam {

inline constexpr std::size_t kMostTaskRows = 2000;
inline constexpr std::size_t kMostHostRows = 2000;

// end_us: when pam ended, microseconds since 1970.
void launch_plot(const Roll& roll, const std::string& command, std::int64_t end_us, const TextSink& sink);

}  // namespace rollcall::pam
