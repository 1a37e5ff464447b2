#include "res/policy/job_report.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "common/base/numbers.hpp"
#include "common/base/term_reason.hpp"
#include "res/policy/job_files.hpp"

namespace rollcall::res {
namespace {

constexpr std::size_t kValuesAt = 49;
const std::string kDashes(60, '-');

std::string quoted(std::string_view text) { return std::string("<").append(text).append(">"); }

template <class... Args>
std::string printed(const char* format, Args... args) {
  std::array<char, 64> room;
  std::snprintf(room.data(), room.size(), format, args...);
  return room.data();
}

std::string row(const std::string& name, const std::string& value) {
  std::string line = "    " + name + " :";
  line.resize(std::max(line.size() + 1, kValuesAt), ' ');
  return line + value + "\n";
}

// The elements of an array share a name, so the index follows. The command stands in for a missing name.
std::string name_of(const wire::Submission& asked, const wire::JobKey& job) {
  if (asked.job_name().empty()) return asked.command();
  return asked.job_name() + (job.index() == 0 ? "" : "[" + std::to_string(job.index()) + "]");
}

std::string hosts_of(const wire::JobOrder& order) {
  const auto& hosts = order.start().hosts();
  if (hosts.empty()) return quoted(order.host());
  if (hosts.size() == 1 && hosts[0].slots() <= 1) return quoted(hosts[0].name());
  std::string text;
  for (const auto& host : hosts)
    text += (text.empty() ? "" : "\n                            ") +
            quoted(std::to_string(std::max(host.slots(), 1U)) + "*" + host.name());
  return text;
}

std::string outcome(const wire::FromRes::JobOver& over) {
  if (over.how() == wire::FromRes::JobOver::NOT_STARTED ||
      over.how() == wire::FromRes::JobOver::PRE_EXEC_FAILED)
    return over.why() + ".";
  const int code = over.exit_status() >> 8 & 0xff;
  if (over.exit_status() == 0) return "Successfully completed.";
  return "Exited with exit code " + std::to_string(code) + ".";
}

std::string word_of(const wire::ToRes::StartJob& start, std::string_view name) {
  for (const std::string& word : start.environment())
    if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=')
      return word.substr(name.size() + 1);
  return "";
}

// Where the user submitted it: a job of another cluster has its id and its index there, as LSB_JOBID and LSB_JOBINDEX have them.
wire::JobKey submitted_key(const wire::ToRes::StartJob& start) {
  wire::JobKey key = start.job().key();
  if (start.from_cluster().empty()) return key;
  if (const auto id = parse_whole(word_of(start, "LSB_JOBID"), 1, INT32_MAX)) key.set_id(*id);
  if (const auto index = parse_whole(word_of(start, "LSB_JOBINDEX"), 0, INT32_MAX)) key.set_index(*index);
  return key;
}

std::string submission_cluster(const wire::ToRes::StartJob& start) {
  return start.from_cluster().empty() ? start.cluster() : start.from_cluster();
}

// UserMap: the job runs as another user than the one who submitted it there.
std::string submission_user(const wire::ToRes::StartJob& start) {
  const std::string user = start.from_cluster().empty() ? "" : word_of(start, "LSB_SUB_USER");
  return user.empty() ? start.submission().user() : user;
}

bool done(const wire::FromRes::JobOver& over) {
  return over.how() == wire::FromRes::JobOver::ENDED && over.exit_status() == 0;
}

std::string megabytes(std::int64_t kb) { return printed("%.2f MB", static_cast<double>(kb) / 1024); }
std::string whole_megabytes(std::int64_t kb) {
  return printed("%lld MB", static_cast<long long>((kb + 512) / 1024));
}
std::string seconds(std::int64_t from_us, std::int64_t to_us) {
  return printed("%lld sec.",
                 static_cast<long long>(to_us > from_us ? (to_us - from_us + 500'000) / 1'000'000 : 0));
}

std::string usage_lines(const ReportFacts& facts) {
  const auto& usage = facts.over.usage();
  const auto asked_kb = static_cast<std::int64_t>(facts.order.start().requested_memory_kb());
  const bool memory = usage.max_memory_kb() > 0;
  const auto count = [&](std::int32_t n) { return n > 0 ? std::to_string(n) : std::string("-"); };
  std::string text = "Resource usage summary:\n\n";
  text += row("CPU time", printed("%.2f sec.", usage.user_s() + usage.system_s()));
  text += row("Max Memory", memory ? whole_megabytes(usage.max_memory_kb()) : "-");
  text += row("Average Memory", facts.sampled ? megabytes(usage.average_memory_kb()) : "-");
  text += row("Total Requested Memory", asked_kb > 0 ? megabytes(asked_kb) : "-");
  text += row("Delta Memory", asked_kb > 0 && memory ? megabytes(asked_kb - usage.max_memory_kb()) : "-");
  text += row("Max Swap", usage.max_swap_kb() > 0 ? whole_megabytes(usage.max_swap_kb()) : "-");
  text += row("Max Processes", count(usage.max_processes()));
  text += row("Max Threads", count(usage.max_threads()));
  text += row("Run time", seconds(facts.over.start_us(), facts.over.end_us()));
  text += row("Turnaround time", seconds(facts.order.start().submit_us(), facts.over.end_us()));
  return text;
}

std::string head_lines(const ReportFacts& facts) {
  const auto& order = facts.order;
  const auto& asked = order.start().submission();
  const wire::JobKey job = submitted_key(order.start());
  const std::string cluster = quoted(order.start().cluster());
  const std::int64_t start_us = facts.over.start_us() != 0 ? facts.over.start_us() : facts.over.end_us();
  const std::string started = facts.date(start_us);
  std::string text = "Job " + quoted(name_of(asked, job)) + " was submitted from host " +
                     quoted(asked.from_host()) + " by user " + quoted(submission_user(order.start())) +
                     " in cluster " + quoted(submission_cluster(order.start())) + " at " +
                     facts.date(order.start().submit_us()) + "\n";
  text += "Job was executed on host(s) " + hosts_of(order) + ", in queue " + quoted(order.start().queue()) +
          ", as user " + quoted(order.user()) + " in cluster " + cluster + " at " + started + "\n";
  text += quoted(order.home()) + " was used as the home directory.\n";
  text += quoted(facts.directory) + " was used as the working directory.\n";
  text += "Started at " + started + "\n";
  text += "Terminated at " + facts.date(facts.over.end_us()) + "\n";
  text += "Results reported at " + facts.date(facts.reported_us) + "\n";
  return text;
}

std::string job_lines(const wire::Submission& asked) {
  std::string text = kDashes + "\n# LSBATCH: User input\n";
  text += asked.script().empty() ? asked.command() : asked.script();
  if (text.back() != '\n') text += '\n';
  return text + "\n" + kDashes + "\n";
}

}  // namespace

std::string term_line(int reason) {
  const std::string_view sentence = reason == TERM_OTHER ? "" : term_sentence(reason);
  return sentence.empty() ? "" : std::string(term_keyword(reason)) + ": " + std::string(sentence) + ".";
}

std::string subject_of(const ReportFacts& facts) {
  const auto& start = facts.order.start();
  const wire::JobKey job = submitted_key(start);
  return "Job " + job_text(job) + ": " + quoted(name_of(start.submission(), job)) + " in cluster " +
         quoted(submission_cluster(start)) + (done(facts.over) ? " Done" : " Exited");
}

std::string report_text(const ReportFacts& facts, ReportPlace place) {
  std::string text;
  if (place == ReportPlace::output_file)
    text = kDashes + "\nSender: LSF System " + quoted(facts.order.sender()) +
           "\nSubject: " + subject_of(facts) + "\n\n";
  text +=
      head_lines(facts) + "\nYour job looked like:\n\n" + job_lines(facts.order.start().submission()) + "\n";
  if (const std::string why = term_line(facts.over.term_reason()); !why.empty()) text += why + "\n";
  text += outcome(facts.over) + "\n\n" + usage_lines(facts) + "\n";
  if (place == ReportPlace::output_file)
    text += "The output (if any) is above this job summary.\n\n";
  else if (place == ReportPlace::mail)
    text += "The output (if any) follows:\n\n";
  else
    text += "Read file " +
            quoted(facts.output_file.empty() ? facts.order.start().submission().output_file()
                                             : facts.output_file) +
            " for stdout output of this job.\n\n";
  if (!facts.error_file.empty() || !facts.trouble.empty()) text += "PS:\n\n";
  if (!facts.error_file.empty())
    text += "Read file " + quoted(facts.error_file) + " for stderr output of this job.\n\n";
  if (!facts.trouble.empty()) text += facts.trouble + "\n";
  return text;
}

}  // namespace rollcall::res
