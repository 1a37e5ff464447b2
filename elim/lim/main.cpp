// lim: the load information manager of one host: main() of the daemon, which runs in the foreground (daemon.hpp).
#include <malloc.h>
#include <unistd.h>

#include "common/io/daemon_start.hpp"
#include "common/io/memory_reserve.hpp"
#include "elim/lim/daemon.hpp"

namespace {

using namespace rollcall;

constexpr const char* kUsage =
    "usage: lim [-d LSF_ENVDIR]\n"
    "       lim -h | -V\n"
    "Runs the load information manager of this host, in the foreground; lsf_daemons starts it as a daemon.\n";

int run(const io::DaemonOptions& options, const io::DaemonProgram& program, io::Starter& starter) {
  io::Log log(STDERR_FILENO, "lim", io::Level::warning);
  const auto load = [&] { return lim::load_configuration(options.env_dir); };
  return io::run_until_stopped(log, program, starter, load, [&](const lim::LoadedConfiguration& loaded) {
    io::set_log_level(log, loaded.configuration->files.settings.log_mask);
    const lim::DaemonSetup setup{options.env_dir, loaded.configuration, program.open_files(), program.mask()};
    return lim::run_daemon(setup, log, [&starter] { starter.tell("ready"); });
  });
}

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, 1);                     // the threads that look up names need no heap of their own
  const io::MemoryReserve reserve(4UL << 20);  // bytes
  return io::daemon_main({"lim", kUsage, "Rollcall " ROLLCALL_VERSION}, argc, argv, run);
}
