#include "taskstarter/messages.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "taskstarter/policy/task_life.hpp"
#include "taskstarter/policy/task_text.hpp"

namespace rollcall::taskstarter {
namespace {

constexpr std::size_t kCommandLimit = 1024;  // bytes, as task.proto says
constexpr std::size_t kNameLimit = 256;
constexpr std::size_t kPathLimit = 4096;
constexpr std::uint64_t kBlock = 512;  // bytes, the unit of ru_inblock and ru_oublock

std::chrono::microseconds duration(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

void fill(wire::Usage& told, const TaskUsage& usage) {
  told.set_user_us(static_cast<std::uint64_t>(usage.user.count()));
  told.set_system_us(static_cast<std::uint64_t>(usage.system.count()));
  told.set_peak_memory_bytes(usage.peak_memory_bytes);
  told.set_voluntary_switches(usage.voluntary_switches);
  told.set_involuntary_switches(usage.involuntary_switches);
  told.set_read_bytes(usage.read_bytes);
  told.set_written_bytes(usage.written_bytes);
}

wire::ParentLost::Cause cause_of(EndCause cause) {
  switch (cause) {
    case EndCause::exited:
      return wire::ParentLost::EXITED;
    case EndCause::signaled:
      return wire::ParentLost::SIGNALED;
    case EndCause::unknown:
      break;
  }
  return wire::ParentLost::UNKNOWN;
}

}  // namespace

std::int64_t wall_clock_us() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

wire::FromStarter registration(const StartingPoint& start, const TaskFacts& task, const Earlier& earlier,
                               const std::string& no_cgroup) {
  wire::FromStarter message;
  wire::Register& told = *message.mutable_registration();
  told.set_host(message_text(start.host, kNameLimit));
  told.set_starter_pid(start.outer_pid);
  told.set_inner_pid(getpid());
  told.set_start_time_us(task.start_time_us);
  if (const auto rank = launcher_rank(std::getenv)) told.set_rank(*rank);
  told.set_command(
      command_text(std::span<const char* const>(task.words.data(), task.words.size()), kCommandLimit));
  told.set_parent_pid(start.parent_pid);
  told.set_parent_name(message_text(start.parent_name, kNameLimit));
  told.set_resumed(earlier.told);
  if (earlier.tid) told.set_tid(*earlier.tid);
  if (!no_cgroup.empty()) told.set_no_cgroup(message_text(no_cgroup, kPathLimit));
  if (!task.failure) {
    told.set_task_pid(task.pid);
    return message;
  }
  wire::StartFailed& failed = *told.mutable_failed();
  failed.set_stage(io::stage_text(task.failure->stage));
  failed.set_error(task.failure->error);
  failed.set_path(message_text(task.failure->path, kPathLimit));
  return message;
}

wire::FromStarter parent_lost(const StartingPoint& start, const ParentEnd& end) {
  wire::FromStarter message;
  wire::ParentLost& told = *message.mutable_parent_lost();
  told.set_pid(start.parent_pid);
  told.set_name(message_text(start.parent_name, kNameLimit));
  told.set_cause(cause_of(end.cause));
  told.set_value(end.value);
  // A shell starts "command &" with SIGINT ignored.
  told.set_background(start.ignored(SIGINT));
  return message;
}

wire::FromStarter starter_lost(const StartingPoint& start) {
  wire::FromStarter message;
  message.mutable_starter_lost()->set_pid(start.outer_pid);
  return message;
}

wire::FromStarter task_ended(const ExitStatus& status, std::int64_t end_time_us, unsigned leftovers,
                             const TaskUsage& usage) {
  wire::FromStarter message;
  wire::TaskEnded& told = *message.mutable_task_ended();
  told.set_by_signal(status.by_signal());
  told.set_value(status.by_signal() ? status.signo() : status.code());
  told.set_core_dumped(status.core_dumped());
  told.set_end_time_us(end_time_us);
  told.set_leftovers(leftovers);
  fill(*told.mutable_usage(), usage);
  return message;
}

Duration patience_of(const wire::Welcome& welcome) {
  constexpr std::uint64_t kYear = 365ULL * 24 * 3600 * 1000;
  if (welcome.patience_ms() == 0) return kPamPatience;
  return std::chrono::milliseconds(std::min(welcome.patience_ms(), kYear));
}

void add(TaskUsage& total, const rusage& used) {
  total.user += duration(used.ru_utime);
  total.system += duration(used.ru_stime);
  total.peak_memory_bytes =
      std::max(total.peak_memory_bytes, static_cast<std::uint64_t>(used.ru_maxrss) * 1024);
  total.voluntary_switches += static_cast<std::uint64_t>(used.ru_nvcsw);
  total.involuntary_switches += static_cast<std::uint64_t>(used.ru_nivcsw);
  total.read_bytes += static_cast<std::uint64_t>(used.ru_inblock) * kBlock;
  total.written_bytes += static_cast<std::uint64_t>(used.ru_oublock) * kBlock;
}

}  // namespace rollcall::taskstarter
