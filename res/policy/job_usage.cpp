#include "res/policy/job_usage.hpp"

#include <algorithm>
#include <set>

namespace rollcall::res {

// Times never decrease, though a process that is reaped between two readings may be missing in both.
void UsageMeter::take_times(double user_s, double system_s) {
  usage_.set_user_s(std::max({usage_.user_s(), user_s, cgroup_.cpu ? cgroup_.user_s : 0}));
  usage_.set_system_s(std::max({usage_.system_s(), system_s, cgroup_.cpu ? cgroup_.system_s : 0}));
}

void UsageMeter::set_cgroup(const CgroupNumbers& numbers, double own_user_s, double own_system_s) {
  cgroup_ = numbers;
  cgroup_.user_s = std::max(0.0, numbers.user_s - own_user_s);
  cgroup_.system_s = std::max(0.0, numbers.system_s - own_system_s);
}

void UsageMeter::sample(const std::vector<ProcessFacts>& living, double ended_user_s, double ended_system_s,
                        std::int64_t at_us) {
  double user = ended_user_s, system = ended_system_s;
  std::int64_t memory = 0, swap = 0;
  std::int32_t threads = 0;
  std::set<std::int32_t> groups;
  forget_processes();
  for (const auto& process : living) {
    user += process.cpu_user_s;
    system += process.cpu_system_s;
    memory += process.memory_kb;
    swap += process.swap_kb;
    threads += process.threads;
    usage_.add_pids(process.pid);
    usage_.add_pid_pgids(process.pgid);
    groups.insert(process.pgid);
  }
  for (const auto group : groups) usage_.add_pgids(group);
  take_times(user, system);
  if (cgroup_.memory) memory = cgroup_.memory_kb;
  const auto processes = static_cast<std::int32_t>(living.size());
  usage_.set_memory_kb(memory);
  usage_.set_swap_kb(swap);
  usage_.set_threads(threads);
  usage_.set_processes(processes);
  usage_.set_max_memory_kb(std::max({usage_.max_memory_kb(), memory, cgroup_.peak_kb}));
  usage_.set_max_swap_kb(std::max(usage_.max_swap_kb(), swap));
  usage_.set_max_threads(std::max(usage_.max_threads(), threads));
  usage_.set_max_processes(std::max(usage_.max_processes(), processes));
  memory_sum_kb_ += static_cast<double>(memory);
  ++samples_;
  usage_.set_average_memory_kb(static_cast<std::int64_t>(memory_sum_kb_ / static_cast<double>(samples_)));
  usage_.set_sampled_us(at_us);
}

void UsageMeter::finish(double user_s, double system_s, std::int64_t largest_kb, std::int64_t at_us) {
  take_times(user_s, system_s);
  usage_.set_max_memory_kb(std::max({usage_.max_memory_kb(), largest_kb, cgroup_.peak_kb}));
  usage_.set_memory_kb(0);
  usage_.set_swap_kb(0);
  usage_.set_threads(0);
  usage_.set_processes(0);
  forget_processes();
  usage_.set_sampled_us(at_us);
}

void UsageMeter::forget_processes() {
  usage_.clear_pids();
  usage_.clear_pgids();
  usage_.clear_pid_pgids();
}

Duration telling_interval(std::uint32_t interval_ms, double factor, unsigned slots) {
  constexpr Duration kUsual = std::chrono::seconds(15), kLongest = std::chrono::hours(1);
  const Duration interval = interval_ms == 0 ? kUsual : std::chrono::milliseconds(interval_ms);
  if (slots < 2 || !(factor > 0)) return interval;
  const double more_s = std::min(factor * slots, std::chrono::duration<double>(kLongest).count());
  return interval + std::chrono::milliseconds(static_cast<std::int64_t>(more_s * 1000));
}

}  // namespace rollcall::res
