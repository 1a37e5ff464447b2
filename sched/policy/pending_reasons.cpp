// Why jobs pend, in LSF's texts and in words to act on (schedule.hpp, PendingReasons).
#include <algorithm>
#include <cmath>
#include <map>

#include "common/conf/row_reader.hpp"
#include "common/resreq/explain.hpp"
#include "sched/policy/job_obstacle.hpp"
#include "sched/policy/placement.hpp"

namespace rollcall::sched {
namespace {

using resreq::number_text;

std::string slots_text(long long count) { return std::to_string(count) + (count == 1 ? " slot" : " slots"); }

std::string duration_text(std::int64_t seconds) {
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) return std::to_string(seconds / 60) + " min";
  if (seconds < 172800)
    return std::to_string(seconds / 3600) + " h" +
           (seconds % 3600 >= 60 ? " " + std::to_string(seconds % 3600 / 60) + " min" : "");
  return std::to_string(seconds / 86400) + " days";
}

// What some hosts have of one thing: one value, or from the least to the largest.
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

// Hosts with the same text and the same demand on them.
struct Group {
  std::size_t rank = 0;  // larger: nearer to a start
  std::string text;
  std::string subject;  // "mem": what is too little, with what the hosts have of it; "": `words` say it all
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
      : state_(state), placement_(state), entry_(entry), compiled_(*entry.compiled) {}

  std::vector<PendingReason> of_demand(const PendingJob& job) {
    std::vector<PendingReason> reasons;
    verdict_ = obstacle_of(state_, entry_);
    if (verdict_.obstacle != JobObstacle::none) reasons.push_back(of_job(verdict_));
    if (verdict_.obstacle == JobObstacle::impossible) return reasons;
    for (HostNumber host = 0; host < state_.rules().hosts.size(); ++host) look_at(host, job);
    if (verdict_.obstacle == JobObstacle::none) add_of_room(job, reasons);
    std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
      return a.rank != b.rank ? a.rank > b.rank : a.hosts.size() > b.hosts.size();
    });
    for (Group& group : groups_) reasons.push_back({group.text, group.why(), std::move(group.hosts)});
    return reasons;
  }

 private:
  const SchedulingRules& rules() const { return state_.rules(); }
  const QueueRule& queue() const { return rules().queues[compiled_.queue]; }
  const std::string& name(ResourceId id) const { return rules().indices().at(id).name; }

  // ------------------------------------------------------------ of the job as a whole

  PendingReason of_job(JobVerdict verdict) const {
    switch (verdict.obstacle) {
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
    return rule.name + ": " + number_text(state_.taken(*charge, host)) + " of " +
           number_text(most.value_or(NAN)) + what + " are taken";
  }

  // Hosts fit, and there is not enough on them.
  void add_of_room(const PendingJob& job, std::vector<PendingReason>& reasons) {
    auto look = placement_.look(entry_);
    if (placement_.find(look, job)) {
      reasons.push_back({"New job is waiting for scheduling", "the next cycle looks at it", {}});
      return;
    }
    if (fitting_ == 0) return;
    std::string why = "job asks for " + slots_text(entry_.demand.min_slots) + span_words() + ", " +
                      slots_text(free_) + (free_ == 1 ? " is" : " are") + " free on " +
                      std::to_string(fitting_) + (fitting_ == 1 ? " host that fits" : " hosts that fit");
    reasons.push_back({"Not enough job slots", std::move(why), {}});
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
    Fit fit = placement_.suits(entry_, host);
    const auto& excluded = job.excluded;
    if (fit.obstacle == Obstacle::none && std::find(excluded.begin(), excluded.end(), host) != excluded.end())
      fit = {0, Obstacle::excluded};
    if (fit.obstacle == Obstacle::none)
      fit =
          state_.room(entry_.demand, compiled_, compiled_.alternatives[0], host, entry_.demand.max_slots, {});
    // What has been said of the job as a whole is not said again of each host.
    if (fit.obstacle == Obstacle::limit && verdict_.obstacle == JobObstacle::limit &&
        fit.detail == verdict_.detail)
      return;
    if (fit.obstacle == Obstacle::none) {
      ++fitting_;
      free_ += fit.slots;
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

  void plain(HostNumber host, Obstacle obstacle, const std::string& text, const std::string& words) {
    group(obstacle, text, "", words).hosts.push_back(host);
  }

  void describe(HostNumber host, Fit fit) {
    const BatchRow* row = state_.snapshot().values(host).row;
    switch (fit.obstacle) {
      case Obstacle::unreachable:
        return plain(host, fit.obstacle, "Unable to reach slave lsbatch server", "its res does not answer");
      case Obstacle::unavailable:
        return plain(host, fit.obstacle, "Load information unavailable", "its lim does not answer");
      case Obstacle::closed:
        return plain(host, fit.obstacle, "Closed by LSF administrator",
                     "closed by an administrator, badmin hopen opens it");
      case Obstacle::locked:
        return plain(host, fit.obstacle, "Host is locked",
                     "locked by lsadmin limlock, or by RUNWINDOW of lsf.cluster");
      case Obstacle::window_closed:
        return plain(host, fit.obstacle, "The dispatch window of the host is closed",
                     "DISPATCH_WINDOW in lsb.hosts is " + row->dispatch_windows.text());
      case Obstacle::exclusive_job:
        return plain(host, fit.obstacle, "Host is used by an exclusive job", "a job of bsub -x runs there");
      case Obstacle::busy:
        return threshold(host, fit, row->thresholds, "lsb.hosts");
      case Obstacle::queue_threshold:
        return threshold(host, fit, queue().thresholds, "queue " + queue().name);
      case Obstacle::not_of_queue:
        return plain(host, fit.obstacle, "Host is not usable to the queue",
                     "HOSTS of queue " + queue().name + " does not have it");
      case Obstacle::not_asked:
        return plain(host, fit.obstacle, "Not specified in job submission", "bsub -m does not name it");
      case Obstacle::excluded:
        return plain(host, fit.obstacle, "Host is excluded for the job",
                     "its pre-execution command failed there, or its exit code excludes the host");
      case Obstacle::recently:
        return plain(host, fit.obstacle, "Just started a job recently",
                     "JOB_ACCEPT_INTERVAL is " + duration_text(queue().accept_interval_s));
      case Obstacle::dedicated:
        return plain(host, fit.obstacle, "Job's resource requirements not satisfied",
                     "the host is kept for jobs that ask for " + name(fit.detail));
      case Obstacle::queue_select:
        return select(host, fit.obstacle, *compiled_.queue_select,
                      "Queue's resource requirements not satisfied", "queue " + queue().name);
      case Obstacle::select:
        return select(host, fit.obstacle, *compiled_.select, "Job's resource requirements not satisfied",
                      "job");
      case Obstacle::not_empty:
        return plain(host, fit.obstacle, "Exclusive job waits for an empty host", "other jobs run there");
      case Obstacle::full:
        return full(host);
      case Obstacle::reserving:
        return reserving(host, fit.detail);
      default:
        return plain(host, fit.obstacle, rules().limits[fit.detail].reason,
                     limit_words(fit.detail, rules().limits[fit.detail].per_host ? host : kNoHost));
    }
  }

  void full(HostNumber host) {
    const auto slots = state_.snapshot().slots(host).value_or(0);
    plain(host, Obstacle::full, "Not enough job slots",
          slots == 0   ? "MXJ in lsb.hosts is 0"
          : slots == 1 ? "its only slot is taken"
                       : "all " + slots_text(slots) + " are taken");
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
    if (part == parts.end()) return plain(host, obstacle, text, "");
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
        take->per == SchedulingRules::Per::slot && entry_.demand.max_slots > 1   ? " for each slot"
        : take->per == SchedulingRules::Per::host && entry_.demand.max_slots > 1 ? " on each host"
                                                                                 : "";
    auto& one = group(Obstacle::reserving,
                      "Job's requirements for reserving resource (" + name(resource) + ") not satisfied",
                      name(resource), "job reserves " + number_text(take->amount) + each);
    const double left = state_.number(host, resource);
    one.had.add(number_text(left));
    one.hosts.push_back(host);
  }

  const WorkingState& state_;
  Placement placement_;
  const Snapshot::DemandEntry& entry_;
  const Compiled& compiled_;
  JobVerdict verdict_;
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> places_;
  int fitting_ = 0;
  long long free_ = 0;
};

std::optional<PendingReason> of_hold(Hold hold) {
  switch (hold) {
    case Hold::dependency:
      return PendingReason{
          "Job dependency condition not satisfied", "the jobs that bsub -w names are not there yet", {}};
    case Hold::never:
      return PendingReason{
          "Job dependency condition never satisfied", "bmod -w or bkill: it cannot hold any more", {}};
    case Hold::stopped:
      return PendingReason{"The job was suspended by user", "bresume lets it go on", {}};
    case Hold::stopped_by_administrator:
      return PendingReason{
          "Job was suspended by LSF admin or root while pending", "an administrator has to bresume it", {}};
    default:
      return std::nullopt;
  }
}

std::string hosts_text(const PendingReason& reason) {
  const std::size_t count = reason.hosts.size();
  return count == 0 ? "" : std::to_string(count) + (count == 1 ? " host" : " hosts");
}

}  // namespace

std::string words_of(const PendingReason& reason) {
  const std::string hosts = hosts_text(reason);
  return (hosts.empty() ? reason.text : hosts) + ": " + (reason.why.empty() ? reason.text : reason.why);
}

std::string text_of(const PendingReason& reason) {
  const std::string hosts = hosts_text(reason);
  return reason.text + (hosts.empty() ? "" : ": " + hosts) + ";";
}

struct PendingReasons::State {
  State(const Snapshot& snapshot, WallTime now) : working(snapshot, now) {}
  WorkingState working;
  std::map<DemandNumber, std::vector<PendingReason>> of_demands;
  std::map<Hold, std::vector<PendingReason>> of_holds;
  std::vector<PendingReason> of_one;  // of the job asked for last, where it is not like its demand
};

PendingReasons::PendingReasons(const Snapshot& snapshot, WallTime now)
    : state_(std::make_unique<State>(snapshot, now)) {}
PendingReasons::~PendingReasons() = default;

const std::vector<PendingReason>& PendingReasons::of(JobKey key) {
  const Snapshot& snapshot = state_->working.snapshot();
  const PendingJob* job = snapshot.pending(key);
  auto& own = state_->of_one;
  own.clear();
  if (job == nullptr) return own;
  if (job->hold != Hold::none) {
    auto& held = state_->of_holds[job->hold];
    if (held.empty()) held.push_back(*of_hold(job->hold));
    return held;
  }
  const auto& entry = snapshot.demands()[job->demand];
  const bool queued = entry.compiled->queue != kNoQueue;
  if (queued && ready_at(snapshot.rules(), entry, *job) > state_->working.now()) {
    const auto delay = snapshot.rules().queues[entry.compiled->queue].new_job_delay_s;
    own.push_back(
        {"New job is waiting for scheduling", "NEW_JOB_SCHED_DELAY is " + duration_text(delay), {}});
    return own;
  }
  if (!job->excluded.empty()) return own = Explanation(state_->working, entry).of_demand(*job);
  const auto [known, added] = state_->of_demands.try_emplace(job->demand);
  if (added) known->second = Explanation(state_->working, entry).of_demand(*job);
  return known->second;
}

}  // namespace rollcall::sched
