#include "res/daemon/configuration.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cctype>

#include "common/conf/own_host.hpp"
#include "common/io/config_source.hpp"
#include "common/io/daemon_files.hpp"
#include "common/io/host_addresses.hpp"

namespace rollcall::res {
namespace {

// Returns LSF's name for a host type, such as LINUX86 or X86_64: from lsf.cluster, or else uname's machine in capitals.
std::string type_of(const conf::ClusterFiles& files, const std::string& host) {
  const std::string named = files.facts(host).type;
  if (!named.empty()) return named;
  utsname machine{};
  uname(&machine);
  std::string type = machine.machine;
  for (char& c : type) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return type;
}

// Limits apply to the job as a whole unless the site says otherwise (docs/decisions/0026).
wire::Enforcement enforcement_of(const conf::ResProgram& program) {
  wire::Enforcement result;
  const auto is = [](std::optional<bool> word, bool wanted) { return word && *word == wanted; };
  result.set_memory_of_job(!is(program.memory_of_job, false) || program.memory_of_both);
  result.set_memory_of_process(is(program.memory_of_job, false) || program.memory_of_both);
  result.set_cpu_of_job(!is(program.cpu_of_job, false));
  result.set_cpu_of_process(!is(program.cpu_of_job, true));
  return result;
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
  const auto official = conf::own_host(*checked.files, io::host_name_here());
  if (!official) {
    loaded.errors.insert(loaded.errors.begin(), official.error().text);
    return loaded;
  }
  Configuration result{std::move(*checked.files), *batch, *official, "", {}};
  result.host_type = type_of(result.files, *official);
  result.enforcement = enforcement_of(result.files.programs.res);
  auto trust = io::check_daemon_trust(result.files.settings, io::files_of_res(result.batch));
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
