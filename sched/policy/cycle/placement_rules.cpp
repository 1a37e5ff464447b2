#include "sched/policy/cycle/placement_rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "common/conf/row_reader.hpp"
#include "common/conf/words.hpp"
#include "sched/policy/cycle/preemption_rules.hpp"
#include "sched/policy/cycle/user_limits.hpp"
#include "sched/policy/values/gpus.hpp"

namespace rollcall::sched::cycle {
namespace {

std::vector<IndexThreshold> thresholds_of(const std::map<std::string, conf::Threshold>& named,
                                          const IndexTable& indices) {
  std::vector<IndexThreshold> thresholds;
  for (const auto& [name, threshold] : named)
    if (const auto id = indices.find(name)) thresholds.push_back({*id, threshold.schedule, threshold.stop});
  std::sort(thresholds.begin(), thresholds.end(),
            [](const IndexThreshold& a, const IndexThreshold& b) { return a.index < b.index; });
  return thresholds;
}

std::int64_t whole_seconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

class RulesMaker {
 public:
  RulesMaker(std::shared_ptr<const conf::ClusterFiles> cluster, std::shared_ptr<const conf::LsbFiles> lsb,
             const std::vector<HostId>& borrowed, const std::vector<HostId>& returned,
             const std::vector<InstancesOnLease>& instances = {}, const std::vector<bool>& shared_before = {})
      : borrowed_(borrowed), returned_(returned), instances_(instances), shared_before_(shared_before) {
    rules_->cluster = std::move(cluster);
    rules_->lsb = std::move(lsb);
  }

  std::shared_ptr<PlacementRules> make() {
    const auto& params = rules_->lsb->params;
    rules_->suspend_interval_s = whole_seconds(params.sbd_sleep_time);
    rules_->idle_for_paging_s = whole_seconds(params.pg_susp_it);
    make_hosts();
    make_groups();
    make_accounts_of_root();
    make_shared();
    make_borrowed_instances();
    for (const auto& row : rules_->lsb->queues) make_queue(row);
    rules_->preempts = preemptable_queues(rules_->queues);
    rules_->preempts_any = std::any_of(rules_->preempts.begin(), rules_->preempts.end(),
                                       [](const auto& victims) { return !victims.empty(); });
    rules_->preempts_exclusive = params.preempt_exclusive && cluster().programs.mbatchd.no_lock_of_exclusive;
    make_preemptable_resources();
    rules_->reserves = reserve_methods(cluster(), lsb(), rules_->shared_resources);
    rules_->gpus = rules_->indices().find(gpu_resource(cluster()));
    for (LimitRule& rule : user_limits(lsb().users)) rules_->limits.push_back(std::move(rule));
    make_host_limits();
    for (const auto& limit : rules_->lsb->resources.limits) make_resource_limits(limit);
    for (LimitRule& rule : rules_->limits) leave_out_preempted(lsb().users, rule);
    return rules_;
  }

 private:
  const conf::ClusterFiles& cluster() const { return *rules_->cluster; }
  const conf::LsbFiles& lsb() const { return *rules_->lsb; }

  std::string official(const std::string& word) const {
    return cluster().names.official(word).value_or(word);
  }

  void make_accounts_of_root() {
    const auto names = rules_->names_of("root");
    for (const conf::UserMapping& row : lsb().users.mappings)
      if (row.direction == conf::UserMapping::Direction::export_jobs &&
          std::find_first_of(row.local.begin(), row.local.end(), names.begin(), names.end()) !=
              row.local.end())
        for (const std::string& account : row.remote)
          if (const auto at = account.find('@'); at != account.npos)
            rules_->root_has_account.insert(account.substr(at + 1));
  }

  void make_hosts() {
    for (const auto& host : cluster().cluster.hosts)
      if (host.server) rules_->hosts.add(HostId(host.name));
    rules_->own_hosts = static_cast<HostNumber>(rules_->hosts.size());
    for (const HostId& host : borrowed_) rules_->hosts.add(host);
    rules_->returned.assign(returned_.empty() ? 0 : rules_->hosts.size(), 0);
    for (const HostId& host : returned_) rules_->returned[*rules_->host(host)] = 1;
    make_serial_only();
    for (const auto& row : lsb().hosts.hosts) {
      rules_->row_numbers.emplace(official(row.name), rules_->rows.size());
      rules_->rows.push_back({official(row.name), row.slots_of_cpus, row.slots, row.user_slots,
                              row.dispatch_windows, thresholds_of(row.thresholds, cluster().indices)});
    }
  }

  // Parallel jobs use hosts of a cluster only if RemoteClusters of lsf.cluster has it with RECV_FROM=Y.
  void make_serial_only() {
    const auto& remote = cluster().cluster.remote_clusters;
    for (HostNumber host = rules_->own_hosts; host < rules_->hosts.size(); ++host) {
      const auto row = std::find_if(remote.begin(), remote.end(), [&](const auto& one) {
        return one.name == rules_->hosts[host].cluster();
      });
      if (row != remote.end() && row->receive_from) continue;
      rules_->serial_only.resize(rules_->hosts.size());
      rules_->serial_only[host] = 1;
    }
  }

  // Members may be groups: each group is resolved on first use. A group that contains itself ends there.
  const std::vector<HostNumber>& group(const std::string& name) {
    if (const auto known = rules_->host_groups.find(name); known != rules_->host_groups.end())
      return known->second;
    static const std::vector<HostNumber> nobody;
    const auto& groups = lsb().hosts.groups;
    const auto row =
        std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.name == name; });
    if (row == groups.end() || !resolving_.insert(name).second) return nobody;
    std::vector<bool> in(rules_->hosts.size());
    for (const bool excluding : {false, true})
      for (const std::string& word : row->members)
        if (word.starts_with('~') == excluding) mark_members(word, !excluding, in);
    return rules_->host_groups[name] = numbers(in);
  }

  void mark_members(const std::string& word, bool as, std::vector<bool>& in) {
    const std::string name = word.starts_with('~') ? word.substr(1) : word;
    if (const auto host = rules_->host(official(name))) return void(in[*host] = as);
    for (const HostNumber host : group(name)) in[host] = as;
    // Of a borrowed host a pattern matches the part before the @, as lsb.hosts documents it.
    const bool pattern = conf::member_pattern(name);
    for (HostNumber host = 0; host < in.size(); ++host) {
      if (rules_->has_returned(host)) continue;
      const bool meant = rules_->borrowed(host) ? name == "allremote" : name == "all";
      if (meant || (pattern && conf::member_matches(name, rules_->hosts[host].host()))) in[host] = as;
    }
  }

  static std::vector<HostNumber> numbers(const std::vector<bool>& in) {
    std::vector<HostNumber> hosts;
    for (HostNumber host = 0; host < in.size(); ++host)
      if (in[host]) hosts.push_back(host);
    return hosts;
  }

  void make_groups() {
    rules_->lendable_groups = lendable_groups(
        lsb().hosts, [this](const std::string& name) { return rules_->host(official(name)).has_value(); });
    for (const auto& row : lsb().hosts.groups) group(row.name);
    const auto unit = [this](const std::string& name, const std::vector<std::string>& members) {
      std::vector<bool> in(rules_->hosts.size());
      for (const std::string& word : members) mark_members(word, !word.starts_with('~'), in);
      rules_->host_groups[name] = numbers(in);
    };
    for (const auto& row : lsb().hosts.compute_units) unit(row.name, row.members);
    for (const auto& row : lsb().hosts.partitions) {
      std::vector<HostNumber> hosts;
      for (const auto& host : rules_->resolve(row.hosts)) hosts.push_back(host.host);
      rules_->host_groups[row.name] = hosts;
    }
  }

  // What suspended jobs would not give back is left out: ckconfig tells it.
  void make_preemptable_resources() {
    for (const std::string& name : lsb().params.preemptable_resources) {
      const auto id = rules_->indices().find(name);
      if (!id || !rules_->shared_resource(*id) || !conf::preemptable(rules_->indices().at(*id))) continue;
      rules_->preemptable_resources.resize(rules_->indices().size());
      rules_->preemptable_resources[*id] = true;
    }
  }

  void make_shared() {
    rules_->shared_resources.assign(cluster().indices.size(), false);
    for (const auto& mapping : cluster().cluster.resource_map) {
      const auto id = cluster().indices.find(mapping.resource);
      if (!id) continue;
      for (const auto& row : mapping.instances) {
        if (row.kind != conf::ResourceInstance::Kind::shared) continue;
        SharedInstance instance{*id, {}, row.value ? conf::parse_real(*row.value) : std::nullopt, row.value};
        for (const auto& name : row.hosts)
          if (const auto host = rules_->host(name)) {
            instance.hosts.push_back(*host);
            rules_->instances.emplace(std::uint64_t{*id} << 32 | *host, rules_->shared.size());
          }
        rules_->shared_resources[*id] = true;
        rules_->shared.push_back(std::move(instance));
      }
    }
  }

  void make_borrowed_instances() {
    rules_->own_shared = static_cast<std::uint32_t>(rules_->shared.size());
    for (std::size_t id = 0; id < shared_before_.size(); ++id)
      if (shared_before_[id]) rules_->shared_resources[id] = true;
    std::map<std::string, bool> may_be;  // each looked at once: it looks at all hosts
    for (const InstancesOnLease& on_lease : instances_) {
      const auto [may, is_new] = may_be.try_emplace(on_lease.resource);
      if (is_new) may->second = may_be_borrowed(cluster(), on_lease.resource);
      if (!may->second) continue;
      SharedInstance instance{*rules_->indices().find(on_lease.resource), {}, {}, {}};
      for (const HostId& name : on_lease.hosts)
        if (const auto host = rules_->host(name);
            host &&
            rules_->instances.emplace(std::uint64_t{instance.resource} << 32 | *host, rules_->shared.size())
                .second)
          instance.hosts.push_back(*host);
      rules_->shared_resources[instance.resource] = true;
      rules_->shared.push_back(std::move(instance));
    }
  }

  resreq::ExpressionPointer select_of(const std::string& text) const {
    return text.empty() ? nullptr : resreq::parse(text, {cluster().settings.strict_resreq}).value.select;
  }

  // In seconds; 0 unless a file sets JOB_ACCEPT_INTERVAL (docs/decisions/0024).
  std::int64_t accept_interval(const conf::QueueRow& row) const {
    const double turns = row.accept_interval.value_or(lsb().params.job_accept_interval);
    return static_cast<std::int64_t>(turns *
                                     std::chrono::duration<double>(lsb().params.mbd_sleep_time).count());
  }

  void make_queue(const conf::QueueRow& row) {
    QueueRule queue;
    queue.name = row.name;
    queue.priority = row.priority;
    queue.run_windows = row.run_windows;
    queue.dispatch_windows = row.dispatch_windows;
    queue.thresholds = thresholds_of(row.thresholds, cluster().indices);
    if (!row.hosts.empty()) queue.hosts = rules_->resolve(row.hosts);
    queue.exclusive = row.exclusive;
    queue.accept_interval_s = accept_interval(row);
    queue.new_job_delay_s = row.new_job_delay.value_or(0);
    queue.select = select_of(row.jobs.res_req);
    queue.stop_cond = select_of(row.jobs.stop_cond);
    queue.resume_cond = select_of(row.jobs.resume_cond);
    queue.row = &row;
    rules_->queue_numbers.emplace(row.name, static_cast<QueueNumber>(rules_->queues.size()));
    make_queue_limits(row);
    rules_->queues.push_back(std::move(queue));
  }

  static std::vector<conf::LimitAmount> always(double amount) { return {{amount, false, {}}}; }

  void make_queue_limits(const conf::QueueRow& row) {
    LimitRule rule;
    rule.queues = {{row.name}};
    const auto add = [&](const char* keyword, double amount, const char* reason) -> LimitRule& {
      LimitRule& added = rules_->limits.emplace_back(rule);
      added.name = keyword;
      added.place = added.name + " of queue " + row.name;
      added.reason = reason;
      added.amounts = always(amount);
      return added;
    };
    if (row.queue_limit) add("QJOB_LIMIT", *row.queue_limit, "The queue has reached its job slot limit");
    if (row.user_limit)
      add("UJOB_LIMIT", *row.user_limit, "The user has reached his/her job slot limit").per_user = true;
    if (row.host_limit)
      add("HJOB_LIMIT", *row.host_limit, "The queue has reached its job slot limit on the host").per_host =
          true;
    if (row.processor_limit) {
      auto& added = add("PJOB_LIMIT", *row.processor_limit,
                        "The queue has reached its job slot limit per processor of the host");
      added.per_host = added.per_processor = true;
    }
  }

  void make_host_limits() {
    const auto limited = [](const BatchRow& row) { return row.user_slots.has_value(); };
    if (std::none_of(rules_->rows.begin(), rules_->rows.end(), limited)) return;
    LimitRule rule;
    rule.name = "JL/U";
    rule.place = rule.name + " of lsb.hosts";
    rule.reason = "The user has reached his/her job slot limit on the host";
    rule.per_user = rule.per_host = rule.of_host_row = true;
    rules_->limits.push_back(std::move(rule));
  }

  // "PER_HOST all" or "HOSTS a b ~c".
  void take_hosts(const std::vector<std::string>& words, LimitRule& rule) const {
    const auto items = conf::parse_host_items(words);
    std::vector<bool> in(rules_->hosts.size());
    if (items)
      for (const auto& host : rules_->resolve(*items)) in[host.host] = true;
    rule.hosts = std::move(in);
  }

  LimitRule consumers_of(const conf::ResourceLimit& limit) const {
    LimitRule rule;
    const auto list = [&limit](const char* all, const char* each, bool& per) {
      std::optional<std::vector<std::string>> words;
      if (const auto found = limit.consumers.find(all); found != limit.consumers.end()) words = found->second;
      if (const auto found = limit.consumers.find(each); found != limit.consumers.end())
        words = found->second, per = true;
      return words;
    };
    rule.users = list("USERS", "PER_USER", rule.per_user);
    rule.queues = list("QUEUES", "PER_QUEUE", rule.per_queue);
    rule.projects = list("PROJECTS", "PER_PROJECT", rule.per_project);
    rule.applications = list("APPS", "PER_APP", rule.per_application);
    if (const auto hosts = list("HOSTS", "PER_HOST", rule.per_host)) take_hosts(*hosts, rule);
    return rule;
  }

  // Limits without a name are numbered in the order of the file.
  std::string limit_name(const conf::ResourceLimit& limit) {
    if (!limit.name.empty()) return limit.name;
    std::string number = std::to_string(unnamed_++);
    if (number.size() < 3) number.insert(0, 3 - number.size(), '0');
    return "NONAME" + number;
  }

  void make_resource_limits(const conf::ResourceLimit& limit) {
    // Jobs have no licence project here, so such a limit applies to no job.
    if (limit.consumers.contains("LIC_PROJECTS") || limit.consumers.contains("PER_LIC_PROJECT")) return;
    LimitRule rule = consumers_of(limit);
    rule.name = limit_name(limit);
    rule.place = "limit " + rule.name + " of lsb.resources";
    const auto add = [&](LimitOf of, const std::string& what, const std::vector<conf::LimitAmount>& amounts) {
      LimitRule& added = rules_->limits.emplace_back(rule);
      added.of = of;
      added.amounts = amounts;
      added.reason = "Resource (" + what + ") limit " + added.name + " has been reached";
      return &added;
    };
    for (const auto& [keyword, amounts] : limit.amounts) {
      if (keyword == "SLOTS") add(LimitOf::slots, "slot", amounts);
      if (keyword == "SLOTS_PER_PROCESSOR") add(LimitOf::slots, "slot", amounts)->per_processor = true;
      if (keyword == "JOBS") add(LimitOf::jobs, "job", amounts);
      for (const auto& [name, id] :
           {std::pair("MEM", built_in::mem), {"SWP", built_in::swp}, {"TMP", built_in::tmp}})
        if (keyword == name) add(LimitOf::resource, conf::lower(name), amounts)->resource = id;
    }
    for (const auto& share : limit.resources)
      if (const auto id = cluster().indices.find(share.name))
        add(LimitOf::resource, share.name, always(share.amount))->resource = *id;
  }

  const std::vector<HostId>&borrowed_, &returned_;
  const std::vector<InstancesOnLease>& instances_;
  const std::vector<bool>& shared_before_;
  std::shared_ptr<PlacementRules> rules_ = std::make_shared<PlacementRules>();
  std::set<std::string> resolving_;
  int unnamed_ = 0;
};

// A job on a returned host is taken from the limits that have counted it when it is over. The files are the same, so the limits have the
// same places.
void keep_limits_of_returned(const PlacementRules& before, PlacementRules& rules) {
  for (std::size_t i = 0; i < rules.limits.size(); ++i)
    for (HostNumber host = rules.own_hosts; rules.limits[i].hosts && host < before.hosts.size(); ++host)
      if (rules.has_returned(host)) (*rules.limits[i].hosts)[host] = (*before.limits[i].hosts)[host];
}

}  // namespace

std::optional<QueueNumber> PlacementRules::queue(std::string_view name) const {
  const auto found = queue_numbers.find(std::string(name));
  return found == queue_numbers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> PlacementRules::instance_of(ResourceId resource, HostNumber host) const {
  const auto found = instances.find(std::uint64_t{resource} << 32 | host);
  return found == instances.end() ? std::nullopt : std::optional(found->second);
}

const BatchRow* PlacementRules::row_of(const HostId& host, const std::string& model,
                                       const std::string& type) const {
  static const std::string fallback = "default";
  for (const std::string* name : {&host.text(), &model, &type, &fallback})
    if (const auto found = row_numbers.find(*name); found != row_numbers.end()) return &rows[found->second];
  return nullptr;
}

std::vector<HostPreference> PlacementRules::resolve(const std::vector<conf::HostItem>& words) const {
  struct Meant {
    bool in = false, out = false;
    HostPreference how;
  };
  std::vector<Meant> meant(hosts.size());
  const auto mean = [&](HostNumber host, const conf::HostItem& item) {
    if (has_returned(host)) return;
    if (item.excluded) return void(meant[host].out = true);
    auto& how = meant[host].how;
    how.preference = meant[host].in ? std::max(how.preference, item.preference) : item.preference;
    how.first_execution |= item.first_execution;
    meant[host].in = true;
  };
  const auto one_word = [&](conf::HostItem item) {
    if (item.cluster == cluster->cluster.name) item.cluster.clear();
    const auto named = item.cluster.empty() ? host(cluster->names.official(item.name).value_or(item.name))
                                            : host(item.name + "@" + item.cluster);
    if (named) return mean(*named, item);
    if (const auto group = host_groups.find(item.name); item.cluster.empty() && group != host_groups.end()) {
      for (const HostNumber number : group->second) mean(number, item);
      return;
    }
    for (HostNumber number = 0; number < hosts.size(); ++number) {
      const std::string_view owner = hosts[number].cluster();
      if ((item.name == "all" && owner == item.cluster) ||
          (item.name == "allremote" && item.cluster.empty() && !owner.empty()))
        mean(number, item);
    }
  };
  // A stored job of an older release may name "others@cluster", which no host has.
  const auto others = [](const conf::HostItem& item) {
    return item.name == "others" && item.cluster.empty();
  };
  for (const auto& item : words)
    if (!others(item)) one_word(item);
  for (const auto& item : words)
    if (others(item))
      for (HostNumber number = 0; number < hosts.size(); ++number)
        if (!meant[number].in && hosts[number].ours()) mean(number, item);
  std::vector<HostPreference> result;
  for (HostNumber number = 0; number < hosts.size(); ++number)
    if (meant[number].in && !meant[number].out) {
      meant[number].how.host = number;
      result.push_back(meant[number].how);
    }
  return result;
}

std::vector<std::string> PlacementRules::names_of(std::string_view user) const {
  std::vector<std::string> names{std::string(user)};
  // A group of the list may itself be a member of further groups.
  for (std::size_t at = 0; at < names.size(); ++at)
    for (const auto& group : lsb->users.groups) {
      if (std::find(names.begin(), names.end(), group.name) != names.end()) continue;
      const auto has = [&group](const std::string& word) {
        return std::find(group.members.begin(), group.members.end(), word) != group.members.end();
      };
      if ((has(names[at]) || has("all")) && !has("~" + std::string(user))) names.push_back(group.name);
    }
  return names;
}

std::shared_ptr<const PlacementRules> placement_rules(std::shared_ptr<const conf::ClusterFiles> cluster,
                                                      std::shared_ptr<const conf::LsbFiles> lsb,
                                                      const std::vector<HostId>& borrowed) {
  return RulesMaker(std::move(cluster), std::move(lsb), borrowed, {}).make();
}

std::shared_ptr<const PlacementRules> with_borrowed(const PlacementRules& before,
                                                    const std::vector<HostId>& borrowed,
                                                    const std::vector<InstancesOnLease>& instances) {
  std::vector<HostId> all(before.hosts.begin() + before.own_hosts, before.hosts.end()), returned;
  const std::unordered_set<HostId> kept(borrowed.begin(), borrowed.end());
  for (const HostId& host : all)
    if (kept.count(host) == 0) returned.push_back(host);
  all.insert(all.end(), borrowed.begin(), borrowed.end());
  const auto rules =
      RulesMaker(before.cluster, before.lsb, all, returned, instances, before.shared_resources).make();
  keep_limits_of_returned(before, *rules);
  return rules;
}

bool may_be_borrowed(const conf::ClusterFiles& cluster, const std::string& resource) {
  const auto id = cluster.indices.find(resource);
  if (!id || cluster.indices.at(*id).type != ResourceType::numeric || cluster.indices.at(*id).built_in ||
      resource == gpu_resource(cluster))
    return false;
  for (const auto& mapping : cluster.cluster.resource_map)
    for (const auto& row : mapping.instances)
      if (mapping.resource == resource && row.kind != conf::ResourceInstance::Kind::shared) return false;
  const auto& hosts = cluster.cluster.hosts;
  return std::none_of(hosts.begin(), hosts.end(), [&](const conf::ClusterHost& host) {
    return host.values.contains(resource) ||
           std::find(host.reported.begin(), host.reported.end(), resource) != host.reported.end();
  });
}

}  // namespace rollcall::sched::cycle
