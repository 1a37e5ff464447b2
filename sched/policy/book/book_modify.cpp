// The Book: bmod. A change makes a new Submission; jobs that are changed together share it.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "common/base/terminal_text.hpp"
#include "sched/policy/book/book_memory.hpp"
#include "sched/policy/book/book_modify_fields.hpp"
#include "sched/policy/book/book_signal.hpp"
#include "sched/policy/values/elsewhere.hpp"
#include "sched/policy/values/gpus.hpp"
#include "sched/policy/values/reservations.hpp"
#include "sched/policy/values/resreq_syntax.hpp"

namespace rollcall::sched::book {

// The submission that replaces another one; `number` is 0 until the first element is changed.
struct MadeSubmission {
  std::uint64_t number = 0;
  jobs::CheckedSubmission checked;
  bool several = false;  // several elements: reported as a change of the array
};
using MadeOf = std::map<std::uint64_t, MadeSubmission>;

struct ModifyWork : UnitWork {
  wire::ModifyJobs request;
  MadeOf made;                           // of the present unit
  std::shared_ptr<SwitchWork> switched;  // bmod -q is bswitch
};

namespace {

using S = wire::Submission;

class Modifying {
 public:
  Modifying(Memory& memory, ModifyWork& work, WallTime now)
      : m_(memory), request_(work.request), who_(work.who), waits_(work.waits), now_(now) {}

  Effects effects;

  // Checks the whole unit before any of it is changed.
  std::optional<jobs::Refusal> prepare(std::vector<JobKey> keys, MadeOf& made) {
    made.clear();
    if (auto why = allowed(keys)) return why;
    for (auto& [number, members] : by_submission(keys)) {
      auto checked = check(number, members);
      if (checked.refusal) return checked.refusal;
      made[number] = {0, std::move(checked), members.size() > 1};
    }
    return std::nullopt;
  }

  // Changes some jobs of a unit; none: done. Jobs may have changed or gone since prepare().
  std::optional<jobs::Refusal> modify(std::vector<JobKey> keys, MadeOf& made) {
    std::erase_if(keys, [this](JobKey key) { return m_.entry(key) == nullptr; });
    if (auto why = allowed(keys)) return why;
    for (auto& [number, members] : by_submission(keys)) {
      auto& to = made[number];
      if (!to.checked.asked || (to.number != 0 && !m_.submissions.contains(to.number)))
        to = {0, check(number, members), members.size() > 1};
      if (to.checked.refusal) return std::exchange(to, {}).checked.refusal;
      put(to, members);
    }
    return std::nullopt;
  }

 private:
  // By the number of their submission.
  std::map<std::uint64_t, std::vector<JobKey>> by_submission(const std::vector<JobKey>& keys) {
    std::map<std::uint64_t, std::vector<JobKey>> same;
    for (const JobKey key : keys) same[m_.jobs.at(key).submission].push_back(key);
    return same;
  }

  // Finished elements of an array stay as they are.
  std::optional<jobs::Refusal> allowed(std::vector<JobKey>& keys) {
    for (const JobKey key : keys) {
      const event::By by = m_.by(*m_.find(key), who_);
      if (!by.owner && !by.admin) return jobs::refusal(jobs::Refusal::NOT_ALLOWED, "User permission denied");
    }
    std::erase_if(keys, [this](JobKey key) { return finished(m_.find(key)->status()); });
    if (keys.empty()) return jobs::refusal(jobs::Refusal::FAILED, "Job has already finished");
    for (const JobKey key : keys)
      if (auto theirs = changed_there_alone(m_.find(key)->record))
        return jobs::refusal(jobs::Refusal::FAILED, std::move(*theirs));
    for (const JobKey key : keys)
      if (const auto& record = m_.find(key)->record; is_elsewhere(record)) {
        if (limits_alone()) return std::nullopt;  // they go to the other cluster like a signal
        if (record.starting()) return jobs::refusal(jobs::Refusal::FAILED, runs_elsewhere(m_, record));
        return jobs::refusal(jobs::Refusal::FAILED, "Job has started in cluster " +
                                                        record.forwarded().cluster() +
                                                        ": only -c -M -p -T -v -W can be changed from here");
      }
    const bool some_started =
        std::any_of(keys.begin(), keys.end(), [this](JobKey key) { return placed(m_.find(key)->status()); });
    if (!some_started) return std::nullopt;
    auto why = allowed_of_started();
    if (!why || std::any_of(keys.begin(), keys.end(), [this](JobKey key) { return runs(key); })) return why;
    // Users see all of these jobs as pending, so a start that waits for its go-ahead is taken back for the change.
    for (const JobKey key : keys) m_.step(*m_.entry(key), event::StartNotTaken{}, now_, effects);
    return std::nullopt;
  }

  // -t is a time, and times do not cross.
  bool limits_alone() const {
    return std::all_of(request_.fields().begin(), request_.fields().end(), [](std::int32_t number) {
      const ModifyField* row = modify_field(number);
      return row && row->started == ModifyField::Started::tell && number != S::kTerminateUsFieldNumber;
    });
  }

  bool runs(JobKey key) const {
    const Job& job = *m_.find(key);
    return placed(job.status()) && job.launch.go_given;
  }

  // Refuses fields that cannot change once a job has started.
  std::optional<jobs::Refusal> allowed_of_started() const {
    for (const std::int32_t number : request_.fields()) {
      if (output_field(number))
        return jobs::refusal(
            jobs::Refusal::FAILED,
            "Job has already started: -o -oo -e -eo cannot be changed, since its output goes "
            "directly to its files");
      if (const ModifyField* row = modify_field(number); !row || row->started == ModifyField::Started::refuse)
        return jobs::refusal(
            jobs::Refusal::FAILED,
            "Job has already started: only -c -M -p -T -v -W -t -R -r -rn -Q -P -G -g -Jd and the "
            "array's limit "
            "can be changed");
    }
    return std::nullopt;
  }

  jobs::CheckedSubmission check(std::uint64_t number, const std::vector<JobKey>& members) {
    jobs::CheckedSubmission failed;
    const S& before = *m_.asked(number);
    S after = before;
    for (const std::int32_t n : request_.fields()) {
      const ModifyField* row = modify_field(n);
      if (!row) {
        failed.refusal = jobs::refusal(jobs::Refusal::BAD_REQUEST,
                                       "field " + std::to_string(n) + " of a submission cannot be changed");
        return failed;
      }
      row->take(after, request_.changed());
    }
    const BookEntry& first = *m_.entry(members.front());
    // Checked as a submission of the owner to the job's present queue, but with the rights of whoever asks.
    after.clear_queues();
    after.add_queues(first.job->record.queue());
    Identity owner{before.uid(), before.gid(), before.user(), who_.groups, who_.is_admin};
    jobs::SubmissionContext context = m_.context(owner, now_);
    context.queue_open = [](const std::string&) { return true; };  // the job is in the queue already
    context.pending_jobs = [] { return std::uint32_t{0}; };
    context.default_application.clear();
    context.kept_application = before.application();
    context.kept_resreq = before.resreq();
    context.kept_hosts = !asks_for(S::kAskedHostsFieldNumber);
    const bool same_dates = after.terminate_us() == before.terminate_us();
    if (same_dates) context.now = {};
    jobs::CheckedSubmission checked = jobs::check_submission(after, context);
    if (!checked.refusal) checked.refusal = check_size(*checked.asked, before);
    if (checked.refusal) return checked;
    *checked.asked->mutable_queues() = before.queues();
    if (asks_for(S::kResreqFieldNumber))
      for (const JobKey key : members)
        if (const Job& job = *m_.find(key);
            placed(job.status()) && changes_gpus(job.record, reserved(checked, job.record)))
          return checked.refusal = jobs::refusal(jobs::Refusal::FAILED,
                                                 "Job has already started: its GPUs cannot be changed"),
                 checked;
    // Job names keep the meaning that they had when the job was submitted.
    if (after.dependency() == before.dependency()) {
      checked.asked->set_bound_dependency(before.bound_dependency());
      checked.dependency = m_.submissions.at(number).kept.dependency;
    }
    return checked;
  }

  // As for a new job: its order must fit into a frame, and its user has a share of the store.
  std::optional<jobs::Refusal> check_size(const S& after, const S& before) const {
    const std::uint64_t bytes = wire::whole_bytes(after);
    if (bytes > jobs::kMostSubmission && bytes > wire::whole_bytes(before))
      return jobs::refusal(jobs::Refusal::BAD_REQUEST,
                           "the job's script and environment would have " + std::to_string(bytes) +
                               " bytes, expected at most " + std::to_string(jobs::kMostSubmission));
    const bool brings_payload = after.environment_size() > 0 || !after.script().empty() ||
                                after.has_spooled_input() || !after.esub_output().empty();
    return brings_payload ? m_.check_storage(after) : std::nullopt;
  }

  // Gives the new submission its number when the first elements need it. False: it has one.
  bool make(MadeSubmission& to, std::int32_t id) {
    if (to.number != 0) return false;
    to.number = m_.next_submission++;
    m_.counters_changed = true;
    for (auto& row : wire::take_payload(*to.checked.asked, to.number))
      effects.push_back(effect::SavePayload{std::move(row)});
    m_.add_submission(to.number, to.checked.asked, to.checked.dependency).id = id;
    effects.push_back(effect::SaveSubmission{to.number});
    return true;
  }

  void put(MadeSubmission& to, const std::vector<JobKey>& members) {
    const std::int32_t id = members.front().id;
    const bool first = make(to, id);
    const std::uint64_t number = to.number;
    const jobs::CheckedSubmission& checked = to.checked;
    SubmissionEntry& submission = m_.submissions.at(number);
    std::uint64_t old = 0;
    for (const JobKey key : members) {
      BookEntry& entry = *m_.entry(key);
      old = entry.job->record.submission();
      {
        const Memory::Change change(m_, entry);
        entry.job->record.set_submission(number);
        m_.count_application(*entry.job->asked, -1);
        entry.job->asked = m_.asked(number);
        m_.count_application(*entry.job->asked, 1);
        entry.dependency = jobs::DependencyState::not_yet;
        // Hosts that could not start the job before the change may start it now.
        entry.job->record.clear_start_failure();
        entry.job->record.set_short_runs(0);
        entry.job->record.set_paused_until_us(0);
        if (asks_for(S::kResreqFieldNumber) && placed(entry.job->status()))
          reserve(checked, entry.job->record);
      }
      --m_.submissions.at(old).kept.jobs;
      ++submission.kept.jobs;
      m_.time_job(entry, now_);
      effects.push_back(effect::SaveJob{key});
      effects.push_back(effect::TellWaiters{key});
      if (tells_host() && placed(entry.job->status())) {
        m_.step(entry,
                event::LimitsChanged{jobs::effective_limits(
                    jobs::terms_of(m_.config, entry.job->record.queue(), *entry.job->asked),
                    entry.job->asked->limits())},
                now_, effects);
        m_.note_waiting_order(entry.job->record, now_, effects);
        for (const auto& cluster : m_.cut_off(entry.job->record)) waits_.insert(waits_words(cluster));
      }
    }
    m_.register_dependents(old, m_.submissions.at(old));
    m_.drop_submission_if_unused(old);
    m_.register_dependents(number, submission);
    m_.evaluate_all(number, nullptr);
    effects.push_back(effect::ScheduleSoon{});
    if (!first) return;
    rename(id, checked.asked->job_name());
    record(to.several ? JobKey{id, 0} : members.front(), number);
  }

  bool asks_for(std::int32_t number) const {
    return std::find(request_.fields().begin(), request_.fields().end(), number) != request_.fields().end();
  }

  // ---- -R of a job that has hosts: the hosts stay, reservations on them change; the rest applies to its next start.

  std::vector<wire::Reserved> reserved(const jobs::CheckedSubmission& checked,
                                       const wire::JobRecord& record) const {
    const auto parsed = resreq::parse(checked.resreq, resreq_syntax(m_.config.cluster->settings));
    const bool per_task = gpu_request(checked.asked->gpu()).per_task;
    return reserved_rows(*m_.config.cluster, *m_.config.lsb, parsed.value, record,
                         per_task ? m_.gpu_resource : "");
  }
  bool changes_gpus(const wire::JobRecord& record, const std::vector<wire::Reserved>& rows) const {
    std::map<std::string, double> change;  // by host
    for (const auto& row : rows)
      if (row.resource() == m_.gpu_resource) change[row.host()] += row.amount();
    for (const auto& row : record.reserved())
      if (row.resource() == m_.gpu_resource) change[row.host()] -= row.amount();
    return std::any_of(change.begin(), change.end(), [](const auto& host) { return host.second != 0; });
  }
  void reserve(const jobs::CheckedSubmission& checked, wire::JobRecord& record) const {
    record.clear_reserved();
    for (auto& row : reserved(checked, record)) *record.add_reserved() = std::move(row);
    auto parsed = resreq::parse(checked.resreq, resreq_syntax(m_.config.cluster->settings));
    if (parsed.value.rusage) parsed.value.rusage->alternatives.resize(1);
    record.set_effective_resreq(resreq::print(parsed.value));
  }

  bool tells_host() const {
    return std::any_of(request_.fields().begin(), request_.fields().end(), [](std::int32_t number) {
      const ModifyField* row = modify_field(number);
      return row && row->started == ModifyField::Started::tell;
    });
  }

  void rename(std::int32_t id, const std::string& name) {
    IdEntry& entry = m_.ids.at(id);
    if (*entry.name == name) return;
    m_.unname_id(id, *entry.name);
    entry.name = m_.name_id(id, name);
  }

  void record(JobKey key, std::uint64_t number) {
    effect::RecordEvent recorded;
    recorded.event.set_at_us(now_.us);
    set_key(*recorded.event.mutable_key(), key);
    auto& modified = *recorded.event.mutable_modify();
    modified.set_submission(number);
    modified.set_user(who_.user);
    modified.set_uid(who_.uid);
    modified.set_changes(terminal_text(request_.text(), Controls::newline_and_tab));
    *modified.mutable_asked() = *m_.asked(number);
    effects.push_back(std::move(recorded));
  }

  Memory& m_;
  const wire::ModifyJobs& request_;
  const Identity& who_;
  std::set<std::string>& waits_;
  WallTime now_;
};

// Makes a unit of the selected elements of each array.
void choose_modified(const JobTable& jobs, Selection selection, UnitWork& work) {
  work.refusal = std::move(selection.refusal);
  for (std::size_t i = 0; i < selection.jobs.size();) {
    JobUnit& unit = work.units.emplace_back();
    const std::int32_t id = selection.jobs[i].id;
    while (i < selection.jobs.size() && selection.jobs[i].id == id) unit.keys.push_back(selection.jobs[i++]);
    unit.name = unit.keys.size() > 1 || !jobs.is_array(id) ? std::to_string(id) : text(unit.keys.front());
  }
  work.unknown = std::move(selection.unknown);
}

std::shared_ptr<ModifyWork> refused_work(std::shared_ptr<ModifyWork> work, jobs::Refusal why) {
  work->refusal = std::move(why);
  return work;
}

// Changes at most `most` further jobs of the unit and returns how many.
std::size_t modify_next(Modifying& modifying, ModifyWork& work, std::size_t most) {
  const JobUnit& unit = work.units[work.unit];
  if (work.key == 0 && !work.first)
    if (auto why = modifying.prepare(unit.keys, work.made)) {
      work.first = Objection{why->text(), why->why()};
      work.key = unit.keys.size();
      return unit.keys.size();
    }
  const auto from = unit.keys.begin() + static_cast<std::ptrdiff_t>(work.key);
  const std::size_t count = std::min(most, unit.keys.size() - work.key);
  auto why = modifying.modify({from, from + static_cast<std::ptrdiff_t>(count)}, work.made);
  work.key += count;
  work.any = work.any || !why;
  if (why && !work.first) work.first = Objection{why->text(), why->why()};
  return count;
}

}  // namespace

std::shared_ptr<ModifyWork> ClientCommands::begin_modify(const wire::ModifyJobs& request,
                                                         const Identity& who) const {
  auto work = std::make_shared<ModifyWork>();
  work->request = request;
  work->who = who;
  const auto& fields = request.fields();
  if (fields.size() > jobs::kMostFields || request.text().size() > jobs::kLongestWord)
    return refused_work(
        work,
        jobs::refusal(jobs::Refusal::BAD_REQUEST,
                      "found " + std::to_string(fields.size()) + " changes in " +
                          std::to_string(request.text().size()) + " bytes, expected at most " +
                          std::to_string(jobs::kMostFields) + " in " + std::to_string(jobs::kLongestWord)));
  if (std::find(fields.begin(), fields.end(), S::kQueuesFieldNumber) == fields.end()) {
    choose_modified(jobs_, jobs_.select(request.filter(), who), *work);
    return work;
  }
  if (fields.size() != 1 || request.changed().queues_size() != 1)
    return refused_work(
        work, jobs::refusal(jobs::Refusal::BAD_REQUEST, "-q: expected one queue and no other option"));
  wire::SwitchJobs moved;
  *moved.mutable_filter() = request.filter();
  moved.set_queue(request.changed().queues(0));
  work->switched = begin_switch(moved, who);
  return work;
}

Applied ClientCommands::modify_some(ModifyWork& work, std::size_t most, WallTime now) {
  if (work.switched) return switch_some(*work.switched, most, now);
  Applied applied;
  applied.reply.set_last(true);
  if (!work.refusal && work.units.empty() && work.unknown.empty())
    work.refusal = jobs::refusal(jobs::Refusal::NO_JOB, std::string(kNoMatch));
  if (work.refusal) return *applied.reply.mutable_refusal() = *work.refusal, applied;
  if (!all_back(*memory_, work, now, applied.effects)) return still_away(std::move(applied.effects));
  auto& outcomes = *applied.reply.mutable_outcomes();
  Modifying modifying(*memory_, work, now);
  while (work.unit < work.units.size() && most > 0) {
    const JobUnit& unit = work.units[work.unit];
    most -= std::min(most, modify_next(modifying, work, most));
    if (work.key < unit.keys.size()) break;
    *outcomes.add_outcomes() = work.any
                                   ? outcome("Parameters of job <" + unit.name + "> are being changed")
                                   : failure("Job <" + unit.name + ">: " + work.first->text, work.first->why);
    for (const auto& words : std::exchange(work.waits, {}))
      *outcomes.add_outcomes() = outcome("Job <" + unit.name + ">: " + words);
    ++work.unit;
    work.key = 0;
    work.any = false;
    work.first.reset();
  }
  const bool last = work.unit == work.units.size();
  if (last)
    for (const std::string& id : work.unknown)
      *outcomes.add_outcomes() = failure("Job <" + id + ">: " + std::string(kNoMatch), jobs::Refusal::NO_JOB);
  applied.reply.set_last(last);
  applied.effects = std::move(modifying.effects);
  memory_->counted(applied.effects);
  return applied;
}

Applied ClientCommands::modify_jobs(const wire::ModifyJobs& request, const Identity& who, WallTime now) {
  const auto work = begin_modify(request, who);
  return modify_some(*work, std::numeric_limits<std::size_t>::max(), now);
}

}  // namespace rollcall::sched::book
