#include "sched/policy/show/show_jobs.hpp"

#include <algorithm>

#include "common/base/table_cells.hpp"
#include "sched/policy/values/elsewhere.hpp"

namespace rollcall::sched::show {
namespace {

std::string cut(std::string_view text, std::size_t width) { return left(text.substr(0, width), width); }

// Cuts a long name to "*" and its end.
std::string tail(std::string_view text, std::size_t width) {
  if (text.size() <= width) return left(text, width);
  return "*" + std::string(text.substr(text.size() - width + 1));
}

bool over(wire::JobStatus status) { return status == wire::STATUS_DONE || status == wire::STATUS_EXIT; }
bool waits(wire::JobStatus status) {
  return status == wire::STATUS_PEND || status == wire::STATUS_PSUSP || status == wire::STATUS_WAIT;
}

// A requeued job still has the hosts of its last attempt; they are not shown.
std::string hosts_or(const wire::JobRecord& job, const char* none) {
  return waits(job.status()) || job.hosts().empty() ? none : exec_host_words(job, ":");
}

std::string common_cells(const wire::JobRecord& job, const wire::Submission& asked) {
  return left(std::to_string(job.key().id()), 7) + " " + left(asked.user(), 7) + " " +
         left(status_word(job.status()), 5) + " " + left(job.queue(), 10) + " " +
         left(from_host_word(job, asked), 11) + " ";
}

std::string narrow_row(const wire::JobRecord& job, const wire::Submission& asked, const ShowTime& time) {
  const bool placed = !waits(job.status()) && !job.hosts().empty();
  std::string row = left(std::to_string(job.key().id()), 7) + " " + cut(asked.user(), 7) + " " +
                    left(status_word(job.status()), 5) + " " + cut(job.queue(), 10) + " " +
                    cut(from_host_word(job, asked), 11) + " " +
                    cut(placed ? exec_host_word(job.hosts(0)) : "", 11) + " " +
                    tail(shown_name(job, asked), 10) + " " + time.shortly(job.submit_us()) + "\n";
  for (int i = 1; placed && i < job.hosts_size(); ++i)
    row += std::string(45, ' ') + cut(exec_host_word(job.hosts(i)), 11) + "\n";
  return row;
}

std::string wide_row(const wire::JobRecord& job, const wire::Submission& asked, const ShowTime& time) {
  return common_cells(job, asked) + left(hosts_or(job, "   -"), 11) + " " + left(shown_name(job, asked), 10) +
         " " + time.shortly(job.submit_us()) + "\n";
}

// LSF's columns of bjobs -fwd.
std::string forwarded_row(const wire::JobRecord& job, const wire::Submission& asked, const ShowTime& time,
                          bool wide) {
  const auto cell = [wide](const std::string& text, std::size_t width) {
    return wide ? left(text, width) : cut(text, width);
  };
  const std::string name = shown_name(job, asked);
  const auto& forwarded = job.forwarded();
  return left(std::to_string(job.key().id()), 7) + " " + cell(asked.user(), 7) + " " +
         left(status_word(job.status()), 5) + " " + cell(job.queue(), 10) + " " +
         cell(hosts_or(job, wide ? "   -" : ""), 11) + " " + (wide ? left(name, 10) : tail(name, 10)) + " " +
         cell(forwarded.cluster(), 10) + " " + time.shortly(forwarded.at_us()) + "\n";
}

std::string pids_word(const wire::JobUsage& usage) {
  std::string words;
  for (const auto pid : usage.pids()) words += (words.empty() ? "" : ",") + std::to_string(pid);
  return words.empty() ? "-" : words;
}

std::string full_row(const wire::JobRecord& job, const wire::Submission& asked, const ShowTime& time) {
  const auto& usage = job.usage();
  const std::uint32_t slots = waits(job.status()) ? asked.min_slots() : slots_of(job);
  return common_cells(job, asked) + left(hosts_or(job, "-"), 11) + " " + left(shown_name(job, asked), 10) +
         " " + time.numbers(job.submit_us()) + " " + left(asked.project(), 10) + " " +
         cpu_clock(usage.user_s() + usage.system_s()) + " " +
         left(std::to_string(usage.memory_kb() / 1024), 6) + " " +
         left(std::to_string(usage.swap_kb() / 1024), 6) + " " + pids_word(usage) + " " +
         (job.start_us() > 0 && !waits(job.status()) ? time.numbers(job.start_us()) : "-") + " " +
         (over(job.status()) ? time.numbers(job.end_us()) : "-") + "  " +
         std::to_string(std::max(slots, 1U)) + "\n";
}

std::string array_row(const JobView& view, const wire::Submission& asked) {
  const auto count = [&view](wire::JobStatus status) {
    const auto at = view.counts().find(status);
    return std::to_string(at == view.counts().end() ? 0 : at->second);
  };
  return left(std::to_string(view.record().key().id()), 7) + " " + tail(array_spec(asked), 12) + " " +
         cut(asked.user(), 8) + right(std::to_string(view.array_size()), 6) +
         right(count(wire::STATUS_PEND), 6) + right(count(wire::STATUS_DONE), 5) +
         right(count(wire::STATUS_RUN), 5) + right(count(wire::STATUS_EXIT), 5) +
         right(count(wire::STATUS_SSUSP), 6) + right(count(wire::STATUS_USUSP), 6) +
         right(count(wire::STATUS_PSUSP), 6) + "\n";
}

std::string host_count(std::uint32_t count) {
  return std::to_string(count) + (count == 1 ? " host" : " hosts");
}

std::string named_hosts(const wire::BatchReply::Reason& reason) {
  std::string names;
  for (const auto& host : reason.hosts()) names += (names.empty() ? "" : ", ") + host;
  return names;
}

std::uint32_t count_of(const wire::BatchReply::Reason& reason) {
  return reason.count() > 0 ? reason.count() : static_cast<std::uint32_t>(reason.hosts_size());
}

std::string words_line(const wire::BatchReply::Reason& reason) {
  const std::uint32_t count = count_of(reason);
  return " " + (count == 0 ? "" : host_count(count) + ": ") + reason.why() + "\n";
}

std::string lsf_line(const wire::BatchReply::Reason& reason, bool named) {
  const std::uint32_t count = count_of(reason);
  if (count == 0) return " " + reason.text() + ";\n";
  if (named && reason.hosts_size() > 0) return " " + reason.text() + ": " + named_hosts(reason) + ";\n";
  return " " + reason.text() + ": " + host_count(count) + ";\n";
}

// Reasons that differ in our words alone, such as borrowed hosts of two clusters, are one line in LSF's.
google::protobuf::RepeatedPtrField<wire::BatchReply::Reason> joined_reasons(const JobView& job,
                                                                            ReasonForm form) {
  google::protobuf::RepeatedPtrField<wire::BatchReply::Reason> joined;
  const bool words = form == ReasonForm::words;
  for (const auto& reason : job.reasons()) {
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const auto& known) {
      return known.text() == reason.text() && (!words || known.why() == reason.why());
    });
    if (same == joined.end()) {
      *joined.Add() = reason;
      continue;
    }
    same->set_count(count_of(*same) + count_of(reason));
    same->mutable_hosts()->MergeFrom(reason.hosts());
  }
  return joined;
}

}  // namespace

std::string jobs_header(JobForm form) {
  static const std::string narrow =
      "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME";
  switch (form) {
    case JobForm::full:
      return narrow + "  PROJ_NAME CPU_USED MEM SWAP PIDS START_TIME FINISH_TIME SLOTS\n";
    case JobForm::forwarded:
    case JobForm::forwarded_wide:
      return "JOBID   USER    STAT  QUEUE      EXEC_HOST   JOB_NAME   CLUSTER    FORWARD_TIME\n";
    case JobForm::arrays:
      return "JOBID   ARRAY_SPEC   OWNER    NJOBS  PEND DONE  RUN EXIT SSUSP USUSP PSUSP\n";
    default:
      return narrow + "\n";
  }
}

std::string job_row(const JobView& job, const wire::Submission& asked, JobForm form, const ShowTime& time) {
  switch (form) {
    case JobForm::narrow:
      return narrow_row(job.record(), asked, time);
    case JobForm::wide:
      return wide_row(job.record(), asked, time);
    case JobForm::full:
      return full_row(job.record(), asked, time);
    case JobForm::arrays:
      return array_row(job, asked);
    case JobForm::forwarded:
    case JobForm::forwarded_wide:
      return forwarded_row(job.record(), asked, time, form == JobForm::forwarded_wide);
  }
  return "";
}

std::string reason_lines(const JobView& job, ReasonForm form) {
  std::string lines;
  for (const auto& reason : joined_reasons(job, form))
    lines += form == ReasonForm::words && !reason.why().empty() ? words_line(reason)
                                                                : lsf_line(reason, form == ReasonForm::named);
  return lines;
}

std::string with_cell(std::string row, const std::string& cell) {
  return row.insert(std::min(row.find('\n'), row.size()), "  " + cell);
}

void keep_key_reason(JobView& job) {
  auto& reasons = *job.mutable_reasons();
  const auto key =
      std::find_if(reasons.begin(), reasons.end(), [](const auto& reason) { return reason.key(); });
  if (key != reasons.end()) std::iter_swap(reasons.begin(), key);
  if (reasons.size() > 1) reasons.DeleteSubrange(1, reasons.size() - 1);
}

std::string no_job_text(JobChoice choice) {
  switch (choice) {
    case JobChoice::any:
      return "No job found";
    case JobChoice::pending:
      return "No pending job found";
    case JobChoice::running:
      return "No running job found";
    case JobChoice::suspended:
      return "No suspended job found";
    case JobChoice::finished:
      return "No DONE/EXIT job found";
    case JobChoice::named:
      return "No matching job found";
    case JobChoice::unfinished:
      break;
  }
  return "No unfinished job found";
}

void SlotTotals::add(wire::JobStatus status, std::uint64_t slots) {
  switch (status) {
    case wire::STATUS_PEND:
    case wire::STATUS_PSUSP:
    case wire::STATUS_WAIT:
      pend_ += slots;
      return;
    case wire::STATUS_SSUSP:
      ssusp_ += slots;
      return;
    case wire::STATUS_USUSP:
      ususp_ += slots;
      return;
    case wire::STATUS_UNKWN:
    case wire::STATUS_ZOMBI:
      unknown_ += slots;
      return;
    case wire::STATUS_RUN:
    case wire::STATUS_PROV:
      run_ += slots;
      return;
    default:
      return;  // it is over
  }
}

std::string SlotTotals::table() const {
  std::string header, row;
  const std::pair<const char*, std::uint64_t> columns[] = {{"RUN", run_},     {"SSUSP", ssusp_},
                                                           {"USUSP", ususp_}, {"UNKNOWN", unknown_},
                                                           {"PEND", pend_},   {"FWD_PEND", forwarded_}};
  for (const auto& [name, count] : columns) {
    header += left(name, 11);
    row += left(std::to_string(count), 11);
  }
  return header + "\n" + row + "\n";
}

}  // namespace rollcall::sched::show
