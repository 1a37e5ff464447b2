#include "common/conf/program_settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "common/base/exit_status.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/chosen_columns.hpp"
#include "common/conf/forward_settings.hpp"
#include "common/conf/settings_reader.hpp"
#include "common/conf/ticket_life.hpp"

namespace rollcall::conf {
namespace {

constexpr int kMostShare = 1'000'000;

CountedCpus counted_cpus(SettingsReader& in) {
  const Setting* setting = in.find("EGO_DEFINE_NCPUS");
  if (!setting || setting->value == "cores") return CountedCpus::cores;
  if (setting->value == "procs") return CountedCpus::procs;
  if (setting->value == "threads") return CountedCpus::threads;
  in.error(*setting, "EGO_DEFINE_NCPUS", "procs, cores or threads");
  return CountedCpus::cores;
}

LimProgram lim(SettingsReader& in) {
  LimProgram lim;
  lim.counted_cpus = counted_cpus(in);
  lim.elim_bin_dir = in.text("LSF_BINDIR");
  lim.elim_lib_dir = in.text("LSF_LIBDIR");
  return lim;
}

// Without words.hpp: a linker may take this file into TaskStarter for its templates, and with it all that it needs.
void read_extensions(SettingsReader& in, MbatchdProgram& mbatchd) {
  constexpr std::string_view kBetween = " \t";
  const Setting* const setting = in.find("LSF_HPC_EXTENSIONS");
  std::string_view rest = setting ? std::string_view(setting->value) : "";
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBetween), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(kBetween));
    if (word.empty()) return;
    rest.remove_prefix(word.size());
    mbatchd.short_event_hosts = mbatchd.short_event_hosts || word == "SHORT_EVENTFILE";
    mbatchd.host_usage = mbatchd.host_usage || word == "HOST_RUSAGE";
    if (word != "SHORT_EVENTFILE" && word != "HOST_RUSAGE" && word != "CUMULATIVE_RUSAGE")
      in.warning(*setting, "LSF_HPC_EXTENSIONS: " + std::string(word) + " has no effect in this release");
  }
}

MbatchdProgram mbatchd(SettingsReader& in, const LsfConf& lsf_conf) {
  MbatchdProgram mbatchd;
  mbatchd.user_connections =
      static_cast<std::size_t>(in.number("ROLLCALL_MBD_USER_CONNECTIONS", 0, kMostShare,
                                         static_cast<int>(mbatchd.user_connections), "connections"));
  // An invalid life turns tickets off, the safer choice.
  const auto life = ticket_life(lsf_conf);
  if (!life) in.error(*in.find("ROLLCALL_TICKET_LIFE"), "ROLLCALL_TICKET_LIFE", "0 to 300 seconds");
  mbatchd.ticket_life = life ? *life : std::chrono::seconds(0);
  read_extensions(in, mbatchd);
  mbatchd.sequential_signals = in.yes_no("LSB_USE_SEQUENTIAL_SIGNAL", false);
  mbatchd.most_forwards =
      in.number("LSB_MAX_FORWARD_PER_SESSION", 1, 1'000'000, mbatchd.most_forwards, "jobs");
  mbatchd.guest_uid_min =
      in.number("ROLLCALL_GUEST_UID_MIN", 0, 2'000'000'000, mbatchd.guest_uid_min, "a uid");
  mbatchd.own_user_guests = in.yes_no("ROLLCALL_GUEST_OWN_USER", false);
  mbatchd.tells_recalls = in.yes_no("LSB_MC_RECALL_EXIT_INFO", false);
  mbatchd.no_lock_of_exclusive = in.yes_no("LSB_DISABLE_LIMLOCK_EXCL", false);
  return mbatchd;
}

double usage_factor(SettingsReader& in) {
  const Setting* setting = in.find("LSF_PAM_RUSAGE_UPD_FACTOR");
  if (!setting) return 0;
  char* end = nullptr;
  const double factor = std::strtod(setting->value.c_str(), &end);
  if (*end == '\0' && factor >= 0 && std::isfinite(factor)) return factor;
  in.error(*setting, "LSF_PAM_RUSAGE_UPD_FACTOR", "a number of seconds from 0");
  return 0;
}

int stop_signal(SettingsReader& in) {
  const Setting* setting = in.find("LSB_SIGSTOP");
  if (!setting) return 0;
  const int number = signal_number(setting->value);
  if (number == 0) in.error(*setting, "LSB_SIGSTOP", "the name of a signal");
  return number;
}

ResProgram res(SettingsReader& in) {
  ResProgram res;
  res.memory_of_job = in.yes_no("LSB_JOB_MEMLIMIT");
  res.cpu_of_job = in.yes_no("LSB_JOB_CPULIMIT");
  res.memory_of_both = in.yes_no("LSB_MEMLIMIT_ENFORCE", false);
  const auto share = [&in](const char* name, std::size_t usual, std::string_view what) {
    return static_cast<std::size_t>(in.number(name, 0, kMostShare, static_cast<int>(usual), what));
  };
  res.user_connections = share("ROLLCALL_USER_CONNECTIONS", res.user_connections, "connections");
  res.user_tasks = share("ROLLCALL_USER_TASKS", res.user_tasks, "tasks");
  res.job_cgroups = in.yes_no("ROLLCALL_JOB_CGROUPS", res.job_cgroups);
  res.task_relay = in.yes_no("ROLLCALL_TASK_RELAY", res.task_relay);
  res.mpi_variables = in.yes_no("ROLLCALL_MPI_VARIABLES", res.mpi_variables);
  res.runs_outside_jobs = !in.yes_no("LSF_DISABLE_LSRUN", false);
  res.usage_factor = usage_factor(in);
  res.stop_signal = stop_signal(in);
  if (const std::string place = in.text("LSF_TMPDIR"); !place.empty()) res.tmp_top = place;
  res.set_tmpdir = in.yes_no("LSB_SET_TMPDIR", false);
  res.mail_program = in.text("LSB_MAILPROG");
  return res;
}

CommandPrograms commands(SettingsReader& in) {
  CommandPrograms commands;
  commands.remote_shell = in.text("LSF_RSH");
  commands.lsload_format = in.text("LSF_LSLOAD_FORMAT");
  commands.product = in.text("ROLLCALL_PRODUCT");
  commands.esub_methods = in.text("LSB_ESUB_METHOD");
  commands.gpu_default = in.text("LSB_GPU_REQ");
  if (const int tries = in.number("LSB_NTRIES", 1, kMostTries, 0, "tries"); tries > 0) commands.tries = tries;
  commands.parses_script_file = in.yes_no("LSB_BSUB_PARSE_SCRIPT", true);
  for (const ColumnsParameter& one : kColumnsParameters) commands.*one.text = in.text(one.parameter);
  commands.jobs_unit = in.text("LSB_UNIT_FOR_JOBS_DISPLAY");
  commands.consistent_exit = in.yes_no("LSB_BJOBS_CONSISTENT_EXIT_CODE", false);
  commands.bjobs_history = in.yes_no("ROLLCALL_BJOBS_HISTORY", false);
  commands.restarts_daemons = in.yes_no("ROLLCALL_RESTART_DAEMONS", true);
  return commands;
}

}  // namespace

ProgramSettings read_program_settings(const LsfConf& lsf_conf, Problems& problems) {
  SettingsReader in(lsf_conf, problems);
  read_forward_settings(lsf_conf, problems);  // its errors
  return {in.text("ROLLCALL_MUNGE_SOCKET"), lim(in), mbatchd(in, lsf_conf), res(in), commands(in)};
}

}  // namespace rollcall::conf
