#include "sched/policy/cycle/suspension.hpp"

#include <algorithm>
#include <set>

#include "common/resreq/explain.hpp"

namespace rollcall::sched::cycle {
namespace {

constexpr std::uint32_t kOurs = wire::SUSPEND_LOAD | wire::SUSPEND_WINDOW | wire::SUSPEND_HOST_LOCKED;

class Suspensions {
 public:
  Suspensions(WorkingState& state, Plan& plan) : state_(state), plan_(plan) {}

  void run() {
    for (const PlacedJob* job : jobs()) {
      const std::uint32_t now = at_once(*job);
      std::uint32_t begin = now & ~job->suspended;
      std::string text = begin != 0 ? why_at_once(begin) : "";
      if (job->suspended == 0 && begin == 0) {
        text = load_is_high(*job);
        if (!text.empty() && turn(*job)) begin |= wire::SUSPEND_LOAD;
      }
      if (begin != 0)
        plan_.suspends.push_back({job->key, begin, text});
      else if (now == 0 && all_over(*job))
        plan_.resumes.push_back({job->key, job->suspended & kOurs});
    }
  }

 private:
  const PlacementRules& rules() const { return state_.rules(); }
  const QueueRule* queue_of(const PlacedJob& job) const {
    const auto& compiled = *state_.snapshot().demands()[job.demand].compiled;
    return compiled.queue == kNoQueue ? nullptr : &rules().queues[compiled.queue];
  }
  int priority(const PlacedJob& job) const {
    const QueueRule* queue = queue_of(job);
    return queue == nullptr ? 0 : queue->priority;
  }

  // First jobs to suspend: those of the lowest queue, of these the one started last. Then jobs to resume, in the opposite order.
  std::vector<const PlacedJob*> jobs() const {
    std::vector<const PlacedJob*> jobs;
    const bool all = concerns_running();
    if (all)
      for (const auto& [key, job] : state_.snapshot().placed_jobs())
        if (job.suspended == 0 && !job.silent && (at_once(job) != 0 || !load_is_high(job).empty()))
          jobs.push_back(&job);
    for (const JobKey key : state_.snapshot().tallies().suspended) {
      const PlacedJob* job = state_.snapshot().placed(key);
      if (job->silent) continue;
      if ((job->suspended & kOurs) != 0 || (all && at_once(*job) != 0)) jobs.push_back(job);
    }
    std::sort(jobs.begin(), jobs.end(), [this](const PlacedJob* a, const PlacedJob* b) {
      const bool first = a->suspended == 0, second = b->suspended == 0;
      if (first != second) return first;
      if (priority(*a) != priority(*b))
        return first ? priority(*a) < priority(*b) : priority(*a) > priority(*b);
      if (a->started != b->started) return first ? a->started > b->started : a->started < b->started;
      return a->key < b->key;
    });
    return jobs;
  }

  // The caller has found window and locks open. True if the load allows the job to resume too, and what it released is free.
  bool all_over(const PlacedJob& job) {
    if ((job.suspended & kOurs) == 0) return false;
    if ((job.suspended & wire::SUSPEND_LOAD) != 0 && !(load_is_low(job) && turn(job))) return false;
    const bool others_hold = (job.suspended & ~kOurs) != 0;
    return others_hold || state_.take_back(job);
  }

  // Whether any window, threshold or lock could suspend a running job.
  bool concerns_running() const {
    const auto stops = [](const std::vector<IndexThreshold>& thresholds) {
      return std::any_of(thresholds.begin(), thresholds.end(),
                         [](const auto& t) { return t.stop.has_value(); });
    };
    for (const QueueRule& queue : rules().queues)
      if (!queue.run_windows.empty() || queue.stop_cond || stops(queue.thresholds)) return true;
    for (const BatchRow& row : rules().rows)
      if (stops(row.thresholds)) return true;
    for (HostNumber host = 0; host < rules().hosts.size(); ++host)
      if (state_.snapshot().host(host).locked) return true;
    return false;
  }

  std::uint32_t at_once(const PlacedJob& job) const {
    const QueueRule* queue = queue_of(job);
    std::uint32_t reasons = 0;
    if (queue && !state_.open(queue->run_windows)) reasons |= wire::SUSPEND_WINDOW;
    for (const SlotsOn& on : job.placement.hosts)
      if (state_.snapshot().host(on.host).locked) reasons |= wire::SUSPEND_HOST_LOCKED;
    return reasons;
  }

  static std::string why_at_once(std::uint32_t reasons) {
    return (reasons & wire::SUSPEND_WINDOW) != 0 ? "The run window of the queue is closed"
                                                 : "The execution host is locked by the LSF administrator";
  }

  bool known(HostNumber host) const { return !state_.snapshot().host(host).unavailable; }

  // "" where no host of the job is beyond a threshold.
  std::string load_is_high(const PlacedJob& job) const {
    for (const SlotsOn& on : job.placement.hosts) {
      if (!known(on.host) || spared(on.host)) continue;
      const QueueRule* queue = queue_of(job);
      const BatchRow* row = state_.snapshot().values(on.host).row;
      std::set<ResourceId> indices;
      if (row)
        for (const ResourceId id : state_.all_beyond(on.host, row->thresholds, true)) indices.insert(id);
      if (queue)
        for (const ResourceId id : state_.all_beyond(on.host, queue->thresholds, true)) indices.insert(id);
      if (!indices.empty()) return text_of(on.host, indices);
      if (queue && queue->stop_cond && matches(queue->stop_cond, on.host))
        return "STOP_COND of the queue holds on " + rules().hosts[on.host].text();
    }
    return "";
  }

  // Load does not suspend the only running job of a host without interactive use (it > 0).
  bool spared(HostNumber host) const {
    if (!(state_.number(host, it) > 0)) return false;
    int running = 0;
    for (const JobKey key : state_.snapshot().jobs_on(host))
      running += state_.snapshot().placed(key)->suspended == 0;
    return running == 1;
  }

  std::string text_of(HostNumber host, const std::set<ResourceId>& indices) const {
    std::string text = "The host load exceeded the following threshold(s):";
    const char* before = " ";
    for (const ResourceId id : indices) {
      text += before + rules().indices().at(id).name + " is " + resreq::number_text(state_.number(host, id));
      before = ", ";
    }
    return text + " on " + rules().hosts[host].text();
  }

  bool load_is_low(const PlacedJob& job) const {
    const QueueRule* queue = queue_of(job);
    return std::all_of(job.placement.hosts.begin(), job.placement.hosts.end(), [&](const SlotsOn& on) {
      const BatchRow* row = state_.snapshot().values(on.host).row;
      if (!known(on.host) || (row && state_.beyond(on.host, row->thresholds, false))) return false;
      if (paging_held(job, on.host)) return false;
      if (queue && queue->resume_cond) return matches(queue->resume_cond, on.host);
      if (queue && queue->stop_cond && matches(queue->stop_cond, on.host)) return false;
      return !queue || !state_.beyond(on.host, queue->thresholds, false);
    });
  }

  // PG_SUSP_IT: suspending the job that pages lowers pg at once, so it resumes only after the host has been idle for that long.
  bool paging_held(const PlacedJob& job, HostNumber host) const {
    const auto stops_by_paging = [](const std::vector<IndexThreshold>& thresholds) {
      return std::any_of(thresholds.begin(), thresholds.end(),
                         [](const IndexThreshold& t) { return t.index == pg && t.stop; });
    };
    const QueueRule* queue = queue_of(job);
    const BatchRow* row = state_.snapshot().values(host).row;
    if (!(row && stops_by_paging(row->thresholds)) && !(queue && stops_by_paging(queue->thresholds)))
      return false;
    return state_.number(host, it) * 60 < static_cast<double>(rules().idle_for_paging_s);
  }

  bool matches(const resreq::ExpressionPointer& condition, HostNumber host) const {
    resreq::BindContext context;
    context.indices = &rules().indices();
    const auto bound = resreq::bind(condition, context);
    return bound.select && state_.matches(Select{*bound.select, {}}, host);
  }

  // At most one job of a host in SBD_SLEEP_TIME, so that the load shows the effect before the next one. True: now.
  bool turn(const PlacedJob& job) {
    for (const SlotsOn& on : job.placement.hosts) {
      if (turned_.contains(on.host)) {
        look_at({state_.now().us + rules().suspend_interval_s * 1'000'000});
        return false;
      }
      for (const JobKey key : state_.snapshot().jobs_on(on.host)) {
        const PlacedJob& other = *state_.snapshot().placed(key);
        const bool by_load = (other.suspended & wire::SUSPEND_LOAD) != 0;
        const bool went_on = other.suspended == 0 && other.status_since > other.started;
        const WallTime next{other.status_since.us + rules().suspend_interval_s * 1'000'000};
        if ((by_load || went_on) && next > state_.now()) {
          look_at(next);
          return false;
        }
      }
    }
    for (const SlotsOn& on : job.placement.hosts) turned_.insert(on.host);
    return true;
  }

  void look_at(WallTime at) {
    if (!plan_.next_look || at < *plan_.next_look) plan_.next_look = at;
  }

  WorkingState& state_;
  Plan& plan_;
  std::set<HostNumber> turned_;
};

}  // namespace

void plan_suspensions(WorkingState& state, Plan& plan) { Suspensions(state, plan).run(); }

}  // namespace rollcall::sched::cycle
