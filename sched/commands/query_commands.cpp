#include "sched/commands/query_commands.hpp"

namespace rollcall::sched {

std::vector<io::Command> query_commands() { return {bjobs_command(), bhosts_command(), bqueues_command()}; }

}  // namespace rollcall::sched
