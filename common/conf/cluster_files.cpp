#include "common/conf/cluster_files.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/conf/known_parameters.hpp"
#include "common/conf/without_effect.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

class SetReader {
 public:
  explicit SetReader(const FileSources& sources) : sources_(sources) {}

  CheckedClusterFiles read() {
    ClusterFiles files;
    if (const auto text = this->text(sources_.env_dir + "/lsf.conf")) {
      files.lsf_conf = LsfConf::parse(*text, sources_.env_dir + "/lsf.conf", checked_.problems);
      files.settings = read_load_settings(files.lsf_conf, sources_.env_dir, checked_.problems);
      files.programs = read_program_settings(files.lsf_conf, checked_.problems);
      tell_without_effect(files.lsf_conf, checked_.problems);
      read_shared(files);
    }
    checked_.problems.sort();
    (checked_.problems.has_fatal() ? checked_.rest : checked_.files) = std::move(files);
    return std::move(checked_);
  }

 private:
  // Reads a required file.
  std::optional<std::string> text(const std::string& path) {
    auto text = sources_.read(path);
    if (!text) {
      std::string why = text.error().text;
      if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
      checked_.problems.fatal({path, 0}, "found nothing to read, expected a file: " + why);
      return std::nullopt;
    }
    checked_.read.push_back(path);
    return std::move(*text);
  }

  SectionFile sections(const std::string& text, const std::string& path, SectionSyntax syntax) {
    syntax.include = [this](const std::string& included) {
      auto content = sources_.read(included);
      if (content) checked_.read.push_back(included);
      return content;
    };
    syntax.time = sources_.time;
    syntax.decided = sources_.decided;
    auto file = parse_sections(text, path, syntax, checked_.problems);
    tell_without_effect(path.ends_with("/lsf.shared") ? "lsf.shared" : "lsf.cluster", file,
                        checked_.problems);
    return file;
  }

  void read_shared(ClusterFiles& files) {
    const std::string path = files.settings.conf_dir + "/lsf.shared";
    const auto text = this->text(path);
    if (!text) return;
    files.shared = read_lsf_shared(sections(*text, path, lsf_shared_syntax()), path, checked_.problems);
    for (const SharedResource& resource : files.shared.resources) files.indices.add(resource.definition);
    if (choose_cluster(files, path)) read_cluster(files);
  }

  // lsf.shared may be the same in clusters that know each other: ours is the first whose file is here.
  std::string own_of(const std::vector<ClusterRow>& clusters, const std::string& conf_dir) const {
    if (clusters.empty()) return {};
    const auto own = std::find_if(clusters.begin(), clusters.end(), [&](const ClusterRow& row) {
      return sources_.read(conf_dir + "/lsf.cluster." + row.name).has_value();
    });
    return own == clusters.end() ? clusters[0].name : own->name;
  }

  bool choose_cluster(ClusterFiles& files, const std::string& path) {
    const auto& clusters = files.shared.clusters;
    std::string& name = files.settings.cluster;
    if (name.empty()) name = own_of(clusters, files.settings.conf_dir);
    if (std::any_of(clusters.begin(), clusters.end(),
                    [&](const ClusterRow& row) { return row.name == name; }))
      return true;
    if (!clusters.empty())
      checked_.problems.fatal({path, 0}, "found no cluster " + printable(name) +
                                             ", expected the one that lsf.conf names in section Cluster");
    return false;
  }

  void read_cluster(ClusterFiles& files) {
    const std::string path = files.settings.conf_dir + "/lsf.cluster." + files.settings.cluster;
    const auto text = this->text(path);
    if (!text) return;
    const std::string hosts_path = files.settings.env_dir + "/hosts";
    const auto hosts = sources_.read(hosts_path);
    if (hosts) checked_.read.push_back(hosts_path);
    files.names = HostNames(files.lsf_conf.value("LSF_STRIP_DOMAIN"), hosts ? *hosts : "");
    const SectionFile file = sections(*text, path, lsf_cluster_syntax());
    files.cluster = read_lsf_cluster(file, path, files.shared, files.indices, files.names, checked_.problems);
    files.cluster.name = files.settings.cluster;
    for (const Section* section : file.all("Parameters"))
      for (const Row& row : section->rows)
        for (const auto& [keyword, cell] : row.cells()) files.parameter_cells.set(keyword, cell);
    choose_candidates(files);
  }

  void choose_candidates(ClusterFiles& files) {
    auto& candidates = files.candidates;
    for (const std::string& word : files.settings.master_list) {
      const auto name = files.names.official(word);
      const ClusterHost* host = name ? files.cluster.host(*name) : nullptr;
      const Place place = setting_place(*files.lsf_conf.find("LSF_MASTER_LIST"));
      if (!host || !host->server)
        checked_.problems.error(place, "LSF_MASTER_LIST: found " + printable(word) +
                                           ", expected a server host of section Host in lsf.cluster." +
                                           files.cluster.name);
      else if (std::find(candidates.begin(), candidates.end(), host->name) != candidates.end())
        checked_.problems.warning(place,
                                  "LSF_MASTER_LIST: found " + printable(word) + " twice, expected it once");
      else
        candidates.push_back(host->name);
    }
    if (!files.settings.master_list.empty()) return require_candidate(files);
    for (const ClusterHost& host : files.cluster.hosts)
      if (host.server) candidates.push_back(host.name);
    if (candidates.empty() && !files.cluster.hosts.empty())
      checked_.problems.fatal(files.cluster.hosts[0].place,
                              "found no server host, expected one that can be master (server 1)");
  }

  // Fatal: without a usable name in LSF_MASTER_LIST another host would become master, against the site's choice.
  void require_candidate(const ClusterFiles& files) {
    if (files.candidates.empty())
      checked_.problems.fatal(setting_place(*files.lsf_conf.find("LSF_MASTER_LIST")),
                              "LSF_MASTER_LIST: found no server host of this cluster, expected at least one");
  }

  const FileSources& sources_;
  CheckedClusterFiles checked_;
};

}  // namespace

HostFacts ClusterFiles::facts(const std::string& host) const {
  if (const ClusterHost* row = cluster.host(host)) return facts(*row);
  HostFacts facts;
  facts.name = host;
  return facts;
}

HostFacts ClusterFiles::facts(const ClusterHost& row) const {
  HostFacts facts;
  facts.name = row.name;
  facts.type = row.type.value_or("");
  facts.model = row.model.value_or("");
  facts.cpu_factor = cpu_factor(facts.model);
  facts.server = row.server;
  facts.rexpri = row.rexpri;
  facts.ndisks = std::max(row.disks, 0);
  facts.booleans = row.booleans;
  facts.dedicated = row.dedicated;
  facts.values = row.values;
  // VALUE@[default] sets the value on each host; the host's own row in section Host overrides it.
  for (const ResourceMapping& mapping : cluster.resource_map)
    for (const ResourceInstance& instance : mapping.instances)
      if (row.server && instance.kind == ResourceInstance::Kind::each_host && instance.value)
        facts.values.emplace(mapping.resource, *instance.value);
  return facts;
}

double ClusterFiles::cpu_factor(std::string_view model) const {
  const HostModel* known = shared.model(model);
  return known ? known->cpu_factor : 1.0;
}

ClusterFiles lsf_conf_alone(std::string_view text, const std::string& env_dir, Problems& problems) {
  ClusterFiles files;
  files.lsf_conf = LsfConf::parse(text, env_dir + "/lsf.conf", problems);
  files.settings = read_load_settings(files.lsf_conf, env_dir, problems);
  files.programs = read_program_settings(files.lsf_conf, problems);
  return files;
}

std::optional<ClusterFiles> read_files_to_ask(const FileSources& sources) {
  const auto text = sources.read(sources.env_dir + "/lsf.conf");
  if (!text) return std::nullopt;
  Problems problems;
  ClusterFiles files = lsf_conf_alone(*text, sources.env_dir, problems);
  if (problems.has_fatal()) return std::nullopt;
  const auto hosts = sources.read(sources.env_dir + "/hosts");
  files.names = HostNames(files.lsf_conf.value("LSF_STRIP_DOMAIN"), hosts ? *hosts : "");
  for (const std::string& word : files.settings.master_list)
    files.candidates.push_back(files.names.short_of_domain(word));
  return files;
}

CheckedClusterFiles read_cluster_files(const FileSources& sources) { return SetReader(sources).read(); }

}  // namespace rollcall::conf
