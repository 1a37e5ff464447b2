#include "sched/mbatchd/configuration.hpp"

#include "common/base/numbers.hpp"
#include "common/io/config_source.hpp"
#include "common/io/daemon_files.hpp"
#include "common/io/host_addresses.hpp"
#include "sched/policy/lease/export_files.hpp"
#include "sched/policy/lease/export_text.hpp"
#include "sched/policy/lease/kept_exports.hpp"
#include "sched/policy/values/file_checks.hpp"

namespace rollcall::mbatchd {
namespace {

// The name of export_text() in a packed set. It is no path.
constexpr const char* kExportsInForce = "exports in force";

void tell(LoadedConfiguration& loaded, const conf::Problems& problems) {
  const auto errors = problems.error_lines();
  // The first line says why a set is not used.
  loaded.errors.insert(problems.has_fatal() ? loaded.errors.begin() : loaded.errors.end(), errors.begin(),
                       errors.end());
  for (auto& line : problems.warning_lines()) loaded.warnings.push_back(std::move(line));
}

// The files of the set; `sources` keeps what it reads of them. `before`: the exports in force; nullptr: none.
LoadedConfiguration load_set(const conf::FileSources& sources, const conf::LsbResources* before) {
  LoadedConfiguration loaded;
  auto cluster = conf::read_cluster_files(sources);
  tell(loaded, cluster.problems);
  if (!cluster.files) return loaded;
  auto made = std::make_shared<Configuration>();
  made->files.cluster = std::make_shared<conf::ClusterFiles>(std::move(*cluster.files));
  const auto& files = *made->files.cluster;

  conf::Problems of_batch;
  const auto batch = std::make_shared<conf::BatchSettings>(conf::read_batch_settings(files, of_batch));
  made->peers = conf::read_peer_settings(files, batch->mbd_port, of_batch);
  tell(loaded, of_batch);
  if (of_batch.has_fatal()) return loaded;
  made->files.batch = batch;
  made->directory = conf::batch_directory(*batch, files.settings);
  const std::string name = io::host_name_here();
  made->host = files.names.official(name).value_or(name);
  if (made->host != batch->mbd_host) {
    loaded.errors.insert(loaded.errors.begin(), "mbatchd of cluster " + files.settings.cluster + " runs on " +
                                                    batch->mbd_host + ", and this is " + made->host +
                                                    ": start it there, or set ROLLCALL_MBD_HOST in lsf.conf");
    loaded.elsewhere = true;
    return loaded;
  }

  auto lsb = conf::read_lsb_files(sources, files);
  tell(loaded, lsb.problems);
  if (!lsb.files) return loaded;
  // badmin refuses such files; where they are in use all the same, their queues must stay.
  conf::Problems requirements;
  sched::check_requirements(files, *lsb.files, requirements);
  sched::lease::check_export_files(files, *lsb.files, made->peers, requirements);
  for (const auto& problem : requirements.all()) loaded.warnings.push_back(problem.line());
  if (before != nullptr)
    loaded.kept_exports =
        sched::lease::keep_exports(lsb.files->resources, *before, lsb.problems, files, made->peers);
  loaded.warnings.insert(loaded.warnings.end(), loaded.kept_exports.begin(), loaded.kept_exports.end());
  made->files.lsb = std::make_shared<conf::LsbFiles>(std::move(*lsb.files));
  made->rules = sched::cycle::placement_rules(made->files.cluster, made->files.lsb);
  loaded.configuration = std::move(made);
  return loaded;
}

// Where exports stay that no file has any more, the exports in force are packed too.
std::string packed(const conf::FileSnapshot& kept, const LoadedConfiguration& loaded) {
  if (loaded.kept_exports.empty()) return kept.packed();
  return kept.packed(
      {{kExportsInForce, sched::lease::export_text(loaded.configuration->files.lsb->resources)}});
}

LoadedConfiguration load(const std::shared_ptr<conf::FileSnapshot>& kept, const conf::LsbResources* before,
                         const std::string& instead_of = {}) {
  auto loaded = load_set(kept->sources(), before);
  if (loaded.configuration && instead_of.empty()) loaded.packed = packed(*kept, loaded);
  kept->complete();
  loaded.kept = kept;
  if (loaded.configuration) {
    auto made = std::make_shared<Configuration>(*loaded.configuration);
    made->kept = kept;
    made->instead_of = instead_of;
    loaded.configuration = std::move(made);
  }
  return loaded;
}

const conf::LsbResources* exports_of(const Configuration* before) {
  return before == nullptr ? nullptr : &before->files.lsb->resources;
}

}  // namespace

LoadedConfiguration load_configuration(const std::optional<std::string>& env_dir,
                                       const Configuration* before) {
  return load(
      std::make_shared<conf::FileSnapshot>(env_dir ? io::file_sources_of(*env_dir) : io::real_file_sources()),
      exports_of(before));
}

Result<io::RootTrust> check_trust(const Configuration& configuration) {
  const auto& files = configuration.files;
  return io::check_daemon_trust(configuration.settings(),
                                io::files_of_mbatchd(*files.cluster, *files.batch, configuration.peers));
}

LoadedConfiguration load_trusted_configuration(const std::optional<std::string>& env_dir,
                                               const Configuration* before) {
  auto loaded = load_configuration(env_dir, before);
  if (!loaded.configuration) return loaded;
  if (const auto trust = check_trust(*loaded.configuration); !trust) {
    loaded.errors.insert(loaded.errors.begin(), trust.error().text);
    loaded.configuration = nullptr;
  }
  return loaded;
}

LoadedConfiguration load_configuration_anew(const conf::FileSnapshot& kept, const Configuration& before) {
  return load(kept.again(), exports_of(&before), before.instead_of);
}

LoadedConfiguration load_packed_configuration(const std::string& packed, const std::string& instead_of) {
  auto sources = conf::unpacked(packed, io::local_time_in);
  if (!sources) return {};
  std::optional<conf::LsbResources> exports;
  if (const auto text = sources->read(kExportsInForce))
    exports = sched::lease::read_export_text(*text, kExportsInForce);
  return load(std::make_shared<conf::FileSnapshot>(std::move(*sources)), exports ? &*exports : nullptr,
              instead_of);
}

}  // namespace rollcall::mbatchd
