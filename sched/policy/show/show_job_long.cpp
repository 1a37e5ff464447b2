#include "sched/policy/show/show_job_long.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/base/table_cells.hpp"
#include "sched/policy/values/elsewhere.hpp"
#include "sched/policy/values/events_and_effects.hpp"
#include "sched/policy/values/without_effect.hpp"

namespace rollcall::sched::show {
namespace {

bool over(const wire::JobRecord& job) {
  return job.status() == wire::STATUS_DONE || job.status() == wire::STATUS_EXIT;
}
bool placed_now(const wire::JobRecord& job) {
  return placed(job.status()) || (over(job) && job.start_us() > 0);
}

std::string named(const char* title, const std::string& value) {
  return value.empty() ? "" : std::string(", ") + title + " <" + value + ">";
}

std::string interactive_words(const wire::Submission& asked) {
  switch (asked.interactive()) {
    case wire::Submission::PLAIN:
      return ", Interactive mode";
    case wire::Submission::TERMINAL:
      return ", Interactive pseudo-terminal mode";
    case wire::Submission::SHELL:
      return ", Interactive pseudo-terminal shell mode";
    default:
      return "";
  }
}

std::string first_line(const wire::JobRecord& job, const wire::Submission& asked) {
  std::string text = job_title(job, asked);
  text += named("Application", asked.application()) + named("Job Group", asked.job_group()) + ", Status <" +
          std::string(status_word(job.status())) + ">, Queue <" + job.queue() + ">" +
          interactive_words(asked);
  if (asked.has_priority()) text += named("Job Priority", std::to_string(asked.priority()));
  text += ", Command <" + asked.command() + ">" + named("Job Description", asked.description());
  std::string esubs;
  for (const auto& esub : asked.esubs()) esubs += (esubs.empty() ? "" : " ") + esub;
  return text + named("Esub", esubs);
}

std::string tasks_words(const wire::Submission& asked) {
  if (asked.max_slots() > asked.min_slots())
    return ", " + std::to_string(asked.min_slots()) + "-" + std::to_string(asked.max_slots()) + " Task(s)";
  return asked.min_slots() > 1 ? ", " + std::to_string(asked.min_slots()) + " Task(s)" : "";
}

std::string asked_hosts_words(const wire::Submission& asked) {
  std::string words;
  for (const auto& host : asked.asked_hosts()) {
    std::string name = (host.excluded() ? "~" : "") + host.name() + (host.first_execution() ? "!" : "");
    if (host.preference() > 0) name += "+" + std::to_string(host.preference());
    words += (words.empty() ? "<" : ", <") + name + ">";
  }
  return words.empty() ? "" : ", Specified Hosts " + words;
}

// "60.0 min of hostA": a time limit, with the host or model it refers to.
std::string minutes_words(std::int64_t seconds, const std::string& spec) {
  return fixed(static_cast<double>(seconds) / 60, 1) + " min" + (spec.empty() ? "" : " of " + spec);
}

using Titled = std::vector<std::pair<std::string, std::string>>;

// A line of titles and a line of values; `width`: of a column.
std::string limit_table(const Titled& cells, std::size_t width) {
  if (cells.empty()) return "";
  std::string titles, values;
  for (const auto& [title, value] : cells) {
    // A long host name must not run into the next limit.
    const std::size_t room = std::max(width, value.size() + 1);
    titles += left(title, room);
    values += left(value, room);
  }
  return "\n " + titles + "\n " + values + "\n";
}

Titled size_limits(const wire::Limits& limits) {
  Titled cells;
  const auto size = [&cells](const char* title, bool has, std::int64_t kb) {
    if (has) cells.emplace_back(title, limit_words(kb));
  };
  size("FILELIMIT", limits.has_file_kb(), limits.file_kb());
  size("DATALIMIT", limits.has_data_kb(), limits.data_kb());
  size("STACKLIMIT", limits.has_stack_kb(), limits.stack_kb());
  size("CORELIMIT", limits.has_core_kb(), limits.core_kb());
  size("MEMLIMIT", limits.has_memory_kb(), limits.memory_kb());
  size("SWAPLIMIT", limits.has_swap_kb(), limits.swap_kb());
  if (limits.has_processes()) cells.emplace_back("PROCESSLIMIT", std::to_string(limits.processes()));
  if (limits.has_threads()) cells.emplace_back("THREADLIMIT", std::to_string(limits.threads()));
  return cells;
}

std::string limits_block(const wire::Limits& limits, const std::string& submission_host) {
  const auto spec = [&](const std::string& said) { return said.empty() ? submission_host : said; };
  Titled times;
  if (limits.has_cpu_s())
    times.emplace_back("CPULIMIT", minutes_words(limits.cpu_s(), spec(limits.cpu_spec())));
  if (limits.has_run_s())
    times.emplace_back("RUNLIMIT", minutes_words(limits.run_s(), spec(limits.run_spec())));
  return limit_table(times, 25) + limit_table(size_limits(limits), 13);
}

// The process group of process `at`. A RES of an older release reports one group for all processes.
int group_of(const wire::JobUsage& usage, int at) {
  if (at < usage.pid_pgids_size()) return usage.pid_pgids(at);
  return usage.pgids_size() > 0 ? usage.pgids(0) : usage.pids(0);
}

std::string pgid_line(const std::string& text, Wrapping wrapping) {
  if (wrapping == Wrapping::none) return text + "\n";
  // Wraps between process ids, never within one.
  std::string lines, line;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find(' ', at);
    const std::string word = text.substr(at, end - at + 1);
    if (line.size() + word.size() > 58) {
      lines += std::string(21, ' ') + line + "\n";
      line.clear();
    }
    line += word;
    at = end + 1;
  }
  return lines + std::string(21, ' ') + line + "\n";
}

// A line for each process group of the processes from `begin` to `end`.
std::string pgid_lines(const wire::JobUsage& usage, int begin, int end, Wrapping wrapping) {
  std::vector<std::pair<int, std::string>> groups;
  for (int at = begin; at < std::min(end, usage.pids_size()); ++at) {
    const int pgid = group_of(usage, at);
    auto group =
        std::find_if(groups.begin(), groups.end(), [pgid](const auto& g) { return g.first == pgid; });
    if (group == groups.end())
      group = groups.emplace(groups.end(), pgid, "PGID: " + std::to_string(pgid) + ";  PIDs: ");
    group->second += std::to_string(usage.pids(at)) + " ";
  }
  std::string lines;
  for (const auto& [pgid, text] : groups) lines += pgid_line(text, wrapping);
  return lines;
}

std::string usage_paragraph(const wire::JobRecord& job, Wrapping wrapping, const ShowTime& time) {
  const auto& usage = job.usage();
  if (usage.sampled_us() == 0 || !placed(job.status())) return "";
  const std::string indent = wrapping == Wrapping::none ? "" : std::string(21, ' ');
  std::string text = time.at(usage.sampled_us()) + ": Resource usage collected.\n";
  if (const double cpu = usage.user_s() + usage.system_s(); cpu >= 1)
    text += indent + "The CPU time used is " + fixed(cpu, 0) + " seconds.\n";
  text += indent + "MEM: " + bytes_words(usage.memory_kb()) + ";  SWAP: " + bytes_words(usage.swap_kb()) +
          ";  NTHREAD: " + std::to_string(usage.threads()) + "\n";
  int shown = 0;
  for (const auto& host : usage.hosts()) {
    text += indent + "HOST: " + host.host() + "; MEM: " + bytes_words(host.memory_kb()) +
            "; SWAP: " + bytes_words(host.swap_kb()) +
            "; CPU_TIME: " + fixed(host.user_s() + host.system_s(), 0) + " seconds\n";
    text += pgid_lines(usage, shown, shown + static_cast<int>(host.pids()), wrapping);
    shown += static_cast<int>(host.pids());
  }
  return text + pgid_lines(usage, shown, usage.pids_size(), wrapping) + "\n";
}

std::string end_paragraphs(const wire::JobRecord& job, Wrapping wrapping, const ShowTime& time) {
  if (!over(job)) return "";
  const std::string at = time.at(job.end_us()) + ": ";
  const std::string cpu = fixed(job.usage().user_s() + job.usage().system_s(), 1);
  std::string text = at + end_words(job.status(), job.exit_status());
  text += ". The CPU time used is " + cpu + " seconds.";
  text = paragraph(text, wrapping);
  if (job.status() != wire::STATUS_EXIT)
    return job.start_failure().empty() ? text : text + paragraph(at + job.start_failure() + ".", wrapping);
  const std::string term = job.lost() ? "" : term_words(job.term_reason());
  std::string completed = at + "Completed <exit>";
  if (job.lost()) completed += "; the job's processes were lost on its host, and ended there";
  if (!term.empty()) completed += "; " + term;
  if (!job.start_failure().empty())
    completed += (completed.ends_with('.') ? " " : "; ") + job.start_failure();
  return text + paragraph(completed + ".", wrapping);
}

std::string memory_block(const wire::JobUsage& usage) {
  if (usage.max_memory_kb() == 0) return "";
  return "\n MEMORY USAGE:\n MAX MEM: " + bytes_words(usage.max_memory_kb()) +
         ";  AVG MEM: " + bytes_words(usage.average_memory_kb()) + "\n";
}

std::string resreq_block(const JobView& job, Wrapping wrapping) {
  const std::string& effective = job.record().effective_resreq();
  if (job.combined_resreq().empty() && effective.empty()) return "";
  std::string text = "\n RESOURCE REQUIREMENT DETAILS:\n";
  text += paragraph(" Combined: " + job.combined_resreq(), wrapping);
  return text + paragraph(" Effective: " + (effective.empty() ? std::string("-") : effective), wrapping);
}

std::string without_effect_block(const wire::Submission& asked, Wrapping wrapping) {
  std::string text;
  for (const auto& line : options_without_effect(asked)) text += paragraph(" " + line, wrapping);
  return text.empty() ? "" : "\n WITHOUT EFFECT:\n" + text;
}

std::string exceptions_block(const JobView& job) {
  return job.exceptions().empty() ? "" : "\n EXCEPTION STATUS:  " + job.exceptions() + "\n";
}

std::string reasons_block(const JobView& job, ReasonForm form) {
  if (job.reasons_size() == 0) return "";
  const auto& record = job.record();
  const char* const title = pending(record.status())        ? " PENDING REASONS:\n"
                            : record.suspend_reasons() == 0 ? " WAITING ORDERS:\n"
                                                            : " SUSPENDING REASONS:\n";
  return title + reason_lines(job, form);
}

// Queues of other clusters that were looked at, and why none of them has the job.
std::string remote_queues_block(const JobView& job) {
  return job.remote_queues().empty() ? "" : "\n REMOTE QUEUES:\n" + job.remote_queues();
}

std::string started_paragraph(const wire::JobRecord& job, Wrapping wrapping, const ShowTime& time) {
  if (!placed_now(job) || job.hosts_size() == 0) return "";
  std::string text = time.at(job.start_us()) + ": Started " + placed_words(job.hosts());
  text += named("Execution Home", job.exec_home()) + named("Execution CWD", job.exec_cwd());
  return paragraph(text + ";", wrapping);
}

std::string gpu_words(const wire::Submission& asked) {
  if (asked.gpu().empty()) return "";
  // The normal form of `-gpu -` (submit_values.hpp).
  return asked.gpu() == "num=1:mode=shared:j_exclusive=no" ? ", Requested GPU"
                                                           : ", Requested GPU <" + asked.gpu() + ">";
}

// ", Copy Files <in > /tmp/in> <out < out>"
std::string transfer_words(const wire::Submission& asked) {
  using Transfer = wire::FileTransfer;
  std::string text;
  for (const auto& file : asked.transfers()) {
    const char* const op = file.direction() == Transfer::TO_HOST       ? " > "
                           : file.direction() == Transfer::FROM_HOST   ? " < "
                           : file.direction() == Transfer::APPEND_BACK ? " << "
                                                                       : " >< ";
    text += (text.empty() ? ", Copy Files <" : " <") + file.local() + op + file.remote() + ">";
  }
  return text;
}

}  // namespace

std::string forwarded_paragraph(const wire::JobRecord& job, Wrapping wrapping, const ShowTime& time) {
  const auto& forwarded = job.forwarded();
  if (job.hosts_size() == 0 && !forwarded.has_there()) return "";
  if (forwarded.cluster().empty()) return "";
  const std::string why = forwarded.why().empty() ? "" : "; " + forwarded.why();
  return paragraph(
      time.at(forwarded.at_us()) + ": " + forwarded_words(key_of(job.key()), forwarded) + why + ";",
      wrapping);
}

std::string job_title(const wire::JobRecord& job, const wire::Submission& asked) {
  const JobKey key = key_of(job.key());
  std::string text = "Job <" + sched::text(key) + ">";
  if (!asked.job_name().empty()) {
    const bool whole = asked.indices_size() > 0 && key.index == 0;
    text += ", Job Name <" + (whole ? array_spec(asked) : shown_name(job, asked)) + ">";
  }
  return text + ", User <" + asked.user() + ">" + mapped_words(job, asked) + ", Project <" + asked.project() +
         ">" + named("User Group", asked.user_group());
}

std::string asked_words(const wire::JobRecord& job, const wire::Submission& asked, bool expanded) {
  const auto file = [&](const std::string& path) {
    return expanded ? with_job_numbers(path, job.key()) : path;
  };
  std::string text = ", CWD <" + home_word(asked.cwd(), asked.home()) + ">";
  text += named("Specified CWD", home_word(asked.asked_cwd(), asked.home())) +
          named("Input File", asked.input_file());
  text +=
      named(asked.output_overwrite() ? "Output File (overwrite)" : "Output File", file(asked.output_file()));
  text += named(asked.error_overwrite() ? "Error File (overwrite)" : "Error File", file(asked.error_file()));
  text += transfer_words(asked);
  text += named("Output Directory", asked.output_dir()) + named("Pre-execute Command", asked.pre_exec());
  text += named("Post-execute Command", asked.post_exec()) + named("Mail User", asked.mail_user());
  if (asked.mail_at_start()) text += ", Notify when job begins";
  if (asked.mail_report()) text += ", Notify when job ends";
  if (asked.exclusive()) text += ", Exclusive Execution";
  if (asked.rerunnable()) text += ", Re-runnable";
  if (asked.hold()) text += ", Submitted in hold";
  text += tasks_words(asked) + named("Requested Resources", asked.resreq()) + gpu_words(asked);
  text += named("Login Shell", asked.login_shell()) + asked_hosts_words(asked);
  return text + named("Dependency Condition", asked.dependency()) +
         named("Requeue exit values", asked.requeue_exits());
}

std::string placed_words(const google::protobuf::RepeatedPtrField<wire::ExecHost>& hosts) {
  std::uint32_t slots = 0;
  std::string words;
  for (const auto& host : hosts) {
    slots += host.slots();
    words += (words.empty() ? "<" : " <") + exec_host_word(host) + ">";
  }
  const std::string count = std::to_string(slots);
  return count + " Task(s) on Host(s) " + words + ", Allocated " + count + " Slot(s) on Host(s) " + words;
}

std::string end_words(wire::JobStatus status, std::int32_t exit_status) {
  if (status == wire::STATUS_DONE) return "Done successfully";
  if ((exit_status & 0x7f) != 0) return "Exited by signal " + std::to_string(exit_status & 0x7f);
  const int code = exit_status >> 8 & 0xff;
  return code == 0 ? "Exited" : "Exited with exit code " + std::to_string(code);
}

std::string term_words(std::int32_t term_reason) {
  const std::string_view sentence = term_sentence(term_reason);
  return sentence.empty() ? "" : std::string(term_keyword(term_reason)) + ": " + std::string(sentence);
}

std::string job_block(const JobView& job, const wire::Submission& asked, Wrapping wrapping,
                      ReasonForm reasons, const ShowTime& time) {
  const auto& record = job.record();
  std::string text = "\n" + paragraph(first_line(record, asked), wrapping);
  text += paragraph(
      time.at(record.submit_us()) + ": Submitted from host <" + from_host_word(record, asked) + ">" +
          asked_words(record, asked, true) +
          (asked.begin_us() > 0 ? ", Specified Start Time <" + time.at(asked.begin_us()) + ">" : "") +
          (asked.terminate_us() > 0 ? ", Specified Termination Time <" + time.at(asked.terminate_us()) + ">"
                                    : "") +
          ";",
      wrapping);
  text += forwarded_paragraph(record, wrapping, time);
  text += limits_block(job.effective_limits(), asked.from_host());
  text += started_paragraph(record, wrapping, time) + usage_paragraph(record, wrapping, time) +
          end_paragraphs(record, wrapping, time);
  if (!record.start_failure().empty() && pending(record.status()))
    text += paragraph(time.at(record.status_us()) + ": Could not be started: " + record.start_failure() + ";",
                      wrapping);
  if (record.start_failure().empty() && !record.why_requeued().empty() && pending(record.status()))
    text += paragraph(time.at(record.status_us()) + ": Requeued: " + record.why_requeued() + ";", wrapping);
  if (!record.start_failure().empty() && record.status() == wire::STATUS_UNKWN)
    text += paragraph(time.at(record.status_us()) + ": Unknown: " + record.start_failure() + ";", wrapping);
  text += reasons_block(job, reasons) + remote_queues_block(job) + memory_block(record.usage()) +
          exceptions_block(job);
  text += "\n SCHEDULING PARAMETERS:\n" + threshold_table(job.thresholds());
  return text + resreq_block(job, wrapping) + without_effect_block(asked, wrapping);
}

}  // namespace rollcall::sched::show
