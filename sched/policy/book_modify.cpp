// The Book: bmod. A changed Submission is another one; jobs that were changed together share it again.
#include <algorithm>

#include "sched/policy/book_memory.hpp"

namespace rollcall::sched {
namespace {

using S = wire::Submission;
using L = wire::Limits;

// What stands under a number of ModifyJobs.fields: taken from `from`, whether it is set there or not.
struct Field {
  std::int32_t number;
  void (*take)(S& to, const S& from);
  // Of a job that has a host: `keep` changes what is written down alone, `tell` what its host enforces too.
  enum class Started { refuse, keep, tell } started = Started::refuse;
};
constexpr auto kKeep = Field::Started::keep;
constexpr auto kTell = Field::Started::tell;

#define ROLLCALL_FIELD(name) [](S& to, const S& from) { to.set_##name(from.name()); }
#define ROLLCALL_LIST(name) [](S& to, const S& from) { *to.mutable_##name() = from.name(); }
#define ROLLCALL_OPTIONAL(name)                        \
  [](S& to, const S& from) {                           \
    to.clear_##name();                                 \
    if (from.has_##name()) to.set_##name(from.name()); \
  }
#define ROLLCALL_LIMIT(name)                                                               \
  [](S& to, const S& from) {                                                               \
    to.mutable_limits()->clear_##name();                                                   \
    if (from.limits().has_##name()) to.mutable_limits()->set_##name(from.limits().name()); \
  }

const Field kFields[] = {
    {S::kCommandFieldNumber, ROLLCALL_FIELD(command)},
    {S::kScriptFieldNumber, ROLLCALL_FIELD(script)},
    {S::kShellFieldNumber, ROLLCALL_FIELD(shell)},
    {S::kJobNameFieldNumber, ROLLCALL_FIELD(job_name)},
    {S::kArraySlotsFieldNumber, ROLLCALL_FIELD(array_slots), kKeep},
    {S::kProjectFieldNumber, ROLLCALL_FIELD(project), kKeep},
    {S::kUserGroupFieldNumber, ROLLCALL_FIELD(user_group), kKeep},
    {S::kMinSlotsFieldNumber, ROLLCALL_FIELD(min_slots)},
    {S::kMaxSlotsFieldNumber, ROLLCALL_FIELD(max_slots)},
    {S::kResreqFieldNumber, ROLLCALL_FIELD(resreq)},
    {S::kAskedHostsFieldNumber, ROLLCALL_LIST(asked_hosts)},
    {S::kDependencyFieldNumber, ROLLCALL_FIELD(dependency)},
    {S::kBeginUsFieldNumber, ROLLCALL_FIELD(begin_us)},
    {S::kTerminateUsFieldNumber, ROLLCALL_FIELD(terminate_us), kTell},
    {S::kExclusiveFieldNumber, ROLLCALL_FIELD(exclusive)},
    {S::kRerunnableFieldNumber, ROLLCALL_OPTIONAL(rerunnable), kKeep},
    {S::kCwdFieldNumber, ROLLCALL_FIELD(cwd)},
    {S::kAskedCwdFieldNumber, ROLLCALL_FIELD(asked_cwd)},
    {S::kOutputDirFieldNumber, ROLLCALL_FIELD(output_dir)},
    {S::kInputFileFieldNumber,
     [](S& to, const S& from) {
       to.set_input_file(from.input_file());
       to.clear_spooled_input();
     }},
    {S::kOutputFileFieldNumber, ROLLCALL_FIELD(output_file)},
    {S::kErrorFileFieldNumber, ROLLCALL_FIELD(error_file)},
    {S::kOutputOverwriteFieldNumber, ROLLCALL_FIELD(output_overwrite)},
    {S::kErrorOverwriteFieldNumber, ROLLCALL_FIELD(error_overwrite)},
    {S::kEnvironmentFieldNumber, ROLLCALL_LIST(environment)},
    {S::kMailUserFieldNumber, ROLLCALL_FIELD(mail_user)},
    {S::kMailAtStartFieldNumber, ROLLCALL_FIELD(mail_at_start)},
    {S::kMailReportFieldNumber, ROLLCALL_FIELD(mail_report)},
    {S::kPreExecFieldNumber, ROLLCALL_FIELD(pre_exec)},
    {S::kPostExecFieldNumber, ROLLCALL_FIELD(post_exec)},
    {S::kRequeueExitsFieldNumber, ROLLCALL_FIELD(requeue_exits), kKeep},
    {S::kApplicationFieldNumber, ROLLCALL_FIELD(application)},
    {S::kJobGroupFieldNumber, ROLLCALL_FIELD(job_group), kKeep},
    {S::kServiceClassFieldNumber, ROLLCALL_FIELD(service_class)},
    {S::kPriorityFieldNumber, ROLLCALL_OPTIONAL(priority)},
    {S::kGpuFieldNumber, ROLLCALL_FIELD(gpu)},
    {S::kDescriptionFieldNumber, ROLLCALL_FIELD(description), kKeep},
    {S::kEsubsFieldNumber, ROLLCALL_LIST(esubs)},
    {S::kAllocFlagsFieldNumber, ROLLCALL_FIELD(alloc_flags)},
    {S::kTransfersFieldNumber, ROLLCALL_LIST(transfers)},
    {S::kWarningSignalFieldNumber, ROLLCALL_OPTIONAL(warning_signal)},
    {S::kWarningSecondsFieldNumber, ROLLCALL_FIELD(warning_seconds)},
    {S::kLoginShellFieldNumber, ROLLCALL_FIELD(login_shell)},
    {S::kNodesFieldNumber, ROLLCALL_FIELD(nodes)},
    {S::kReservationFieldNumber, ROLLCALL_FIELD(reservation)},
    {S::kLimitsFieldNumber, [](S& to, const S& from) { *to.mutable_limits() = from.limits(); }},
    {1000 + L::kCoreKbFieldNumber, ROLLCALL_LIMIT(core_kb)},
    {1000 + L::kCpuSFieldNumber, ROLLCALL_LIMIT(cpu_s), kTell},
    {1000 + L::kDataKbFieldNumber, ROLLCALL_LIMIT(data_kb)},
    {1000 + L::kFileKbFieldNumber, ROLLCALL_LIMIT(file_kb)},
    {1000 + L::kMemoryKbFieldNumber, ROLLCALL_LIMIT(memory_kb), kTell},
    {1000 + L::kMemoryHardFieldNumber,
     [](S& to, const S& from) { to.mutable_limits()->set_memory_hard(from.limits().memory_hard()); },
     kTell},
    {1000 + L::kProcessesFieldNumber, ROLLCALL_LIMIT(processes), kTell},
    {1000 + L::kRunSFieldNumber, ROLLCALL_LIMIT(run_s), kTell},
    {1000 + L::kStackKbFieldNumber, ROLLCALL_LIMIT(stack_kb)},
    {1000 + L::kThreadsFieldNumber, ROLLCALL_LIMIT(threads), kTell},
    {1000 + L::kSwapKbFieldNumber, ROLLCALL_LIMIT(swap_kb), kTell},
    {1000 + L::kRunSpecFieldNumber,
     [](S& to, const S& from) { to.mutable_limits()->set_run_spec(from.limits().run_spec()); },
     kTell},
    {1000 + L::kCpuSpecFieldNumber,
     [](S& to, const S& from) { to.mutable_limits()->set_cpu_spec(from.limits().cpu_spec()); },
     kTell},
};
#undef ROLLCALL_FIELD
#undef ROLLCALL_LIST
#undef ROLLCALL_OPTIONAL
#undef ROLLCALL_LIMIT

const Field* field(std::int32_t number) {
  const auto found = std::find_if(std::begin(kFields), std::end(kFields),
                                  [number](const Field& row) { return row.number == number; });
  return found == std::end(kFields) ? nullptr : found;
}

class Modifying {
 public:
  Modifying(Book::Memory& memory, const wire::ModifyJobs& request, const Identity& who, WallTime now)
      : m_(memory), request_(request), who_(who), now_(now) {}

  Effects effects;

  // Nothing: it was changed. All of `keys` are elements of one job.
  std::optional<Refusal> modify(std::vector<JobKey> keys) {
    if (auto why = allowed(keys)) return why;
    std::map<std::uint64_t, std::vector<JobKey>> same;  // by what they were made of
    for (const JobKey key : keys) same[m_.entry(key)->job.record.submission()].push_back(key);
    // All of it is checked before any of it is changed.
    std::vector<std::pair<CheckedSubmission, const std::vector<JobKey>*>> changes;
    for (const auto& [number, members] : same) {
      auto checked = check(number, members);
      if (checked.refusal) return checked.refusal;
      changes.emplace_back(std::move(checked), &members);
    }
    for (auto& [checked, members] : changes) put(std::move(checked), *members);
    return std::nullopt;
  }

 private:
  // Finished elements of an array stay as they are.
  std::optional<Refusal> allowed(std::vector<JobKey>& keys) {
    for (const JobKey key : keys) {
      const event::By by = m_.by(m_.entry(key)->job, who_);
      if (!by.owner && !by.admin) return refusal(Refusal::NOT_ALLOWED, "User permission denied");
    }
    std::erase_if(keys, [this](JobKey key) { return finished(m_.entry(key)->job.status()); });
    if (keys.empty()) return refusal(Refusal::FAILED, "Job has already finished");
    const bool some_started = std::any_of(keys.begin(), keys.end(),
                                          [this](JobKey key) { return placed(m_.entry(key)->job.status()); });
    if (!some_started) return std::nullopt;
    for (const std::int32_t number : request_.fields())
      if (const Field* row = field(number); !row || row->started == Field::Started::refuse)
        return refusal(Refusal::FAILED,
                       "Job has already started: only -c -M -p -T -v -W -t -r -rn -Q -P -G -g -Jd and the array's limit "
                       "can be changed");
    return std::nullopt;
  }

  CheckedSubmission check(std::uint64_t number, const std::vector<JobKey>& members) {
    CheckedSubmission failed;
    const S& before = *m_.submissions.at(number).kept.asked;
    S after = before;
    for (const std::int32_t n : request_.fields()) {
      const Field* row = field(n);
      if (!row) {
        failed.refusal =
            refusal(Refusal::BAD_REQUEST, "this cannot be changed (field " + std::to_string(n) + ")");
        return failed;
      }
      row->take(after, request_.changed());
    }
    const BookEntry& first = *m_.entry(members.front());
    // Checked as its owner's, for the queue that it is in; an administrator may give what the owner may not.
    after.clear_queues();
    after.add_queues(first.job.record.queue());
    Identity owner{before.uid(), before.gid(), before.user(), who_.groups, who_.is_admin};
    SubmissionContext context = m_.context(owner, now_);
    context.queue_open = [](const std::string&) { return true; };  // it is in it
    context.pending_jobs = [] { return std::uint32_t{0}; };
    const bool same_dates = after.terminate_us() == before.terminate_us();
    if (same_dates) context.now = {};
    CheckedSubmission checked = check_submission(after, context);
    if (checked.refusal) return checked;
    *checked.asked->mutable_queues() = before.queues();
    // What a name meant when the job was submitted it still means.
    if (after.dependency() == before.dependency()) {
      checked.asked->set_bound_dependency(before.bound_dependency());
      checked.dependency = m_.submissions.at(number).kept.dependency;
    }
    return checked;
  }

  void put(CheckedSubmission checked, const std::vector<JobKey>& members) {
    const std::uint64_t number = m_.next_submission++;
    m_.counters_changed = true;
    const std::string name = checked.asked->job_name();
    SubmissionEntry& submission = m_.add_submission(number, checked.asked, checked.dependency);
    effects.push_back(effect::SaveSubmission{number});
    const std::int32_t id = members.front().id;
    submission.id = id;
    std::uint64_t old = 0;
    for (const JobKey key : members) {
      BookEntry& entry = *m_.entry(key);
      old = entry.job.record.submission();
      {
        const Book::Memory::Change change(m_, entry);
        entry.job.record.set_submission(number);
        entry.job.asked = submission.kept.asked;
        entry.dependency = DependencyState::not_yet;
        // Hosts that could not start what it was may start what it is.
        entry.job.record.clear_start_failure();
      }
      --m_.submissions.at(old).kept.jobs;
      ++submission.kept.jobs;
      m_.time_job(entry, now_);
      effects.push_back(effect::SaveJob{key});
      effects.push_back(effect::TellWaiters{key});
      if (tells_host() && placed(entry.job.status()))
        m_.step(entry,
                event::LimitsChanged{effective_limits(m_.queue_row(entry.job.record.queue()), entry.job.asked->limits())},
                now_, effects);
    }
    m_.register_dependents(old, m_.submissions.at(old));
    m_.drop_submission_if_unused(old);
    m_.register_dependents(number, submission);
    m_.evaluate_all(number, nullptr);
    rename(id, name);
    record(id, members, number);
    effects.push_back(effect::ScheduleSoon{});
  }

  bool tells_host() const {
    return std::any_of(request_.fields().begin(), request_.fields().end(), [](std::int32_t number) {
      const Field* row = field(number);
      return row && row->started == Field::Started::tell;
    });
  }

  void rename(std::int32_t id, const std::string& name) {
    IdEntry& entry = m_.ids.at(id);
    if (entry.name == name) return;
    if (!entry.name.empty()) {
      auto& same = m_.by_name[entry.name];
      same.erase(id);
      if (same.empty()) m_.by_name.erase(entry.name);
    }
    entry.name = name;
    if (!name.empty()) m_.by_name[name].insert(id);
  }

  void record(std::int32_t id, const std::vector<JobKey>& members, std::uint64_t number) {
    effect::RecordEvent recorded;
    recorded.event.set_at_us(now_.us);
    set_key(*recorded.event.mutable_key(), members.size() == 1 ? members.front() : JobKey{id, 0});
    auto& modified = *recorded.event.mutable_modify();
    modified.set_submission(number);
    modified.set_user(who_.user);
    modified.set_uid(who_.uid);
    modified.set_changes(request_.text());
    *modified.mutable_asked() = *m_.shown(number);
    effects.push_back(std::move(recorded));
  }

  Book::Memory& m_;
  const wire::ModifyJobs& request_;
  const Identity& who_;
  WallTime now_;
};

}  // namespace

Applied Book::modify_jobs(const wire::ModifyJobs& request, const Identity& who, WallTime now) {
  // bmod -q is bswitch.
  if (std::find(request.fields().begin(), request.fields().end(), S::kQueuesFieldNumber) !=
      request.fields().end()) {
    if (request.fields_size() == 1 && request.changed().queues_size() == 1) {
      wire::SwitchJobs moved;
      *moved.mutable_filter() = request.filter();
      moved.set_queue(request.changed().queues(0));
      return switch_jobs(moved, who, now);
    }
    Applied refused;
    refused.reply.set_last(true);
    *refused.reply.mutable_refusal() =
        refusal(Refusal::BAD_REQUEST, "-q: one queue, and nothing else at the same time");
    return refused;
  }
  Applied applied;
  applied.reply.set_last(true);
  const Selection selection = select(request.filter(), who);
  if (selection.refusal) {
    *applied.reply.mutable_refusal() = *selection.refusal;
    return applied;
  }
  auto& outcomes = *applied.reply.mutable_outcomes();
  Modifying modifying(*memory_, request, who, now);
  for (std::size_t i = 0; i < selection.jobs.size();) {
    const std::int32_t id = selection.jobs[i].id;
    std::vector<JobKey> keys;
    while (i < selection.jobs.size() && selection.jobs[i].id == id) keys.push_back(selection.jobs[i++]);
    const bool whole = keys.size() > 1 || !is_array(id);
    const std::string name = whole ? std::to_string(id) : text(keys.front());
    if (auto why = modifying.modify(std::move(keys)))
      *outcomes.add_outcomes() = failure("Job <" + name + ">: " + why->text(), why->why());
    else
      *outcomes.add_outcomes() = outcome("Parameters of job <" + name + "> are being changed");
  }
  for (const std::string& id : selection.unknown)
    *outcomes.add_outcomes() = failure("Job <" + id + ">: No matching job found", Refusal::NO_JOB);
  if (outcomes.outcomes().empty())
    *applied.reply.mutable_refusal() = refusal(Refusal::NO_JOB, "No matching job found");
  applied.effects = std::move(modifying.effects);
  memory_->counted(applied.effects);
  return applied;
}

}  // namespace rollcall::sched
