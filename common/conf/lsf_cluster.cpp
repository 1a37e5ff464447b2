// Sections of lsf.cluster.NAME, each with its keywords in any order:
//
//   Parameters     KEYWORD = VALUE ...                                   see ClusterParameters
//   ClusterAdmins  ADMINISTRATORS = USER|GROUP ...                       also section ClusterManager, keyword MANAGER
//   Host           HOSTNAME [model] [type] [server] [RESOURCES] [nd] [RUNWINDOW] [REXPRI] [INDEX ...]
//   ResourceMap    RESOURCENAME LOCATION                                 LOCATION: see locations.cpp
//   RemoteClusters CLUSTERNAME [EQUIV] [CACHE_INTERVAL] [RECV_FROM] [AUTH]
//
// RESOURCES = { ["!"] BOOLEAN | NAME "=" VALUE | DYNAMIC }. Section Host is read first, wherever it stands.
#include "common/conf/lsf_cluster.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/host_section.hpp"
#include "common/conf/locations.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/without_effect.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

constexpr int kMostIntervals = 1'000'000;

const std::vector<std::string> kParameters{"EXINTERVAL",
                                           "HOST_INACTIVITY_LIMIT",
                                           "MASTER_INACTIVITY_LIMIT",
                                           "RETRY_LIMIT",
                                           "PROBE_TIMEOUT",
                                           "ADJUST_DURATION",
                                           "ELIMARGS",
                                           "ELIM_POLL_INTERVAL",
                                           "LSF_ELIM_BLOCKTIME",
                                           "LSF_ELIM_DEBUG",
                                           "LSF_ELIM_RESTARTS",
                                           "ELIM_ABORT_VALUE",
                                           "PRODUCTS",
                                           "FEATURES",
                                           "ROLLCALL_ELIM_RESTART_INTERVAL"};

template <class T>
void set(T& target, const std::optional<T>& value) {
  if (value) target = *value;
}

// A later row overrides earlier ones.
void read_parameters(const Row& row, ClusterParameters& parameters, Problems& problems) {
  RowReader cells(row, problems);
  set(parameters.exchange_interval, cells.some_seconds("EXINTERVAL"));
  set(parameters.host_inactivity_limit, cells.whole("HOST_INACTIVITY_LIMIT", 1, kMostIntervals));
  set(parameters.master_inactivity_limit, cells.whole("MASTER_INACTIVITY_LIMIT", 0, kMostIntervals));
  set(parameters.retry_limit, cells.whole("RETRY_LIMIT", 0, kMostIntervals));
  set(parameters.probe_timeout, cells.some_seconds("PROBE_TIMEOUT"));
  set(parameters.adjust_duration, cells.whole("ADJUST_DURATION", 0, kMostIntervals));
  if (row.given("ELIMARGS")) parameters.elim_arguments = cells.words("ELIMARGS");
  if (const auto poll = cells.some_seconds("ELIM_POLL_INTERVAL")) {
    if (*poll > std::chrono::seconds(5))
      cells.warning("ELIM_POLL_INTERVAL", cells.word("ELIM_POLL_INTERVAL"), "5 seconds or less; 5 are taken");
    parameters.elim_poll_interval = std::min<Duration>(*poll, std::chrono::seconds(5));
  }
  if (const auto block = cells.seconds("LSF_ELIM_BLOCKTIME")) {
    parameters.elim_block_time = *block;
    parameters.elim_block_time_given = true;
  }
  set(parameters.elim_debug, cells.yes_no("LSF_ELIM_DEBUG"));
  if (const auto restarts = cells.whole("LSF_ELIM_RESTARTS", 0, kMostIntervals))
    parameters.elim_restarts = *restarts;
  set(parameters.elim_abort_value, cells.whole("ELIM_ABORT_VALUE", 0, 255));
  set(parameters.elim_restart_interval, cells.seconds("ROLLCALL_ELIM_RESTART_INTERVAL"));
  if (parameters.elim_restarts && !parameters.elim_debug && !parameters.elim_block_time_given) {
    cells.warning("LSF_ELIM_RESTARTS", cells.word("LSF_ELIM_RESTARTS"),
                  "LSF_ELIM_BLOCKTIME or LSF_ELIM_DEBUG beside it; there is no limit without");
    parameters.elim_restarts.reset();
  }
}

class ClusterReader {
 public:
  ClusterReader(const SectionFile& file, const LsfShared& shared, const IndexTable& indices, HostNames& names,
                Problems& problems)
      : file_(file), shared_(shared), indices_(indices), names_(names), problems_(problems) {}

  LsfCluster read(const std::string& file_name);

 private:
  void read_administrators();
  void read_resource_map();
  void map_resource(const Row& row);
  void check_values(RowReader& cells, const ResourceDefinition& definition,
                    const std::vector<ResourceInstance>& instances);
  void map_every_host();
  void map_reported();
  void read_remote_clusters();

  const SectionFile& file_;
  const LsfShared& shared_;
  const IndexTable& indices_;
  HostNames& names_;
  Problems& problems_;
  LsfCluster cluster_;
  std::vector<std::string> server_hosts_;
};

LsfCluster ClusterReader::read(const std::string& file_name) {
  check_sections(file_,
                 {"Parameters", "ClusterAdmins", "ClusterManager", "Host", "ResourceMap", "RemoteClusters"},
                 problems_);
  each_row(file_, "Parameters", with_known("lsf.cluster", "Parameters", {{}, kParameters}), problems_,
           [this](const Row& row) { read_parameters(row, cluster_.parameters, problems_); });
  read_administrators();
  cluster_.hosts = read_host_section(file_, shared_, indices_, names_, problems_);
  const auto sections = file_.all("Host");
  if (std::all_of(sections.begin(), sections.end(),
                  [](const Section* section) { return section->rows.empty(); }))
    problems_.fatal({file_name, 0},
                    "found no host, expected a section Host with HOSTNAME and one row or more");
  else if (cluster_.hosts.empty())
    problems_.fatal(sections.front()->place, "found no valid host in section Host, expected one or more");
  for (const ClusterHost& host : cluster_.hosts)
    if (host.server) server_hosts_.push_back(host.name);
  read_resource_map();
  map_every_host();
  map_reported();
  read_remote_clusters();
  return std::move(cluster_);
}

void ClusterReader::read_administrators() {
  for (const std::string_view section : {"ClusterAdmins", "ClusterManager"})
    each_row(file_, section, {{}, {"ADMINISTRATORS", "MANAGER"}}, problems_, [this](const Row& row) {
      for (const std::string_view keyword : {"ADMINISTRATORS", "MANAGER"}) {
        if (const Cell* cell = row.given(keyword)) {
          if (!cluster_.administrators.empty())
            problems_.warning(cell->place, std::string(keyword) + ": found " + printable(cell->text) +
                                               ", expected one list of administrators; those at " +
                                               cluster_.administrators_place.text() + " count too");
          cluster_.administrators_place = cell->place;
        }
        for (const std::string& name : RowReader(row, problems_).words(keyword))
          cluster_.administrators.push_back(name);
      }
    });
}

void ClusterReader::read_resource_map() {
  const auto hosts = file_.all("Host");
  for (const Section* map : file_.all("ResourceMap"))
    if (!hosts.empty() && map < hosts.front())
      problems_.warning(map->place, "found section ResourceMap before section Host, expected it after that");
  each_row(file_, "ResourceMap", {{"RESOURCENAME", "LOCATION"}, {}}, problems_,
           [this](const Row& row) { map_resource(row); });
}

void ClusterReader::map_resource(const Row& row) {
  RowReader cells(row, problems_);
  const std::string name = cells.required("RESOURCENAME");
  const Cell* location = row.given("LOCATION");
  if (!location) return cells.error("LOCATION", "()", "where " + name + " is");
  if (name.empty()) return;
  const auto id = indices_.find(name);
  if (!id && shared_.invalid_resource(name)) return;
  if (!id) return cells.error("RESOURCENAME", name, "a resource of lsf.shared");
  const ResourceDefinition& definition = indices_.at(*id);
  if (definition.built_in)
    return cells.warning("RESOURCENAME", name, "a resource of lsf.shared; a built-in one is on every host");
  if (definition.type == ResourceType::boolean)
    return cells.error("RESOURCENAME", name,
                       "a Numeric or String resource; a Boolean one stands under RESOURCES of its hosts");
  for (const ResourceMapping& other : cluster_.resource_map)
    if (other.resource == name)
      return cells.warning("RESOURCENAME", name,
                           "one row for it; this one is passed over for that at " + other.place.text());
  std::vector<Error> left_out;
  auto instances = parse_locations(location->text, names_, server_hosts_, left_out);
  if (!instances) left_out.push_back(instances.error());
  for (const Error& error : left_out)
    problems_.error(location->place, "LOCATION of " + name + ": " + error.text);
  if (!instances) return;
  check_values(cells, definition, *instances);
  if (!cells.valid() || instances->empty()) return;
  cluster_.resource_map.push_back({name, std::move(*instances), row.place});
}

void ClusterReader::check_values(RowReader& cells, const ResourceDefinition& definition,
                                 const std::vector<ResourceInstance>& instances) {
  for (const ResourceInstance& instance : instances) {
    if (definition.dynamic() && instance.value)
      cells.error("LOCATION", *instance.value + "@",
                  "no value for " + definition.name + ", which is dynamic: an elim reports it");
    if (!definition.dynamic() && !instance.value)
      cells.error("LOCATION", "[",
                  "VALUE@[ for " + definition.name + ", which is static: lsf.shared gives it no INTERVAL");
    if (instance.value && definition.type == ResourceType::numeric && !parse_real(*instance.value))
      cells.error("LOCATION", *instance.value, "a number for " + definition.name);
  }
}

// Indices of a section NewIndex need no row in ResourceMap.
void ClusterReader::map_every_host() {
  for (const SharedResource& resource : shared_.resources) {
    const std::string& name = resource.definition.name;
    const auto mapped = [&name](const ResourceMapping& mapping) { return mapping.resource == name; };
    if (resource.every_host &&
        std::none_of(cluster_.resource_map.begin(), cluster_.resource_map.end(), mapped))
      cluster_.resource_map.push_back({name, {{.kind = ResourceInstance::Kind::each_host}}, resource.place});
  }
}

// A dynamic resource in RESOURCES of a host is reported by an elim there, as with LOCATION [HOST]. ResourceMap takes precedence.
void ClusterReader::map_reported() {
  std::map<std::string, ResourceMapping> own;
  for (const ClusterHost& host : cluster_.hosts)
    for (const std::string& name : host.reported) {
      if (std::any_of(cluster_.resource_map.begin(), cluster_.resource_map.end(),
                      [&name](const ResourceMapping& mapping) { return mapping.resource == name; }))
        continue;
      auto& mapping = own.try_emplace(name, ResourceMapping{name, {}, host.place}).first->second;
      mapping.instances.push_back({.hosts = {host.name}});
    }
  for (auto& [name, mapping] : own) cluster_.resource_map.push_back(std::move(mapping));
}

void ClusterReader::read_remote_clusters() {
  each_row(file_, "RemoteClusters", {{"CLUSTERNAME"}, {"EQUIV", "CACHE_INTERVAL", "RECV_FROM", "AUTH"}},
           problems_, [this](const Row& row) {
             RowReader cells(row, problems_);
             RemoteCluster remote{.name = cells.required("CLUSTERNAME"), .place = row.place};
             if (remote.name.empty()) return;
             if (std::none_of(shared_.clusters.begin(), shared_.clusters.end(),
                              [&remote](const ClusterRow& known) { return known.name == remote.name; }))
               return cells.error("CLUSTERNAME", remote.name, "a cluster of lsf.shared");
             for (const RemoteCluster& other : cluster_.remote_clusters)
               if (other.name == remote.name)
                 return cells.warning(
                     "CLUSTERNAME", remote.name,
                     "one row for it; this one is passed over for that at " + other.place.text());
             set(remote.equivalent, cells.yes_no("EQUIV"));
             set(remote.cache_interval, cells.seconds("CACHE_INTERVAL"));
             set(remote.receive_from, cells.yes_no("RECV_FROM"));
             remote.authentication = cells.word("AUTH");
             cluster_.remote_clusters.push_back(std::move(remote));
           });
}

}  // namespace

const ClusterHost* LsfCluster::host(std::string_view official) const {
  const auto found = std::find_if(hosts.begin(), hosts.end(),
                                  [official](const ClusterHost& host) { return host.name == official; });
  return found == hosts.end() ? nullptr : &*found;
}

LsfCluster read_lsf_cluster(const SectionFile& file, const std::string& file_name, const LsfShared& shared,
                            const IndexTable& indices, HostNames& names, Problems& problems) {
  return ClusterReader(file, shared, indices, names, problems).read(file_name);
}

SectionSyntax lsf_cluster_syntax() {
  SectionSyntax syntax;
  syntax.default_keywords = {{"ResourceMap", {"RESOURCENAME", "LOCATION"}}};
  return syntax;
}

}  // namespace rollcall::conf
