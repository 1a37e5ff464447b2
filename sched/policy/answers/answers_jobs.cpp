// The answers to bjobs.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "sched/policy/answers/answers_parts.hpp"
#include "sched/policy/answers/forward_reasons.hpp"
#include "sched/policy/answers/suspend_reasons.hpp"
#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/lendable.hpp"
#include "sched/policy/lease/lease_report.hpp"
#include "sched/policy/values/elsewhere.hpp"
#include "sched/policy/values/host_id.hpp"
#include "sched/policy/values/job_exceptions.hpp"
#include "sched/policy/values/shown_command.hpp"

namespace rollcall::sched::answers {
namespace {

using JobView = wire::BatchReply::JobView;

// Bytes of one job, so that a part with it still fits into a frame.
constexpr std::size_t kMostText = 600 * 1024;
constexpr std::size_t kLook = 100;             // jobs that one step of the selection looks at
constexpr std::uint64_t kLookElsewhere = 200;  // what a remote queue costs, in hosts

// The time budget of one part, in microseconds by measured costs: other clients wait meanwhile.
class Slice {
 public:
  void looked(std::size_t jobs) { spend(jobs / 2); }
  void added(std::size_t bytes) { spend(2 + bytes / 128); }
  void worked_out(std::uint64_t hosts) { spend(hosts / 4); }
  bool over() const { return left_ == 0; }

 private:
  void spend(std::uint64_t cost) { left_ -= std::min(left_, cost); }
  std::uint64_t left_ = 1000;
};

// `to`: any message with a field `reasons`.
template <class To>
void add_reason(To& to, std::string text, std::string why) {
  auto& reason = *to.add_reasons();
  reason.set_text(std::move(text));
  reason.set_why(std::move(why));
  reason.set_key(to.reasons_size() == 1);
}

enum class HostNames { left_out, told };

// `to`: a JobView or Reasons.
template <class To>
void add_reasons(const cycle::PlacementRules& rules, const std::vector<cycle::PendingReason>& reasons,
                 HostNames names, To& to) {
  for (const auto& found : reasons) {
    add_reason(to, found.text, found.why);
    auto& reason = *to.mutable_reasons(to.reasons_size() - 1);
    reason.set_count(static_cast<std::uint32_t>(found.hosts.size()));
    if (names == HostNames::left_out) continue;
    for (const HostNumber host : found.hosts)
      if (host < rules.hosts.size()) reason.add_hosts(rules.hosts[host].text());
  }
}

void add_no_reason_yet(JobView& to) {
  add_reason(to, "New job is waiting for scheduling",
             "it has not been looked at yet: the next cycle is at hand");
}

// No lease of the provider is asked for on behalf of the job, though its words name hosts there.
template <class To>
void add_barred_provider(cycle::LeaseUse use, const std::string& provider, To& to) {
  const bool of_root = use == cycle::LeaseUse::of_root;
  add_reason(
      to, "Hosts of cluster <" + provider + "> are not usable to " + (of_root ? "the user" : "parallel jobs"),
      (of_root ? cycle::kOfRootWords : cycle::serial_only_words(provider)) +
          "; no lease is asked for on behalf of the job");
}

// Slots of leases that the job could use come when jobs of other clusters end: the cycle knows no host of theirs yet.
template <class To>
void add_awaited_leases(const AnswerView& view, const cycle::Demand& demand, To& to) {
  for (const auto& of : view.awaited())
    if (of.slots > 0 && cycle::could_use(view.snapshot.rules(), demand, of.id.provider))
      add_reason(to, "Hosts of lease <" + lease::text(of.id) + "> are not free yet",
                 lease::awaited_reason(of.slots, of.id.provider));
}

// A host that is borrowed already has this as a reason of its own.
template <class To>
void add_barred_providers(const AnswerView& view, const cycle::Demand& demand, To& to) {
  std::set<std::string> told;
  for (const auto& of : view.awaited()) {
    if (of.provider_lends || !told.insert(of.id.provider).second) continue;
    const auto use = cycle::lease_use(view.snapshot.rules(), demand, of.id.provider);
    if (use == cycle::LeaseUse::serial_only || use == cycle::LeaseUse::of_root)
      add_barred_provider(use, of.id.provider, to);
  }
}

// bsub -m named them while a lease had them.
template <class To>
void add_hosts_not_on_lease(const cycle::PlacementRules& rules, const wire::Submission& asked, To& to) {
  for (const auto& one : asked.asked_hosts()) {
    const HostId id(one.name());
    const std::string cluster(id.cluster());
    if (one.excluded() || id.ours() || id.host() == "all" || cluster == rules.cluster->cluster.name) continue;
    if (const auto host = rules.host(id); !host || rules.has_returned(*host))
      add_reason(to, "Host <" + id.text() + "> is not on lease",
                 "no lease with cluster " + cluster + " has it");
  }
}

// No host that the job may have is known.
bool has_no_hosts(const cycle::Snapshot& snapshot, const Job& job) {
  const cycle::PendingJob* pending = snapshot.pending(job.key());
  if (pending == nullptr) return false;
  const auto& hosts = snapshot.demands()[pending->demand].hosts;
  return hosts && hosts->hosts.empty();
}

// `found`: of the job, or of all that share its demand.
template <class To>
void add_reasons(const AnswerView& view, const Job& job, const std::vector<cycle::PendingReason>& found,
                 HostNames names, To& to) {
  const bool of_hosts =
      std::any_of(found.begin(), found.end(), [](const auto& one) { return !one.hosts.empty(); });
  const auto& rules = view.snapshot.rules();
  if (!of_hosts) return add_reasons(rules, found, names, to);
  const bool leases = view.awaited && !view.awaited().empty();
  const auto demand = leases ? std::optional(cycle::demand_of(job, "")) : std::nullopt;
  const auto add_what_is_not_lent = [&] {
    add_hosts_not_on_lease(rules, *job.asked, to);
    if (demand) add_barred_providers(view, *demand, to);
  };
  // The first reason is the one that bjobs shows alone.
  const bool nothing_else = has_no_hosts(view.snapshot, job);
  if (demand) add_awaited_leases(view, *demand, to);
  if (nothing_else) add_what_is_not_lent();
  add_reasons(rules, found, names, to);
  if (!nothing_else) add_what_is_not_lent();
}

void add_pending_reasons(const AnswerView& view, const Job& job, cycle::PendingReasons& reasons,
                         JobView& to) {
  add_reasons(view, job, reasons.of(job.key()), HostNames::told, to);
  if (to.reasons_size() == 0) add_no_reason_yet(to);
}

// Shows a job as pending until its first host, or the cluster that it was forwarded to, has reported that it begins. True: it is
// such a job. One that runs there has hosts of that cluster.
bool show_start(wire::JobRecord& record) {
  if (shown_status(record) == record.status()) return name_hosts_elsewhere(record), false;
  record.set_status(shown_status(record));
  record.clear_hosts();
  record.set_start_us(0);
  return true;
}

void add_forward_reason(const wire::JobRecord& record, JobView& to) {
  const auto& forwarded = record.forwarded();
  std::string words = forwarded_words(key_of(record.key()), forwarded);
  const std::string& there = forwarded.there().why();
  if (!forwarded.has_there()) return add_reason(to, std::move(words), "that cluster has not accepted it yet");
  if (forwarded.recalled()) words += ", which was asked to give it back";
  add_reason(to, there.empty() ? std::move(words) : words + ": " + there,
             "queue " + forwarded.queue() + " of cluster " + forwarded.cluster() + ": " +
                 (there.empty() ? "it waits for its start there" : there));
}

// Of a job that is in clusters which are not connected, or on their hosts.
void add_waiting_orders(const AnswerView& view, const wire::JobRecord& record, JobView& to) {
  for (const auto& cluster : ordered_clusters(record)) {
    if (view.hosts.connected(cluster.host)) continue;
    for (auto& line : waiting_orders(record, cluster)) add_reason(to, std::move(line), "");
  }
}

// The reason of a job that has hosts, but whose first host has not reported that it begins.
void add_start_reason(const Job& job, JobView& to) {
  if (is_elsewhere(job.record)) return add_forward_reason(job.record, to);
  if (!job.launch.awaits.empty())
    return add_reason(to, "The job is being started",
                      "mbatchd waits to be told where " + job.launch.awaits + " is reached");
  std::string awaited;
  for (const auto& host : job.record.hosts())
    if (std::find(job.launch.prepared.begin(), job.launch.prepared.end(), host.name()) ==
        job.launch.prepared.end())
      awaited += (awaited.empty() ? "" : ", ") + host.name();
  add_reason(to, "The job is being started", "mbatchd waits for the answer of " + awaited);
}

void add_suspend_reasons(const AnswerView& view, const wire::JobRecord& record, JobView& to) {
  for (auto& told : suspend_reasons(view, record)) add_reason(to, std::move(told.text), std::move(told.why));
}

void add_exceptions(const AnswerView& view, const Job& job, JobView& to) {
  const auto& rules = view.snapshot.rules();
  const auto queue = rules.queue(job.record.queue());
  if (!queue) return;
  const conf::QueueRow& row = *rules.queues[*queue].row;
  to.set_exceptions(
      job_exceptions(job.record, {row.overrun_minutes, row.underrun_minutes, row.idle}, view.now));
}

void add_remote_queues(RemoteLook look, JobView& to) {
  to.set_remote_queues(std::move(look.table));
  for (auto& row : look.rows) to.mutable_looked_at()->Add(std::move(row));
}

void add_thresholds(const AnswerView& view, const Job& job, JobView& to) {
  const auto& rules = view.snapshot.rules();
  const auto queue = rules.queue(job.record.queue());
  if (!queue) return;
  for (const auto& threshold : rules.queues[*queue].thresholds) {
    auto& added = *to.add_thresholds();
    added.set_index(rules.indices().at(threshold.index).name);
    if (threshold.schedule) added.set_schedule(*threshold.schedule);
    if (threshold.stop) added.set_stop(*threshold.stop);
  }
}

std::string state_text(jobs::DependencyState state) {
  switch (state) {
    case jobs::DependencyState::not_yet:
      return "unsatisfied";
    case jobs::DependencyState::never:
      return "never";
    default:
      return "";
  }
}

// The progress of one answer to AskJobs: its jobs, and how many of them are sent. Each part is one Slice.
class JobsAnswer {
 public:
  JobsAnswer(const AnswerView& view, const wire::AskJobs& ask, const Identity& who)
      : ask_(ask),
        who_(who),
        work_(view.jobs.begin_select(ask.filter(), who,
                                     ask.arrays() ? book::Selects::arrays : book::Selects::jobs)) {
    if (ask.reasons()) reasons_ = std::make_unique<cycle::PendingReasons>(view.snapshot, view.now);
  }

  AnswerPart next(const AnswerView& view) {
    if (over_) return {};
    if (reasons_) reasons_->look_at(view.snapshot, view.now);
    auto part = AnswerPart::empty();
    auto& jobs = *part->mutable_jobs();
    if (!ask_.sums() || !count(view, *jobs.mutable_sums())) fill(view, jobs);
    if (refusal_) *part->mutable_refusal() = std::move(*refusal_), part->clear_answer(), over_ = true;
    part->set_last(over_);
    return part;
  }

 private:
  // bjobs -sum from counters; false: the filter needs the jobs themselves.
  bool count(const AnswerView& view, wire::BatchReply::SlotSums& to) {
    const auto sums = view.jobs.slot_sums(*work_);
    if (!sums) return false;
    for (const auto& [status, count] : *sums) add_sum(status, count, to);
    return over_ = true;
  }
  static void add_sum(wire::JobStatus status, book::SlotCount count, wire::BatchReply::SlotSums& to) {
    (*to.mutable_slots())[status] += count.slots - count.forwarded;
    to.set_forwarded(to.forwarded() + count.forwarded);
    to.set_jobs(to.jobs() + count.jobs);
    if (!finished(status)) to.set_unfinished(to.unfinished() + count.jobs);
  }

  void fill(const AnswerView& view, wire::BatchReply::Jobs& jobs) {
    std::size_t bytes = 0;
    for (Slice slice; !over_ && !refusal_ && !slice.over() && bytes < kAnswerPart;) {
      if (at_ == chosen_.size() && !choose(view, slice, jobs)) return;
      if (at_ == chosen_.size()) continue;
      if (const Job* job = view.jobs.find(chosen_[at_++])) bytes += add(view, *job, slice, jobs);
      over_ = selected_all_ && at_ == chosen_.size();
    }
  }

  // Selects some further jobs; false: there are no more.
  bool choose(const AnswerView& view, Slice& slice, wire::BatchReply::Jobs& jobs) {
    auto some = selected_all_ ? book::Selection{} : view.jobs.select_some(*work_, kLook);
    slice.looked(kLook);
    for (auto& name : some.unknown) jobs.add_unknown(std::move(name));
    refusal_ = std::move(some.refusal);
    chosen_ = std::move(some.jobs);
    at_ = 0;
    selected_all_ = some.last;
    over_ = selected_all_ && chosen_.empty();
    return !over_ && !refusal_;
  }

  // Adds the job and returns the bytes that it adds.
  std::size_t add(const AnswerView& view, const Job& job, Slice& slice, wire::BatchReply::Jobs& jobs) {
    if (ask_.sums()) {
      const std::uint64_t slots = slots_shown(job);
      const book::SlotCount one{slots, 1, waits_elsewhere(job.record) ? slots : 0};
      add_sum(shown_status(job.record), one, *jobs.mutable_sums());
      slice.added(0);
      return 0;
    }
    if (ask_.scripts() || ask_.environments()) refusal_ = refuse_texts(job);
    if (refusal_) return 0;
    std::size_t bytes = add_submission(job, jobs);
    auto& added = *jobs.add_jobs();
    const std::uint64_t looked_at = reasons_ ? reasons_->hosts_looked_at() : 0;
    bytes += fill_job(view, job, added, jobs);
    if (reasons_) slice.worked_out(reasons_->hosts_looked_at() - looked_at);
    slice.worked_out(kLookElsewhere * static_cast<std::uint64_t>(added.reasons_size()));
    bytes += added.ByteSizeLong();
    slice.added(bytes);
    return bytes;
  }
  static std::uint64_t slots_shown(const Job& job) {
    if (!placed(shown_status(job.record))) return std::max(1U, job.asked->min_slots());
    std::uint64_t slots = 0;
    for (const auto& host : job.record.hosts()) slots += host.slots();
    return slots;
  }

  // Only owners may read scripts and environments here. Administrators can read them on the disk of mbatchd's host.
  std::optional<wire::BatchReply::Refusal> refuse_texts(const Job& job) const {
    const auto no = [&job](wire::BatchReply::Refusal::Why why, const char* text) {
      return refused_answer(why, "Job <" + sched::text(job.key()) + ">: " + text).refusal();
    };
    // Uid and name must both agree, as in book_rights.cpp.
    if (job.asked->uid() != who_.uid || job.asked->user() != who_.user)
      return no(wire::BatchReply::Refusal::NOT_ALLOWED, "User permission denied");
    if (texts_size(job) > kMostText)
      return no(wire::BatchReply::Refusal::FAILED, "the script or environment is too long to be shown");
    return std::nullopt;
  }
  std::size_t texts_size(const Job& job) const {
    std::size_t size = ask_.scripts() ? job.asked->script_at().bytes() : 0;
    if (ask_.environments()) size += job.asked->environment_at().bytes();
    return size;
  }
  void add_texts(const AnswerView& view, const Job& job, JobView& to) {
    if (!(ask_.scripts() || ask_.environments()) || !job.asked || !view.whole) return;
    const auto asked = view.whole(job.asked);
    if (!asked) {
      refusal_ = refused_answer(wire::BatchReply::Refusal::FAILED,
                                "Job <" + sched::text(job.key()) +
                                    ">: mbatchd cannot read its script and environment; see mbatchd's log")
                     .refusal();
      return;
    }
    if (ask_.scripts()) to.set_script(asked->script());
    if (ask_.environments()) *to.mutable_environment() = asked->environment();
  }

  bool first_of(std::uint64_t submission) {
    const auto at = sent_.empty() || sent_.back() < submission
                        ? sent_.end()
                        : std::lower_bound(sent_.begin(), sent_.end(), submission);
    if (at != sent_.end() && *at == submission) return false;
    sent_.insert(at, submission);
    return true;
  }
  std::size_t add_submission(const Job& job, wire::BatchReply::Jobs& jobs) {
    const std::uint64_t number = job.record.submission();
    if (!job.asked || !first_of(number)) return 0;
    auto& sent = (*jobs.mutable_submissions())[number];
    send_submission(*job.asked, ask_.submissions(), sent);
    return sent.ByteSizeLong();
  }

  // Returns the bytes that it adds to the answer besides `to`.
  std::size_t fill_job(const AnswerView& view, const Job& job, JobView& to, wire::BatchReply::Jobs& jobs) {
    std::size_t bytes = 0;
    if (ask_.submissions() || (ask_.reasons() && !ask_.shared_reasons())) {
      to = job_view(view, job, ask_.shared_reasons() ? nullptr : reasons_.get());
    } else {
      *to.mutable_record() = job.record;
      if (show_start(*to.mutable_record()) && ask_.reasons()) add_start_reason(job, to);
      trim(*to.mutable_record());
      if (ask_.reasons() && placed(job.status())) {
        add_suspend_reasons(view, job.record, to);
        add_waiting_orders(view, job.record, to);
      }
    }
    if (reasons_ && ask_.shared_reasons() && pending(job.status())) {
      const bool forwards_alone = !ask_.reason_hosts() && add_forward_reasons(view, job, to);
      if (!forwards_alone) bytes = share_reasons(view, job, to, jobs);
    }
    if (ask_.arrays()) add_counts(view, job.key().id, to);
    if (ask_.stream() && job.asked) to.set_output_path(job.asked->output_file());
    add_texts(view, job, to);
    return bytes;
  }

  // True: these are all reasons, since the queue has no hosts of this cluster (HOSTS=none).
  static bool add_forward_reasons(const AnswerView& view, const Job& job, JobView& to) {
    const auto queue = view.snapshot.rules().queue(job.record.queue());
    const conf::QueueRow* row = queue ? view.snapshot.rules().queues[*queue].row : nullptr;
    if (!view.remote_queues || row == nullptr || row->send_jobs_to.empty()) return false;
    for (auto& line : forward_reasons(view.remote_queues(job.key()), job.record))
      add_reason(to, std::move(line), "");
    return to.reasons_size() > 0 && row->hosts.size() == 1 && row->hosts[0].name == "none";
  }

  // The first job with these reasons brings them along; later ones only name their number.
  std::size_t share_reasons(const AnswerView& view, const Job& job, JobView& to,
                            wire::BatchReply::Jobs& jobs) {
    const std::uint32_t number = reasons_->number_of(job.key());
    to.set_shared_reasons(number);
    if (number == 0) add_no_reason_yet(to);
    if (number <= reasons_told_) return 0;
    reasons_told_ = number;
    auto& told = (*jobs.mutable_reasons())[number];
    add_reasons(view, job, reasons_->at(number), ask_.reason_hosts() ? HostNames::told : HostNames::left_out,
                told);
    reasons_->drop(number);
    return told.ByteSizeLong();
  }

  // Removes fields that no table shows.
  static void trim(wire::JobRecord& record) {
    record.clear_effective_resreq();
    record.clear_reserved();
    record.clear_excluded_hosts();
    if (record.has_forwarded()) record.mutable_forwarded()->clear_looked_at();
  }

  static void add_counts(const AnswerView& view, std::int32_t id, JobView& to) {
    const jobs::JobTally* tally = view.jobs.tally(id);
    if (tally == nullptr) return;
    to.set_array_size(tally->elements);
    auto& counts = *to.mutable_counts();
    counts[wire::STATUS_PEND] = tally->pend;
    counts[wire::STATUS_PSUSP] = tally->hold;
    counts[wire::STATUS_RUN] = tally->run;
    counts[wire::STATUS_DONE] = tally->done;
    counts[wire::STATUS_EXIT] = tally->exit;
    if (tally->by_system() > 0) counts[wire::STATUS_SSUSP] = tally->by_system();
    if (tally->by_user > 0) counts[wire::STATUS_USUSP] = tally->by_user;
  }

  const wire::AskJobs ask_;
  const Identity who_;
  const std::shared_ptr<book::SelectWork> work_;
  std::optional<wire::BatchReply::Refusal> refusal_;
  std::unique_ptr<cycle::PendingReasons> reasons_;  // null: not requested
  std::uint32_t reasons_told_ = 0;                  // reasons up to this number are sent
  std::vector<JobKey> chosen_;                      // at_: the next one to send
  std::size_t at_ = 0;
  bool selected_all_ = false;
  // Submissions, sorted. They come almost in order, and a set would be slow to free.
  std::vector<std::uint64_t> sent_;
  bool over_ = false;
};

}  // namespace

void send_submission(const wire::Submission& asked, bool all, wire::Submission& sent) {
  if (all) {
    sent = asked;
    sent.clear_script();
    sent.clear_spooled_input();
    sent.clear_environment();
    wire::forget_payload_rows(sent);
    sent.set_command(shown_command(asked.command()));
    return;
  }
  sent.set_user(asked.user());
  sent.set_command(shown_command(asked.command()));
  sent.set_job_name(asked.job_name());
  sent.set_project(asked.project());
  sent.set_from_host(asked.from_host());
  sent.set_min_slots(asked.min_slots());
  sent.set_max_slots(asked.max_slots());
  sent.set_array_slots(asked.array_slots());
  *sent.mutable_indices() = asked.indices();
}

wire::BatchReply::JobView job_view(const AnswerView& view, const Job& job, cycle::PendingReasons* reasons) {
  JobView to;
  *to.mutable_record() = job.record;
  if (show_start(*to.mutable_record())) add_start_reason(job, to);
  if (pending(job.status()) && reasons != nullptr) add_pending_reasons(view, job, *reasons, to);
  if (pending(job.status()) && view.remote_queues) add_remote_queues(view.remote_queues(job.key()), to);
  if (placed(job.status())) add_suspend_reasons(view, job.record, to);
  add_waiting_orders(view, job.record, to);
  *to.mutable_effective_limits() = view.jobs.effective_limits(job);
  to.set_combined_resreq(view.jobs.combined_resreq(job));
  add_thresholds(view, job, to);
  add_exceptions(view, job, to);
  if (pending(job.status())) to.set_dependency_state(state_text(view.jobs.dependency_state(job)));
  return to;
}

std::vector<wire::BatchReply::Reason> counted_reasons(const AnswerView& view, JobKey key,
                                                      cycle::PendingReasons& reasons) {
  const Job* job = view.jobs.find(key);
  if (job == nullptr || !pending(job->status())) return {};
  JobView told;
  add_reasons(view, *job, reasons.of(key), HostNames::left_out, told);
  if (told.reasons_size() == 0) add_no_reason_yet(told);
  return {told.reasons().begin(), told.reasons().end()};
}

NextPart jobs_answer(const AnswerView& view, const wire::AskJobs& ask, const Identity& who) {
  auto state = std::make_shared<JobsAnswer>(view, ask, who);
  return [state](const AnswerView& now) { return state->next(now); };
}

}  // namespace rollcall::sched::answers
