// The one way in which TaskStarter speaks to a person: one line on stderr, "TaskStarter: HOST: ...".
#pragma once

#include <string>
#include <string_view>

namespace rollcall::taskstarter {

// In one write, so that the lines of many tasks do not mix. Where stderr is non-blocking and full, waits up to 2 s
// for room; then the line is lost.
void complain(const std::string& host, std::string_view line);

}  // namespace rollcall::taskstarter
