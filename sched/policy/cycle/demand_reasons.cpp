#include "sched/policy/cycle/demand_reasons.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "common/conf/row_reader.hpp"
#include "common/conf/words.hpp"
#include "common/resreq/explain.hpp"
#include "sched/policy/cycle/host_search.hpp"
#include "sched/policy/cycle/job_obstacle.hpp"
#include "sched/policy/cycle/lendable.hpp"

namespace rollcall::sched::cycle {

std::string duration_text(std::int64_t seconds) {
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) return std::to_string(seconds / 60) + " min";
  if (seconds < 172800)
    return std::to_string(seconds / 3600) + " h" +
           (seconds % 3600 >= 60 ? " " + std::to_string(seconds % 3600 / 60) + " min" : "");
  return std::to_string(seconds / 86400) + " days";
}

namespace {

using resreq::number_text;

std::string slots_text(long long count) { return std::to_string(count) + (count == 1 ? " slot" : " slots"); }

// The values that several hosts have of one resource: a single value, or the least and the largest.
struct Had {
  std::string one;
  bool differs = false, numbers = true;
  double least = HUGE_VAL, most = -HUGE_VAL;

  void add(std::string value) {
    if (value == "-") value = "not known";
    if (one.empty()) one = value;
    differs = differs || value != one;
    const auto number = conf::parse_real(value);
    numbers = numbers && number;
    if (number) least = std::min(least, *number), most = std::max(most, *number);
  }
  std::string text() const {
    if (!differs) return one;
    return numbers ? number_text(least) + " to " + number_text(most) : "";
  }
};

// Hosts with the same reason.
struct Group {
  std::size_t rank = 0;  // larger: nearer to a start
  std::string text;
  std::string subject;  // "mem": the resource, shown before `words` with the hosts' values; "": `words` alone
  Had had;
  std::string words;
  std::vector<HostNumber> hosts;

  const char* unit() const {
    const bool memory =
        subject == "mem" || subject == "swp" || subject == "tmp" || subject.starts_with("max");
    return memory && had.numbers ? " MB" : "";
  }
  std::string why() const {
    if (subject.empty()) return words;
    const std::string has = had.text();
    return subject + (has.empty() ? " differs" : " is " + has + unit()) + ", " + words;
  }
};

class Explanation {
 public:
  Explanation(const WorkingState& state, const Snapshot::DemandEntry& entry)
      : state_(state), search_(state), entry_(entry), compiled_(*entry.compiled) {}

  std::vector<PendingReason> of_demand(const PendingJob& job) {
    std::vector<PendingReason> reasons;
    verdict_ = obstacle_of(state_, entry_);
    if (verdict_.obstacle != JobObstacle::none) reasons.push_back(of_job(verdict_));
    if (verdict_.obstacle == JobObstacle::impossible || verdict_.obstacle == JobObstacle::application)
      return reasons;
    for (HostNumber host = 0; host < state_.rules().hosts.size(); ++host)
      if (!rules().has_returned(host)) look_at(host, job);
    if (verdict_.obstacle == JobObstacle::none) add_of_room(job, reasons);
    std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
      return a.rank != b.rank ? a.rank > b.rank : a.hosts.size() > b.hosts.size();
    });
    for (Group& group : groups_) reasons.push_back({group.text, group.why(), std::move(group.hosts)});
    return reasons;
  }

 private:
  const PlacementRules& rules() const { return state_.rules(); }
  const QueueRule& queue() const { return rules().queues[compiled_.queue]; }
  const std::string& name(ResourceId id) const { return rules().indices().at(id).name; }

  // ------------------------------------------------------------ of the job as a whole

  PendingReason of_job(JobVerdict verdict) const {
    switch (verdict.obstacle) {
      case JobObstacle::application:
        return {"The application profile of the job is not configured",
                compiled_.error + "; bmod -app names another, bmod -appn none",
                {}};
      case JobObstacle::queue_inactive:
        return {"The queue is inactive", "badmin qact " + queue().name + " activates it", {}};
      case JobObstacle::queue_window:
        return of_window("The dispatch window of the queue is closed", "DISPATCH_WINDOW",
                         queue().dispatch_windows);
      case JobObstacle::run_window:
        return of_window("The run window of the queue is closed", "RUN_WINDOW", queue().run_windows);
      case JobObstacle::begin_time:
        return {"The job has a specified start time",
                "it begins in " + duration_text(seconds_between(state_.now(), entry_.demand.begin)),
                {}};
      case JobObstacle::array_limit:
        return {"The job array has reached its job slot limit",
                std::to_string(state_.array_jobs(entry_.demand.array)) + " of its elements have hosts, %" +
                    std::to_string(entry_.demand.array_slots) + " may",
                {}};
      case JobObstacle::limit:
        return {rules().limits[verdict.detail].reason, limit_words(verdict.detail, kNoHost), {}};
      default:
        return {"Job's resource requirements not satisfied", compiled_.error, {}};
    }
  }

  PendingReason of_window(const char* text, const char* keyword, const TimeWindows& windows) const {
    std::string why = std::string(keyword) + " of queue " + queue().name + " is " + windows.text();
    if (const auto opens = next_change(windows, state_.now(), state_.snapshot().utc_offset_s))
      why += ", it opens in " + duration_text(seconds_between(state_.now(), *opens));
    return {text, why, {}};
  }

  std::string limit_words(std::uint32_t number, HostNumber host) const {
    const LimitRule& rule = rules().limits[number];
    const auto most = state_.most(number, host);
    const char* const what = rule.of == LimitOf::jobs ? " jobs" : rule.of == LimitOf::slots ? " slots" : "";
    const auto charge = std::find_if(compiled_.charges.begin(), compiled_.charges.end(),
                                     [number](const Charge& c) { return c.rule == number; });
    return rule.place + ": " + number_text(state_.taken(*charge, host)) + " of " +
           number_text(most.value_or(NAN)) + what + " are taken";
  }

  // Some hosts suit the demand, but together they have too few free slots.
  void add_of_room(const PendingJob& job, std::vector<PendingReason>& reasons) {
    auto look = search_.look(entry_);
    if (search_.find(look, job)) {
      reasons.push_back({"New job is waiting for scheduling", "the next cycle looks at it", {}});
      return;
    }
    if (fitting_ == 0) return;
    const Demand& demand = entry_.demand;
    const std::string asked =
        demand.whole_hosts ? hosts_text(demand.min_slots) : slots_text(demand.min_slots);
    std::string why = "job asks for " + asked + span_words() + ", " + slots_text(free_) +
                      (free_ == 1 ? " is" : " are") + " free on " + std::to_string(fitting_) +
                      (fitting_ == 1 ? " host that fits" : " hosts that fit");
    if (clusters_.size() > 1 && enough_but_for_clusters() && begins_elsewhere(demand))
      why += "; on hosts of several clusters a job begins on one of ours";
    if (lent_ > 0) why += "; " + lent_words(lent_, lent_to_);
    reasons.push_back({"Not enough job slots" + lent_mark(lent_, lent_to_), std::move(why), {}});
  }

  // Slots of hosts of ours that other clusters have. " (2 lent to cluster east)", behind LSF's text.
  static std::string lent_mark(int slots, const std::string& consumers) {
    return slots == 0 ? "" : " (" + std::to_string(slots) + " lent to " + clusters_text(consumers) + ")";
  }
  static std::string lent_words(int slots, const std::string& consumers) {
    return slots_text(slots) + (slots == 1 ? " is" : " are") + " lent to " + clusters_text(consumers);
  }
  static std::string clusters_text(const std::string& consumers) {
    return (consumers.find(',') == std::string::npos ? "cluster " : "clusters ") + consumers;
  }
  void add_lent(const LentOfHost& lent) {
    lent_ += lent.slots_lent;
    for (const auto& name : conf::split_words(lent.consumers, ", "))
      if (lending_.insert(name).second) lent_to_ += (lent_to_.empty() ? "" : ", ") + name;
  }

  // Whether hosts of one cluster that were free like these would do.
  bool enough_but_for_clusters() const {
    if (!compiled_.same.empty() || (compiled_.span && compiled_.span->hosts == 1)) return false;
    const long long missing = entry_.demand.min_slots - tiled_;
    return missing <= 0 || missing <= in_part_of_a_tile_;
  }

  // No host of ours fits, or the job must begin on another.
  bool begins_elsewhere(const Demand& demand) const {
    const auto& asked = demand.asked_hosts;
    return !ours_fits_ || std::any_of(asked.begin(), asked.end(), [](const auto& host) {
      return host.first_execution && !host.cluster.empty();
    });
  }

  static std::string hosts_text(int count) {
    return std::to_string(count) + (count == 1 ? " whole host" : " whole hosts");
  }

  std::string span_words() const {
    std::string words;
    const auto& span = compiled_.span;
    if (span && span->hosts == 1) words += " on one host";
    if (span && span->ptile) words += ", " + std::to_string(*span->ptile) + " on each host";
    if (span && span->ptile_slots) words += ", all slots of each host";
    for (const ResourceId id : compiled_.same) words += ", hosts of one " + name(id);
    return words;
  }

  // ------------------------------------------------------------ of hosts

  void look_at(HostNumber host, const PendingJob& job) {
    Fit fit = search_.suits(entry_, host);
    const auto& excluded = job.excluded;
    if (fit.obstacle == Obstacle::none && std::find(excluded.begin(), excluded.end(), host) != excluded.end())
      fit = {0, Obstacle::excluded};
    if (fit.obstacle == Obstacle::none)
      fit =
          state_.room(entry_.demand, compiled_, compiled_.alternatives[0], host, entry_.demand.max_slots, {});
    // This limit is already the reason of the demand as a whole.
    if (fit.obstacle == Obstacle::limit && verdict_.obstacle == JobObstacle::limit &&
        fit.detail == verdict_.detail)
      return;
    if (fit.obstacle == Obstacle::none) {
      ++fitting_;
      free_ += fit.slots;
      const int tile = search_.tile(entry_, host);
      if (fit.slots < tile && !entry_.demand.whole_hosts)
        in_part_of_a_tile_ = std::max(in_part_of_a_tile_, fit.slots);
      else
        tiled_ += entry_.demand.whole_hosts ? 1 : tile > 0 ? tile : fit.slots;
      clusters_.insert(rules().hosts[host].cluster());
      ours_fits_ = ours_fits_ || rules().hosts[host].ours();
      if (!rules().borrowed(host)) add_lent(state_.snapshot().lent(host));
      return;
    }
    describe(host, fit);
  }

  Group& group(Obstacle obstacle, const std::string& text, const std::string& subject,
               const std::string& words) {
    const std::string key = text + '\0' + subject + '\0' + words;
    const auto [place, added] = places_.emplace(key, groups_.size());
    if (added) groups_.push_back({static_cast<std::size_t>(obstacle), text, subject, {}, words, {}});
    return groups_[place->second];
  }

  // Adds the host to the group that an earlier host with this obstacle made; false: there is none. Spares making the words again.
  bool known(HostNumber host, Fit fit) {
    const auto found = alike_.find({fit.obstacle, fit.detail});
    if (found == alike_.end()) return false;
    groups_[found->second].hosts.push_back(host);
    return true;
  }
  // `alike`: the words are the same for every host with this obstacle.
  void plain(HostNumber host, Fit fit, const std::string& text, const std::string& words, bool alike = true) {
    Group& one = group(fit.obstacle, text, "", words);
    one.hosts.push_back(host);
    if (alike) alike_[{fit.obstacle, fit.detail}] = static_cast<std::size_t>(&one - groups_.data());
  }

  // What differs where the host is another cluster's. False: what is said of hosts of ours is right for it too.
  bool describe_borrowed(HostNumber host, Fit fit) {
    const std::string cluster(rules().hosts[host].cluster());
    switch (fit.obstacle) {
      case Obstacle::unreachable:
        plain(host, fit, "Unable to reach slave lsbatch server", "cluster " + cluster + " does not answer",
              false);
        return true;
      case Obstacle::unavailable:
        plain(host, fit, "Load information unavailable", "cluster " + cluster + " tells no load of it",
              false);
        return true;
      case Obstacle::closed_by_provider:
        plain(host, fit, "Closed by LSF administrator", "closed by an administrator of cluster " + cluster,
              false);
        return true;
      case Obstacle::lease_inactive:
        plain(host, fit, "Closed by LSF administrator",
              "its lease with cluster " + cluster + " is inactive while it is changed", false);
        return true;
      case Obstacle::not_of_queue:
        plain(host, fit, "Host is not usable to the queue",
              "HOSTS of queue " + queue().name + " does not name it; allremote names all borrowed hosts",
              false);
        return true;
      case Obstacle::serial_only:
        plain(host, fit, "Host is not usable to parallel jobs", serial_only_words(cluster), false);
        return true;
      case Obstacle::of_root:
        plain(host, fit, "Host is not usable to the user", kOfRootWords, false);
        return true;
      case Obstacle::in_part:
        if (const BorrowedShare* const lent = state_.snapshot().share(host); lent && lent->slots == 0)
          return describe_borrowed(host, {0, Obstacle::full});
        plain(host, fit, "Exclusive job waits for an empty host",
              "only some slots of it are lent to us, and bsub -nnodes takes whole hosts");
        return true;
      case Obstacle::full: {
        if (fit.limited) return false;
        const int slots = state_.snapshot().slots(host).value_or(0);
        plain(host, fit, "Not enough job slots",
              slots == 0   ? "cluster " + cluster + " lends no slot of it now"
              : slots == 1 ? "the only slot that cluster " + cluster + " lends is taken"
                           : "all " + slots_text(slots) + " that cluster " + cluster + " lends are taken",
              false);
        return true;
      }
      default:
        return false;
    }
  }

  void describe(HostNumber host, Fit fit) {
    if (rules().borrowed(host) && describe_borrowed(host, fit)) return;
    if (known(host, fit)) return;
    const BatchRow* row = state_.snapshot().values(host).row;
    switch (fit.obstacle) {
      case Obstacle::unreachable:
        return plain(host, fit, "Unable to reach slave lsbatch server", "its res does not answer");
      case Obstacle::unavailable:
        return plain(host, fit, "Load information unavailable", "its lim does not answer");
      case Obstacle::closed:
        return plain(host, fit, "Closed by LSF administrator",
                     "closed by an administrator, badmin hopen opens it");
      case Obstacle::unknown_jobs:
        return plain(host, fit, "Host is used by jobs of other clusters",
                     "jobs on lent slots that are not known here are being ended there");
      case Obstacle::locked:
        return plain(host, fit, "Host is locked",
                     "locked by lsadmin limlock, or by RUNWINDOW of lsf.cluster");
      case Obstacle::window_closed:
        return plain(host, fit, "The dispatch window of the host is closed",
                     "DISPATCH_WINDOW in lsb.hosts is " + row->dispatch_windows.text(), false);
      case Obstacle::exclusive_job:
        return plain(host, fit, "Host is used by an exclusive job", "a job of bsub -x runs there");
      case Obstacle::busy:
        return threshold(host, fit, row->thresholds, "lsb.hosts");
      case Obstacle::queue_threshold:
        return threshold(host, fit, queue().thresholds, "queue " + queue().name);
      case Obstacle::not_of_queue:
        return plain(host, fit, "Host is not usable to the queue",
                     "HOSTS of queue " + queue().name + " does not have it");
      case Obstacle::not_asked:
        return plain(host, fit, "Not specified in job submission", "bsub -m does not name it");
      case Obstacle::excluded:
        return plain(host, fit, "Host is excluded for the job",
                     "it could not be started there (bjobs -l says why), or its exit code excludes the host");
      case Obstacle::recently:
        return plain(host, fit, "Just started a job recently",
                     "JOB_ACCEPT_INTERVAL is " + duration_text(queue().accept_interval_s));
      case Obstacle::dedicated:
        return plain(host, fit, "Job's resource requirements not satisfied",
                     "the host is kept for jobs that ask for " + name(fit.detail));
      case Obstacle::queue_select:
        return select(host, fit.obstacle, *compiled_.queue_select,
                      "Queue's resource requirements not satisfied", "queue " + queue().name);
      case Obstacle::select:
        return select(host, fit.obstacle, *compiled_.select, "Job's resource requirements not satisfied",
                      "job");
      case Obstacle::not_empty:
        return plain(host, fit, "Exclusive job waits for an empty host", "other jobs run there");
      case Obstacle::full:
        return full(host, fit);
      case Obstacle::reserving:
        return reserving(host, fit.detail);
      default:
        return limited(host, fit);
    }
  }

  void full(HostNumber host, Fit fit) {
    if (fit.limited)
      return plain(host, fit, "Not enough job slots",
                   "USE_SUSP_SLOTS=N keeps the free slots for suspended jobs of higher queues", false);
    const auto slots = state_.snapshot().slots(host).value_or(0);
    static const LentOfHost kNothing;
    const LentOfHost& lent = rules().borrowed(host) ? kNothing : state_.snapshot().lent(host);
    const int gone = lent.slots_lent;
    std::string why = slots == 0   ? "MXJ in lsb.hosts is 0"
                      : slots == 1 ? "its only slot is taken"
                                   : "all " + slots_text(slots) + " are taken";
    if (gone > 0) {
      const std::string own = slots == 1 ? "slot is" : slots_text(slots) + " are";
      why = (slots == 0 ? "" : "its own " + own + " taken, ") + lent_words(gone, lent.consumers);
    }
    plain(host, fit, "Not enough job slots" + lent_mark(gone, lent.consumers), why, false);
  }

  void limited(HostNumber host, Fit fit) {
    const LimitRule& rule = rules().limits[fit.detail];
    plain(host, fit, rule.reason, limit_words(fit.detail, rule.per_host ? host : kNoHost), !rule.per_host);
  }

  void threshold(HostNumber host, Fit fit, const std::vector<IndexThreshold>& thresholds,
                 const std::string& whose) {
    const auto found = std::find_if(thresholds.begin(), thresholds.end(),
                                    [&](const IndexThreshold& t) { return t.index == fit.detail; });
    const bool grows = rules().indices().at(fit.detail).order == ResourceOrder::increasing;
    auto& one =
        group(fit.obstacle, "Load index (" + name(fit.detail) + ") is beyond its threshold", name(fit.detail),
              whose + (grows ? " takes jobs up to " : " takes jobs from ") + number_text(*found->schedule));
    one.had.add(number_text(state_.number(host, fit.detail)));
    one.hosts.push_back(host);
  }

  // The first part of the requirement that does not hold.
  void select(HostNumber host, Obstacle obstacle, const Select& select, const char* text,
              const std::string& who) {
    const auto parts = state_.parts(select, host);
    const auto fails = [](const resreq::Part& part) { return !part.holds; };
    const auto part = std::find_if(parts.begin(), parts.end(), fails);
    if (part == parts.end()) return plain(host, {0, obstacle, 0}, text, "", false);
    const bool type_alone =
        part->text == "type == local" && std::count_if(parts.begin(), parts.end(), fails) == 1;
    if (type_alone) text = "Not the same type as the submission host";
    const std::string subject = part->text.substr(0, part->text.find_first_of(" !("));
    const bool one_resource = part->gave.find_first_of(" ,") == std::string::npos && !subject.empty();
    const std::string local = part->text == "type == local" ? ", here " + entry_.demand.from_type : "";
    auto& one =
        group(obstacle, text, one_resource ? subject : "",
              who + " asks for " + part->text + local + (one_resource ? "" : ", it has " + part->gave));
    one.had.add(part->gave);
    one.hosts.push_back(host);
  }

  void reserving(HostNumber host, ResourceId resource) {
    const auto& takes = compiled_.alternatives[0].takes;
    const auto take = std::find_if(takes.begin(), takes.end(),
                                   [resource](const Take& t) { return t.resource == resource; });
    const char* const each =
        take->per == PlacementRules::Per::slot && entry_.demand.max_slots > 1   ? " for each slot"
        : take->per == PlacementRules::Per::host && entry_.demand.max_slots > 1 ? " on each host"
                                                                                : "";
    auto& one =
        group(Obstacle::reserving,
              "Job's requirements for reserving resource (" + name(resource) + ") not satisfied",
              name(resource), "job reserves " + number_text(take->amount) + each + lent(host, resource));
    const double left = state_.number(host, resource);
    one.had.add(number_text(left));
    one.hosts.push_back(host);
  }

  // ", cluster east lends 2000 MB": where an exported amount is the limit.
  std::string lent(HostNumber host, ResourceId resource) const {
    const BorrowedShare* const share = state_.snapshot().share(host);
    if (share == nullptr || (resource != mem && resource != swp)) return "";
    const auto& amount = resource == mem ? share->mem_mb : share->swp_mb;
    if (!amount) return "";
    return ", cluster " + std::string(rules().hosts[host].cluster()) + " lends " + number_text(*amount) +
           " MB in all";
  }

  const WorkingState& state_;
  HostSearch search_;
  const Snapshot::DemandEntry& entry_;
  const Compiled& compiled_;
  JobVerdict verdict_;
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> places_;
  std::map<std::pair<Obstacle, std::uint32_t>, std::size_t> alike_;
  int fitting_ = 0;
  long long free_ = 0;
  long long tiled_ = 0;        // of these, those that the job takes: whole tiles, or hosts with -nnodes
  int in_part_of_a_tile_ = 0;  // the most on a host that has less than a tile: a job's last host may
  std::set<std::string_view> clusters_;  // of the hosts that fit
  bool ours_fits_ = false;
  int lent_ = 0;  // slots of the hosts that fit
  std::set<std::string> lending_;
  std::string lent_to_;
};

}  // namespace

std::vector<PendingReason> reasons_of_demand(const WorkingState& state, const Snapshot::DemandEntry& entry,
                                             const PendingJob& job) {
  return Explanation(state, entry).of_demand(job);
}

}  // namespace rollcall::sched::cycle
