#include "sched/policy/show/job_field_table.hpp"

#include <algorithm>

#include "common/base/exit_status.hpp"
#include "sched/policy/show/job_picks.hpp"
#include "sched/policy/show/show_job_long.hpp"
#include "sched/policy/values/elsewhere.hpp"
#include "sched/policy/values/gpus.hpp"
#include "sched/policy/values/job.hpp"
#include "sched/policy/values/verdict_json.hpp"

namespace rollcall::sched::show {
namespace {

using Of = FieldSource;
using Needs = FieldNeeds;

std::string nothing(const Of&) { return ""; }

bool over(const Of& of) { return finished(of.job.status()); }
bool has_hosts(const Of& of) { return !pending(of.job.status()) && of.job.hosts_size() > 0; }
bool started(const Of& of) { return !pending(of.job.status()) && of.job.start_us() > 0; }

std::string number(std::int64_t value) { return std::to_string(value); }
std::string date(const Of& of, std::int64_t us) { return us > 0 ? of.time.shortly(us) : ""; }
std::string size(const Of& of, std::int64_t kb) {
  return bytes_in(kb, of.unit.empty() ? of.units.size : of.unit);
}

// ---------------------------------------------------------------- what it is
std::string jobid(const Of& of) { return number(of.job.key().id()); }
std::string jobindex(const Of& of) { return number(of.job.key().index()); }
std::string stat(const Of& of) { return std::string(status_word(of.job.status())); }
std::string user(const Of& of) { return of.asked.user(); }
std::string user_group(const Of& of) { return of.asked.user_group(); }
std::string queue(const Of& of) { return of.job.queue(); }
std::string description(const Of& of) { return of.asked.description(); }
std::string project(const Of& of) { return of.asked.project(); }
std::string application(const Of& of) { return of.asked.application(); }
std::string service_class(const Of& of) { return of.asked.service_class(); }
std::string job_group(const Of& of) { return of.asked.job_group(); }
std::string priority(const Of& of) { return of.asked.has_priority() ? number(of.asked.priority()) : ""; }
std::string rsvid(const Of& of) { return of.asked.reservation(); }
std::string esub(const Of& of) {
  std::string words;
  for (const auto& name : of.asked.esubs()) words += (words.empty() ? "" : " ") + name;
  return words;
}
std::string dependency(const Of& of) { return of.asked.dependency(); }
std::string command(const Of& of) { return of.asked.command(); }
std::string pre_exec(const Of& of) { return of.asked.pre_exec(); }
std::string post_exec(const Of& of) { return of.asked.post_exec(); }
std::string interactive(const Of& of) { return of.asked.interactive() == wire::Submission::NONE ? "N" : "Y"; }
std::string exclusive(const Of& of) { return of.asked.exclusive() ? "Y" : "N"; }

// ---------------------------------------------------------------- why
std::string kill_reason(const Of& of) { return of.job.kill_reason(); }
std::string suspend_reason(const Of& of) {
  if (of.job.status() == wire::STATUS_RUN) return "";  // the order waits for its cluster
  if (of.job.stopped_by_admin()) return "The job was suspended by LSF admin or root";
  return of.job.stopped_by_user() ? "The job was suspended by user" : "";
}
std::string pend_reason(const Of& of) {
  if (!pending(of.job.status())) return "";
  for (const auto& reason : of.view.reasons())
    if (reason.key()) return reason.text() + ";";
  return of.view.reasons_size() > 0 ? of.view.reasons(0).text() + ";" : "";
}
// LSF shows no exit code of a job that is done or has not ended.
std::string exit_code(const Of& of) {
  if (of.job.status() != wire::STATUS_EXIT) return "";
  const int word = of.job.exit_status();
  const int code = (word & 0x7f) != 0 ? 128 + (word & 0x7f) : word >> 8 & 0xff;
  return code == 0 ? "" : number(code);
}
std::string exit_reason(const Of& of) { return over(of) ? term_words(of.job.term_reason()) : ""; }

// ---------------------------------------------------------------- where
std::string from_host(const Of& of) { return from_host_word(of.job, of.asked); }
std::string forward_cluster(const Of& of) { return of.job.forwarded().cluster(); }
// Those of the moment, else those that were looked at when it was forwarded.
const auto& looked_at(const Of& of) {
  return of.view.looked_at_size() > 0 ? of.view.looked_at() : of.job.forwarded().looked_at();
}
std::string remote_queues(const Of& of) {
  std::string line;
  for (const auto& one : looked_at(of))
    line += (line.empty() ? "" : "; ") + one.queue() + "@" + one.cluster() + ": " + one.why();
  return line;
}
std::string remote_queues_json(const Of& of) { return verdicts_json(looked_at(of)); }
std::string forward_time(const Of& of) {
  return of.job.has_forwarded() ? date(of, of.job.forwarded().at_us()) : "";
}
std::string source_cluster(const Of& of) { return of.job.from().cluster(); }
std::string source_job(const Of& of) { return of.job.has_from() ? text(key_of(of.job.from().key())) : ""; }
std::string job_there(const Of& of) {
  return of.job.forwarded().has_there() ? text(key_of(of.job.forwarded().there().key())) : "";
}
std::string first_host(const Of& of) { return has_hosts(of) ? of.job.hosts(0).name() : ""; }
std::string exec_host(const Of& of) { return has_hosts(of) ? exec_host_words(of.job, ":") : ""; }
std::string nexec_host(const Of& of) { return has_hosts(of) ? number(of.job.hosts_size()) : ""; }
std::string ask_hosts(const Of& of) {
  std::string words;
  for (const auto& host : of.asked.asked_hosts()) words += (words.empty() ? "" : " ") + host.name();
  return words;
}
std::string nalloc_slot(const Of& of) { return has_hosts(of) ? number(slots_of(of.job)) : ""; }
std::string least_slots(const Of& of) { return number(std::max(1U, of.asked.min_slots())); }
std::string most_slots(const Of& of) {
  return number(std::max({1U, of.asked.min_slots(), of.asked.max_slots()}));
}
std::string slots(const Of& of) { return has_hosts(of) ? number(slots_of(of.job)) : least_slots(of); }
std::string exception_status(const Of& of) { return of.view.exceptions(); }
std::string pids(const Of& of) {
  std::string words;
  for (const auto pid : of.job.usage().pids()) words += (words.empty() ? "" : ",") + number(pid);
  return words;
}

// ---------------------------------------------------------------- when
std::string submit_time(const Of& of) { return date(of, of.job.submit_us()); }
std::string start_time(const Of& of) { return started(of) ? date(of, of.job.start_us()) : ""; }
std::string specified_start(const Of& of) { return date(of, of.asked.begin_us()); }
std::string specified_end(const Of& of) { return date(of, of.asked.terminate_us()); }

std::int64_t run_limit_s(const Of& of) {
  return of.view.effective_limits().has_run_s() ? of.view.effective_limits().run_s() : 0;
}
std::int64_t run_seconds(const Of& of) {
  if (!started(of)) return 0;
  return seconds_between({of.job.start_us()}, over(of) ? WallTime{of.job.end_us()} : of.time.now);
}
std::string finish_time(const Of& of) {
  if (over(of)) return date(of, of.job.end_us());
  if (!started(of) || run_limit_s(of) == 0) return "";
  return date(of, of.job.start_us() + run_limit_s(of) * 1'000'000) + " L";
}
std::string time_left(const Of& of) {
  if (over(of) || !started(of) || run_limit_s(of) == 0) return "";
  const std::int64_t left = std::max<std::int64_t>(0, run_limit_s(of) - run_seconds(of));
  if (of.units.hms) return duration_words(left, true) + " L";
  const std::string minutes = number(left / 60 % 60);
  return number(left / 3600) + ":" + (minutes.size() < 2 ? "0" : "") + minutes + " L";
}
// An estimate by the run limit: a job that has ended has none, as it has no time left.
std::string complete(const Of& of) {
  if (over(of) || !started(of) || run_limit_s(of) == 0) return "";
  return fixed(100.0 * static_cast<double>(run_seconds(of)) / static_cast<double>(run_limit_s(of)), 2) +
         "% L";
}
std::string run_time(const Of& of) { return duration_words(run_seconds(of), of.units.hms); }
std::int64_t pend_seconds(const Of& of) {
  const auto& job = of.job;
  if (started(of)) return seconds_between({job.submit_us()}, {job.start_us()});
  return seconds_between({job.submit_us()}, over(of) ? WallTime{job.end_us()} : of.time.now);
}
std::string plain_seconds(const Of& of, std::int64_t seconds) {
  return of.units.hms ? duration_words(seconds, true) : number(seconds);
}
std::string pend_time(const Of& of) { return plain_seconds(of, pend_seconds(of)); }
// An ineligible job (held, dependency, begin time) cannot be scheduled at all.
bool not_eligible(const Of& of) { return ineligible(of.view, of.asked, of.time.now); }
std::string pendstate(const Of& of) {
  if (!pending(of.job.status())) return "NOTPEND";
  return not_eligible(of) ? "IPEND" : "EPEND";
}
std::int64_t ineligible_seconds(const Of& of) {
  return pending(of.job.status()) && not_eligible(of) ? pend_seconds(of) : of.job.psusp_s();
}
std::string ipendtime(const Of& of) { return plain_seconds(of, ineligible_seconds(of)); }
std::string ependtime(const Of& of) { return plain_seconds(of, pend_seconds(of) - ineligible_seconds(of)); }

std::string warning_action(const Of& of) {
  return of.asked.has_warning_signal() ? signal_name(of.asked.warning_signal()) : "";
}
std::string action_warning_time(const Of& of) {
  if (!of.asked.has_warning_signal()) return "";
  return duration_words(of.asked.warning_seconds(), of.units.hms);
}

// ---------------------------------------------------------------- usage
double cpu_seconds(const Of& of) { return of.job.usage().user_s() + of.job.usage().system_s(); }
std::string cpu_used(const Of& of) {
  return duration_words(static_cast<std::int64_t>(cpu_seconds(of)), of.units.hms);
}
std::string ru_utime(const Of& of) {
  return duration_words(static_cast<std::int64_t>(of.job.usage().user_s()), of.units.hms);
}
std::string ru_stime(const Of& of) {
  return duration_words(static_cast<std::int64_t>(of.job.usage().system_s()), of.units.hms);
}
bool used(const Of& of) { return of.job.usage().sampled_us() > 0 || of.job.usage().max_memory_kb() > 0; }
std::string mem(const Of& of) { return used(of) && !over(of) ? size(of, of.job.usage().memory_kb()) : ""; }
std::string max_mem(const Of& of) { return used(of) ? size(of, of.job.usage().max_memory_kb()) : ""; }
std::string avg_mem(const Of& of) { return used(of) ? size(of, of.job.usage().average_memory_kb()) : ""; }
std::string swap(const Of& of) { return used(of) && !over(of) ? size(of, of.job.usage().swap_kb()) : ""; }
std::string nthreads(const Of& of) { return used(of) ? number(of.job.usage().threads()) : ""; }
double efficiency(const Of& of) {
  const double seconds = static_cast<double>(run_seconds(of)) * std::max(1U, slots_of(of.job));
  return seconds > 0 ? cpu_seconds(of) / seconds : 0;
}
std::string idle_factor(const Of& of) { return started(of) ? fixed(efficiency(of), 2) : ""; }
std::string cpu_efficiency(const Of& of) { return started(of) ? fixed(100 * efficiency(of), 2) + "%" : ""; }
// In per cent of the reserved memory, as in bjobs; empty without a reservation.
std::string mem_efficiency(const Of& of) {
  double reserved_mb = 0;
  for (const auto& reserved : of.job.reserved())
    if (reserved.resource() == "mem") reserved_mb += reserved.amount();
  if (!used(of) || reserved_mb <= 0) return "";
  return fixed(100.0 * static_cast<double>(of.job.usage().max_memory_kb()) / 1024 / reserved_mb, 2) + "%";
}
std::string hrusage(const Of& of) {
  std::string words;
  for (const auto& host : of.job.usage().hosts())
    words += (words.empty() ? "" : "; ") + host.host() + " MEM=" + size(of, host.memory_kb()) +
             " SWAP=" + size(of, host.swap_kb()) + " CPU=" + fixed(host.user_s() + host.system_s(), 1);
  return words;
}

// ---------------------------------------------------------------- what it asks for and may use
std::string effective_resreq(const Of& of) { return of.job.effective_resreq(); }
std::string combined_resreq(const Of& of) { return of.view.combined_resreq(); }
const wire::Limits& limits(const Of& of) { return of.view.effective_limits(); }
std::string memlimit(const Of& of) {
  return limits(of).has_memory_kb() ? size(of, limits(of).memory_kb()) : "";
}
std::string swaplimit(const Of& of) { return limits(of).has_swap_kb() ? size(of, limits(of).swap_kb()) : ""; }
std::string corelimit(const Of& of) { return limits(of).has_core_kb() ? size(of, limits(of).core_kb()) : ""; }
std::string stacklimit(const Of& of) {
  return limits(of).has_stack_kb() ? size(of, limits(of).stack_kb()) : "";
}
std::string filelimit(const Of& of) { return limits(of).has_file_kb() ? size(of, limits(of).file_kb()) : ""; }
std::string processlimit(const Of& of) {
  return limits(of).has_processes() ? number(limits(of).processes()) : "";
}
std::string runtimelimit(const Of& of) {
  return run_limit_s(of) > 0 ? fixed(static_cast<double>(run_limit_s(of)) / 60, 1) : "";
}
std::string gpu(const Of& of) { return of.asked.gpu(); }
std::string gpu_part(const Of& of, const std::string& key) {
  const auto at = of.asked.gpu().find(key + "=");
  if (at == std::string::npos) return "";
  const auto begin = at + key.size() + 1;
  return of.asked.gpu().substr(begin, of.asked.gpu().find_first_of(":/", begin) - begin);
}
std::string gpu_num(const Of& of) {
  if (of.asked.gpu().empty()) return "";
  const std::string count = gpu_part(of, "num");
  return count.empty() ? "1" : count;
}
std::string gpu_mode(const Of& of) { return gpu_part(of, "mode"); }
std::string gpu_exclusive(const Of& of) { return gpu_part(of, "j_exclusive"); }
std::string gpu_alloc(const Of& of) { return gpus_text(devices_of(of.job)); }

// ---------------------------------------------------------------- files
std::string input_file(const Of& of) { return of.asked.input_file(); }
std::string output_file(const Of& of) { return with_job_numbers(of.asked.output_file(), of.job.key()); }
std::string error_file(const Of& of) { return with_job_numbers(of.asked.error_file(), of.job.key()); }
std::string output_dir(const Of& of) { return of.asked.output_dir(); }
std::string sub_cwd(const Of& of) { return home_word(of.asked.cwd(), of.asked.home()); }
std::string exec_home(const Of& of) { return of.job.exec_home(); }
std::string exec_cwd(const Of& of) { return of.job.exec_cwd(); }

constexpr auto kAsked = Needs::submission;
}  // namespace

std::string job_name_value(const Of& of) { return shown_name(of.job, of.asked); }

const std::vector<JobField>& job_fields() {
  static const std::vector<JobField> fields{
      {"jobid", 7, "id", jobid},
      {"jobindex", 8, "", jobindex},
      {"stat", 5, "", stat},
      {"user", 7, "", user},
      {"user_group", 15, "ugroup", user_group, kAsked},
      {"queue", 10, "", queue},
      {"job_name", 10, "name", job_name_value},
      {"job_description", 17, "description", description, kAsked},
      {"proj_name", 11, "proj project", project},
      {"application", 13, "app", application, kAsked},
      {"service_class", 13, "sla", service_class, kAsked},
      {"job_group", 10, "group", job_group, kAsked},
      {"job_priority", 12, "priority", priority, kAsked},
      {"rsvid", 40, "", rsvid, kAsked},
      {"esub", 20, "", esub, kAsked},
      {"kill_reason", 50, "", kill_reason},
      {"suspend_reason", 50, "", suspend_reason},
      {"resume_reason", 50, "", nothing},
      {"kill_issue_host", 50, "", nothing},
      {"suspend_issue_host", 50, "", nothing},
      {"resume_issue_host", 50, "", nothing},
      {"dependency", 15, "", dependency, kAsked},
      {"pend_reason", 11, "", pend_reason, Needs::reasons},
      {"charged_saap", 50, "saap", nothing},
      {"command", 15, "cmd", command},
      {"pre_exec_command", 16, "pre_cmd", pre_exec, kAsked},
      {"post_exec_command", 17, "post_cmd", post_exec, kAsked},
      {"resize_notification_command", 27, "resize_cmd", nothing},
      {"pids", 20, "", pids},
      {"exit_code", 10, "", exit_code},
      {"exit_reason", 50, "", exit_reason},
      {"interactive", 11, "", interactive, kAsked},
      {"from_host", 11, "", from_host},
      {"first_host", 11, "", first_host},
      {"exec_host", 11, "", exec_host},
      {"nexec_host", 10, "", nexec_host},
      {"ask_hosts", 30, "", ask_hosts, kAsked},
      {"alloc_slot", 20, "", exec_host},
      {"nalloc_slot", 10, "", nalloc_slot},
      {"host_file", 10, "", nothing},
      {"exclusive", 13, "", exclusive, kAsked},
      {"nreq_slot", 10, "", least_slots, kAsked},
      {"submit_time", 15, "", submit_time},
      {"start_time", 15, "", start_time},
      {"estimated_start_time", 20, "estart_time", nothing},
      {"specified_start_time", 20, "sstart_time", specified_start, kAsked},
      {"specified_terminate_time", 24, "sterminate_time", specified_end, kAsked},
      {"time_left", 11, "", time_left, kAsked},
      {"finish_time", 16, "", finish_time, kAsked},
      {"estimated_run_time", 20, "ertime", nothing},
      {"ru_utime", 12, "", ru_utime},
      {"ru_stime", 12, "", ru_stime},
      {"%complete", 11, "", complete, kAsked},
      {"warning_action", 15, "warn_act", warning_action, kAsked},
      {"action_warning_time", 19, "warn_time", action_warning_time, kAsked},
      {"pendstate", 9, "", pendstate, kAsked},
      {"pend_time", 12, "", pend_time},
      {"ependtime", 12, "", ependtime, kAsked},
      {"ipendtime", 12, "", ipendtime, kAsked},
      {"estimated_sim_start_time", 24, "esstart_time", nothing},
      {"effective_plimit", 18, "", nothing},
      {"plimit_remain", 15, "", nothing},
      {"effective_eplimit", 19, "", nothing},
      {"eplimit_remain", 16, "", nothing},
      {"cpu_used", 10, "", cpu_used},
      {"run_time", 15, "", run_time},
      {"idle_factor", 11, "", idle_factor},
      {"exception_status", 16, "except_stat", exception_status, kAsked},
      {"slots", 5, "", slots, kAsked},
      {"mem", 10, "", mem},
      {"max_mem", 10, "", max_mem},
      {"avg_mem", 10, "", avg_mem},
      {"memlimit", 10, "", memlimit, kAsked},
      {"swap", 10, "", swap},
      {"swaplimit", 10, "", swaplimit, kAsked},
      {"gpu_num", 10, "gnum", gpu_num, kAsked},
      {"gpu_mode", 20, "gmode", gpu_mode, kAsked},
      {"j_exclusive", 15, "j_excl", gpu_exclusive, kAsked},
      {"gpu_alloc", 30, "galloc", gpu_alloc},
      {"nthreads", 10, "", nthreads},
      {"hrusage", 50, "", hrusage},
      {"min_req_proc", 12, "", least_slots, kAsked},
      {"max_req_proc", 12, "", most_slots, kAsked},
      {"effective_resreq", 17, "eresreq", effective_resreq, kAsked},
      {"combined_resreq", 20, "cresreq", combined_resreq, kAsked},
      {"network_req", 15, "", nothing},
      {"filelimit", 10, "", filelimit, kAsked},
      {"corelimit", 10, "", corelimit, kAsked},
      {"stacklimit", 10, "", stacklimit, kAsked},
      {"processlimit", 12, "", processlimit, kAsked},
      {"runtimelimit", 12, "", runtimelimit, kAsked},
      {"plimit", 10, "", nothing},
      {"eplimit", 10, "", nothing},
      {"input_file", 10, "", input_file, kAsked},
      {"output_file", 11, "", output_file, kAsked},
      {"error_file", 10, "", error_file, kAsked},
      {"output_dir", 15, "", output_dir, kAsked},
      {"sub_cwd", 10, "", sub_cwd, kAsked},
      {"exec_home", 10, "", exec_home},
      {"exec_cwd", 10, "", exec_cwd},
      {"licproject", 20, "", nothing},
      {"forward_cluster", 15, "fwd_cluster", forward_cluster},
      {"forward_time", 15, "fwd_time", forward_time},
      {"remote_queues", 15, "fwd_queues", remote_queues, kAsked, remote_queues_json},
      {"srcjobid", 8, "", source_job},
      {"dstjobid", 8, "", job_there},
      {"source_cluster", 15, "srcluster", source_cluster},
      {"energy", 10, "", nothing},
      {"gpfsio", 10, "", nothing},
      {"cpu_peak", 10, "", nothing},
      {"mem_efficiency", 10, "", mem_efficiency, kAsked},
      {"cpu_efficiency", 10, "", cpu_efficiency},
      {"cpu_peak_efficiency", 10, "", nothing},
      {"average_cpu_efficiency", 10, "", cpu_efficiency},
      {"cpu_peak_reached_duration", 10, "", nothing},
      {"gpu_req", 20, "", gpu, kAsked},
      {"image", 20, "", nothing},
      {"ctxuser", 10, "", nothing},
      {"container_name", 20, "", nothing},
      {"longjobid", 12, "", jobid},
      {"k8s", 10, "", nothing},
      {"plan_start_time", 15, "", nothing},
      {"block", 10, "", nothing},
  };
  return fields;
}

}  // namespace rollcall::sched::show
