#include "res/daemon/configuration.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "common/base/exit_status.hpp"
#include "common/base/numbers.hpp"
#include "common/io/config_source.hpp"
#include "common/io/host_addresses.hpp"

namespace rollcall::res {
namespace {

bool yes(const std::string& word) { return word == "y" || word == "Y"; }
bool no(const std::string& word) { return word == "n" || word == "N"; }

// As LSF names types: LINUX86, X86_64, ...: what lsf.cluster says, else the machine's own word in capitals.
std::string type_of(const conf::ClusterFiles& files, const std::string& host) {
  const std::string named = files.facts(host).type;
  if (!named.empty()) return named;
  utsname machine{};
  uname(&machine);
  std::string type = machine.machine;
  for (char& c : type) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return type;
}

// docs/decisions/0026: a limit of the job as a whole is kept unless the site says otherwise.
wire::Enforcement enforcement_of(const conf::LsfConf& lsf_conf) {
  wire::Enforcement result;
  const std::string memory = lsf_conf.value("LSB_JOB_MEMLIMIT"),
                    both = lsf_conf.value("LSB_MEMLIMIT_ENFORCE");
  result.set_memory_of_job(!no(memory) || yes(both));
  result.set_memory_of_process(no(memory) || yes(both));
  const std::string cpu = lsf_conf.value("LSB_JOB_CPULIMIT");
  result.set_cpu_of_job(!no(cpu));
  result.set_cpu_of_process(!yes(cpu));
  return result;
}

void read_share(const conf::LsfConf& lsf_conf, const char* name, std::size_t& share,
                std::vector<std::string>& warnings) {
  const std::string word = lsf_conf.value(name);
  if (word.empty()) return;
  if (const auto number = parse_whole(word, 0, 1'000'000))
    share = static_cast<std::size_t>(*number);
  else
    warnings.push_back(std::string("lsf.conf: ") + name + ": found " + word +
                       ", expected a number up to 1000000; 0: any number");
}

// Seconds for each slot; a warning where it is no number.
double usage_factor_of(const conf::LsfConf& lsf_conf, std::vector<std::string>& warnings) {
  const std::string text = lsf_conf.value("LSF_PAM_RUSAGE_UPD_FACTOR");
  if (text.empty()) return 0;
  char* end = nullptr;
  const double factor = std::strtod(text.c_str(), &end);
  if (*end == '\0' && factor >= 0 && std::isfinite(factor)) return factor;
  warnings.push_back("lsf.conf: LSF_PAM_RUSAGE_UPD_FACTOR: found " + text +
                     ", expected a number of seconds from 0");
  return 0;
}

}  // namespace

LoadedConfiguration load_configuration(const std::optional<std::string>& env_dir) {
  const auto sources = env_dir ? io::file_sources_of(*env_dir) : io::real_file_sources();
  auto checked = conf::read_cluster_files(sources);
  LoadedConfiguration loaded;
  loaded.errors = checked.problems.error_lines();
  loaded.warnings = checked.problems.warning_lines();
  if (!checked.files) return loaded;
  const auto batch = conf::read_batch_settings(*checked.files);
  if (!batch) {
    loaded.errors.insert(loaded.errors.begin(), batch.error().text);
    return loaded;
  }
  const std::string name = io::host_name_here();
  const auto official = checked.files->names.official(name);
  if (!official || checked.files->cluster.host(*official) == nullptr) {
    loaded.errors.insert(loaded.errors.begin(), "this host is called " + name +
                                                    ", and section Host of lsf.cluster." +
                                                    checked.files->cluster.name + " has no such host");
    return loaded;
  }
  Configuration result{std::move(*checked.files), *batch, *official, "", {}, 0, ""};
  read_share(result.files.lsf_conf, "ROLLCALL_USER_CONNECTIONS", result.user_connections, loaded.warnings);
  read_share(result.files.lsf_conf, "ROLLCALL_USER_TASKS", result.user_tasks, loaded.warnings);
  result.job_cgroups = !no(result.files.lsf_conf.value("ROLLCALL_JOB_CGROUPS"));
  const auto& lsf_conf = result.files.lsf_conf;
  result.task_relay = !no(lsf_conf.value("ROLLCALL_TASK_RELAY"));
  result.mpi_variables = !no(lsf_conf.value("ROLLCALL_MPI_VARIABLES"));
  result.usage_factor = usage_factor_of(lsf_conf, loaded.warnings);
  result.host_type = type_of(result.files, *official);
  result.enforcement = enforcement_of(lsf_conf);
  const std::string stop = lsf_conf.value("LSB_SIGSTOP");
  result.stop_signal = signal_number(stop);
  if (!stop.empty() && result.stop_signal == 0)
    loaded.warnings.push_back("lsf.conf: LSB_SIGSTOP: found " + stop + ", expected the name of a signal");
  if (const std::string place = lsf_conf.value("LSF_TMPDIR"); !place.empty()) result.tmp_top = place;
  if (yes(lsf_conf.value("LSB_SET_TMPDIR"))) result.tmp_dir = result.tmp_top;
  auto trust = io::check_daemon_trust(result.files.settings, {{result.batch.job_dir, "ROLLCALL_JOBDIR"}});
  if (!trust) {
    loaded.errors.insert(loaded.errors.begin(), trust.error().text);
    return loaded;
  }
  loaded.warnings.insert(loaded.warnings.end(), trust->notes.begin(), trust->notes.end());
  result.trust = std::move(*trust);
  loaded.configuration = std::make_shared<Configuration>(std::move(result));
  return loaded;
}

}  // namespace rollcall::res
