// The ls* commands: the name this program is called by says which one it is.
#include "elim/commands/commands.hpp"

int main(int argc, char** argv) {
  using namespace rollcall::elim;
  std::vector<rollcall::io::Command> commands{
      lsid_command(),  lsclusters_command(), lsinfo_command(),     lshosts_command(),  lsload_command(),
      lsmon_command(), lsplace_command(),    lseligible_command(), lsresreq_command(), lsadmin_command()};
  for (auto& command : commands)
    command.shape.options.push_back({"-json", rollcall::CommandOption::Value::none, "print JSON"});
  return rollcall::io::run_commands("lstools", ROLLCALL_PRODUCT, std::move(commands), argc, argv);
}
