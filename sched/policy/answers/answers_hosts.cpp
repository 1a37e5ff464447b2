// The answers to bhosts.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "common/base/load_vector.hpp"
#include "common/base/table_cells.hpp"
#include "common/conf/row_reader.hpp"
#include "sched/policy/answers/host_filter.hpp"
#include "sched/policy/answers/lease_rows.hpp"
#include "sched/policy/values/gpus.hpp"

namespace rollcall::sched::answers {
namespace {

using BatchHost = wire::BatchReply::BatchHost;

const cycle::BatchRow* row_of(const AnswerView& view, HostNumber host) {
  const auto& rules = view.snapshot.rules();
  const auto& words = view.snapshot.values(host).words;
  const auto word = [&](const char* name) {
    const auto id = rules.indices().find(name);
    return id && *id < words.size() ? words[*id] : std::string();
  };
  return rules.row_of(rules.hosts[host], word("model"), word("type"));
}

void add_thresholds(const IndexTable& indices, const std::vector<cycle::IndexThreshold>& thresholds,
                    BatchHost& to) {
  for (const auto& threshold : thresholds) {
    auto& added = *to.add_thresholds();
    added.set_index(indices.at(threshold.index).name);
    if (threshold.schedule) added.set_schedule(*threshold.schedule);
    if (threshold.stop) added.set_stop(*threshold.stop);
  }
}

// The dynamic numeric resources that hosts have for themselves, built-in indices first: the columns of bhosts -l.
std::vector<ResourceId> load_columns(const cycle::PlacementRules& rules) {
  std::vector<ResourceId> columns;
  for (ResourceId id = 0; id < rules.indices().size(); ++id) {
    const auto& definition = rules.indices().at(id);
    if (definition.dynamic() && definition.type == ResourceType::numeric && !rules.shared_resource(id))
      columns.push_back(id);
  }
  return columns;
}

void add_load(const AnswerView& view, const cycle::HostStandings& standings, HostNumber host,
              const std::vector<ResourceId>& columns, BatchHost& to) {
  const auto& numbers = view.snapshot.values(host).numbers;
  const auto& indices = view.snapshot.rules().indices();
  for (const ResourceId id : columns) {
    const double value = id < numbers.size() ? numbers[id] : NAN;
    const double kept = standings.reserved(host, id);
    // LSF's row Total is the value that schedules: the load plus reservations, or the free amount less reservations.
    const double sign = indices.at(id).order == ResourceOrder::decreasing ? -1 : 1;
    const double total = std::isnan(value) ? kUnknownLoad : std::max(0.0, value + sign * kept);
    to.add_total(static_cast<float>(total));
    to.add_reserved(static_cast<float>(kept));
  }
}

// EXIT_RATE of the host's row of lsb.hosts, else GLOBAL_EXIT_RATE; and the time in which exits count.
void add_exit_rate(const AnswerView& view, HostNumber host, BatchHost& to) {
  const auto& lsb = *view.jobs.config().lsb;
  const cycle::BatchRow* const row = row_of(view, host);
  std::optional<double> rate = lsb.params.exit_rate;
  for (const auto& own : lsb.hosts.hosts)
    if (row != nullptr && own.name == row->name && own.exit_rate) rate = own.exit_rate;
  if (!rate) return;
  (*to.mutable_words())["exit_rate"] = std::to_string(*rate);
  (*to.mutable_words())["exit_rate_minutes"] = std::to_string(lsb.params.exit_rate_minutes);
}

// "1536M", "0M": as bhosts -o shows memory.
std::string memory_cell(double mb) { return load_cell("mem", static_cast<float>(std::max(0.0, mb))); }

void add_memory(const AnswerView& view, const cycle::HostStandings& standings, HostNumber host,
                BatchHost& to) {
  const auto& numbers = view.snapshot.values(host).numbers;
  auto& words = *to.mutable_words();
  const double kept = standings.reserved(host, mem);
  words["reserved_mem"] = memory_cell(kept);
  if (mem < numbers.size() && !std::isnan(numbers[mem]))
    words["available_mem"] = memory_cell(numbers[mem] - kept);
  const auto most = view.snapshot.rules().indices().find("maxmem");
  if (most && *most < numbers.size() && !std::isnan(numbers[*most]))
    words["total_mem"] = memory_cell(numbers[*most]);
}

// The GPUs that jobs hold there.
void add_gpus_held(const AnswerView& view, const std::string& host, BatchHost& to) {
  for (const JobKey key : view.jobs.on_host(host)) {
    const Job* job = view.jobs.find(key);
    if (job == nullptr) continue;
    for (const auto& on : devices_of(job->record)) {
      if (on.host() != host) continue;
      auto& held = *to.add_gpus_held();
      *held.mutable_devices() = on.devices();
      held.set_suspended(job->status() == wire::STATUS_SSUSP || job->status() == wire::STATUS_USUSP);
    }
  }
}

// The first condensed group of lsb.hosts that the host is in; "": none.
std::string condensed_group(const cycle::PlacementRules& rules, HostNumber host) {
  for (const auto& group : rules.lsb->hosts.groups) {
    if (!group.condensed) continue;
    const auto members = rules.host_groups.find(group.name);
    if (members != rules.host_groups.end() &&
        std::find(members->second.begin(), members->second.end(), host) != members->second.end())
      return group.name;
  }
  return "";
}

// "row default of lsb.hosts has MXJ 1, the lease has 4 slots": a borrowed host has fewer slots here than are lent; "": it has all of them.
std::string own_limit(const AnswerView& view, HostNumber host) {
  const BorrowedShare* const lent = view.snapshot.share(host);
  const cycle::BatchRow* const row = row_of(view, host);
  if (lent == nullptr || row == nullptr || view.snapshot.slots(host) == lent->slots) return "";
  return "row " + row->name + " of lsb.hosts has MXJ " + std::to_string(row->slots.value_or(0)) +
         ", the lease has " + std::to_string(lent->slots) + " slots";
}

void add_words(const AnswerView& view, const cycle::HostStandings& standings, HostNumber host,
               BatchHost& to) {
  const auto& rules = view.snapshot.rules();
  add_memory(view, standings, host, to);
  if (const auto trouble = view.hosts.trouble(rules.hosts[host].text()); !trouble.empty())
    (*to.mutable_words())["trouble"] = trouble;
  if (const auto why = view.hosts.not_ours(rules.hosts[host].text()); !why.empty())
    (*to.mutable_words())["not_ours"] = why;
  if (const auto left = view.hosts.left_behind(rules.hosts[host].text()); !left.empty())
    (*to.mutable_words())["left_behind"] = left;
  if (const auto limit = own_limit(view, host); !limit.empty()) (*to.mutable_words())["own_limit"] = limit;
  add_gpus_held(view, rules.hosts[host].text(), to);
  const auto id = rules.gpus;
  const auto& numbers = view.snapshot.values(host).numbers;
  if (!id || *id >= numbers.size() || std::isnan(numbers[*id])) return;
  (*to.mutable_words())["ngpus"] = std::to_string(static_cast<long>(numbers[*id]));
  const double kept = standings.reserved(host, *id);
  (*to.mutable_words())["ngpus_alloc"] = std::to_string(static_cast<long>(kept));
}

// Why the host takes no job: an administrator's words, or what its lease says of it.
std::string closed_comment(const AnswerView& view, HostNumber number) {
  const HostId& host = view.snapshot.rules().hosts[number];
  const auto& state = view.snapshot.host(number);
  const std::string cluster(host.cluster());
  if (!state.closed && state.closed_by_provider) return "closed by an administrator of cluster " + cluster;
  if (!state.closed && state.lease_inactive) return "its lease with cluster " + cluster + " is inactive";
  const BorrowedShare* const lent = view.snapshot.share(number);
  if (!state.closed && lent != nullptr && lent->slots == 0)
    return "cluster " + cluster + " lends no slot of it now";
  return view.jobs.host_control(host.text()).state.comment();
}

void add_host_counts(const book::StatusCounts& counts, wire::BatchReply::Counts& to) {
  to.set_jobs(counts.jobs);
  to.set_running(counts.run);
  to.set_ssusp(counts.ssusp);
  to.set_ususp(counts.ususp);
}

// bhosts shows jobs that this cluster schedules: those on slots that it lends are the consumer's to show, also while they outlast the
// export.
book::StatusCounts own_counts(const AnswerView& view, const std::string& host) {
  book::StatusCounts counts = view.jobs.host_counts(host);
  if (counts.jobs == 0) return counts;
  for (const JobKey key : view.jobs.on_host(host)) {
    const Job* job = view.jobs.find(key);
    if (job == nullptr || !on_lent_slots(job->record)) continue;
    std::uint32_t slots = 0;
    for (const auto& on : job->record.hosts())
      if (on.name() == host) slots += on.slots();
    counts.jobs -= std::min(counts.jobs, slots);
    auto& of_status = job->status() == wire::STATUS_SSUSP   ? counts.ssusp
                      : job->status() == wire::STATUS_USUSP ? counts.ususp
                                                            : counts.run;
    of_status -= std::min(of_status, slots);
  }
  return counts;
}

BatchHost host_of(const AnswerView& view, const cycle::HostStandings& standings, HostNumber number,
                  const std::vector<ResourceId>& columns) {
  const auto& rules = view.snapshot.rules();
  const auto& state = view.snapshot.host(number);
  const cycle::HostStanding stands = standings.of(number);
  BatchHost to;
  to.set_name(rules.hosts[number].text());
  to.set_unavailable(state.unavailable);
  to.set_unreachable(state.unreachable);
  to.set_closed_by_admin(state.closed || state.closed_by_provider || state.lease_inactive);
  to.set_locked(state.locked);
  to.set_window_closed(stands.window_closed);
  to.set_full(stands.full);
  to.set_exclusive(stands.exclusive);
  to.set_busy(!stands.beyond.empty());
  to.set_cpu_factor(view.snapshot.values(number).cpu_factor);
  if (const auto slots = view.snapshot.slots(number)) to.set_max(static_cast<std::uint32_t>(*slots));
  if (const cycle::BatchRow* row = row_of(view, number)) {
    if (row->user_slots) to.set_user_limit(static_cast<std::uint32_t>(*row->user_slots));
    to.set_dispatch_windows(row->dispatch_windows.text());
    add_thresholds(rules.indices(), row->thresholds, to);
  }
  add_host_counts(own_counts(view, rules.hosts[number].text()), *to.mutable_counts());
  to.set_comment(closed_comment(view, number));
  for (const ResourceId id : stands.beyond) {
    const auto at = std::find(columns.begin(), columns.end(), id);
    if (at != columns.end()) to.add_beyond(static_cast<std::uint32_t>(at - columns.begin()));
  }
  if (!columns.empty()) add_load(view, standings, number, columns, to);
  add_words(view, standings, number, to);
  add_exit_rate(view, number, to);
  return to;
}

// By host: how many of its slots are lent to which cluster. `bhosts -l` shows it, since a host that is lent whole has MAX 0.
std::map<std::string, std::string> lent_words(const AnswerView& view) {
  std::map<std::string, std::string> words;
  if (!view.leases) return words;
  for (const auto& lease : view.leases())
    for (const auto& host : lease.hosts) {
      const int slots = lease.shared ? host.has.slots : host.exported;  // a shared lease moves them
      if (lease.imports || slots <= 0) continue;
      std::string& of_host = words[host.host];
      of_host += (of_host.empty() ? "" : "; ") + std::string(host.has.whole ? "all " : "") +
                 std::to_string(slots) + (slots == 1 ? " slot" : " slots") + " to cluster " + lease.cluster +
                 " (lease " + lease::text(lease.id) + ", " + std::string(lease::text(lease.phase)) + ")";
    }
  return words;
}

// "CLUSTER" and "all@CLUSTER": the hosts that it lends to us; "allremote": those of all clusters; "all@" our own cluster: ours.
std::vector<HostNumber> all_hosts_of(const cycle::PlacementRules& rules, std::string_view word) {
  std::string_view cluster = word;
  if (cluster.starts_with("all@")) cluster.remove_prefix(4);
  const bool ours = cluster != word && cluster == rules.cluster->cluster.name;
  std::vector<HostNumber> hosts;
  for (HostNumber number = 0; number < rules.hosts.size(); ++number) {
    const HostId& host = rules.hosts[number];
    const bool meant = host.ours() ? ours : word == "allremote" || host.cluster() == cluster;
    if (meant && !rules.has_returned(number)) hosts.push_back(number);
  }
  return hosts;
}

// Hosts, groups and clusters that lend hosts, by name; none: all.
struct Chosen {
  std::vector<HostNumber> hosts;
  std::set<HostNumber> by_name;  // those that were named themselves, not by a group
  std::optional<wire::BatchReply> refused;
};
Chosen named_hosts(const AnswerView& view, const wire::AskBatchHosts& ask) {
  const auto& rules = view.snapshot.rules();
  Chosen chosen;
  const bool all =
      ask.hosts_size() == 0 || std::find(ask.hosts().begin(), ask.hosts().end(), "all") != ask.hosts().end();
  for (HostNumber number = 0; all && number < rules.hosts.size(); ++number)
    if (!rules.has_returned(number)) chosen.hosts.push_back(number);
  if (all) return chosen;
  for (const auto& name : ask.hosts()) {
    if (const auto number = rules.host(official_host(view, name)); number && !rules.has_returned(*number)) {
      chosen.hosts.push_back(*number);
      chosen.by_name.insert(*number);
    } else if (const auto group = rules.host_groups.find(name); group != rules.host_groups.end()) {
      chosen.hosts.insert(chosen.hosts.end(), group->second.begin(), group->second.end());
    } else if (const auto of_cluster = all_hosts_of(rules, name); !of_cluster.empty()) {
      chosen.hosts.insert(chosen.hosts.end(), of_cluster.begin(), of_cluster.end());
    } else {
      chosen.refused =
          refused_answer(wire::BatchReply::Refusal::NO_HOST, name +
                                                                 ": Bad host name, host group name or "
                                                                 "compute unit");
      return chosen;
    }
  }
  return chosen;
}

constexpr std::size_t kHostsOfPart = 200;  // about a millisecond's work

// The progress of one answer to AskBatchHosts: its hosts, and how many of them are sent.
class HostsAnswer {
 public:
  HostsAnswer(const AnswerView& view, const wire::AskBatchHosts& ask)
      : ask_(ask), chosen_(named_hosts(view, ask)) {}

  AnswerPart next(const AnswerView& view) {
    if (over_) return {};
    const HostFilter filter(view, ask_.resreq());
    if (!chosen_.refused) chosen_.refused = filter.refused();
    if (chosen_.refused) return over_ = true, *chosen_.refused;
    auto part = AnswerPart::empty();
    fill(view, filter, *part->mutable_hosts());
    part->set_last(over_);
    return part;
  }

 private:
  void fill(const AnswerView& view, const HostFilter& filter, wire::BatchReply::BatchHosts& to) {
    const auto& rules = view.snapshot.rules();
    const auto columns = ask_.load() ? load_columns(rules) : std::vector<ResourceId>();
    if (at_ == 0)  // only in the first part: clients join the parts
      for (const ResourceId id : columns) to.add_index_names(rules.indices().at(id).name);
    const cycle::HostStandings standings(view.snapshot, view.now);
    if (at_ == 0 && ask_.load()) lent_ = lent_words(view);  // once: they look at all leases
    std::size_t bytes = 0;
    for (std::size_t looked = 0; at_ < chosen_.hosts.size() && looked < kHostsOfPart && bytes < kAnswerPart;
         ++looked) {
      const HostNumber number = chosen_.hosts[at_++];
      if (!filter.fits(number)) continue;
      auto& host = *to.add_hosts();
      host = host_of(view, standings, number, columns);
      if (const auto words = lent_.find(host.name()); words != lent_.end())
        (*host.mutable_words())["lent"] = words->second;
      const std::string group = chosen_.by_name.count(number) > 0 ? "" : condensed_group(rules, number);
      if (!group.empty()) (*host.mutable_words())["condensed"] = group;
      bytes += host.ByteSizeLong();
    }
    over_ = at_ == chosen_.hosts.size();
  }

  const wire::AskBatchHosts ask_;
  Chosen chosen_;
  std::map<std::string, std::string> lent_;  // what `bhosts -l` says of slots that leases have, by host
  std::size_t at_ = 0;
  bool over_ = false;
};

}  // namespace

NextPart hosts_answer(const AnswerView& view, const wire::AskBatchHosts& ask) {
  return
      [state = std::make_shared<HostsAnswer>(view, ask)](const AnswerView& now) { return state->next(now); };
}

namespace {

// A resource that was asked for and that no hosts share; none: all are shared.
std::optional<wire::BatchReply> not_shared(const cycle::PlacementRules& rules,
                                           const wire::AskBatchHosts& ask) {
  for (const auto& name : ask.resources())
    if (const auto id = rules.indices().find(name); !id || !rules.shared_resource(*id))
      return refused_answer(wire::BatchReply::Refusal::BAD_REQUEST, name + ": Not a shared resource");
  return std::nullopt;
}

}  // namespace

// Hosts are named as for bhosts: by any of their names, or by a group.
std::vector<wire::BatchReply> exported_answer(const AnswerView& view, const wire::AskBatchHosts& ask) {
  const auto& rules = view.snapshot.rules();
  wire::AskBatchHosts official = ask;
  bool any_host = view.leases != nullptr;
  if (auto refused = not_shared(rules, ask)) return {std::move(*refused)};
  if (!ask.hosts().empty()) {
    const Chosen chosen = named_hosts(view, ask);
    if (chosen.refused) return {*chosen.refused};
    if (chosen.hosts.empty()) any_host = false;  // a group that has none now
    official.clear_hosts();
    for (const HostNumber host : chosen.hosts) official.add_hosts(rules.hosts[host].text());
  }
  const wire::BatchReply::Leases leases =
      any_host ? exported_leases(view.leases(), official) : wire::BatchReply::Leases();
  const std::vector<wire::BatchReply::LeaseRow> rows(leases.rows().begin(), leases.rows().end());
  return in_parts(rows, [](wire::BatchReply& part, const wire::BatchReply::LeaseRow* row) {
    auto& to = *part.mutable_leases();
    if (row != nullptr) *to.add_rows() = *row;
  });
}

std::vector<wire::BatchReply> shared_answer(const AnswerView& view, const wire::AskBatchHosts& ask) {
  using Row = wire::BatchReply::SharedRow;
  const auto& rules = view.snapshot.rules();
  if (auto refused = not_shared(rules, ask)) return {std::move(*refused)};
  const cycle::HostStandings standings(view.snapshot, view.now);
  std::vector<Row> rows;
  for (std::uint32_t place = 0; place < rules.shared.size(); ++place) {
    const auto& instance = rules.shared[place];
    const auto& definition = rules.indices().at(instance.resource);
    const bool named = ask.resources_size() == 0 || std::find(ask.resources().begin(), ask.resources().end(),
                                                              definition.name) != ask.resources().end();
    if (!named || definition.type != ResourceType::numeric) continue;
    Row row;
    row.set_resource(definition.name);
    const double kept = standings.reserved_shared(place);
    row.set_reserved(kept);
    // An elim's value falls too when a job checks out what it has reserved.
    const double number = view.snapshot.shared_number(place);
    row.set_total(std::isnan(number) ? kUnknownLoad : std::max(number - kept, std::min(number, 0.0)));
    for (const HostNumber host : instance.hosts) row.add_hosts(rules.hosts[host].text());
    rows.push_back(std::move(row));
  }
  return in_parts(rows, [](wire::BatchReply& part, const Row* row) {
    auto& to = *part.mutable_shared();
    if (row != nullptr) *to.add_rows() = *row;
  });
}

}  // namespace rollcall::sched::answers
