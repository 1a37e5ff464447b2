// The b* commands: the name this program is called by says which one it is.
#include "sched/commands/commands.hpp"
#include "sched/commands/query_commands.hpp"

int main(int argc, char** argv) {
  using namespace rollcall::sched;
  std::vector<rollcall::io::Command> commands{bsub_command()};
  for (auto& command : query_commands()) commands.push_back(std::move(command));
  return rollcall::io::run_commands("btools", ROLLCALL_PRODUCT, std::move(commands), argc, argv);
}
