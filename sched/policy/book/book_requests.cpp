// The Book: bkill bstop bresume brequeue brun, bswitch.
#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "common/base/terminal_text.hpp"
#include "sched/policy/book/book_memory.hpp"
#include "sched/policy/book/book_signal.hpp"
#include "sched/policy/jobs/two_sided_stop.hpp"
#include "sched/policy/values/elsewhere.hpp"
#include "sched/policy/values/gpus.hpp"
#include "sched/policy/values/meant_name.hpp"

namespace rollcall::sched::book {
namespace {

constexpr int kHup = 1, kInt = 2, kQuit = 3, kSigKill = 9, kTerm = 15, kCont = 18, kStop = 19, kTstp = 20;

// Units of a request that names job ids.
std::vector<JobUnit> units_of(const wire::JobFilter& filter, const Selection& selection) {
  std::vector<JobUnit> units;
  const auto elements = [&selection](std::int32_t id) {
    const auto first = std::lower_bound(selection.jobs.begin(), selection.jobs.end(), JobKey{id, 0});
    auto last = first;
    while (last != selection.jobs.end() && last->id == id) ++last;
    return std::vector<JobKey>(first, last);
  };
  const auto add_each = [&](const std::vector<JobKey>& keys, bool of_range) {
    for (const JobKey key : keys) units.push_back({text(key), {key}, true, of_range});
  };
  const bool by_element = MeantName(filter.job_name()).names_elements();
  // An id named twice is handled once: a request may name an array a million times.
  std::set<JobKey> named;
  for (const auto& wire_key : filter.keys()) {
    const JobKey key = key_of(wire_key);
    if (!named.insert(key).second) continue;
    if (key.index != 0) {
      const bool there = std::binary_search(selection.jobs.begin(), selection.jobs.end(), key);
      units.push_back({text(key), there ? std::vector<JobKey>{key} : std::vector<JobKey>{}});
      continue;
    }
    auto meant = elements(key.id);
    if (by_element && !meant.empty())
      add_each(meant, meant.size() > 1);
    else
      units.push_back({text(key), std::move(meant)});
  }
  std::set<std::int32_t> listed;
  for (const auto& list : filter.index_lists())
    if (listed.insert(list.id()).second) add_each(elements(list.id()), false);
  return units;
}

// Units of a request that names no ids: one for each job, one for the elements of an array that are not named themselves.
void add_units(const Memory& m, const wire::JobFilter& filter, const std::vector<JobKey>& jobs,
               std::vector<JobUnit>& units) {
  const bool by_element = MeantName(filter.job_name()).names_elements();
  for (const JobKey key : jobs) {
    const bool array = m.ids.at(key.id).array;
    if (by_element)
      units.push_back({text(key), {key}, false});
    else if (array && !units.empty() && units.back().keys.front().id == key.id)
      units.back().keys.push_back(key);
    else
      units.push_back({std::to_string(key.id), {key}, false});
  }
}

class Signalling {
 public:
  Signalling(Memory& memory, SignalWork& work, WallTime now)
      : m_(memory), request_(work.request), who_(work.who), waits_(work.waits), now_(now) {}

  Effects effects;

  std::string done_text(const std::string& name) const {
    switch (request_.action()) {
      case wire::SignalJobs::SEND:
        return "Job <" + name +
               (request_.signal() == kSigKill ? "> is being terminated" : "> is being signaled");
      case wire::SignalJobs::STOP:
        return "Job <" + name + "> is being stopped";
      case wire::SignalJobs::RESUME:
        return "Job <" + name + "> is being resumed";
      case wire::SignalJobs::REQUEUE:
        return "Job <" + name + "> is being requeued";
      case wire::SignalJobs::FORCE:
        return "Job <" + name + "> is being forced to run";
      default:
        return "Job <" + name + "> is being terminated";
    }
  }

  std::optional<Objection> apply(JobKey key) { return apply(*m_.entry(key)); }

 private:
  static Objection no(std::string_view text, jobs::Refusal::Why why = jobs::Refusal::FAILED) {
    return {std::string(text), why};
  }

  std::optional<Objection> apply(BookEntry& entry) {
    const event::By by = m_.by(*entry.job, who_);
    if (!by.owner && !by.admin) return no(kDenied, jobs::Refusal::NOT_ALLOWED);
    const wire::JobStatus status = entry.job->status();
    if (const auto& record = entry.job->record;
        is_elsewhere(record) && m_.without_signals.contains(record.hosts(0).name()))
      return no("Job is in cluster " + record.forwarded().cluster() +
                ", whose release is older: it does not know this order");
    if (request_.action() == wire::SignalJobs::REQUEUE) return requeue(entry, by);
    if (finished(status)) return ends_post_execution(entry) ? kill(entry, by, kSigKill) : no(kFinished);
    switch (request_.action()) {
      case wire::SignalJobs::KILL:
        return kill(entry, by, 0);
      case wire::SignalJobs::SEND:
        return send(entry, by);
      case wire::SignalJobs::STOP:
        return stop(entry, by);
      case wire::SignalJobs::RESUME:
        return resume(entry, by);
      case wire::SignalJobs::REMOVE:
        return done(entry, event::RemoveAsked{by, request_.reason()});
      case wire::SignalJobs::FORCE:
        return force(entry, by);
      default:
        return no("Bad request", jobs::Refusal::BAD_REQUEST);
    }
  }
  std::optional<Objection> done(BookEntry& entry, const JobHappening& event) {
    const wire::JobRecord& record = entry.job->record;
    const std::uint64_t last = record.signal_number();
    m_.step(entry, event, now_, effects);
    for (const auto& cluster : m_.cut_off(record))
      if (!waiting_orders(record, cluster).empty()) waits_.insert(waits_words(cluster));
    if (record.signal_number() != last) m_.note_waiting_order(record, now_, effects);
    return std::nullopt;
  }
  // The job is on borrowed hosts of a cluster that no order reaches.
  bool is_cut_off(const BookEntry& entry) const {
    const auto cut = m_.cut_off(entry.job->record);
    return !cut.empty() && !cut.front().part;
  }

  // bkill of a job that is over ends its post-execution command, if that still runs.
  bool ends_post_execution(const BookEntry& entry) const {
    const bool killed = request_.action() == wire::SignalJobs::KILL ||
                        (request_.action() == wire::SignalJobs::SEND && request_.signal() == kSigKill);
    return killed && entry.job->record.post_status() == wire::POST_RUNNING;
  }

  std::optional<Objection> kill(BookEntry& entry, const event::By& by, int signal) {
    event::KillAsked kill{by, signal, request_.reason()};
    kill.as_done = request_.only_done();
    return done(entry, kill);
  }
  // Its cluster would show a job that runs and waits for tasks which do not.
  std::optional<Objection> stop(BookEntry& entry, const event::By& by) {
    if (const auto& record = entry.job->record; is_part(record))
      return no("Job is a part of a job of cluster " + record.from().cluster() + ", which alone stops it");
    if (on_lent_slots(entry.job->record)) {
      if (!by.admin) return no(of_its_user(entry), jobs::Refusal::NOT_ALLOWED);
      return done(entry, event::StopAsked{of_this_side(by)});
    }
    return done(entry, event::StopAsked{by, is_cut_off(entry)});
  }
  // Of a job on lent slots: its user stops it in its own cluster, an administrator in this one.
  static std::string of_its_user(const BookEntry& entry) {
    return "Job is of cluster " + entry.job->record.from().cluster() +
           ", where its user stops and resumes it";
  }
  static event::By of_this_side(event::By by) {
    by.owner = false;
    return by;
  }
  std::optional<Objection> resume_on_lent_slots(BookEntry& entry, const event::By& by,
                                                wire::JobStatus status) {
    const wire::JobRecord& record = entry.job->record;
    if (!by.admin) return no(of_its_user(entry), jobs::Refusal::NOT_ALLOWED);
    if (record.stopped_by_admin()) return done(entry, event::ResumeAsked{of_this_side(by)});
    if (status != wire::STATUS_USUSP && status != wire::STATUS_SSUSP)
      return no("Job is not suspended by a user");
    return no("Job was suspended by its cluster " + record.from().cluster() + ", and is resumed there",
              jobs::Refusal::NOT_ALLOWED);
  }
  std::optional<Objection> resume(BookEntry& entry, const event::By& by) {
    const wire::JobRecord& record = entry.job->record;
    const wire::JobStatus status =
        record.status() == wire::STATUS_UNKWN ? record.status_before_unknown() : record.status();
    if (on_lent_slots(record)) return resume_on_lent_slots(entry, by, status);
    if (status != wire::STATUS_PSUSP && status != wire::STATUS_USUSP && !jobs::held_when_requeued(record) &&
        !jobs::stop_is_asked(record))
      return no("Job is not suspended by a user");
    // Orders of this cluster are there those of the job's owner.
    if (is_elsewhere(record) && (record.suspend_reasons() & wire::SUSPEND_ADMIN) != 0)
      return no("Job was suspended by an administrator of cluster " + record.forwarded().cluster() +
                    ", and is resumed there",
                jobs::Refusal::NOT_ALLOWED);
    if (jobs::stopped_by_provider(record))
      return no("Job was suspended by an administrator of cluster " +
                    std::string(HostId(record.hosts(0).name()).cluster()) + ", and is resumed there",
                jobs::Refusal::NOT_ALLOWED);
    if (record.stopped_by_admin() && !by.admin)
      return no("Job was suspended by LSF admin or root, and is resumed by them", jobs::Refusal::NOT_ALLOWED);
    return done(entry, event::ResumeAsked{by, is_cut_off(entry)});
  }

  std::optional<Objection> send(BookEntry& entry, const event::By& by) {
    const int signal = request_.signal();
    if (signal < 1 || signal > 64) return no("Bad signal value", jobs::Refusal::BAD_REQUEST);
    if (signal == kStop || signal == kTstp) return stop(entry, by);
    if (signal == kCont) return resume(entry, by);
    if (signal == kSigKill) return kill(entry, by, signal);
    const bool runs = !is_elsewhere(entry.job->record) || placed(shown_status(entry.job->record));
    if (!placed(entry.job->status()) || !runs) {
      if (signal == kTerm || signal == kInt || signal == kHup || signal == kQuit)
        return kill(entry, by, signal);
      return no("Job has not started yet");
    }
    return done(entry, event::SignalAsked{by, signal});
  }

  std::optional<Objection> requeue(BookEntry& entry, const event::By& by) {
    const wire::JobStatus status = entry.job->status();
    const bool ended_only = (request_.done_too() || request_.exit_too()) && !request_.running_too();
    if (finished(status)) {
      if (!(status == wire::STATUS_DONE ? request_.done_too() : request_.exit_too())) return no(kFinished);
      if (entry.job->record.has_from())
        return no("Job is of cluster " + entry.job->record.from().cluster() + ", where it is requeued");
      return done(entry, event::RestartAsked{by, request_.hold()});
    }
    if (!placed(status)) return no("Job has not started yet");
    if (ended_only) return no("Job has not finished");
    event::KillAsked kill{by, 0, request_.reason()};
    kill.requeue = true;
    kill.hold = request_.hold();
    return done(entry, kill);
  }

  // brun: all slots on the first named host, or spread over the named hosts.
  std::optional<Objection> force(BookEntry& entry, const event::By& by) {
    if (!by.admin) return no(kDenied, jobs::Refusal::NOT_ALLOWED);
    // A start that waits for its go-ahead, perhaps from a frozen host, is taken back.
    m_.step(entry, event::StartNotTaken{}, now_, effects);
    if (const auto& record = entry.job->record; waits_elsewhere(record))
      return no("Job waits in cluster " + record.forwarded().cluster() + ", and is started there");
    if (entry.job->status() != wire::STATUS_PEND) return no("Job has already started or is held");
    std::vector<std::string> hosts;
    for (const auto& name : request_.hosts()) {
      const auto named = jobs::hosts_named(m_.config, name);
      if (!named) return no(name + ": Bad host name", jobs::Refusal::NO_HOST);
      for (const auto& host : *named)  // a host may be named itself and in a group
        if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
    }
    std::erase_if(hosts, [this](const std::string& host) {
      const HostLink* link = m_.hosts.find_link(host);
      return link == nullptr || !link->connected;
    });
    if (hosts.empty()) return no("No host that is named can be reached", jobs::Refusal::NO_HOST);
    event::Dispatched plan;
    const std::uint32_t slots = jobs::min_slots(*entry.job->asked);
    const auto used = std::min<std::size_t>(hosts.size(), slots);
    for (std::size_t i = 0; i < used; ++i) {
      const auto here = slots / used + (i < slots % used ? 1 : 0);
      plan.placement.hosts.push_back({HostId(hosts[i]), static_cast<int>(here)});
    }
    plan.placement.exclusive = entry.job->asked->exclusive();
    plan.effective_resreq =
        m_.resreq_of(m_.queue_row(entry.job->record.queue()), entry.job->record.queue(), *entry.job->asked)
            .text;
    entry.job->record.set_short_runs(0);  // brun overrides the pause after short runs
    reserve_gpus(*entry.job->asked, plan.placement);
    m_.complete(plan.placement);
    m_.place(entry, std::move(plan), now_, effects);
    return std::nullopt;
  }

  // brun ignores free slots and resources, but two jobs must not share a GPU.
  void reserve_gpus(const wire::Submission& asked, Placement& placement) const {
    const GpuRequest gpus = gpu_request(asked.gpu());
    if (gpus.count == 0 || m_.gpu_resource.empty()) return;
    for (const auto& [host, slots] : placement.hosts)
      placement.reservations.push_back(
          {m_.gpu_resource, host, static_cast<double>(gpus.count * (gpus.per_task ? slots : 1)), {}, false});
  }

  Memory& m_;
  const wire::SignalJobs& request_;
  const Identity& who_;
  std::set<std::string>& waits_;
  WallTime now_;
};

void add_unknown(const std::vector<std::string>& unknown, wire::BatchReply::Outcomes& outcomes) {
  for (const std::string& id : unknown)
    *outcomes.add_outcomes() = failure("Job <" + id + ">: " + std::string(kNoMatch), jobs::Refusal::NO_JOB);
}

Applied refused(jobs::Refusal why) {
  Applied applied;
  applied.reply.set_last(true);
  *applied.reply.mutable_refusal() = std::move(why);
  return applied;
}

}  // namespace

namespace {

constexpr std::size_t kSelectedAtOnce = 2000;  // jobs: about a millisecond's work

void settle_units(const wire::JobFilter& filter, UnitWork& work) {
  std::sort(work.selected.jobs.begin(), work.selected.jobs.end());  // the units have the order of the ids
  work.units = units_of(filter, work.selected);
  const std::unordered_set<std::string_view> unknown(work.unknown.begin(), work.unknown.end());
  std::erase_if(work.units,
                [&unknown](const JobUnit& unit) { return unit.keys.empty() && unknown.contains(unit.name); });
  work.selected = {};
}

// Selects some more of the jobs that a request means.
void select_units(const JobTable& jobs, const Memory& m, const wire::JobFilter& filter, UnitWork& work) {
  auto some = jobs.select_some(*work.selecting, kSelectedAtOnce);
  const bool named = filter.keys_size() > 0 || filter.index_lists_size() > 0;
  work.refusal = std::move(some.refusal);
  work.unknown.insert(work.unknown.end(), some.unknown.begin(), some.unknown.end());
  if (named)
    work.selected.jobs.insert(work.selected.jobs.end(), some.jobs.begin(), some.jobs.end());
  else
    add_units(m, filter, some.jobs, work.units);
  if (!some.last && !work.refusal) return;
  if (named && !work.refusal) settle_units(filter, work);
  work.selecting.reset();
}

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// False: the selection is not complete, and this piece is done.
bool all_selected(const JobTable& jobs, const Memory& m, const wire::JobFilter& filter, std::size_t most,
                  UnitWork& work) {
  if (work.selecting) select_units(jobs, m, filter, work);
  while (work.selecting && most == kAll) select_units(jobs, m, filter, work);
  return !work.selecting;
}

Applied nothing_yet() {
  Applied applied;
  applied.reply.mutable_outcomes();
  applied.reply.set_last(false);
  return applied;
}

// The line for a unit that is done; none: the answer has no line for it.
std::optional<wire::BatchReply::Outcome> unit_line(const JobUnit& unit, UnitWork& work,
                                                   const std::string& done) {
  if (work.any) return outcome(done);
  const Objection first = work.first.value_or(Objection{std::string(kNoMatch), jobs::Refusal::NO_JOB});
  if (!unit.named && first.why == jobs::Refusal::FAILED) return std::nullopt;
  auto line = failure("Job <" + unit.name + ">: " + first.text, first.why);
  if (!unit.of_range || first.text != kFinished) return line;
  work.is_over = std::move(line);
  return std::nullopt;
}

// Applies the request to the next `most` jobs. `apply` does it to one existing job; `done` makes the line for a unit with at least
// one success.
template <class Apply, class Done>
wire::BatchReply walk_some(Memory& m, UnitWork& work, std::size_t most, const Apply& apply,
                           const Done& done) {
  wire::BatchReply reply;
  auto& outcomes = *reply.mutable_outcomes();
  while (work.unit < work.units.size()) {
    const JobUnit& unit = work.units[work.unit];
    for (; work.key < unit.keys.size() && most > 0; --most) {
      const JobKey key = unit.keys[work.key++];
      if (!m.entry(key)) continue;
      auto objection = apply(key);
      work.any = work.any || !objection;
      if (objection && !work.first) work.first = std::move(objection);
    }
    if (work.key < unit.keys.size()) break;
    if (auto line = unit_line(unit, work, done(unit.name))) *outcomes.add_outcomes() = std::move(*line);
    for (const auto& words : std::exchange(work.waits, {}))
      *outcomes.add_outcomes() = outcome("Job <" + unit.name + ">: " + words);
    ++work.unit;
    work.key = 0;
    work.any = false;
    work.first.reset();
  }
  const bool last = work.unit == work.units.size();
  if (last) add_unknown(work.unknown, outcomes);
  work.told = work.told || !outcomes.outcomes().empty();
  if (last && !work.told && work.is_over) *outcomes.add_outcomes() = *work.is_over, work.told = true;
  if (last && !work.told) return refused(jobs::refusal(jobs::Refusal::NO_JOB, std::string(kNoMatch))).reply;
  reply.set_last(last);
  return reply;
}

}  // namespace

std::shared_ptr<SignalWork> ClientCommands::begin_signal(const wire::SignalJobs& request,
                                                         const Identity& who) const {
  auto work = std::make_shared<SignalWork>();
  work->request = request;
  work->who = who;
  if (request.reason().size() > jobs::kLongestReason)  // each job of the request keeps a copy
    work->refusal = jobs::refusal(jobs::Refusal::BAD_REQUEST,
                                  "-C: found " + std::to_string(request.reason().size()) +
                                      " bytes, expected at most " + std::to_string(jobs::kLongestReason));
  else if (find_control(request.reason(), Controls::none) != std::string::npos)
    work->refusal = jobs::refusal(jobs::Refusal::BAD_REQUEST, "-C: found a control character, expected none");
  else
    work->selecting = jobs_.begin_select(request.filter(), who);
  return work;
}

Applied ClientCommands::signal_some(SignalWork& work, std::size_t most, WallTime now) {
  if (!all_selected(jobs_, *memory_, work.request.filter(), most, work)) return nothing_yet();
  if (work.refusal) return refused(*work.refusal);
  Applied applied;
  Signalling signalling(*memory_, work, now);
  applied.reply = walk_some(
      *memory_, work, most, [&](JobKey key) { return signalling.apply(key); },
      [&](const std::string& name) { return signalling.done_text(name); });
  applied.effects = std::move(signalling.effects);
  return applied;
}

Applied ClientCommands::signal_jobs(const wire::SignalJobs& request, const Identity& who, WallTime now) {
  const auto work = begin_signal(request, who);
  return signal_some(*work, kAll, now);
}

Applied still_away(Effects effects) {
  Applied applied = nothing_yet();
  applied.effects = std::move(effects);
  applied.waits = true;
  return applied;
}

std::string runs_elsewhere(const Memory& m, const wire::JobRecord& record) {
  const std::string cluster = "cluster " + record.forwarded().cluster();
  if (record.starting() && m.without_recalls.contains(record.hosts(0).name()))
    return "Job waits in " + cluster + ", whose release is older: it cannot be asked back";
  return "Job has started in " + cluster + " and cannot be changed from here";
}

std::optional<std::string> changed_there_alone(const wire::JobRecord& record) {
  if (!on_lent_slots(record) && !is_part(record)) return std::nullopt;
  return "Job is of cluster " + record.from().cluster() + ", which alone changes it";
}

bool all_back(Memory& m, UnitWork& work, WallTime now, Effects& effects) {
  if (work.all_back) return true;
  work.all_back = true;
  for (const JobUnit& unit : work.units)
    for (const JobKey key : unit.keys) {
      BookEntry* entry = m.entry(key);
      if (!entry || !is_elsewhere(entry->job->record) || !entry->job->record.starting()) continue;
      if (m.without_recalls.contains(entry->job->record.hosts(0).name())) continue;
      const event::By by = m.by(*entry->job, work.who);
      if (!by.owner && !by.admin) continue;
      m.step(*entry, event::RecallDue{}, now, effects);
      work.all_back = false;
    }
  return work.all_back;
}

// ---------------------------------------------------------------- bswitch

namespace {

std::optional<Objection> switch_one(Memory& m, BookEntry& entry, const conf::QueueRow& queue,
                                    const Identity& who, WallTime now, Effects& effects) {
  const event::By by = m.by(*entry.job, who);
  if (!by.owner && !by.admin) return Objection{std::string(kDenied), jobs::Refusal::NOT_ALLOWED};
  if (finished(entry.job->status())) return Objection{std::string(kFinished)};
  if (is_elsewhere(entry.job->record)) return Objection{runs_elsewhere(m, entry.job->record)};
  if (auto theirs = changed_there_alone(entry.job->record)) return Objection{std::move(*theirs)};
  const wire::Submission& asked = *entry.job->asked;
  // The queue must accept the job's owner; an administrator may put the job into any queue.
  const jobs::SubmissionContext context = m.context(who, now);
  if (auto why = jobs::check_queue(queue, asked, context)) return Objection{why->text(), why->why()};
  if (auto resreq = m.resreq_of(&queue, queue.name, asked); resreq.refusal)
    return Objection{resreq.refusal->text(), resreq.refusal->why()};
  entry.queue->jobs.erase(entry.job->key());
  {
    const Memory::Change change(m, entry);
    entry.queue = &m.queues[queue.name];
    entry.job->record.set_queue(queue.name);
    if (pending(entry.job->status())) entry.job->record.set_order(m.next_order++);
  }
  entry.queue->jobs.insert(entry.job->key());
  effects.push_back(effect::SaveJob{entry.job->key()});
  effects.push_back(effect::TellWaiters{entry.job->key()});
  wire::JobEvent event;
  auto& switched = *event.mutable_switched();
  switched.set_queue(queue.name);
  switched.set_user(who.user);
  switched.set_uid(who.uid);
  record_event(effects, entry.job->key(), now, std::move(event));
  return std::nullopt;
}

}  // namespace

std::shared_ptr<SwitchWork> ClientCommands::begin_switch(const wire::SwitchJobs& request,
                                                         const Identity& who) const {
  auto work = std::make_shared<SwitchWork>();
  work->request = request;
  work->who = who;
  if (!memory_->queue_row(request.queue()))
    work->refusal = jobs::refusal(jobs::Refusal::NO_QUEUE, request.queue() + ": No such queue");
  else
    work->selecting = jobs_.begin_select(request.filter(), who);
  return work;
}

// Looks the queue up again: the configuration may change between two pieces.
Applied ClientCommands::switch_some(SwitchWork& work, std::size_t most, WallTime now) {
  const std::string name = work.request.queue();
  const conf::QueueRow* queue = memory_->queue_row(name);
  if (!work.refusal && !queue)
    work.refusal = jobs::refusal(jobs::Refusal::NO_QUEUE, name + ": No such queue");
  if (!work.refusal && !all_selected(jobs_, *memory_, work.request.filter(), most, work))
    return nothing_yet();
  if (work.refusal) return refused(*work.refusal);
  Applied applied;
  if (!all_back(*memory_, work, now, applied.effects)) return still_away(std::move(applied.effects));
  applied.reply = walk_some(
      *memory_, work, most,
      [&](JobKey key) {
        return switch_one(*memory_, *memory_->entry(key), *queue, work.who, now, applied.effects);
      },
      [&](const std::string& job) { return "Job <" + job + "> is switched to queue <" + name + ">"; });
  if (!applied.effects.empty()) applied.effects.push_back(effect::ScheduleSoon{});
  return applied;
}

Applied ClientCommands::switch_jobs(const wire::SwitchJobs& request, const Identity& who, WallTime now) {
  const auto work = begin_switch(request, who);
  return switch_some(*work, kAll, now);
}

}  // namespace rollcall::sched::book
