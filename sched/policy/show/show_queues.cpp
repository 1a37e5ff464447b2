#include "sched/policy/show/show_queues.hpp"

#include <cmath>

#include "common/base/table_cells.hpp"
#include "sched/policy/show/show_fields.hpp"

namespace rollcall::sched::show {
namespace {

using wire::BatchReply;
using Queue = BatchReply::Queue;

std::string processor_limit(const Queue& q) {
  if (!q.has_processor_limit()) return "-";
  const bool whole = q.processor_limit() == std::trunc(q.processor_limit());
  return fixed(q.processor_limit(), whole ? 0 : 1);
}
std::string max_word(const Queue& q) { return q.has_max() ? std::to_string(q.max()) : "-"; }
std::string user_limit(const Queue& q) { return q.has_user_limit() ? std::to_string(q.user_limit()) : "-"; }
std::string host_limit(const Queue& q) { return q.has_host_limit() ? std::to_string(q.host_limit()) : "-"; }
std::uint32_t susp(const Queue& q) { return q.counts().ssusp() + q.counts().ususp(); }

std::string status(const Queue& q) {
  return std::string(q.open() ? "Open:" : "Closed:") + (q.active() && q.window_open() ? "Active" : "Inact");
}
std::string long_status(const Queue& q) {
  if (q.active() && q.window_open()) return status(q);
  return status(q) + (q.active() ? "_Win" : "_Adm");
}

std::string count_cell(std::uint32_t slots) { return right_apart(std::to_string(slots), 6); }

// The columns from MAX to RUN, equal in every form.
std::string limit_and_job_cells(const Queue& q) {
  return right_apart(max_word(q), 6) + right_apart(user_limit(q), 5) + right_apart(processor_limit(q), 5) +
         right_apart(host_limit(q), 5) + count_cell(q.counts().jobs()) + count_cell(q.counts().pending()) +
         count_cell(q.counts().running());
}

std::string row(const Queue& q, bool wide) {
  return left(wide ? q.name() : q.name().substr(0, 15), 15) + right(std::to_string(q.priority()), 4) + "  " +
         left(status(q), 13) + limit_and_job_cells(q) + count_cell(susp(q)) + "\n";
}

std::string statistics(const Queue& q) {
  return "PARAMETERS/STATISTICS\n"
         "PRIO NICE STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN SSUSP USUSP  RSV PJOBS \n" +
         right(std::to_string(q.priority()), 3) + right(std::to_string(q.nice()), 5) + "  " +
         left(long_status(q), 13) + limit_and_job_cells(q) + count_cell(q.counts().ssusp()) +
         count_cell(q.counts().ususp()) + right_apart(std::to_string(q.counts().reserved()), 5) +
         count_cell(q.counts().pending_jobs()) + "\n";
}

template <class Words>
std::string joined(const Words& words, const char* between) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string limit_blocks(const Queue& q) {
  const std::string standard = limits_text(q.default_limits()), most = limits_text(q.limits());
  std::string text;
  if (!standard.empty()) text += "\nDEFAULT LIMITS:\n" + standard;
  if (!most.empty()) text += "\nMAXIMUM LIMITS:\n" + most;
  if (q.task_limit_size() > 0) {
    std::string words;
    for (const int limit : q.task_limit()) words += (words.empty() ? " " : ", ") + std::to_string(limit);
    text += "\n TASKLIMIT\n" + words + "\n";
  }
  return text;
}

// Keywords that are shown as written, in this order.
// As the manual of bqueues shows what lsb.queues calls otherwise.
std::string_view shown_as(std::string_view keyword) {
  if (keyword == "SNDJOBS_TO") return "SEND_JOBS_TO";
  return keyword == "RCVJOBS_FROM" ? "RECEIVE_JOBS_FROM" : keyword;
}

std::string written_lines(const Queue& q) {
  std::string text;
  for (const char* keyword :
       {"RES_REQ", "PRE_EXEC", "POST_EXEC", "REQUEUE_EXIT_VALUES", "JOB_STARTER", "JOB_CONTROLS",
        "TERMINATE_WHEN", "PREEMPTION", "RESUME_COND", "STOP_COND", "CHUNK_JOB_SIZE", "RERUNNABLE",
        "SNDJOBS_TO", "FWD_USERS", "MAX_RSCHED_TIME", "RCVJOBS_FROM", "IMPT_JOBBKLG", "IMPT_SLOTBKLG"})
    if (const auto at = q.lines().find(keyword); at != q.lines().end())
      text += std::string(shown_as(keyword)) + ":  " + at->second + "\n";
  return text;
}

// JOB_OVERRUN, JOB_UNDERRUN, JOB_IDLE.
std::string exceptions_text(const Queue& q) {
  const auto word = [&q](const char* keyword) {
    const auto at = q.lines().find(keyword);
    return at == q.lines().end() ? std::string("-") : at->second;
  };
  const std::string overrun = word("JOB_OVERRUN"), underrun = word("JOB_UNDERRUN"), idle = word("JOB_IDLE");
  if (overrun == "-" && underrun == "-" && idle == "-") return "";
  return "\nJOB EXCEPTION PARAMETERS:\n             OVERRUN(min) UNDERRUN(min) IDLE(cputime/runtime)\n "
         "Threshold   " +
         left(overrun, 13) + left(underrun, 14) + idle + "\n";
}

std::string windows_text(const Queue& q) {
  std::string text;
  if (const auto at = q.lines().find("DEFAULT_HOST_SPEC"); at != q.lines().end())
    text += "\nDEFAULT HOST SPECIFICATION :  " + at->second + "\n";
  if (!q.run_windows().empty()) text += "\nRUN_WINDOWS:  " + q.run_windows() + "\n";
  if (!q.dispatch_windows().empty()) text += "\nDISPATCH_WINDOWS:  " + q.dispatch_windows() + "\n";
  return text;
}

std::string block(const Queue& q) {
  std::string text = "\nQUEUE: " + q.name() + "\n  -- " +
                     (q.description().empty() ? "No description provided." : q.description()) +
                     (q.is_default() ? "  This is the default queue." : "") + "\n\n" + statistics(q);
  if (const auto at = q.lines().find("MIG"); at != q.lines().end())
    text += "Migration threshold is " + at->second + " minutes\n";
  text += "Interval for a host to accept two jobs is " + std::to_string(q.accept_interval_s()) + " seconds\n";
  text += limit_blocks(q) + "\nSCHEDULING PARAMETERS\n" + threshold_table(q.thresholds());
  if (q.policies_size() > 0) text += "\nSCHEDULING POLICIES:  " + joined(q.policies(), "  ") + "\n";
  text += exceptions_text(q);
  text += windows_text(q);
  text += "\nUSERS: " + (q.users_size() == 0 ? std::string("all") : joined(q.users(), " ")) + "  \n";
  text += "HOSTS:  " + (q.hosts_size() == 0 ? std::string("all") : joined(q.hosts(), " ")) + "\n";
  if (q.administrators_size() > 0) text += "ADMINISTRATORS:  " + joined(q.administrators(), " ") + "\n";
  text += written_lines(q);
  if (q.has_preemptable_slots())
    text += "PREEMPTABLE_SLOTS:  " + std::to_string(q.preemptable_slots()) + "\n";
  return q.comment().empty() ? text : text + "COMMENT:  \"" + q.comment() + "\"\n";
}

std::string minutes(std::int64_t seconds, const std::string& spec) {
  return fixed(static_cast<double>(seconds) / 60, 1) + " min" + (spec.empty() ? "" : " of " + spec);
}

// Fields of -o for limits: the queue's maxima, or its defaults; "-": none.
enum class LimitsOf { most, standard };
template <LimitsOf which>
const wire::Limits& limits_in(const Queue& q) {
  return which == LimitsOf::most ? q.limits() : q.default_limits();
}
template <LimitsOf which>
std::string run_field(const Queue& q) {
  const auto& limits = limits_in<which>(q);
  return limits.has_run_s() ? minutes(limits.run_s(), limits.run_spec()) : "-";
}
template <LimitsOf which>
std::string cpu_field(const Queue& q) {
  const auto& limits = limits_in<which>(q);
  return limits.has_cpu_s() ? minutes(limits.cpu_s(), limits.cpu_spec()) : "-";
}
template <LimitsOf which>
std::string process_field(const Queue& q) {
  const auto& limits = limits_in<which>(q);
  return limits.has_processes() ? std::to_string(limits.processes()) : "-";
}
template <LimitsOf which>
std::string thread_field(const Queue& q) {
  const auto& limits = limits_in<which>(q);
  return limits.has_threads() ? std::to_string(limits.threads()) : "-";
}
template <LimitsOf which, bool (wire::Limits::*has)() const, std::int64_t (wire::Limits::*kb)() const>
std::string size_field(const Queue& q) {
  const auto& limits = limits_in<which>(q);
  return (limits.*has)() ? limit_words((limits.*kb)()) : "-";
}
// TASKLIMIT = most | least most | least standard most.
std::string task_field(const Queue& q, int at) { return std::to_string(q.task_limit(at)); }
std::string most_tasks(const Queue& q) {
  return q.task_limit_size() == 0 ? "-" : task_field(q, q.task_limit_size() - 1);
}
std::string least_tasks(const Queue& q) { return q.task_limit_size() < 2 ? "-" : task_field(q, 0); }
std::string standard_tasks(const Queue& q) { return q.task_limit_size() == 3 ? task_field(q, 1) : "-"; }
template <const char* keyword>
std::string written_field(const Queue& q) {
  const auto at = q.lines().find(keyword);
  return at == q.lines().end() ? "-" : at->second;
}
constexpr char kResReqKeyword[] = "RES_REQ";

const std::vector<ShownField<Queue>>& queue_fields() {
  using L = wire::Limits;
  constexpr auto most = LimitsOf::most;
  constexpr auto standard = LimitsOf::standard;
  static const std::vector<ShownField<Queue>> known{
      {{"queue_name", "QUEUE_NAME", 15, {"qname"}}, [](const Queue& q) { return q.name(); }},
      {{"description", "DESCRIPTION", 50, {"desc"}}, [](const Queue& q) { return q.description(); }},
      {{"priority", "PRIORITY", 10, {"prio"}}, [](const Queue& q) { return std::to_string(q.priority()); }},
      {{"status", "STATUS", 12, {"stat"}}, status},
      {{"max", "MAX", 10, {}}, max_word},
      {{"jl_u", "JL_U", 10, {"jlu"}}, user_limit},
      {{"jl_p", "JL_P", 10, {"jlp"}}, processor_limit},
      {{"jl_h", "JL_H", 10, {"jlh"}}, host_limit},
      {{"njobs", "NJOBS", 10, {}}, [](const Queue& q) { return std::to_string(q.counts().jobs()); }},
      {{"pend", "PEND", 10, {}}, [](const Queue& q) { return std::to_string(q.counts().pending()); }},
      {{"run", "RUN", 10, {}}, [](const Queue& q) { return std::to_string(q.counts().running()); }},
      {{"susp", "SUSP", 10, {}}, [](const Queue& q) { return std::to_string(susp(q)); }},
      {{"rsv", "RSV", 10, {}}, [](const Queue& q) { return std::to_string(q.counts().reserved()); }},
      {{"ususp", "USUSP", 10, {}}, [](const Queue& q) { return std::to_string(q.counts().ususp()); }},
      {{"ssusp", "SSUSP", 10, {}}, [](const Queue& q) { return std::to_string(q.counts().ssusp()); }},
      {{"nice", "NICE", 6, {}}, [](const Queue& q) { return std::to_string(q.nice()); }},
      {{"max_corelimit", "MAX_CORELIMIT", 8, {"corelimit"}}, size_field<most, &L::has_core_kb, &L::core_kb>},
      {{"max_cpulimit", "MAX_CPULIMIT", 30, {"cpulimit"}}, cpu_field<most>},
      {{"default_cpulimit", "DEFAULT_CPULIMIT", 30, {"def_cpulimit"}}, cpu_field<standard>},
      {{"max_datalimit", "MAX_DATALIMIT", 8, {"datalimit"}}, size_field<most, &L::has_data_kb, &L::data_kb>},
      {{"default_datalimit", "DEFAULT_DATALIMIT", 8, {"def_datalimit"}},
       size_field<standard, &L::has_data_kb, &L::data_kb>},
      {{"max_filelimit", "MAX_FILELIMIT", 8, {"filelimit"}}, size_field<most, &L::has_file_kb, &L::file_kb>},
      {{"max_memlimit", "MAX_MEMLIMIT", 8, {"memlimit"}}, size_field<most, &L::has_memory_kb, &L::memory_kb>},
      {{"default_memlimit", "DEFAULT_MEMLIMIT", 8, {"def_memlimit"}},
       size_field<standard, &L::has_memory_kb, &L::memory_kb>},
      {{"max_processlimit", "MAX_PROCESSLIMIT", 8, {"processlimit"}}, process_field<most>},
      {{"default_processlimit", "DEFAULT_PROCESSLIMIT", 8, {"def_processlimit"}}, process_field<standard>},
      {{"max_runlimit", "MAX_RUNLIMIT", 12, {"runlimit"}}, run_field<most>},
      {{"default_runlimit", "DEFAULT_RUNLIMIT", 12, {"def_runlimit"}}, run_field<standard>},
      {{"max_stacklimit", "MAX_STACKLIMIT", 8, {"stacklimit"}},
       size_field<most, &L::has_stack_kb, &L::stack_kb>},
      {{"max_swaplimit", "MAX_SWAPLIMIT", 8, {"swaplimit"}}, size_field<most, &L::has_swap_kb, &L::swap_kb>},
      {{"max_tasklimit", "MAX_TASKLIMIT", 6, {"tasklimit"}}, most_tasks},
      {{"min_tasklimit", "MIN_TASKLIMIT", 6, {}}, least_tasks},
      {{"default_tasklimit", "DEFAULT_TASKLIMIT", 6, {"def_tasklimit"}}, standard_tasks},
      {{"max_threadlimit", "MAX_THREADLIMIT", 6, {"threadlimit"}}, thread_field<most>},
      {{"default_threadlimit", "DEFAULT_THREADLIMIT", 6, {"def_threadlimit"}}, thread_field<standard>},
      {{"res_req", "RES_REQ", 20, {}}, written_field<kResReqKeyword>},
      {{"pjobs", "PJOBS", 10, {}}, [](const Queue& q) { return std::to_string(q.counts().pending_jobs()); }},
      {{"users", "USERS", 50, {}},
       [](const Queue& q) { return q.users_size() == 0 ? "all" : joined(q.users(), " "); }},
      {{"hosts", "HOSTS", 50, {}},
       [](const Queue& q) { return q.hosts_size() == 0 ? "all" : joined(q.hosts(), " "); }},
      {{"admins", "ADMINS", 50, {"administrators"}},
       [](const Queue& q) { return joined(q.administrators(), " "); }},
  };
  return known;
}

}  // namespace

std::string queues_table(const Queues& queues, bool wide) {
  std::string text = "QUEUE_NAME      PRIO STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN  SUSP \n";
  for (const auto& queue : queues.queues()) text += row(queue, wide);
  return text;
}

std::string queues_long(const Queues& queues) {
  std::string text;
  for (const auto& queue : queues.queues())
    text += (text.empty() ? "" : "\n" + std::string(79, '-') + "\n") + block(queue);
  return text;
}

Result<std::string> queues_fields(const Queues& queues, const std::string& format, FieldForm form) {
  return fields_text(queue_fields(), queues.queues(), format, form, "bqueues", "QUEUES");
}

std::string limits_text(const wire::Limits& limits) {
  std::string titles, values, text;
  const auto flush = [&] {
    if (!titles.empty()) text += (text.empty() ? " " : "\n ") + titles + "\n " + values + "\n";
    titles.clear();
    values.clear();
  };
  const auto add = [&](bool has, const char* title, const std::string& value, std::size_t width) {
    if (!has) return;
    titles += left(title, width);
    values += left(value, width);
  };
  add(limits.has_cpu_s(), "CPULIMIT", minutes(limits.cpu_s(), limits.cpu_spec()), 25);
  add(limits.has_run_s(), "RUNLIMIT", minutes(limits.run_s(), limits.run_spec()), 25);
  flush();
  add(limits.has_file_kb(), "FILELIMIT", limit_words(limits.file_kb()), 13);
  add(limits.has_data_kb(), "DATALIMIT", limit_words(limits.data_kb()), 13);
  add(limits.has_stack_kb(), "STACKLIMIT", limit_words(limits.stack_kb()), 13);
  add(limits.has_core_kb(), "CORELIMIT", limit_words(limits.core_kb()), 13);
  add(limits.has_memory_kb(), "MEMLIMIT", limit_words(limits.memory_kb()), 13);
  add(limits.has_swap_kb(), "SWAPLIMIT", limit_words(limits.swap_kb()), 13);
  add(limits.has_processes(), "PROCESSLIMIT", std::to_string(limits.processes()), 13);
  add(limits.has_threads(), "THREADLIMIT", std::to_string(limits.threads()), 13);
  flush();
  return text;
}

}  // namespace rollcall::sched::show
