// The Book: attempts of other clusters.
#include <algorithm>
#include <limits>
#include <utility>

#include "sched/policy/book/book_memory.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/jobs/two_sided_stop.hpp"

namespace rollcall::sched::book {
namespace {

using Over = wire::ForwardOver;
constexpr int kSigKill = 9, kSigTerm = 15, kCont = 18, kStop = 19, kTstp = 20, kMostSignal = 64;
constexpr std::size_t kLongestName = 255;  // of a queue that is told of

ForeignAttempt name_of(const std::string& cluster, const wire::ForwardAttempt& attempt) {
  return {cluster, {key_of(attempt.key()), attempt.attempt()}, attempt.made()};
}

// The job here that is this attempt. An order that does not say when it was made is for the last one of that name.
std::map<ForeignAttempt, JobKey>::const_iterator find(const Memory& m, const std::string& cluster,
                                                      const wire::ForwardAttempt& attempt) {
  ForeignAttempt name = name_of(cluster, attempt);
  if (name.made != 0) {
    if (const auto exact = m.foreign.find(name); exact != m.foreign.end()) return exact;
    name.made = 0;  // accepted by an older release
    return m.foreign.find(name);
  }
  name.made = std::numeric_limits<std::uint64_t>::max();
  auto last = m.foreign.upper_bound(name);
  if (last == m.foreign.begin()) return m.foreign.end();
  --last;
  return last->first.cluster == cluster && last->first.attempt == name.attempt ? last : m.foreign.end();
}

wire::ForwardAttempt attempt_of(const wire::ForwardedFrom& from) {
  wire::ForwardAttempt attempt;
  *attempt.mutable_key() = from.key();
  attempt.set_attempt(from.attempt());
  attempt.set_lent_host(from.lent_host());
  attempt.set_part(from.part());
  attempt.set_made(from.made());
  return attempt;
}

Over over(const wire::ForwardAttempt& attempt, Over::How how, std::string why) {
  Over over;
  *over.mutable_attempt() = attempt;
  over.set_how(how);
  over.set_why(std::move(why));
  return over;
}

SaidOfAttempt unknown(const wire::ForwardAttempt& attempt) {
  return {std::nullopt, over(attempt, Over::UNKNOWN, "the attempt is not known here")};
}

// Bits of SuspendReason. A job that was stopped before its start has none in its record.
std::uint32_t stopped_for(const wire::JobRecord& record) {
  if (!pending(record.status())) return record.suspend_reasons();
  std::uint32_t reasons = 0;
  if (record.stopped_by_user()) reasons |= wire::SUSPEND_USER;
  if (record.stopped_by_admin()) reasons |= wire::SUSPEND_ADMIN;
  return reasons;
}

wire::JobElsewhere elsewhere_of(const Job& of) {
  const wire::JobRecord& record = of.record;
  wire::JobElsewhere job;
  *job.mutable_key() = record.key();
  job.set_queue(record.queue());
  job.set_status(shown_status(record));
  job.set_suspend_reasons(stopped_for(record));
  // Also when it has ended: a short job may be over before the other cluster was told that it began.
  if (placed(record.status()) || (finished(record.status()) && record.started()))
    *job.mutable_hosts() = record.hosts();
  job.set_signal_number(record.from().signal_number());
  job.set_exec_user(record.exec_user().empty() ? of.asked->user() : record.exec_user());
  job.set_exec_home(record.exec_home());
  job.set_exec_cwd(record.exec_cwd());
  job.set_pid(record.pid());
  job.set_pgid(record.pgid());
  if (record.has_usage()) *job.mutable_usage() = record.usage();
  return job;
}

Over::How how_of(const wire::JobRecord& record) {
  const wire::ForwardedFrom& from = record.from();
  if (!on_lent_slots(record)) return from.withdrawn() ? Over::WITHDRAWN : Over::ENDED;
  if (record.status() == wire::STATUS_DONE) return Over::ENDED;  // before it could be recalled
  switch (from.lent_end()) {
    case wire::ForwardedFrom::LENT_WITHDRAWN:
      return Over::WITHDRAWN;
    case wire::ForwardedFrom::LENT_PRE_EXEC_FAILED:
      return Over::PRE_EXEC_FAILED;
    case wire::ForwardedFrom::LENT_NOT_STARTED:
      return Over::NOT_STARTED;
    default:
      return from.withdrawn() ? Over::WITHDRAWN : record.lost() ? Over::LOST : Over::ENDED;
  }
}

SaidOfAttempt said(const BookEntry& entry, WallTime now) {
  const Job& job = *entry.job;
  const wire::JobRecord& record = job.record;
  const wire::ForwardedFrom& from = record.from();
  if (!finished(record.status())) {
    wire::ForwardState state;
    *state.mutable_attempt() = attempt_of(from);
    *state.mutable_job() = elsewhere_of(job);
    if (pending(state.job().status())) state.mutable_job()->set_why(record.start_failure());
    state.set_terminal(entry.stream != nullptr);
    // Also one that is being ended: its cluster may have been out of reach when it was asked.
    const bool asked_back = is_part(record) && from.withdrawn();
    state.set_prepared(is_part(record) && !record.starting() && !from.releasing() && !asked_back);
    if (asked_back) state.mutable_job()->set_why("its slots are taken back from the lease");
    return {std::move(state), std::nullopt};
  }
  Over end = over(attempt_of(from), how_of(record), record.start_failure());
  // The cluster that placed the job here shows its user why the slots were taken back.
  if (end.how() == Over::WITHDRAWN && end.why().empty()) end.set_why(record.kill_reason());
  end.set_due_to_host(from.due_to_host());
  end.set_exit_status(record.exit_status());
  end.set_term_reason(from.term_reason() != 0 && record.kill_asked() ? from.term_reason()
                                                                     : record.term_reason());
  end.set_run_s(jobs::with_present_seconds(record, now).run_s());
  const WallTime ended{record.end_us()};
  if (record.started() && record.start_us() != 0)
    end.set_took_s(std::max<std::int64_t>(0, ended.seconds() - WallTime{record.start_us()}.seconds()));
  end.set_ended_s_ago(std::max<std::int64_t>(0, now.seconds() - ended.seconds()));
  *end.mutable_job() = elsewhere_of(job);
  if (end.how() == Over::ENDED) end.set_post(record.post_status());
  return {std::nullopt, std::move(end)};
}

// What the other cluster's order means here. Its user may do what the job's owner may.
class Obeying {
 public:
  Obeying(Memory& memory, BookEntry& entry, WallTime now, Effects& effects)
      : m_(memory), entry_(entry), now_(now), effects_(effects) {
    const wire::Submission& asked = *entry.job->asked;
    by_ = {asked.user(), asked.uid(), true, false};
  }

  void obey(const wire::SentSignal& sent) {
    switch (sent.action()) {
      case wire::SentSignal::TERMINATE:
        return kill(sent.sequential() ? 0 : kSigKill, sent.term_reason());
      case wire::SentSignal::SUSPEND:
        return stop(sent.term_reason());
      case wire::SentSignal::RESUME:
        return resume();
      case wire::SentSignal::SEND:
        return sent.signal() < 1 || sent.signal() > kMostSignal ? void() : send(sent);
      case wire::SentSignal::LIMITS:
        return change_limits(sent.limits());
      default:
        return;
    }
  }
  void withdraw() { step(event::GivenBack{}); }

 private:
  // The cycle of its own cluster suspends a job on lent slots, and lets it go on.
  void stop(std::int32_t why) {
    const Job& job = *entry_.job;
    const bool unheard = job.status() == wire::STATUS_UNKWN;  // no cycle stops it, but an order does
    if (why == 0 || unheard || !on_lent_slots(job.record)) return step(event::StopAsked{by_});
    if (is_part(job.record) && (!job.launch.go_given || job.record.from().releasing())) return;
    step(event::SuspendPlanned{jobs::reason_of_crossing(why), {}, {}});
  }
  void resume() {
    if (on_lent_slots(entry_.job->record)) step(event::ResumePlanned{});
    step(event::ResumeAsked{by_});
  }
  // As bkill -s of an own user: a job that is preempted here does not go on because its cluster sends it SIGCONT.
  void send(const wire::SentSignal& sent) {
    switch (sent.signal()) {
      case kSigKill:
        return kill(kSigKill, sent.term_reason());
      case kStop:
      case kTstp:
        return step(event::StopAsked{by_});
      case kCont:
        return resume();
      default:
        return step(event::SignalAsked{by_, sent.signal()});
    }
  }
  // Of the present run: the queue's own limits hold as for a job of ours. What a requeue starts again has those that crossed first.
  void change_limits(const wire::Limits& asked) {
    const Job& job = *entry_.job;
    if (!placed(job.status()) || jobs::check_limits(asked)) return;
    step(event::LimitsChanged{
        jobs::effective_limits(jobs::terms_of(m_.config, job.record.queue(), *job.asked), asked)});
  }
  void kill(int signal, std::int32_t term_reason) {
    // Its cluster ends the job on the first host, and takes the part back then.
    if (is_part(entry_.job->record))
      return step(event::SignalAsked{by_, signal == kSigKill ? kSigKill : kSigTerm});
    // Of a finished job it is the post-execution that is killed: why the job ended stays.
    if (!finished(entry_.job->status())) entry_.job->record.mutable_from()->set_term_reason(term_reason);
    step(event::KillAsked{by_, signal});
  }
  void step(const JobHappening& event) { m_.step(entry_, event, now_, effects_); }

  Memory& m_;
  BookEntry& entry_;
  WallTime now_;
  Effects& effects_;
  event::By by_;
};

// JOB_ACCEPT of this cluster, behind JOB_NEW.
effect::RecordEvent accepted_event(JobKey key, const wire::ForwardedFrom& from, const std::string& queue,
                                   WallTime now) {
  effect::RecordEvent recorded;
  recorded.event.set_at_us(now.us);
  set_key(*recorded.event.mutable_key(), key);
  auto& accept = *recorded.event.mutable_accept();
  accept.set_cluster(from.cluster());
  *accept.mutable_there() = from.key();
  accept.set_queue(queue);
  accept.set_came(true);
  return recorded;
}

// What is said of an attempt that is known here. Its cluster asks about an end that it has acknowledged only when its store was put back
// to an older state: the end is told, until it is acknowledged again.
ForwardedJobs::Answered known_answer(Memory& m, JobKey key, Effects effects, WallTime now) {
  BookEntry& entry = m.at(key);
  auto& from = *entry.job->record.mutable_from();
  if (from.acknowledged()) {
    {
      const Memory::Change change(m, entry);
      from.set_acknowledged(false);
    }
    m.time_id(key.id);
    effects.push_back(effect::SaveJob{key});
  }
  return {said(entry, now), std::move(effects)};
}

// Why an offer is not accepted, and what else would not be.
struct KeptOut {
  std::string why;
  wire::ForwardOver::Scope scope = wire::ForwardOver::OF_THE_JOB;
};

// Jobs of other clusters that pend count for the room of the queue.
std::optional<KeptOut> no_room(const Memory& m, const conf::QueueRow& queue, const wire::Submission& asked) {
  const auto found = m.queues.find(queue.name);
  if (found == m.queues.end()) return std::nullopt;
  const std::uint64_t waiting = found->second.imported.jobs;
  if (queue.import_backlog && waiting >= static_cast<std::uint64_t>(*queue.import_backlog))
    return KeptOut{"queue " + queue.name + " has " + std::to_string(waiting) +
                       " pending jobs of other clusters (IMPT_JOBBKLG)",
                   Over::OF_THE_QUEUE};
  const std::uint64_t slots = found->second.imported.slots;
  const auto most = static_cast<std::uint64_t>(queue.import_slot_backlog.value_or(0));
  if (queue.import_slot_backlog && slots + jobs::min_slots(asked) > most)
    return KeptOut{"pending jobs of other clusters ask for " + std::to_string(slots) + " slots of queue " +
                       queue.name + " (IMPT_SLOTBKLG)",
                   slots >= most ? Over::OF_THE_QUEUE : Over::OF_THE_JOB};
  return std::nullopt;
}

// Why no offer of the cluster is accepted; "": some may be.
std::string no_more_of(const Memory& m, const std::string& cluster) {
  const auto untold = m.unacknowledged.find(cluster);
  if (untold != m.unacknowledged.end() && untold->second >= ForwardedJobs::kMostUnacknowledged)
    return "cluster " + cluster + " has not acknowledged the ends of " + std::to_string(untold->second) +
           " of its jobs here";
  const auto here = m.foreign_of.find(cluster);
  if (here == m.foreign_of.end() || here->second < m.most_foreign) return "";
  return "this cluster has " + std::to_string(here->second) + " jobs of cluster " + cluster +
         ", expected fewer than " + std::to_string(m.most_foreign);
}

// Of programs of a queue, which each record of a job on lent slots has while it is not over.
constexpr std::size_t kMostPrograms = 32 * 1024;

// An offer: an attempt that is known is told as it stands, a new one becomes a job of ours or is refused with the reason.
class Accepting {
 public:
  using Answered = ForwardedJobs::Answered;
  Accepting(Memory& memory, const std::string& cluster, const wire::ForwardOffer& offer,
            const wire::Submission& asked, const Identity& who, WallTime now)
      : m_(memory), cluster_(cluster), offer_(offer), asked_(asked), who_(who), now_(now) {}

  Answered to_a_queue() {
    if (auto known = as_known()) return std::move(*known);
    const conf::QueueRow* queue = m_.queue_row(offer_.queue());
    if (!queue || !receives(*queue, cluster_))
      return refuse("queue " + offer_.queue().substr(0, kLongestName) + " does not receive jobs of cluster " +
                        cluster_ + " (RCVJOBS_FROM)",
                    Over::OF_THE_QUEUE);
    if (auto out = keeps_out()) return refuse(std::move(out->why), out->scope);
    if (auto none = no_room(m_, *queue, asked_)) return refuse(std::move(none->why), none->scope);
    wire::Submission local = asked_;
    local.clear_queues();
    local.add_queues(queue->name);
    wire::ForwardedFrom from = origin();
    from.set_number(offer_.number());
    return accept(local, from, [&](const BookEntry& entry) {
      effects_.push_back(accepted_event(entry.job->key(), from, queue->name, now_));
    });
  }

  Answered on_lent_slots() {
    refusal_ = Over::NOT_STARTED;  // its cluster may start it on another host
    if (auto known = as_known()) return std::move(*known);
    if (auto out = keeps_out()) return refuse(std::move(out->why), out->scope);
    // Where and whether the job starts again is its own cluster's business.
    wire::Submission local = asked_;
    local.clear_queues();
    const std::vector<wire::LentSlots> slots = lent_slots_of(offer_);
    local.add_queues(slots.front().queue() + "@" + cluster_);
    local.clear_application();
    local.clear_resreq();
    local.clear_requeue_exits();
    local.set_rerunnable(false);
    wire::ForwardedFrom from = origin();
    from.set_lease(slots.front().lease());
    from.set_lent_host(slots.front().host());
    from.set_part(offer_.part_size() != 0);
    const bool several =
        std::any_of(slots.begin(), slots.end(), [&](const auto& on) { return on.lease() != from.lease(); });
    for (const auto& on : slots)
      if (several) from.add_leases(on.lease());
    if (offer_.has_programs()) *from.mutable_programs() = offer_.programs();
    *from.mutable_reserved() = offer_.reserved();
    return accept(local, from, [&](BookEntry& entry) {
      event::Dispatched plan;
      for (const auto& on : slots) plan.placement.hosts.push_back({HostId(on.host()), on.slots()});
      m_.place(entry, plan, now_, effects_);
    });
  }

 private:
  std::optional<Answered> as_known() {
    const auto known = find(m_, cluster_, offer_.attempt());
    if (known == m_.foreign.end()) return std::nullopt;
    return known_answer(m_, known->second, {}, now_);
  }
  Answered refuse(std::string why, Over::Scope scope) const {
    auto refusal = refused(offer_.attempt(), std::move(why), scope);
    refusal.set_how(refusal_);
    return {{std::nullopt, std::move(refusal)}, {}};
  }
  std::optional<KeptOut> keeps_out() const {
    if (const std::size_t bytes = offer_.programs().ByteSizeLong(); bytes > kMostPrograms)
      return KeptOut{"the programs and job controls of its queue have " + std::to_string(bytes) +
                         " bytes, expected at most " + std::to_string(kMostPrograms),
                     Over::OF_THE_JOB};
    const std::size_t bytes = asked_.ByteSizeLong() + offer_.programs().ByteSizeLong();
    if (bytes > jobs::kMostSubmission)
      return KeptOut{"the job's script and environment have " + std::to_string(bytes) +
                         " bytes, expected at most " + std::to_string(jobs::kMostSubmission),
                     Over::OF_THE_JOB};
    if (auto why = no_more_of(m_, cluster_); !why.empty())
      return KeptOut{std::move(why), Over::OF_THE_CLUSTER};
    if (who_.uid == 0 || who_.is_admin)
      return KeptOut{"jobs of other clusters do not run as root or as an administrator", Over::OF_ITS_USER};
    return std::nullopt;
  }
  wire::ForwardedFrom origin() const {
    wire::ForwardedFrom from;
    from.set_cluster(cluster_);
    *from.mutable_key() = offer_.attempt().key();
    from.set_attempt(offer_.attempt().attempt());
    from.set_made(offer_.attempt().made());
    from.set_user(asked_.user());
    from.set_index_step(std::max(0, offer_.index_step()));
    from.set_index_end(std::max(0, offer_.index_end()));
    return from;
  }
  template <class Begin>
  Answered accept(const wire::Submission& local, const wire::ForwardedFrom& from, const Begin& begin) {
    const auto accepted = m_.submit(local, who_, &from, now_, effects_);
    if (accepted.has_refusal()) {
      const bool closed = accepted.refusal().why() == jobs::Refusal::QUEUE_CLOSED;
      return refuse(accepted.refusal().text(), closed ? Over::OF_THE_QUEUE : Over::OF_THE_JOB);
    }
    BookEntry& entry = m_.at({accepted.id(), 0});
    begin(entry);
    m_.counted(effects_);
    return {said(entry, now_), std::move(effects_)};
  }

  Memory& m_;
  const std::string& cluster_;
  const wire::ForwardOffer& offer_;
  const wire::Submission& asked_;
  const Identity& who_;
  const WallTime now_;
  Over::How refusal_ = Over::REFUSED;
  Effects effects_;
};

}  // namespace

std::vector<wire::LentSlots> lent_slots_of(const wire::ForwardOffer& offer) {
  if (offer.part_size() != 0) return {offer.part().begin(), offer.part().end()};
  if (!offer.has_lent()) return {};
  std::vector<wire::LentSlots> slots{offer.lent()};
  slots.insert(slots.end(), offer.more_lent().begin(), offer.more_lent().end());
  return slots;
}

bool receives(const conf::QueueRow& queue, const std::string& cluster) {
  const auto& from = queue.receive_jobs_from;
  return std::any_of(from.begin(), from.end(),
                     [&](const std::string& one) { return one == cluster || one == "allclusters"; });
}

wire::ForwardOver refused(const wire::ForwardAttempt& attempt, std::string why, Over::Scope scope) {
  auto refusal = over(attempt, Over::REFUSED, std::move(why));
  refusal.set_refused_for(scope);
  return refusal;
}

wire::ForwardOver stale(const wire::ForwardAttempt& attempt, std::string why) {
  return over(attempt, Over::STALE, std::move(why));
}

bool ForwardedJobs::knows(const std::string& cluster, const wire::ForwardAttempt& attempt) const {
  return find(*memory_, cluster, attempt) != memory_->foreign.end();
}

std::optional<JobKey> ForwardedJobs::job_of(const std::string& cluster,
                                            const wire::ForwardAttempt& attempt) const {
  const auto known = find(*memory_, cluster, attempt);
  if (known == memory_->foreign.end()) return std::nullopt;
  return known->second;
}

std::string ForwardedJobs::takes_no_more(const std::string& cluster) const {
  return no_more_of(*memory_, cluster);
}

ForwardedJobs::Answered ForwardedJobs::offer(const std::string& cluster, const wire::ForwardOffer& offer,
                                             const wire::Submission& asked, const Identity& who,
                                             WallTime now) {
  return Accepting(*memory_, cluster, offer, asked, who, now).to_a_queue();
}

ForwardedJobs::Answered ForwardedJobs::start_on_lent_slots(const std::string& cluster,
                                                           const wire::ForwardOffer& offer,
                                                           const wire::Submission& asked, const Identity& who,
                                                           WallTime now) {
  return Accepting(*memory_, cluster, offer, asked, who, now).on_lent_slots();
}

void ForwardedJobs::keep_at_most(std::size_t attempts) { memory_->most_foreign = attempts; }

Effects ForwardedJobs::recall_lent(JobKey key, const std::string& why, WallTime now, Recall how) {
  Memory& m = *memory_;
  BookEntry* entry = m.entry(key);
  if (!entry || !on_lent_slots(entry->job->record) || !placed(entry->job->status())) return {};
  Effects effects;
  auto& from = *entry->job->record.mutable_from();
  const bool asks = how == Recall::asks && from.part() && !entry->job->record.starting();
  if (from.withdrawn() && (asks || !from.part() || from.releasing())) return {};
  from.set_withdrawn(true);
  // An earlier kill keeps its reason.
  if (!entry->job->record.kill_asked())
    from.set_term_reason(m.config.cluster->programs.mbatchd.tells_recalls ? TERM_MC_RECALL : 0);
  effects.push_back(effect::SaveJob{key});
  if (asks) return effects;
  event::By by;
  by.admin = true;
  m.step(*entry, event::KillAsked{by, kSigKill, why}, now, effects);
  return effects;
}

ForwardedJobs::Answered ForwardedJobs::signal(const std::string& cluster, const wire::ForwardSignal& signal,
                                              WallTime now) {
  Memory& m = *memory_;
  const auto known = find(m, cluster, signal.attempt());
  if (known == m.foreign.end()) return {unknown(signal.attempt()), {}};
  BookEntry& entry = m.at(known->second);
  Effects effects;
  auto& from = *entry.job->record.mutable_from();
  const bool over = finished(entry.job->status()) && entry.job->record.post_status() != wire::POST_RUNNING;
  if (signal.sent().number() > from.signal_number() && !over) {
    from.set_signal_number(signal.sent().number());
    effects.push_back(effect::SaveJob{known->second});
    Obeying(m, entry, now, effects).obey(signal.sent());
  }
  return known_answer(m, known->second, std::move(effects), now);
}

ForwardedJobs::Answered ForwardedJobs::recall(const std::string& cluster, const wire::ForwardRecall& recall,
                                              WallTime now) {
  Memory& m = *memory_;
  const auto known = find(m, cluster, recall.attempt());
  if (known == m.foreign.end()) return {unknown(recall.attempt()), {}};
  BookEntry& entry = m.at(known->second);
  Effects effects;
  if (is_part(entry.job->record))
    m.step(entry, event::PartReleased{}, now, effects);
  else if (pending(entry.job->status()))
    Obeying(m, entry, now, effects).withdraw();
  return known_answer(m, known->second, std::move(effects), now);
}

Effects ForwardedJobs::acknowledge(const std::string& cluster, const wire::ForwardAcknowledge& acknowledged,
                                   WallTime) {
  Memory& m = *memory_;
  const auto known = find(m, cluster, acknowledged.attempt());
  if (known == m.foreign.end()) return {};
  BookEntry& entry = m.at(known->second);
  auto& from = *entry.job->record.mutable_from();
  // The end of the post-execution is still to be told, or was told meanwhile: that is acknowledged by itself.
  if (acknowledged.post_open()) return {};
  if (!finished(entry.job->status()) || from.acknowledged()) return {};
  {
    const Memory::Change change(m, entry);
    from.set_acknowledged(true);
  }
  m.time_id(known->second.id);
  return {effect::SaveJob{known->second}};
}

std::optional<SaidOfAttempt> ForwardedJobs::said_of(JobKey key, WallTime now) const {
  const Job* job = jobs_.find(key);
  if (!job || !job->record.has_from() || job->record.from().acknowledged()) return std::nullopt;
  return said(memory_->at(key), now);
}

std::string ForwardedJobs::cluster_of(JobKey key) const {
  const Job* job = jobs_.find(key);
  return job ? job->record.from().cluster() : std::string();
}

SlotCount ForwardedJobs::waiting_in(const std::string& queue) const {
  const auto found = memory_->queues.find(queue);
  return found == memory_->queues.end() ? SlotCount{} : found->second.imported;
}

std::vector<JobKey> ForwardedJobs::held_for(const std::string& cluster) const {
  std::vector<JobKey> held;
  const auto& foreign = memory_->foreign;
  for (auto one = foreign.lower_bound({cluster, {}}); one != foreign.end() && one->first.cluster == cluster;
       ++one)
    if (!memory_->jobs.at(one->second).acknowledged) held.push_back(one->second);
  return held;
}

}  // namespace rollcall::sched::book
