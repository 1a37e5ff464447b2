#include "sched/policy/values/shown_command.hpp"

#include "common/base/terminal_text.hpp"

namespace rollcall::sched {

std::string shown_command(std::string command) {
  for (char& c : command)
    if (c == '\n' || c == '\r') c = ';';
  return terminal_text(command, Controls::newline_and_tab);
}

}  // namespace rollcall::sched
