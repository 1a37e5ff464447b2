// blaunch, lsrun, lsgrun, lsrcp: one program, which acts as the command whose name it is called by.
#include "res/commands/commands.hpp"

int main(int argc, char** argv) {
  using namespace rollcall::res;
  std::vector<rollcall::io::Command> commands{blaunch_command(), lsrun_command(), lsgrun_command(),
                                              lsrcp_command()};
  return rollcall::io::run_commands("restools", ROLLCALL_PRODUCT, std::move(commands), argc, argv);
}
