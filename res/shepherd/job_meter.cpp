#include "res/shepherd/job_meter.hpp"

#include <unistd.h>

#include <algorithm>

#include "common/io/cgroup_files.hpp"
#include "common/io/process_tree.hpp"
#include "res/shepherd/clocks.hpp"
#include "res/shepherd/proc_reader.hpp"

namespace rollcall::res {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLimitInterval = 1s;  // the longest time between two samples of a job with limits

bool watched(const wire::Limits& limits) {
  return limits.has_memory_kb() || limits.has_swap_kb() || limits.has_processes() || limits.has_threads() ||
         limits.has_cpu_s();
}

}  // namespace

JobMeter::JobMeter(const wire::JobOrder& order, const wire::Limits& limits, int cgroup)
    : cgroup_(cgroup), limits_(limits), factor_(order.usage_factor()) {
  if (cgroup_ >= 0) {
    at_begin_ = cgroup_numbers_here();
    has_memory_ = at_begin_.memory;
    const auto own = own_times();
    own_user_s_ = own.user_s;
    own_system_s_ = own.system_s;
  }
  own_interval_ms_ =
      order.has_start() ? order.start().usage_interval_ms() : order.expect().usage_interval_ms();
  for (const auto& host : order.has_start() ? order.start().hosts() : order.expect().hosts())
    slots_ += host.slots();
  set(order.settings(), {});
}

void JobMeter::set(const wire::ToRes::Welcome& settings, TimePoint now) {
  told_every_ = telling_interval(own_interval_ms_ != 0 ? own_interval_ms_ : settings.usage_interval_ms(),
                                 factor_, slots_);
  set(limits_, now);
}

void JobMeter::set(const wire::Limits& limits, TimePoint now) {
  limits_ = limits;
  looked_at_ = watched(limits_) ? std::min(told_every_, kLimitInterval) : told_every_;
  if (due_) due_ = now + looked_at_;
}

void JobMeter::begin(TimePoint now) {
  if (!due_) due_ = now + std::min(looked_at_, kLimitInterval);
}

CgroupNumbers JobMeter::cgroup_numbers_here() const {
  const std::string cpu = io::read_cgroup_file(cgroup_, "cpu.stat");
  const std::string current = io::read_cgroup_file(cgroup_, "memory.current");
  if (current.empty()) return cgroup_numbers({cpu, "", "", "", ""});
  const std::string peak = io::read_cgroup_file(cgroup_, "memory.peak");
  const std::string stat = io::read_cgroup_file(cgroup_, "memory.stat");
  return cgroup_numbers({cpu, current, peak, stat, io::read_cgroup_file(cgroup_, "memory.events")});
}

void JobMeter::look_at_cgroup() {
  if (cgroup_ < 0) return;
  CgroupNumbers numbers = cgroup_numbers_here();
  numbers.user_s -= at_begin_.user_s;
  numbers.system_s -= at_begin_.system_s;
  numbers.ended_for_memory -= at_begin_.ended_for_memory;
  const auto own = own_times();
  meter_.set_cgroup(numbers, own.user_s - own_user_s_, own.system_s - own_system_s_);
}

bool JobMeter::out_of_memory() const {
  if (!has_memory_ || !limits_.has_memory_kb()) return false;
  const auto ended = flat_number(io::read_cgroup_file(cgroup_, "memory.events"), "oom_kill");
  return ended && *ended > at_begin_.ended_for_memory;
}

event::Sampled JobMeter::sample(TimePoint now) {
  due_ = now + looked_at_;
  const auto living = read_processes(io::descendants_of(getpid()));
  const auto ended = ended_usage();
  look_at_cgroup();
  meter_.sample(living, ended.user_s, ended.system_s, wall_us());
  const auto& usage = meter_.usage();
  // Memory that the kernel refused is missing in the usage: report more than the limit.
  const std::int64_t memory =
      out_of_memory() ? std::max(usage.memory_kb(), limits_.memory_kb() + 1) : usage.memory_kb();
  return {meter_.cpu_s(), memory, usage.swap_kb(), usage.processes(), usage.threads()};
}

bool JobMeter::take_telling(TimePoint now) {
  if (told_ && now - *told_ < told_every_) return false;
  told_ = now;
  return true;
}

void JobMeter::finish(bool own, std::int64_t end_us) {
  const auto used = ended_usage();
  // A short job has reaped its children, so their times are counted already.
  if (sampled() || has_memory_) look_at_cgroup();
  meter_.finish(used.user_s, used.system_s, own ? used.largest_kb : 0, end_us);
}

}  // namespace rollcall::res
