// lim: the load information manager of one host. Options in, a daemon in the foreground; everything else is elsewhere.
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

int fail(io::Starter& starter, const std::string& line) {
  starter.tell(line);
  return 1;
}

int run(const io::DaemonOptions& options, const io::DaemonProgram& program, io::Starter& starter) {
  io::Log log(STDERR_FILENO, "lim", io::Level::warning);
  lim::DaemonSetup setup{options.env_dir, nullptr, program.open_files(), program.mask()};
  for (;;) {
    auto loaded = lim::load_configuration(options.env_dir);
    for (const auto& line : loaded.warnings) log.warning(line);
    for (const auto& line : loaded.errors) log.error(line);
    if (!loaded.configuration) return fail(starter, loaded.errors.front());
    setup.configuration = loaded.configuration;
    io::set_log_level(log, setup.configuration->files.settings.log_mask);
    const auto end = lim::run_daemon(setup, log, [&starter] { starter.tell("ready"); });
    if (!end) {
      log.error(end.error().text);
      return fail(starter, end.error().text);
    }
    if (*end == lim::DaemonEnd::stopped) return 0;
    program.become_anew(log);
  }
}

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, 1);                     // the threads that look up names need no heap of their own
  const io::MemoryReserve reserve(4UL << 20);  // bytes
  return io::daemon_main({"lim", kUsage, "Rollcall " ROLLCALL_VERSION}, argc, argv, run);
}
