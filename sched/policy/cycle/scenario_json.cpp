#include "sched/policy/cycle/scenario_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/next_job.hpp"
#include "sched/policy/cycle/preemptable_slots.hpp"
#include "sched/policy/cycle/preemption_text.hpp"
#include "sched/policy/cycle/scenario_words.hpp"

namespace rollcall::sched::cycle {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t seconds(WallTime from, WallTime to) { return (to.us - from.us) / 1'000'000; }

Json keys_json(const std::vector<JobKey>& keys) {
  Json list = Json::array();
  for (const JobKey key : keys) list.push_back(text(key));
  return list;
}

class Document {
 public:
  Document(Scenario scenario, std::optional<JobKey> job)
      : before_(scenario.snapshot), after_(std::move(scenario.snapshot)), now_(scenario.now), job_(job) {
    QueueOrder order(before_.rules());
    plan_ = schedule(before_, now_, order, &log_);
    apply(plan_, now_, after_);
  }

  std::string text() const {
    Json document{{"COMMAND", "bsched-query"}};
    document["SUSPEND"] = list(plan_.suspends, [this](const Suspend& one) { return suspend_json(one); });
    document["RESUME"] = list(plan_.resumes, [](const Resume& one) { return resume_json(one); });
    document["START"] = list(plan_.dispatches, [this](const Dispatch& one) { return start_json(one); });
    document["LOOK_AGAIN_S"] = plan_.next_look ? Json(seconds(now_, *plan_.next_look)) : Json();
    document["PREEMPTABLE"] = preemptable_json();
    document["PREEMPTIONS"] = preemptions_json();
    document["PENDING"] = pending_json();
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  }

 private:
  const PlacementRules& rules() const { return before_.rules(); }

  template <class All, class Made>
  Json list(const All& all, const Made& made) const {
    Json list = Json::array();
    for (const auto& one : all)
      if (!job_ || one.job == *job_) list.push_back(made(one));
    return list;
  }

  Json suspend_json(const Suspend& one) const {
    Json json{{"JOB", sched::text(one.job)}, {"REASONS", suspend_words(one.reasons)}, {"TEXT", one.text}};
    if (one.by.id != 0) json["FOR"] = sched::text(one.by);
    return json;
  }
  static Json resume_json(const Resume& one) {
    return {{"JOB", sched::text(one.job)}, {"REASONS", suspend_words(one.reasons)}};
  }

  Json hosts_json(const std::vector<SlotsOn>& hosts) const {
    Json list = Json::array();
    for (const SlotsOn& on : hosts)
      list.push_back({{"HOST", rules().hosts[on.host].text()}, {"SLOTS", on.slots}});
    return list;
  }

  Json start_json(const Dispatch& one) const {
    Json json{{"JOB", sched::text(one.job)}, {"HOSTS", hosts_json(one.placement.hosts)}};
    Json& reserved = json["RESERVES"] = Json::array();
    for (const Reservation& reservation : one.placement.reservations) {
      Json row{{"RESOURCE", rules().indices().at(reservation.resource).name}, {"AMOUNT", reservation.amount}};
      if (!rules().shared_resource(reservation.resource))
        row["HOST"] = rules().hosts[reservation.host].text();
      if (!reservation.until.never()) row["DURATION_S"] = seconds(now_, reservation.until);
      if (reservation.decay) row["DECAY"] = true;
      reserved.push_back(std::move(row));
    }
    return json;
  }

  Json preemptable_json() const {
    const auto queues = preemptable_slots(after_, now_);
    Json list = Json::array();
    for (QueueNumber queue = 0; queue < queues.size(); ++queue) {
      if (rules().preempts[queue].empty()) continue;
      const auto& [slots, lowest] = queues[queue];
      list.push_back({{"QUEUE", rules().queues[queue].name},
                      {"SLOTS", slots},
                      {"LOWEST_PRIORITY", lowest ? Json(*lowest) : Json()}});
    }
    return list;
  }

  Json preemptions_json() const {
    Json list = Json::array();
    const PreemptionAttempt* asked = job_ ? attempt_of(before_, log_, *job_) : nullptr;
    for (const PreemptionAttempt& attempt : log_)
      if (!job_ || &attempt == asked) list.push_back(preemption_json(attempt));
    return list;
  }

  Json preemption_json(const PreemptionAttempt& attempt) const {
    const ToldPreemption all = told(before_, now_, log_, attempt);
    Json json{{"JOB", sched::text(all.job)},
              {"QUEUE", rules().queues[before_.demands()[attempt.demand].compiled->queue].name},
              {"RESULT", all.result}};
    Json& victims = json["VICTIMS"] = Json::array();
    for (const auto& victim : all.victims) {
      const PlacedJob& job = *before_.placed(victim.job);
      victims.push_back({{"JOB", sched::text(victim.job)},
                         {"QUEUE", rules().queues[before_.demands()[job.demand].compiled->queue].name},
                         {"HOSTS", hosts_json(job.placement.hosts)},
                         {"LENDS_SLOTS", job.suspended != 0},
                         {"WHY", victim.why}});
    }
    Json& passed = json["PASSED_OVER"] = Json::array();
    for (const auto& [keys, why] : all.passed_over)
      passed.push_back({{"JOBS", keys_json(keys)}, {"WHY", why}});
    return json;
  }

  Json pending_json() const {
    std::vector<JobKey> keys;
    after_.each_pending([&](const PendingJob& job) {
      if (!job_ || job.key == *job_) keys.push_back(job.key);
    });
    std::sort(keys.begin(), keys.end());
    PendingReasons reasons(after_, now_);
    Json list = Json::array();
    for (const JobKey key : keys) {
      Json json{{"JOB", sched::text(key)}};
      Json& rows = json["REASONS"] = Json::array();
      for (const PendingReason& reason : reasons.of(key)) {
        Json hosts = Json::array();
        for (const HostNumber host : reason.hosts) hosts.push_back(rules().hosts[host].text());
        rows.push_back({{"TEXT", reason.text}, {"WHY", reason.why}, {"HOSTS", std::move(hosts)}});
      }
      list.push_back(std::move(json));
    }
    return list;
  }

  Snapshot before_, after_;
  WallTime now_;
  std::optional<JobKey> job_;
  PreemptionLog log_;
  Plan plan_;
};

}  // namespace

std::string scenario_json(Scenario scenario, std::optional<JobKey> job) {
  return Document(std::move(scenario), job).text();
}

}  // namespace rollcall::sched::cycle
