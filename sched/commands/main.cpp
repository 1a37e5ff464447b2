// The b* commands but bsub: the name this program is called by says which one it is.
#include "sched/commands/query_commands.hpp"

int main(int argc, char** argv) {
  return rollcall::io::run_commands("btools", ROLLCALL_PRODUCT, rollcall::sched::query_commands(), argc,
                                    argv);
}
