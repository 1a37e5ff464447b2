// res: runs, signals and measures the jobs of one host. This file reads the options and runs the daemon in the foreground.
#include <malloc.h>
#include <unistd.h>

#include "common/io/daemon_start.hpp"
#include "common/io/memory_reserve.hpp"
#include "res/daemon/daemon.hpp"

namespace {

using namespace rollcall;

constexpr const char* kUsage =
    "usage: res [-d LSF_ENVDIR]\n"
    "       res -h | -V\n"
    "Runs the jobs of this host, in the foreground; lsf_daemons starts it as a daemon.\n";

int run(const io::DaemonOptions& options, const io::DaemonProgram& program, io::Starter& starter) {
  io::Log log(STDERR_FILENO, "res", io::Level::warning);
  const auto load = [&] { return res::load_configuration(options.env_dir); };
  return io::run_until_stopped(log, program, starter, load, [&](const res::LoadedConfiguration& loaded) {
    io::set_log_level(log, loaded.configuration->files.settings.log_mask);
    const res::DaemonSetup setup{options.env_dir, loaded.configuration, program.open_files(), program.mask()};
    return res::run_daemon(setup, log, [&starter] { starter.tell("ready"); });
  });
}

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, 1);                     // the threads that look up names need no heap of their own
  const io::MemoryReserve reserve(4UL << 20);  // bytes
  return io::daemon_main({"res", kUsage, "Rollcall " ROLLCALL_VERSION}, argc, argv, run);
}
