// What bjobs is told.
#include <algorithm>
#include <memory>
#include <unordered_set>

#include "sched/policy/answers_history.hpp"
#include "sched/policy/answers_parts.hpp"
#include "sched/policy/job_exceptions.hpp"

namespace rollcall::sched {
namespace {

using JobView = wire::BatchReply::JobView;

constexpr std::size_t kMostText = 600 * 1024;  // of one job: with it a part of the answer is still one frame

void add_reason(JobView& view, std::string text, std::string why) {
  auto& reason = *view.add_reasons();
  reason.set_text(std::move(text));
  reason.set_why(std::move(why));
  reason.set_key(view.reasons_size() == 1);
}

void add_pending_reasons(const AnswerView& view, const Job& job, PendingReasons& reasons, JobView& to) {
  const auto& hosts = view.snapshot.rules().hosts;
  for (const auto& found : reasons.of(job.key())) {
    add_reason(to, found.text, found.why);
    auto& reason = *to.mutable_reasons(to.reasons_size() - 1);
    for (const HostNumber host : found.hosts)
      if (host < hosts.size()) reason.add_hosts(hosts[host].name);
    reason.set_count(static_cast<std::uint32_t>(found.hosts.size()));
  }
  if (to.reasons_size() == 0)
    add_reason(to, "New job is waiting for scheduling",
               "it has not been looked at yet: the next cycle is at hand");
}

// LSF's texts of why a job that has hosts does not run.
void add_suspend_reasons(const wire::JobRecord& record, JobView& to) {
  struct Told {
    wire::SuspendReason bit;
    const char* text;
    const char* why;
  };
  static constexpr Told kTold[] = {
      {wire::SUSPEND_USER, "The job was suspended by user", "its owner stopped it: bresume lets it go on"},
      {wire::SUSPEND_ADMIN, "The job was suspended by LSF admin or root",
       "an administrator stopped it: only an administrator's bresume lets it go on"},
      {wire::SUSPEND_LOAD, "The host load exceeded the following threshold(s)",
       "the load of its hosts is beyond loadStop: it goes on when that falls below loadSched"},
      {wire::SUSPEND_WINDOW, "The run window of the queue is closed",
       "the queue's RUN_WINDOW is closed: it goes on when that opens"},
      {wire::SUSPEND_HOST_LOCKED, "The host is locked",
       "a host of it is locked: lsadmin limunlock lets it go on"},
      {wire::SUSPEND_QUEUE_INACTIVE, "The queue is inactive", "badmin qact lets it go on"},
  };
  const std::uint32_t bits = record.suspend_reasons();
  for (const auto& told : kTold) {
    const bool flagged =
        (told.bit == wire::SUSPEND_USER && record.stopped_by_user() && !record.stopped_by_admin()) ||
        (told.bit == wire::SUSPEND_ADMIN && record.stopped_by_admin());
    if ((bits & told.bit) != 0 || flagged) add_reason(to, told.text, told.why);
  }
}

void add_exceptions(const AnswerView& view, const Job& job, JobView& to) {
  const auto& rules = view.snapshot.rules();
  const auto queue = rules.queue(job.record.queue());
  if (!queue) return;
  const auto word = [&](const char* keyword) {
    const auto* cell = rules.queues[*queue].row->cells.given(keyword);
    return cell == nullptr ? std::string_view() : std::string_view(cell->text);
  };
  to.set_exceptions(job_exceptions(
      job.record, exception_limits(word("JOB_OVERRUN"), word("JOB_UNDERRUN"), word("JOB_IDLE")), view.now));
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

std::string state_text(DependencyState state) {
  switch (state) {
    case DependencyState::not_yet:
      return "unsatisfied";
    case DependencyState::never:
      return "never";
    default:
      return "";
  }
}

// One answer to AskJobs: which jobs, and how far it has come.
class JobsAnswer {
 public:
  JobsAnswer(const AnswerView& view, const wire::AskJobs& ask, const Identity& who) : ask_(ask) {
    auto chosen = view.book.select(ask.filter(), who);
    refusal_ = std::move(chosen.refusal);
    jobs_ = std::move(chosen.jobs);
    unknown_ = std::move(chosen.unknown);
    if (ask.arrays()) keep_arrays(view);
    if ((ask.scripts() || ask.environments()) && !refusal_) refusal_ = refuse_texts(view, who);
  }

  std::optional<wire::BatchReply> next(const AnswerView& view) {
    if (over_) return std::nullopt;
    wire::BatchReply part;
    if (refusal_) {
      *part.mutable_refusal() = std::move(*refusal_);
      at_ = jobs_.size();
    } else {
      fill(view, *part.mutable_jobs());
    }
    over_ = at_ == jobs_.size();
    part.set_last(over_);
    return part;
  }

 private:
  // The first element that was chosen stands for its array.
  void keep_arrays(const AnswerView& view) {
    std::vector<JobKey> arrays;
    for (const JobKey key : jobs_)
      if (view.book.is_array(key.id) && (arrays.empty() || arrays.back().id != key.id)) arrays.push_back(key);
    jobs_ = std::move(arrays);
  }

  // Scripts and environments are their owners' alone: administrators see them as nobody else does, on the disk of mbatchd.
  std::optional<wire::BatchReply::Refusal> refuse_texts(const AnswerView& view, const Identity& who) const {
    for (const JobKey key : jobs_) {
      const Job* job = view.book.find(key);
      if (job == nullptr || !job->asked) continue;
      const auto no = [key](wire::BatchReply::Refusal::Why why, const char* text) {
        return refused_answer(why, "Job <" + sched::text(key) + ">: " + text).refusal();
      };
      // By both, as everywhere (book_rights.cpp).
      if (job->asked->uid() != who.uid || job->asked->user() != who.user)
        return no(wire::BatchReply::Refusal::NOT_ALLOWED, "User permission denied");
      if (texts_size(view, *job) > kMostText)
        return no(wire::BatchReply::Refusal::FAILED, "what is asked for is too long to be shown");
    }
    return std::nullopt;
  }
  const wire::Submission* whole_submission(const AnswerView& view, const Job& job) const {
    const auto* kept = view.book.submission(job.record.submission());
    return kept != nullptr && kept->asked ? kept->asked.get() : nullptr;
  }
  std::size_t texts_size(const AnswerView& view, const Job& job) const {
    const auto* asked = whole_submission(view, job);
    if (asked == nullptr) return 0;
    std::size_t size = ask_.scripts() ? asked->script().size() : 0;
    if (ask_.environments())
      for (const auto& word : asked->environment()) size += word.size() + 8;
    return size;
  }
  void add_texts(const AnswerView& view, const Job& job, JobView& to) const {
    const auto* asked = ask_.scripts() || ask_.environments() ? whole_submission(view, job) : nullptr;
    if (asked == nullptr) return;
    if (ask_.scripts()) to.set_script(asked->script());
    if (ask_.environments()) *to.mutable_environment() = asked->environment();
  }

  void fill(const AnswerView& view, wire::BatchReply::Jobs& jobs) {
    for (auto& name : unknown_) jobs.add_unknown(std::move(name));
    unknown_.clear();
    std::unique_ptr<PendingReasons> reasons;
    if (ask_.reasons()) reasons = std::make_unique<PendingReasons>(view.snapshot, view.now);
    for (std::size_t bytes = 0; at_ < jobs_.size() && bytes < kAnswerPart; ++at_) {
      const Job* job = view.book.find(jobs_[at_]);
      if (job == nullptr) continue;  // it has gone meanwhile
      bytes += add_submission(*job, jobs);
      auto& added = *jobs.add_jobs();
      fill_job(view, *job, reasons.get(), added);
      bytes += added.ByteSizeLong();
    }
  }

  std::size_t add_submission(const Job& job, wire::BatchReply::Jobs& jobs) {
    const std::uint64_t number = job.record.submission();
    if (!job.asked || !sent_.insert(number).second) return 0;
    auto& sent = (*jobs.mutable_submissions())[number];
    sent = sent_submission(*job.asked, ask_.submissions());
    return sent.ByteSizeLong();
  }

  void fill_job(const AnswerView& view, const Job& job, PendingReasons* reasons, JobView& to) {
    if (ask_.submissions() || ask_.reasons()) {
      to = job_view(view, job, reasons);
    } else {
      *to.mutable_record() = job.record;
      trim(*to.mutable_record());
    }
    if (ask_.arrays()) add_counts(view, job.key().id, to);
    if (ask_.stream() && job.asked) to.set_output_path(job.asked->output_file());
    add_texts(view, job, to);
  }

  // What no table of rows shows.
  static void trim(wire::JobRecord& record) {
    record.clear_effective_resreq();
    record.clear_reserved();
    record.clear_excluded_hosts();
  }

  static void add_counts(const AnswerView& view, std::int32_t id, JobView& to) {
    const JobTally* tally = view.book.tally(id);
    if (tally == nullptr) return;
    to.set_array_size(tally->elements);
    auto& counts = *to.mutable_counts();
    counts[wire::STATUS_PEND] = tally->pend;
    counts[wire::STATUS_PSUSP] = tally->hold;
    counts[wire::STATUS_RUN] = tally->run;
    counts[wire::STATUS_DONE] = tally->done;
    counts[wire::STATUS_EXIT] = tally->exit;
    for (const JobKey key : view.book.elements(id)) {
      const Job* job = tally->suspended == 0 ? nullptr : view.book.find(key);
      if (job != nullptr && (job->status() == wire::STATUS_SSUSP || job->status() == wire::STATUS_USUSP))
        ++counts[job->status()];
    }
  }

  const wire::AskJobs ask_;
  std::optional<wire::BatchReply::Refusal> refusal_;
  std::vector<JobKey> jobs_;
  std::vector<std::string> unknown_;
  std::unordered_set<std::uint64_t> sent_;
  std::size_t at_ = 0;
  bool over_ = false;
};

}  // namespace

wire::Submission sent_submission(const wire::Submission& asked, bool all) {
  wire::Submission sent;
  if (all) {
    sent = asked;
    sent.clear_script();
    sent.clear_spooled_input();
    sent.clear_environment();
    sent.set_command(shown_command(asked.command()));
    return sent;
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
  return sent;
}

wire::BatchReply::JobView job_view(const AnswerView& view, const Job& job, PendingReasons* reasons) {
  JobView to;
  *to.mutable_record() = job.record;
  if (pending(job.status()) && reasons != nullptr) add_pending_reasons(view, job, *reasons, to);
  if (placed(job.status())) add_suspend_reasons(job.record, to);
  *to.mutable_effective_limits() = view.book.effective_limits(job);
  to.set_combined_resreq(view.book.combined_resreq(job));
  add_thresholds(view, job, to);
  add_exceptions(view, job, to);
  if (pending(job.status())) to.set_dependency_state(state_text(view.book.dependency_state(job)));
  return to;
}

NextPart jobs_answer(const AnswerView& view, const wire::AskJobs& ask, const Identity& who) {
  auto state = std::make_shared<JobsAnswer>(view, ask, who);
  return [state](const AnswerView& now) { return state->next(now); };
}

}  // namespace rollcall::sched
