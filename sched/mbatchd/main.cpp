// mbatchd: the batch system's master. Options in, a daemon in the foreground; everything else is elsewhere.
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/conf/lsb/lsb_files.hpp"
#include "common/io/configured_directories.hpp"
#include "common/io/daemon_start.hpp"
#include "common/io/root_trust.hpp"
#include "common/io/sqlite_job_store.hpp"
#include "sched/mbatchd/daemon.hpp"
#include "sched/mbatchd/engine_router.hpp"
#include "sched/mbatchd/last_good_configuration.hpp"
#include "sched/mbatchd/res_engine.hpp"

namespace {

using namespace rollcall;

constexpr const char* kUsage =
    "usage: mbatchd [-d LSF_ENVDIR]\n"
    "       mbatchd -h | -V\n"
    "Runs the batch system's master of this cluster, in the foreground; lsf_daemons starts it as a daemon.\n";

// The configuration to start with: the files, or the last good ones where these have fatal errors. Exports of the last good ones stay as
// they would at a reconfiguration.
mbatchd::LoadedConfiguration first_configuration(const std::optional<std::string>& env_dir) {
  auto loaded = mbatchd::load_configuration(env_dir);
  const bool flawless = loaded.configuration && loaded.errors.empty() && loaded.warnings.empty();
  if (flawless || loaded.elsewhere) return loaded;
  const auto kept = mbatchd::kept_configuration(env_dir, loaded);
  if (!kept) return loaded;
  if (loaded.configuration) return mbatchd::load_configuration(env_dir, kept->configuration.get());
  loaded.configuration = kept->configuration;
  return loaded;
}

Result<io::DaemonEnd> run_with(const mbatchd::DaemonSetup& setup, io::Starter& starter, io::Log& log) {
  const auto& configuration = *setup.configuration;
  const std::string& instead_of = configuration.instead_of;
  if (!instead_of.empty())
    log.error("mbatchd starts with " + instead_of + "; badmin reconfig takes the files when they are good");
  const auto trust = mbatchd::check_trust(configuration);
  if (!trust) return trust.error();
  for (const auto& note : trust->notes) log.warning(note);
  conf::Problems missing;
  io::check_directories(
      conf::named_directories(configuration.files.cluster->lsf_conf, {"LSB_SHAREDIR", "ROLLCALL_PEER_KEYS"}),
      missing);
  for (const auto& line : missing.warning_lines()) log.warning(line);
  io::set_log_level(log, configuration.settings().log_mask);
  const auto engine = mbatchd::engine_router({mbatchd::make_res_engine}, mbatchd::first_engine_for_all());
  return mbatchd::run_daemon(setup, {engine, io::open_sqlite_job_store}, log, [&] {
    starter.tell(instead_of.empty() ? "ready" : "ready: it has " + instead_of);
  });
}

int run(const io::DaemonOptions& options, const io::DaemonProgram& program, io::Starter& starter) {
  io::Log log(STDERR_FILENO, "mbatchd", io::Level::warning);
  umask(022);  // event files are world-readable; the store sets its own mode
  const auto load = [&] { return first_configuration(options.env_dir); };
  return io::run_until_stopped(log, program, starter, load, [&](const mbatchd::LoadedConfiguration& loaded) {
    return run_with({options.env_dir, loaded.configuration, loaded.packed}, starter, log);
  });
}

}  // namespace

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, 1);  // threads that look up names need no arena of their own
  return io::daemon_main({"mbatchd", kUsage, "Rollcall " ROLLCALL_VERSION}, argc, argv, run);
}
