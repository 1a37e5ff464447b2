#include "elim/lim/configuration.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "common/conf/own_host.hpp"
#include "common/io/config_source.hpp"
#include "common/io/daemon_files.hpp"
#include "common/io/host_addresses.hpp"

namespace rollcall::lim {
namespace {

// FNV-1a: detects copies that differ; it is no protection.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  std::string text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value_));
    return digits;
  }

 private:
  std::uint64_t value_ = 14695981039346656037ULL;
};

// lsf.conf and the hosts file are each host's own; the other files are common to all.
bool is_shared(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name != "lsf.conf" && name != "hosts";
}

LoadedConfiguration load(const std::shared_ptr<conf::FileSnapshot>& kept) {
  Digest digest;
  auto sources = kept->sources();
  sources.read = [read = sources.read, &digest](const std::string& path) {
    auto text = read(path);
    if (text && is_shared(path)) digest.add(*text);
    return text;
  };
  auto checked = conf::read_cluster_files(sources);
  kept->complete();

  LoadedConfiguration loaded;
  loaded.kept = kept;
  loaded.errors = checked.problems.error_lines();
  loaded.warnings = checked.problems.warning_lines();
  if (!checked.files) return loaded;
  const auto official = conf::own_host(*checked.files, io::host_name_here());
  if (!official) {
    loaded.errors.insert(loaded.errors.begin(), official.error().text);
    return loaded;
  }
  const auto& settings = checked.files->settings;
  const auto trust = io::check_daemon_trust(settings, io::files_of_lim(settings));
  if (!trust) {
    loaded.errors.insert(loaded.errors.begin(), trust.error().text);
    return loaded;
  }
  loaded.warnings.insert(loaded.warnings.end(), trust->notes.begin(), trust->notes.end());
  loaded.configuration = std::make_shared<Configuration>(
      Configuration{std::move(*checked.files), *official, digest.text(), kept});
  return loaded;
}

}  // namespace

LoadedConfiguration load_configuration(const std::optional<std::string>& env_dir) {
  return load(std::make_shared<conf::FileSnapshot>(env_dir ? io::file_sources_of(*env_dir)
                                                           : io::real_file_sources()));
}

LoadedConfiguration load_configuration_anew(const conf::FileSnapshot& kept) { return load(kept.again()); }

std::vector<std::string> what_needs_a_restart(const Configuration& before, const Configuration& after) {
  std::vector<std::string> names;
  const auto note = [&names](bool changed, const char* what) {
    if (changed) names.emplace_back(what);
  };
  note(before.files.settings.lim_port != after.files.settings.lim_port, "LSF_LIM_PORT");
  note(before.files.settings.key_file != after.files.settings.key_file, "ROLLCALL_CLUSTER_KEY");
  note(before.host != after.host, "the name of this host");
  note(before.files.cluster.administrators != after.files.cluster.administrators,
       "the first administrator, for elims,");
  return names;
}

std::vector<std::string> first_of(const std::vector<std::string>& lines) {
  constexpr std::size_t kMostLines = 200;
  std::vector<std::string> first(
      lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), kMostLines)));
  if (lines.size() > kMostLines)
    first.push_back(std::to_string(lines.size() - kMostLines) + " more; lsadmin ckconfig -v shows them");
  return first;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace rollcall::lim
