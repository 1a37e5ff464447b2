#include "sched/commands/commands.hpp"

int main(int argc, char** argv) {
  return rollcall::io::run_commands("bsub-tools", ROLLCALL_PRODUCT, {rollcall::sched::bsub_command()}, argc,
                                    argv);
}
