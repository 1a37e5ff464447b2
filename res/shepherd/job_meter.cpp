#include "res/shepherd/job_meter.hpp"

#include <unistd.h>

#include <algorithm>

#include "common/io/process_tree.hpp"
#include "res/shepherd/clocks.hpp"
#include "res/shepherd/proc_reader.hpp"

namespace rollcall::res {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLimitInterval = 1s;  // how often a job with limits on its memory is looked at

bool watched(const wire::Limits& limits) {
  return limits.has_memory_kb() || limits.has_swap_kb() || limits.has_processes() || limits.has_threads() ||
         limits.has_cpu_s();
}

}  // namespace

JobMeter::JobMeter(const wire::JobOrder& order, const wire::Limits& limits)
    : limits_(limits), factor_(order.usage_factor()) {
  for (const auto& host : order.has_start() ? order.start().hosts() : order.expect().hosts()) slots_ += host.slots();
  set(order.settings(), {});
}

void JobMeter::set(const wire::ToRes::Welcome& settings, TimePoint now) {
  told_every_ = telling_interval(settings.usage_interval_ms(), factor_, slots_);
  looked_at_ = watched(limits_) ? std::min(told_every_, kLimitInterval) : told_every_;
  if (due_) due_ = now + looked_at_;
}

void JobMeter::begin(TimePoint now) {
  if (!due_) due_ = now + std::min(looked_at_, kLimitInterval);
}

event::Sampled JobMeter::sample(TimePoint now) {
  due_ = now + looked_at_;
  const auto living = read_processes(io::descendants_of(getpid()));
  const auto ended = ended_usage();
  meter_.sample(living, ended.user_s, ended.system_s, wall_us());
  const auto& usage = meter_.usage();
  return {meter_.cpu_s(), usage.memory_kb(), usage.swap_kb(), usage.processes(), usage.threads()};
}

bool JobMeter::take_telling(TimePoint now) {
  if (told_ && now - *told_ < told_every_) return false;
  told_ = now;
  return true;
}

void JobMeter::finish(bool own, std::int64_t end_us) {
  const auto used = ended_usage();
  meter_.finish(used.user_s, used.system_s, own ? used.largest_kb : 0, end_us);
}

}  // namespace rollcall::res
