#include "sched/policy/peers/crossing.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "common/base/host_list.hpp"
#include "common/base/job_numbers.hpp"
#include "sched/policy/peers/peer_identity.hpp"

namespace rollcall::sched::peers {
namespace {

constexpr std::size_t kLongestName = 255;
constexpr int kMostHosts = 10'000;
constexpr int kMostProfiles = 1000;
constexpr int kMostQueues = 10'000;

// Variables that name things of one cluster, of one host, or of one attempt.
bool stays(std::string_view word) {
  if (word.starts_with("LSF_PJL_TYPE="))
    return false;  // which MPI the job is of, as bsub -a says: it names no place
  for (const std::string_view prefix : {"LSF_", "LSB_", "LS_", "ROLLCALL_", "SBD_", "CUDA_VISIBLE_DEVICES="})
    if (word.starts_with(prefix)) return true;
  return word.starts_with("LSFUSER=");
}

constexpr int kMostLinkWords = 8;

// What blaunch and pam read of the patience between hosts: a number of seconds, or what is done when one is lost.
bool is_link_word(std::string_view word) {
  for (const std::string_view name : {"LSB_DJOB_RU_INTERVAL=", "LSB_DJOB_HB_INTERVAL=",
                                      "LSF_RES_ALIVE_TIMEOUT=", "LSB_DJOB_COMMFAIL_ACTION="}) {
    if (!word.starts_with(name)) continue;
    const std::string_view value = word.substr(name.size());
    return !value.empty() && value.size() <= 32 && std::all_of(value.begin(), value.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_';
    });
  }
  return false;
}

bool known(wire::JobStatus status) {
  switch (status) {
    case wire::STATUS_PEND:
    case wire::STATUS_PSUSP:
    case wire::STATUS_RUN:
    case wire::STATUS_SSUSP:
    case wire::STATUS_USUSP:
    case wire::STATUS_UNKWN:
    case wire::STATUS_ZOMBI:
    case wire::STATUS_DONE:
    case wire::STATUS_EXIT:
      return true;
    default:
      return false;
  }
}

double fine(double seconds) { return std::isfinite(seconds) ? std::clamp(seconds, 0.0, 1e12) : 0; }
// Their microseconds fit, too.
std::int64_t fine_seconds(std::int64_t s) { return std::clamp<std::int64_t>(s, 0, std::int64_t{1} << 40); }
std::int64_t fine(std::int64_t kb) { return std::clamp<std::int64_t>(kb, 0, std::int64_t{1} << 50); }

// Where the first name of the path that has a number ends, in bytes of the path with numbers; 0: none has one.
std::size_t first_numbered(const std::string& path, JobKey key) {
  for (std::size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    const std::string so_far = path.substr(0, end);
    if (const std::string there = with_job_numbers(so_far, key.id, key.index); there != so_far)
      return there.size();
  }
  return 0;
}

}  // namespace

wire::JobUsage crossing(const wire::JobUsage& told) {
  wire::JobUsage usage;
  usage.set_user_s(fine(told.user_s()));
  usage.set_system_s(fine(told.system_s()));
  usage.set_memory_kb(fine(told.memory_kb()));
  usage.set_swap_kb(fine(told.swap_kb()));
  usage.set_max_memory_kb(fine(told.max_memory_kb()));
  usage.set_max_swap_kb(fine(told.max_swap_kb()));
  usage.set_average_memory_kb(fine(told.average_memory_kb()));
  usage.set_threads(std::max(0, told.threads()));
  usage.set_processes(std::max(0, told.processes()));
  usage.set_max_threads(std::max(0, told.max_threads()));
  usage.set_max_processes(std::max(0, told.max_processes()));
  return usage;
}

bool crosses(std::string_view word) { return !stays(word); }

std::string stays_home(const wire::Submission& asked) {
  if (asked.asked_hosts_size() != 0) return "it asks for hosts of this cluster (-m)";
  if (!asked.reservation().empty()) return "it asks for a reservation of this cluster (-U)";
  return {};
}

wire::Submission crossing(const wire::Submission& asked) {
  wire::Submission may;
  may.set_command(asked.command());
  may.set_script(asked.script());
  may.set_shell(asked.shell());
  may.set_job_name(asked.job_name());
  may.set_project(asked.project());
  may.set_min_slots(asked.min_slots());
  may.set_max_slots(asked.max_slots());
  may.set_resreq(asked.resreq());
  may.set_exclusive(asked.exclusive());
  if (asked.has_rerunnable()) may.set_rerunnable(asked.rerunnable());
  *may.mutable_limits() = asked.limits();
  may.set_cwd(asked.cwd());
  may.set_asked_cwd(asked.asked_cwd());
  may.set_numbered_cwd(asked.numbered_cwd());
  may.set_output_dir(asked.output_dir());
  may.set_input_file(asked.input_file());
  may.set_output_file(asked.output_file());
  may.set_error_file(asked.error_file());
  may.set_output_overwrite(asked.output_overwrite());
  may.set_error_overwrite(asked.error_overwrite());
  for (const auto& word : asked.environment())
    if (!stays(word)) may.add_environment(word);
  may.set_umask(asked.umask());
  may.set_home(asked.home());
  may.set_mail_user(asked.mail_user());
  may.set_mail_at_start(asked.mail_at_start());
  may.set_mail_report(asked.mail_report());
  may.set_pre_exec(asked.pre_exec());
  may.set_post_exec(asked.post_exec());
  may.set_requeue_exits(asked.requeue_exits());
  may.set_application(asked.application());
  may.set_gpu(asked.gpu());
  may.set_description(asked.description());
  may.set_from_host(asked.from_host());
  may.set_from_type(asked.from_type());
  may.set_login_shell(asked.login_shell());
  may.set_nodes(asked.nodes());
  if (asked.has_spooled_input()) may.set_spooled_input(asked.spooled_input());
  *may.mutable_transfers() = asked.transfers();
  may.set_esub_output(asked.esub_output());  // for the other site's eexec, which runs as the job's user there
  if (wire::Submission::Interactive_IsValid(asked.interactive())) may.set_interactive(asked.interactive());
  may.set_user(asked.user());
  return may;
}

wire::Submission crossing(const wire::Submission& asked, JobKey key) {
  wire::Submission may = crossing(asked);
  const auto numbered = [key](const std::string& path) { return with_job_numbers(path, key.id, key.index); };
  may.set_asked_cwd(numbered(asked.asked_cwd()));
  if (const std::size_t numbered_to = first_numbered(asked.asked_cwd(), key); numbered_to != 0)
    may.set_numbered_cwd(static_cast<std::uint32_t>(numbered_to));
  may.set_output_dir(numbered(asked.output_dir()));
  may.set_input_file(numbered(asked.input_file()));
  may.set_output_file(numbered(asked.output_file()));
  may.set_error_file(numbered(asked.error_file()));
  for (auto& transfer : *may.mutable_transfers()) {
    transfer.set_local(numbered(transfer.local()));
    transfer.set_remote(numbered(transfer.remote()));
  }
  return may;
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kLongestName &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c > ' ' && c < 0x7f && c != '@'; });
}

Result<void> check(const wire::ForwardAttempt& attempt) {
  if (attempt.key().id() < 1 || attempt.key().index() < 0 || attempt.attempt() == 0)
    return internal_error("found an attempt without a number, expected one of a job");
  return {};
}

Result<wire::JobElsewhere> believed(const wire::JobElsewhere& told) {
  if (!known(told.status()))
    return internal_error("found job status " + std::to_string(told.status()) + ", expected one of LSF's");
  if (told.key().id() < 1 || told.key().index() < 0)
    return internal_error("found a job without an id, expected one");
  if (told.hosts_size() > kMostHosts)
    return internal_error("found a job on " + std::to_string(told.hosts_size()) +
                          " hosts, expected at most " + std::to_string(kMostHosts));
  wire::JobElsewhere job;
  set_key(*job.mutable_key(), key_of(told.key()));
  job.set_queue(is_name(told.queue()) ? told.queue() : "-");
  job.set_status(told.status());
  job.set_suspend_reasons(told.suspend_reasons() & 0x7f);
  for (const auto& host : told.hosts())
    if (is_name(host.name()) && host.slots() <= 1'000'000) {
      auto& on = *job.add_hosts();
      on.set_name(host.name());
      on.set_slots(host.slots());
    }
  job.set_signal_number(told.signal_number());
  job.set_why(plain_words(told.why()));
  job.set_exec_user(is_name(told.exec_user()) ? told.exec_user() : "");
  job.set_exec_home(plain_words(told.exec_home()));
  job.set_exec_cwd(plain_words(told.exec_cwd()));
  job.set_pid(std::max(0, told.pid()));
  job.set_pgid(std::max(0, told.pgid()));
  if (told.has_usage()) *job.mutable_usage() = crossing(told.usage());
  return job;
}

Result<void> fits(const wire::JobElsewhere& job, const wire::Submission& asked) {
  constexpr std::uint64_t kMoreThanAsked = 16;  // a queue there may give whole hosts
  constexpr std::uint64_t kOfNodes = 4096;
  constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;  // an event names the host of each slot
  std::uint64_t slots = 0, bytes = 0;
  for (const auto& host : job.hosts()) {
    slots += host.slots();
    bytes += host.slots() * (host.name().size() + 1);
  }
  const std::uint64_t most =
      std::max<std::uint64_t>({1, asked.min_slots(), asked.max_slots()}) * kMoreThanAsked +
      asked.nodes() * kOfNodes;
  if (slots <= most && bytes <= kMostBytes && static_cast<std::uint64_t>(job.hosts_size()) <= most) return {};
  return internal_error("found a job on " + std::to_string(job.hosts_size()) + " hosts with " +
                        std::to_string(slots) + " slots, expected at most " + std::to_string(most) +
                        ", and " + std::to_string(kMostBytes >> 20) + " MB of names, one for each slot");
}

Result<wire::ForwardOver> believed(const wire::ForwardOver& told) {
  if (!wire::ForwardOver::How_IsValid(told.how()))
    return internal_error("found an end of an unknown kind, expected one of ForwardOver");
  wire::ForwardOver over;
  *over.mutable_attempt() = told.attempt();
  over.set_how(told.how());
  over.set_exit_status(told.exit_status() & 0xffff);
  over.set_term_reason(std::clamp(told.term_reason(), 0, 63));
  over.set_why(plain_words(told.why()));
  over.set_run_s(fine_seconds(told.run_s()));
  if (told.has_took_s()) over.set_took_s(fine_seconds(told.took_s()));
  if (told.has_ended_s_ago()) over.set_ended_s_ago(fine_seconds(told.ended_s_ago()));
  if (host_name(told.due_to_host())) over.set_due_to_host(told.due_to_host());
  if (wire::ForwardOver::Scope_IsValid(told.refused_for())) over.set_refused_for(told.refused_for());
  if (told.how() != wire::ForwardOver::ENDED) return over;
  auto job = believed(told.job());
  if (!job) return job.error();
  *over.mutable_job() = std::move(*job);
  if (wire::PostStatus_IsValid(told.post())) over.set_post(told.post());
  return over;
}

wire::LentPrograms programs_of(const order::Start& order) {
  wire::LentPrograms programs;
  programs.set_job_starter(order.job_starter);
  programs.set_queue_pre_exec(order.queue_pre_exec);
  programs.set_queue_post_exec(order.queue_post_exec);
  programs.set_suspend(order.controls.suspend);
  programs.set_resume(order.controls.resume);
  programs.set_terminate(order.controls.terminate);
  programs.set_nice(order.nice);
  for (const std::string& word : order.environment)
    if (is_link_word(word)) programs.add_links(word);
  return programs;
}

wire::LentPrograms believed(const wire::LentPrograms& told) {
  wire::LentPrograms programs = told;
  programs.set_nice(std::clamp(told.nice(), 0, 20));
  programs.clear_links();
  for (const std::string& word : told.links())
    if (is_link_word(word) && programs.links_size() < kMostLinkWords) programs.add_links(word);
  return programs;
}

wire::PeerApplications believed(const wire::PeerApplications& told) {
  wire::PeerApplications applications;
  for (const auto& profile : told.profiles()) {
    if (applications.profiles_size() == kMostProfiles) break;
    if (!is_name(profile.name())) continue;
    auto& taken = *applications.add_profiles();
    taken.set_name(profile.name());
    taken.set_description(plain_words(profile.description()));
  }
  applications.set_tells_queues(told.tells_queues() && told.queues_size() <= kMostQueues);
  if (applications.tells_queues())
    for (const auto& queue : told.queues())
      if (is_name(queue)) applications.add_queues(queue);
  return applications;
}

}  // namespace rollcall::sched::peers
