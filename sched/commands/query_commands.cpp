#include "sched/commands/query_commands.hpp"

namespace rollcall::sched {

std::vector<io::Command> query_commands() {
  std::vector<io::Command> commands{bjobs_command(), bhosts_command(), bqueues_command(), bpeek_command(),
                                    bmod_command(),  bhist_command(),  bacct_command(),   badmin_command()};
  for (auto& more : {order_commands(), waiting_commands(), information_commands()})
    commands.insert(commands.end(), more.begin(), more.end());
  return commands;
}

}  // namespace rollcall::sched
