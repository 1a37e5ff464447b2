#include "res/daemon/configuration.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cctype>

#include "common/base/exit_status.hpp"
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

}  // namespace

LoadedConfiguration load_configuration(const std::optional<std::string>& env_dir) {
  const auto sources = env_dir ? io::file_sources_of(*env_dir) : io::real_file_sources();
  auto checked = conf::read_cluster_files(sources);
  LoadedConfiguration loaded;
  for (const auto& problem : checked.problems.all())
    (problem.kind == conf::Problem::Kind::warning ? loaded.warnings : loaded.errors)
        .push_back(problem.line());
  if (!checked.files) {
    if (loaded.errors.empty()) loaded.errors.push_back(sources.env_dir + ": cannot be read");
    return loaded;
  }
  const auto batch = conf::read_batch_settings(*checked.files);
  if (!batch) {
    loaded.errors.push_back(batch.error().text);
    return loaded;
  }
  const std::string name = io::host_name_here();
  const auto official = checked.files->names.official(name);
  if (!official || checked.files->cluster.host(*official) == nullptr) {
    loaded.errors.push_back("this host is called " + name + ", and section Host of lsf.cluster." +
                            checked.files->cluster.name + " has no such host");
    return loaded;
  }
  Configuration result{std::move(*checked.files), *batch, *official, "", {}, 0, ""};
  const auto& lsf_conf = result.files.lsf_conf;
  result.host_type = type_of(result.files, *official);
  result.enforcement = enforcement_of(lsf_conf);
  const std::string stop = lsf_conf.value("LSB_SIGSTOP");
  result.stop_signal = signal_number(stop);
  if (!stop.empty() && result.stop_signal == 0)
    loaded.warnings.push_back("lsf.conf: LSB_SIGSTOP: found " + stop + ", expected the name of a signal");
  if (yes(lsf_conf.value("LSB_SET_TMPDIR"))) {
    const std::string place = lsf_conf.value("LSF_TMPDIR");
    result.tmp_dir = place.empty() ? "/tmp" : place;
  }
  loaded.configuration = std::make_shared<Configuration>(std::move(result));
  return loaded;
}

}  // namespace rollcall::res
