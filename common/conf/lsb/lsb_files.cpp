#include "common/conf/lsb/lsb_files.hpp"

#include <algorithm>
#include <set>

#include "common/base/host_list.hpp"
#include "common/conf/known_parameters.hpp"
#include "common/conf/lsb/forwarding_checks.hpp"
#include "common/conf/lsb/group_checks.hpp"
#include "common/conf/lsb/matching_resources.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/without_effect.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

// Checks names that one file takes from another. An unknown name is a warning; an error where the value cannot be used at all.
class CrossCheck {
 public:
  CrossCheck(const LsbFiles& files, const ClusterFiles& cluster, Problems& problems)
      : files_(files), cluster_(cluster), problems_(problems) {
    for (const HostGroup& group : files.hosts.groups) groups_.insert(group.name);
    for (const HostPartition& partition : files.hosts.partitions) groups_.insert(partition.name);
    for (const ComputeUnit& unit : files.hosts.compute_units) groups_.insert(unit.name);
  }

  void check() {
    if (const std::string& name = files_.params.default_application;
        !name.empty() && !files_.application(name))
      warn(files_.params.cells.find("DEFAULT_APPLICATION")->place, "DEFAULT_APPLICATION", name,
           "an application profile of lsb.applications");
    if (const Cell* types = files_.params.cells.find("PREEMPT_JOBTYPE")) check_job_types(*types);
    for (const std::string& name : files_.params.preemptable_resources) check_preemptable(name);
    for (const std::string& name : files_.params.mc_matching_resources)
      if (!matching_resource(name, cluster_))
        warn(files_.params.cells.find("MC_RESOURCE_MATCHING_CRITERIA")->place,
             "MC_RESOURCE_MATCHING_CRITERIA", name,
             "a numeric or string resource of lsf.shared that each host has for itself and that jobs do not "
             "consume");
    for (const QueueRow& queue : files_.queues) check_queue(queue);
    for (const QueueRow& queue : files_.queues) check_host_specs(queue.jobs, queue.name, queue.place);
    for (const ApplicationProfile& profile : files_.applications)
      check_host_specs(profile.jobs, profile.name, profile.place);
    if (const std::string& spec = files_.params.default_host_spec; !is_host_spec(spec))
      warn(files_.params.cells.find("DEFAULT_HOST_SPEC")->place, "DEFAULT_HOST_SPEC", spec, kHostSpec);
    check_forwarding(files_, cluster_, problems_);
    for (const BatchHost& host : files_.hosts.hosts) check_batch_host(host);
    for (const HostGroup& group : files_.hosts.groups) check_members(group.name, group.members, group.place);
    check_groups(files_.hosts.groups, problems_);
    check_groups(files_.users.groups, problems_);
    for (const HostPartition& partition : files_.hosts.partitions)
      for (const HostItem& item : partition.hosts) check_item(partition.name, item, partition.place);
    for (const ComputeUnit& unit : files_.hosts.compute_units)
      check_members(unit.name, unit.members, unit.place);
    for (const HostExport& lease : files_.resources.host_exports) check_export(lease);
    for (const ResourceLimit& limit : files_.resources.limits) check_limit(limit);
    for (const ReservationMethod& method : files_.resources.reservation_methods)
      check_resource(method.resource, method.place, "this row has no effect");
  }

 private:
  bool host(std::string_view name) const { return cluster_.names.official(name).has_value(); }

  void warn(const Place& place, const std::string& keyword, std::string_view found,
            const std::string& expected) {
    problems_.warning(place, keyword + ": found " + printable(found) + ", expected " + expected);
  }

  void check_queue(const QueueRow& queue) {
    for (const HostItem& item : queue.hosts)
      check_item("queue " + queue.name, item, place_of(queue.cells, "HOSTS", queue.place));
    for (const auto* list : {&queue.preemption.preemptive, &queue.preemption.preemptable})
      for (const HostItem& item : *list ? **list : std::vector<HostItem>{})
        if (!files_.queue(item.name))
          warn(place_of(queue.cells, "PREEMPTION", queue.place), "PREEMPTION of " + queue.name, item.name,
               "a queue of lsb.queues");
  }

  void check_export(const HostExport& lease) {
    const Place place = place_of(lease.places, "PER_HOST", lease.place);
    std::set<std::string> named;
    for (const std::string& name : lease.hosts)
      if (!host(name))
        warn(place, "PER_HOST", name, "a host of the cluster");
      else if (!named.insert(*cluster_.names.official(name)).second)
        warn(place, "PER_HOST", name, "each host once: it counts once");
  }

  // Where the time of a limit is meant for a host's speed.
  static constexpr const char* kHostSpec = "a host or a model of lsf.shared";
  bool is_host_spec(const std::string& spec) const {
    return spec.empty() || host(spec) || cluster_.shared.model(spec) != nullptr;
  }
  void check_host_specs(const JobDefaults& jobs, const std::string& owner, const Place& place) {
    for (const auto& [keyword, limit] :
         {std::pair("CPULIMIT", &jobs.cpu_limit), std::pair("RUNLIMIT", &jobs.run_limit)})
      for (const auto* time : {&limit->standard, &limit->most})
        if (*time && !is_host_spec((*time)->host_spec)) {
          warn(place, keyword + (" of " + owner), (*time)->host_spec, kHostSpec);
          break;
        }
  }

  // The name of an invalid row of lsf.shared has an error there.
  void check_resource(const std::string& name, const Place& place, const char* effect) {
    if (!cluster_.indices.find(name) && !cluster_.shared.invalid_resource(name))
      warn(place, "RESOURCE", name, std::string("a resource of lsf.shared; ") + effect);
  }

  void check_limit(const ResourceLimit& limit) {
    for (const Share& share : limit.resources)
      check_resource(share.name, limit.place, "the limit does not hold for it");
    for (const auto& [keyword, names] : limit.consumers)
      for (const std::string& word : names) {
        const std::string name = word.starts_with('~') ? word.substr(1) : word;
        if (name == "all" || name == "none" || name == "default") continue;
        if (keyword.ends_with("QUEUES") || keyword == "PER_QUEUE") {
          if (!files_.queue(name)) warn(limit.place, keyword, word, "a queue of lsb.queues");
        } else if (keyword == "HOSTS" || keyword == "PER_HOST") {
          if (!host(name) && !groups_.contains(name) && name != "allremote" &&
              name.find('@') == std::string::npos)
            warn(limit.place, keyword, word, "a host or a group of hosts");
        } else if (keyword == "APPS" || keyword == "PER_APP") {
          if (std::none_of(files_.applications.begin(), files_.applications.end(),
                           [&name](const ApplicationProfile& known) { return known.name == name; }))
            warn(limit.place, keyword, word, "a profile of lsb.applications");
        }
      }
  }

  void check_job_types(const Cell& types) {
    for (const std::string& word : types.words()) {
      const bool backfill = same_name(word, "BACKFILL");
      if (!backfill && !same_name(word, "AFFINITY")) continue;
      problems_.warning(types.place, "PREEMPT_JOBTYPE: " + word + " has no effect yet: " +
                                         (backfill ? "backfill" : "binding jobs to processors") +
                                         " is not supported in this release");
    }
  }

  void check_preemptable(const std::string& name) {
    const Place& place = files_.params.cells.find("PREEMPTABLE_RESOURCES")->place;
    if (name == "mem")
      return problems_.warning(
          place,
          "PREEMPTABLE_RESOURCES: mem has no effect yet: preempting jobs for memory is not "
          "supported in this release");
    const auto id = cluster_.indices.find(name);
    const auto& map = cluster_.cluster.resource_map;
    const bool shared =
        std::any_of(map.begin(), map.end(), [&name](const auto& row) { return row.resource == name; });
    if (!id || !shared || !preemptable(cluster_.indices.at(*id)))
      warn(place, "PREEMPTABLE_RESOURCES", name,
           "a shared resource with TYPE Numeric, INCREASING N and RELEASE Y");
  }

  // Hosts of other clusters cannot be checked; check_forwarding() looks at the clusters.
  void check_item(const std::string& owner, const HostItem& item, const Place& place) {
    static const std::set<std::string, std::less<>> words{"all", "others", "allremote", "none"};
    const bool ours = item.cluster.empty() || item.cluster == cluster_.settings.cluster;
    if (!ours || words.contains(item.name) || groups_.contains(item.name) || host(item.name)) return;
    warn(place, "HOSTS of " + owner, item.name, "a host or a group of hosts");
  }

  void check_batch_host(const BatchHost& row) {
    const auto& types = cluster_.shared.host_types;
    if (row.name.find('@') != std::string::npos) return;  // a borrowed host: check_forwarding() looks at it
    if (row.name == "default" || host(row.name) || cluster_.shared.model(row.name) ||
        std::find(types.begin(), types.end(), row.name) != types.end())
      return;
    warn(row.place, "HOST_NAME", row.name, "a host, a model, a type or default");
  }

  bool may_borrow() const {
    const auto& clusters = cluster_.shared.clusters;
    return std::any_of(clusters.begin(), clusters.end(),
                       [this](const auto& one) { return one.name != cluster_.settings.cluster; });
  }

  void check_members(const std::string& owner, const std::vector<std::string>& members, const Place& place) {
    if (host(owner)) warn(place, "the name", owner, "one that no host has");
    for (const std::string& word : members) {
      const std::string name = word.starts_with('~') ? word.substr(1) : word;
      const auto matches = [&name](const ClusterHost& known) { return member_matches(name, known.name); };
      if (name == "all" || name == "!" || name == "allremote" || name.find('@') != std::string::npos ||
          groups_.contains(name) || host(name) ||
          std::any_of(cluster_.cluster.hosts.begin(), cluster_.cluster.hosts.end(), matches))
        continue;
      if (member_pattern(name) && may_borrow()) continue;  // it may match hosts that other clusters will lend
      warn(place, "members of " + owner, word, "a host or a group of hosts");
    }
  }

  const LsbFiles& files_;
  const ClusterFiles& cluster_;
  Problems& problems_;
  std::set<std::string, std::less<>> groups_;
};

class LsbReader {
 public:
  LsbReader(const FileSources& sources, const ClusterFiles& cluster) : sources_(sources), cluster_(cluster) {}

  CheckedLsbFiles read() {
    LsbFiles files;
    const std::string dir = lsb_directory(cluster_);
    Problems& problems = checked_.problems;
    const LimitUnit& unit = cluster_.settings.limit_unit;
    files.params = read_lsb_params(sections(dir + "/lsb.params", true), problems);
    tell_without_effect(files.params, problems);
    files.queues = read_lsb_queues(sections(dir + "/lsb.queues", true), cluster_.indices, unit, problems,
                                   cluster_.shared.invalid_resources);
    if (files.params.preempt_exclusive && !cluster_.programs.mbatchd.no_lock_of_exclusive)
      problems.warning(files.params.cells.find("PREEMPT_JOBTYPE")->place,
                       "PREEMPT_JOBTYPE=EXCLUSIVE has no effect: lsf.conf has no LSB_DISABLE_LIMLOCK_EXCL=Y");
    check_default_queues(files);
    make_default_queue(files, dir);
    files.hosts = read_lsb_hosts(sections(dir + "/lsb.hosts", false), cluster_.indices, problems,
                                 cluster_.shared.invalid_resources);
    check_unit_types(files);
    files.users = read_lsb_users(sections(dir + "/lsb.users", false), problems);
    files.applications = read_lsb_applications(sections(dir + "/lsb.applications", false), unit, problems);
    files.resources = read_lsb_resources(sections(dir + "/lsb.resources", false), unit, problems);
    read_lsf_task(sections(cluster_.settings.conf_dir + "/lsf.task", false, lsf_task_syntax()), files.tasks,
                  problems);
    check_resource_exports(files.resources);
    check_shared_exports(files.resources);
    CrossCheck(files, cluster_, problems).check();
    if (!files.application(files.params.default_application)) files.params.default_application.clear();
    problems.sort();
    if (!problems.has_fatal()) checked_.files = std::move(files);
    return std::move(checked_);
  }

 private:
  void check_unit_types(LsbFiles& files) {
    const auto& types = files.params.compute_unit_types;
    std::erase_if(files.hosts.compute_units, [&](const ComputeUnit& unit) {
      if (std::find(types.begin(), types.end(), unit.type) != types.end()) return false;
      checked_.problems.error(unit.place, "TYPE: found " + printable(unit.type) +
                                              ", expected a type of COMPUTE_UNIT_TYPES in lsb.params");
      return true;
    });
  }

  void check_resource_exports(LsbResources& resources) {
    std::erase_if(resources.resource_exports, [&](const SharedResourceExport& row) {
      if (cluster_.indices.find(row.name) || cluster_.shared.invalid_resource(row.name)) return false;
      checked_.problems.error(place_of(row.places, "NAME", row.place),
                              "NAME: found " + printable(row.name) + ", expected a resource of lsf.shared");
      return true;
    });
  }

  // Our own name in DISTRIBUTION counts for nothing.
  void check_shared_exports(LsbResources& resources) {
    std::erase_if(resources.host_exports, [&](const HostExport& row) {
      std::set<std::string> consumers;
      for (const Share& share : row.distribution) consumers.insert(share.name);
      consumers.erase(cluster_.cluster.name);
      if (!row.shared || row.hosts.empty() || consumers.size() <= 1) return false;
      checked_.problems.error(place_of(row.places, "DISTRIBUTION", row.place),
                              "DISTRIBUTION: found clusters " +
                                  join({consumers.begin(), consumers.end()}, ", ") +
                                  ", expected one for TYPE=shared with PER_HOST");
      return true;
    });
  }

  void check_default_queues(LsbFiles& files) {
    std::erase_if(files.params.default_queues, [&](const std::string& name) {
      if (files.queue(name) != nullptr) return false;
      checked_.problems.error(files.params.cells.find("DEFAULT_QUEUE")->place,
                              "DEFAULT_QUEUE: found " + printable(name) + ", expected a queue of lsb.queues");
      return true;
    });
  }

  // Adds an empty queue "default" where no default queue is configured.
  static void make_default_queue(LsbFiles& files, const std::string& dir) {
    if (!files.params.default_queues.empty() || files.queue("default") != nullptr) return;
    QueueRow queue;
    queue.name = "default";
    queue.place = {dir + "/lsb.params", 0};
    files.queues.push_back(std::move(queue));
  }

  SectionFile sections(const std::string& path, bool required, SectionSyntax syntax = {}) {
    const auto text = sources_.read(path);
    if (!text) {
      std::string why = text.error().text;
      if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
      if (required) checked_.problems.fatal({path, 0}, "found nothing to read, expected a file: " + why);
      return {};
    }
    checked_.read.push_back(path);
    syntax.include = sources_.read;
    syntax.time = sources_.time;
    syntax.decided = sources_.decided;
    auto file = parse_sections(*text, path, syntax, checked_.problems);
    tell_without_effect(path.substr(path.rfind('/') + 1), file, checked_.problems);
    return file;
  }

  const FileSources& sources_;
  const ClusterFiles& cluster_;
  CheckedLsbFiles checked_;
};

}  // namespace

const QueueRow* LsbFiles::queue(std::string_view name) const {
  const auto found =
      std::find_if(queues.begin(), queues.end(), [name](const QueueRow& row) { return row.name == name; });
  return found == queues.end() ? nullptr : &*found;
}

const ApplicationProfile* LsbFiles::application(std::string_view name) const {
  if (name.empty()) return nullptr;
  const auto found = std::find_if(applications.begin(), applications.end(),
                                  [name](const ApplicationProfile& profile) { return profile.name == name; });
  return found == applications.end() ? nullptr : &*found;
}

std::string lsb_directory(const ClusterFiles& cluster) {
  const Setting* setting = cluster.lsf_conf.find("LSB_CONFDIR");
  return (setting ? setting->value : cluster.settings.conf_dir + "/lsbatch") + "/" + cluster.cluster.name +
         "/configdir";
}

CheckedLsbFiles read_lsb_files(const FileSources& sources, const ClusterFiles& cluster) {
  return LsbReader(sources, cluster).read();
}

}  // namespace rollcall::conf
