// Ends a job that exceeds its limit on memory, swap, processes, threads, CPU time or run time.
#include <csignal>

#include "res/policy/job_life_steps.hpp"

namespace rollcall::res::life {
namespace {

using namespace std::chrono_literals;

constexpr Duration kCpuInterval = 10s;
constexpr Duration kRunGrace = 10min;

bool breaks_a_limit(const JobLife& life, const event::Sampled& s) {
  const auto& limits = life.rules.limits;
  return (life.rules.memory_of_job && limits.has_memory_kb() && s.memory_kb > limits.memory_kb()) ||
         (limits.has_swap_kb() && s.swap_kb > limits.swap_kb()) ||
         (limits.has_processes() && s.processes > limits.processes()) ||
         (limits.has_threads() && s.threads > limits.threads());
}

}  // namespace

void check_usage(JobLife& life, const event::Sampled& s, TimePoint now, Effects& out) {
  if (life.phase == Phase::post_exec && breaks_a_limit(life, s)) return kill_post_exec(life, out);
  if (!alive(life) && life.phase != Phase::pre_exec) return;
  const auto& limits = life.rules.limits;
  const auto interval = life.rules.terminate_interval;
  if (life.rules.memory_of_job && limits.has_memory_kb() && s.memory_kb > limits.memory_kb())
    return escalate(life,
                    limits.memory_hard() ? std::vector<Escalation::Step>{{SIGKILL, 0s}} : softly(interval),
                    kTermMemLimit, now, out);
  if (limits.has_swap_kb() && s.swap_kb > limits.swap_kb())
    return escalate(life, softly(interval), kTermSwap, now, out);
  if (limits.has_processes() && s.processes > limits.processes())
    return escalate(life, softly(interval), kTermProcessLimit, now, out);
  if (limits.has_threads() && s.threads > limits.threads())
    return escalate(life, softly(interval), kTermThreadLimit, now, out);
  if (life.rules.cpu_of_job && limits.has_cpu_s() && s.cpu_s >= static_cast<double>(limits.cpu_s()))
    escalate(
        life,
        {{SIGXCPU, kCpuInterval}, {SIGINT, kCpuInterval}, {SIGTERM, kCpuInterval}, {SIGKILL, kCpuInterval}},
        kTermCpuLimit, now, out);
}

void end_of_time(JobLife& life, int reason, TimePoint now, Effects& out) {
  if (life.run_limit_reached || !alive(life)) return;
  life.run_limit_reached = true;
  escalate(life, {{SIGUSR2, kRunGrace}, {SIGKILL, 0s}}, reason, now, out);
}

void check_time(JobLife& life, TimePoint now, Effects& out) {
  if (life.phase != Phase::running || !life.rules.first_host || !life.rules.limits.has_run_s()) return;
  const Duration limit = std::chrono::seconds(life.rules.limits.run_s());
  if (life.rules.warning_signal != 0 && !life.warned && life.run >= limit - life.rules.warning_before) {
    life.warned = true;
    out.push_back(effect::Signal{life.rules.warning_signal});
  }
  if (life.run >= limit) end_of_time(life, kTermRunLimit, now, out);
}

}  // namespace rollcall::res::life
