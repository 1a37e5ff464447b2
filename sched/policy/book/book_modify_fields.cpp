#include "sched/policy/book/book_modify_fields.hpp"

#include <algorithm>
#include <iterator>

namespace rollcall::sched::book {
namespace {

using S = wire::Submission;
using L = wire::Limits;

constexpr auto kKeep = ModifyField::Started::keep;
constexpr auto kTell = ModifyField::Started::tell;

#define ROLLCALL_FIELD(name) [](S& to, const S& from) { to.set_##name(from.name()); }
#define ROLLCALL_LIST(name) [](S& to, const S& from) { *to.mutable_##name() = from.name(); }
#define ROLLCALL_OPTIONAL(name)                        \
  [](S& to, const S& from) {                           \
    to.clear_##name();                                 \
    if (from.has_##name()) to.set_##name(from.name()); \
  }
#define ROLLCALL_LIMIT(name)                                                               \
  [](S& to, const S& from) {                                                               \
    to.mutable_limits()->clear_##name();                                                   \
    if (from.limits().has_##name()) to.mutable_limits()->set_##name(from.limits().name()); \
  }

const ModifyField kFields[] = {
    {S::kCommandFieldNumber, ROLLCALL_FIELD(command)},
    // These replace payloads in the store too.
    {S::kScriptFieldNumber,
     [](S& to, const S& from) {
       to.clear_script_at();
       to.set_script(from.script());
     }},
    {S::kShellFieldNumber, ROLLCALL_FIELD(shell)},
    {S::kJobNameFieldNumber, ROLLCALL_FIELD(job_name)},
    {S::kArraySlotsFieldNumber, ROLLCALL_FIELD(array_slots), kKeep},
    {S::kProjectFieldNumber, ROLLCALL_FIELD(project), kKeep},
    {S::kUserGroupFieldNumber, ROLLCALL_FIELD(user_group), kKeep},
    {S::kMinSlotsFieldNumber, ROLLCALL_FIELD(min_slots)},
    {S::kMaxSlotsFieldNumber, ROLLCALL_FIELD(max_slots)},
    {S::kResreqFieldNumber, ROLLCALL_FIELD(resreq), kKeep},  // and what is reserved: reserve()
    {S::kAskedHostsFieldNumber, ROLLCALL_LIST(asked_hosts)},
    {S::kDependencyFieldNumber, ROLLCALL_FIELD(dependency)},
    {S::kBeginUsFieldNumber, ROLLCALL_FIELD(begin_us)},
    {S::kTerminateUsFieldNumber, ROLLCALL_FIELD(terminate_us), kTell},
    {S::kExclusiveFieldNumber, ROLLCALL_FIELD(exclusive)},
    {S::kRerunnableFieldNumber, ROLLCALL_OPTIONAL(rerunnable), kKeep},
    {S::kCwdFieldNumber, ROLLCALL_FIELD(cwd)},
    {S::kAskedCwdFieldNumber, ROLLCALL_FIELD(asked_cwd)},
    {S::kOutputDirFieldNumber, ROLLCALL_FIELD(output_dir)},
    {S::kInputFileFieldNumber,
     [](S& to, const S& from) {
       to.set_input_file(from.input_file());
       to.clear_spooled_input();
       to.clear_spooled_input_at();
     }},
    {S::kOutputFileFieldNumber, ROLLCALL_FIELD(output_file)},
    {S::kErrorFileFieldNumber, ROLLCALL_FIELD(error_file)},
    {S::kOutputOverwriteFieldNumber, ROLLCALL_FIELD(output_overwrite)},
    {S::kErrorOverwriteFieldNumber, ROLLCALL_FIELD(error_overwrite)},
    {S::kEnvironmentFieldNumber,
     [](S& to, const S& from) {
       to.clear_environment_at();
       *to.mutable_environment() = from.environment();
     }},
    {S::kMailUserFieldNumber, ROLLCALL_FIELD(mail_user)},
    {S::kMailAtStartFieldNumber, ROLLCALL_FIELD(mail_at_start)},
    {S::kMailReportFieldNumber, ROLLCALL_FIELD(mail_report)},
    {S::kPreExecFieldNumber, ROLLCALL_FIELD(pre_exec)},
    {S::kPostExecFieldNumber, ROLLCALL_FIELD(post_exec)},
    {S::kRequeueExitsFieldNumber, ROLLCALL_FIELD(requeue_exits), kKeep},
    {S::kApplicationFieldNumber, ROLLCALL_FIELD(application)},
    {S::kJobGroupFieldNumber, ROLLCALL_FIELD(job_group), kKeep},
    {S::kServiceClassFieldNumber, ROLLCALL_FIELD(service_class)},
    {S::kPriorityFieldNumber, ROLLCALL_OPTIONAL(priority)},
    {S::kGpuFieldNumber, ROLLCALL_FIELD(gpu)},
    {S::kDescriptionFieldNumber, ROLLCALL_FIELD(description), kKeep},
    {S::kEsubsFieldNumber, ROLLCALL_LIST(esubs)},
    {S::kAllocFlagsFieldNumber, ROLLCALL_FIELD(alloc_flags)},
    {S::kTransfersFieldNumber, ROLLCALL_LIST(transfers)},
    {S::kWarningSignalFieldNumber, ROLLCALL_OPTIONAL(warning_signal)},
    {S::kWarningSecondsFieldNumber, ROLLCALL_FIELD(warning_seconds)},
    {S::kLoginShellFieldNumber, ROLLCALL_FIELD(login_shell)},
    {S::kNodesFieldNumber, ROLLCALL_FIELD(nodes)},
    {S::kReservationFieldNumber, ROLLCALL_FIELD(reservation)},
    {S::kLimitsFieldNumber, [](S& to, const S& from) { *to.mutable_limits() = from.limits(); }},
    {1000 + L::kCoreKbFieldNumber, ROLLCALL_LIMIT(core_kb)},
    {1000 + L::kCpuSFieldNumber, ROLLCALL_LIMIT(cpu_s), kTell},
    {1000 + L::kDataKbFieldNumber, ROLLCALL_LIMIT(data_kb)},
    {1000 + L::kFileKbFieldNumber, ROLLCALL_LIMIT(file_kb)},
    {1000 + L::kMemoryKbFieldNumber, ROLLCALL_LIMIT(memory_kb), kTell},
    {1000 + L::kMemoryHardFieldNumber,
     [](S& to, const S& from) { to.mutable_limits()->set_memory_hard(from.limits().memory_hard()); }, kTell},
    {1000 + L::kProcessesFieldNumber, ROLLCALL_LIMIT(processes), kTell},
    {1000 + L::kRunSFieldNumber, ROLLCALL_LIMIT(run_s), kTell},
    {1000 + L::kStackKbFieldNumber, ROLLCALL_LIMIT(stack_kb)},
    {1000 + L::kThreadsFieldNumber, ROLLCALL_LIMIT(threads), kTell},
    {1000 + L::kSwapKbFieldNumber, ROLLCALL_LIMIT(swap_kb), kTell},
    {1000 + L::kRunSpecFieldNumber,
     [](S& to, const S& from) { to.mutable_limits()->set_run_spec(from.limits().run_spec()); }, kTell},
    {1000 + L::kCpuSpecFieldNumber,
     [](S& to, const S& from) { to.mutable_limits()->set_cpu_spec(from.limits().cpu_spec()); }, kTell},
};
#undef ROLLCALL_FIELD
#undef ROLLCALL_LIST
#undef ROLLCALL_OPTIONAL
#undef ROLLCALL_LIMIT

}  // namespace

bool output_field(std::int32_t number) {
  return number == S::kOutputFileFieldNumber || number == S::kErrorFileFieldNumber ||
         number == S::kOutputOverwriteFieldNumber || number == S::kErrorOverwriteFieldNumber;
}

const ModifyField* modify_field(std::int32_t number) {
  const auto found = std::find_if(std::begin(kFields), std::end(kFields),
                                  [number](const ModifyField& row) { return row.number == number; });
  return found == std::end(kFields) ? nullptr : found;
}

}  // namespace rollcall::sched::book
