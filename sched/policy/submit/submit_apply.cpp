#include "sched/policy/submit/submit_apply.hpp"

#include <algorithm>

#include "common/base/numbers.hpp"
#include "common/conf/lsb/values.hpp"
#include "common/conf/words.hpp"
#include "sched/policy/values/submit_values.hpp"

namespace rollcall::sched::submit::apply {
namespace {

constexpr int kMostCount = 1'000'000'000;
constexpr std::size_t kLongestText = 64 * 1024;  // bytes of a value

Result<void> text_value(std::string* field, const std::string& value, std::string_view expected) {
  if (value.empty()) return usage_error("found nothing, expected " + std::string(expected));
  if (value.size() > kLongestText || value.find('\0') != value.npos)
    return usage_error("found a text of " + std::to_string(value.size()) + " bytes, expected at most " +
                       std::to_string(kLongestText) + " and no NUL");
  *field = value;
  return {};
}

// mbatchd refuses larger ones, since sums would overflow.
Result<Size> limit_size(const std::string& value, std::int64_t unit) {
  constexpr std::int64_t kMostKb = std::int64_t{1} << 53;
  auto size = parse_size(value, unit);
  if (size && size->kb > kMostKb)
    return usage_error("found \"" + value + "\", expected a size of at most 8 EB");
  return size;
}

using SetLimit = void (wire::Limits::*)(std::int64_t);
Result<void> set_size(Draft& draft, const std::string& value, std::int64_t unit, SetLimit set) {
  const auto size = limit_size(value, unit);
  if (!size) return size.error();
  if (size->hard) return usage_error("found \"" + value + "\", expected a size without ! (only -M takes it)");
  (draft.job.mutable_limits()->*set)(size->kb);
  return {};
}

Result<void> set_count(Draft& draft, const std::string& value, SetLimit set) {
  const auto count = parse_whole(value, 1, kMostCount);
  if (!count) return usage_error("found \"" + value + "\", expected a whole number from 1");
  (draft.job.mutable_limits()->*set)(*count);
  return {};
}

std::string absolute(const std::string& path, const std::string& cwd) {
  if (path == ".") return cwd;
  // A path that begins with a variable or a pattern is resolved on the job's host.
  const bool elsewhere =
      path.starts_with('/') || path.starts_with('$') || path.starts_with('%') || path.starts_with('~');
  if (elsewhere || cwd.empty()) return path;
  return cwd + "/" + (path.starts_with("./") ? path.substr(2) : path);
}

}  // namespace

#define ROLLCALL_OPTION(name)                                                                 \
  Result<void> name([[maybe_unused]] Draft& draft, [[maybe_unused]] const std::string& value, \
                    [[maybe_unused]] const SubmitContext& context)

ROLLCALL_OPTION(array_name) {
  auto array = parse_array_name(value);
  if (!array) return array.error();
  draft.job.set_job_name(std::move(array->name));
  draft.job.clear_indices();
  for (auto& range : array->indices) *draft.job.add_indices() = std::move(range);
  draft.job.set_array_slots(array->slots);
  return {};
}
ROLLCALL_OPTION(begin) {
  const auto moment = parse_moment(value, context.now, context.local);
  if (!moment) return moment.error();
  draft.job.set_begin_us(*moment * 1'000'000);
  return {};
}
ROLLCALL_OPTION(terminate) {
  const auto moment = parse_moment(value, context.now, context.local);
  if (!moment) return moment.error();
  draft.job.set_terminate_us(*moment * 1'000'000);
  return {};
}
ROLLCALL_OPTION(cpu) {
  auto time = parse_run_time(value);
  if (!time) return time.error();
  draft.job.mutable_limits()->set_cpu_s(time->seconds);
  draft.job.mutable_limits()->set_cpu_spec(std::move(time->host_spec));
  return {};
}
ROLLCALL_OPTION(run_time) {
  auto time = parse_run_time(value);
  if (!time) return time.error();
  draft.job.mutable_limits()->set_run_s(time->seconds);
  draft.job.mutable_limits()->set_run_spec(std::move(time->host_spec));
  return {};
}
// LSF_UNIT_FOR_LIMITS is the unit of all sizes but file sizes, which are always in KB.
ROLLCALL_OPTION(core) { return set_size(draft, value, context.limit_unit_kb, &wire::Limits::set_core_kb); }
ROLLCALL_OPTION(data) { return set_size(draft, value, context.limit_unit_kb, &wire::Limits::set_data_kb); }
ROLLCALL_OPTION(file_size) { return set_size(draft, value, 1, &wire::Limits::set_file_kb); }
ROLLCALL_OPTION(stack) { return set_size(draft, value, context.limit_unit_kb, &wire::Limits::set_stack_kb); }
ROLLCALL_OPTION(swap) { return set_size(draft, value, context.limit_unit_kb, &wire::Limits::set_swap_kb); }
ROLLCALL_OPTION(memory) {
  const auto size = limit_size(value, context.limit_unit_kb);
  if (!size) return size.error();
  draft.job.mutable_limits()->set_memory_kb(size->kb);
  draft.job.mutable_limits()->set_memory_hard(size->hard);
  return {};
}
ROLLCALL_OPTION(processes) { return set_count(draft, value, &wire::Limits::set_processes); }
ROLLCALL_OPTION(threads) { return set_count(draft, value, &wire::Limits::set_threads); }

ROLLCALL_OPTION(slots) {
  const auto slots = parse_slots(value);
  if (!slots) return slots.error();
  draft.job.set_nodes(0);
  draft.job.set_min_slots(slots->least);
  draft.job.set_max_slots(slots->most);
  return {};
}
ROLLCALL_OPTION(nodes) {
  const auto slots = parse_slots(value);
  if (!slots || slots->least != slots->most)
    return usage_error("found \"" + value + "\", expected a whole number from 1");
  draft.job.set_nodes(slots->least);
  draft.job.set_min_slots(slots->least);
  draft.job.set_max_slots(slots->least);
  return {};
}
ROLLCALL_OPTION(resreq) {
  // TorchX writes span[hosts=1]], which LSF accepts.
  std::string text = value;
  const auto opened = std::count(text.begin(), text.end(), '[');
  const auto closed = std::count(text.begin(), text.end(), ']');
  if (closed == opened + 1 && conf::trim(text).ends_with("]]")) text.erase(text.rfind(']'), 1);
  const auto parsed = resreq::parse(text, context.syntax);
  if (parsed.error) return usage_error(resreq::caret_lines(text, *parsed.error));
  if (parsed.value.affinity) return usage_error("affinity[] is not supported in this release");
  if (parsed.value.cu) return usage_error("cu[] is not supported in this release");
  draft.resreqs.push_back(std::move(text));
  return {};
}
ROLLCALL_OPTION(hosts) {
  auto hosts = parse_asked_hosts(value);
  if (!hosts) return hosts.error();
  draft.job.clear_asked_hosts();
  for (auto& host : *hosts) *draft.job.add_asked_hosts() = std::move(host);
  return {};
}
ROLLCALL_OPTION(queues) {
  const auto names = conf::split_words(value);
  if (names.empty()) return usage_error("found nothing, expected names of queues");
  draft.job.clear_queues();
  for (const auto& name : names) draft.job.add_queues(name);
  return {};
}
ROLLCALL_OPTION(project) { return text_value(draft.job.mutable_project(), value, "a project"); }
ROLLCALL_OPTION(user_group) { return text_value(draft.job.mutable_user_group(), value, "a user group"); }
ROLLCALL_OPTION(dependency) { return text_value(draft.job.mutable_dependency(), value, "an expression"); }
ROLLCALL_OPTION(transfer) {
  auto transfer = parse_transfer(value);
  if (!transfer) return transfer.error();
  *draft.job.add_transfers() = std::move(*transfer);
  return {};
}
ROLLCALL_OPTION(environment) {
  if (const auto chosen = choose_environment({value}, {}); !chosen) return chosen.error();
  draft.environment_options.push_back(value);
  return {};
}
ROLLCALL_OPTION(shell) {
  if (!value.starts_with('/')) return usage_error("found \"" + value + "\", expected an absolute path");
  draft.job.set_login_shell(value);
  draft.job.set_shell(value);
  return {};
}
ROLLCALL_OPTION(gpu) {
  auto gpu = parse_gpu(value);
  if (gpu && !context.gpu_default.empty()) {
    if (const auto standard = parse_gpu(context.gpu_default); !standard)
      return usage_error("LSB_GPU_REQ of lsf.conf: " + standard.error().text);
    // The job's own words come last, so they override the default.
    gpu = parse_gpu(conf::trim(value) == "-" ? context.gpu_default : context.gpu_default + ":" + value);
  }
  if (!gpu) return gpu.error();
  draft.job.set_gpu(std::move(*gpu));
  return {};
}
ROLLCALL_OPTION(requeue_exits) {
  if (const auto exits = conf::parse_requeue_exits(value); !exits) return usage_error(exits.error().text);
  return text_value(draft.job.mutable_requeue_exits(), value, "exit codes");
}
ROLLCALL_OPTION(warning_signal) {
  const auto signal = parse_signal(value);
  if (!signal) return signal.error();
  draft.job.set_warning_signal(*signal);
  return {};
}
ROLLCALL_OPTION(warning_time) {
  const auto time = parse_run_time(value);
  if (!time || !time->host_spec.empty())
    return usage_error("found \"" + value + "\", expected [HOURS:]MINUTES");
  draft.job.set_warning_seconds(
      static_cast<std::uint32_t>(std::min<std::int64_t>(time->seconds, kMaxSeconds)));
  return {};
}
ROLLCALL_OPTION(cwd) {
  const auto set = text_value(draft.job.mutable_asked_cwd(), value, "a directory");
  if (set) draft.job.set_asked_cwd(absolute(value, context.cwd));
  return set;
}
ROLLCALL_OPTION(output_dir) {
  const auto set = text_value(draft.job.mutable_output_dir(), value, "a directory");
  if (set) draft.job.set_output_dir(absolute(value, context.cwd));
  return set;
}
ROLLCALL_OPTION(output) {
  draft.job.set_output_overwrite(false);
  return text_value(draft.job.mutable_output_file(), value, "a file");
}
ROLLCALL_OPTION(output_over) {
  draft.job.set_output_overwrite(true);
  return text_value(draft.job.mutable_output_file(), value, "a file");
}
ROLLCALL_OPTION(errors) {
  draft.job.set_error_overwrite(false);
  return text_value(draft.job.mutable_error_file(), value, "a file");
}
ROLLCALL_OPTION(errors_over) {
  draft.job.set_error_overwrite(true);
  return text_value(draft.job.mutable_error_file(), value, "a file");
}
ROLLCALL_OPTION(input) {
  draft.spool_input = false;
  return text_value(draft.job.mutable_input_file(), value, "a file");
}
ROLLCALL_OPTION(input_spooled) {
  draft.spool_input = true;
  return text_value(draft.job.mutable_input_file(), value, "a file");
}
ROLLCALL_OPTION(spool_command) { return draft.spool_command = true, Result<void>(); }
ROLLCALL_OPTION(pre_exec) { return text_value(draft.job.mutable_pre_exec(), value, "a command"); }
ROLLCALL_OPTION(post_exec) { return text_value(draft.job.mutable_post_exec(), value, "a command"); }
ROLLCALL_OPTION(job_group) { return text_value(draft.job.mutable_job_group(), value, "a job group"); }
ROLLCALL_OPTION(application) { return text_value(draft.job.mutable_application(), value, "a profile"); }
ROLLCALL_OPTION(description) { return text_value(draft.job.mutable_description(), value, "a text"); }
ROLLCALL_OPTION(mail_user) { return text_value(draft.job.mutable_mail_user(), value, "a user"); }
ROLLCALL_OPTION(esubs) {
  draft.esub_words = value;
  draft.job.clear_esubs();
  draft.job.add_esubs(value);
  return {};
}
ROLLCALL_OPTION(alloc_flags) {
  draft.job.set_alloc_flags(value);
  return {};
}
ROLLCALL_OPTION(command) {
  draft.job.clear_script();
  return text_value(draft.job.mutable_command(), value, "a command");
}
ROLLCALL_OPTION(hold) { return draft.job.set_hold(true), Result<void>(); }
ROLLCALL_OPTION(exclusive) { return draft.job.set_exclusive(true), Result<void>(); }
ROLLCALL_OPTION(rerunnable) { return draft.job.set_rerunnable(true), Result<void>(); }
ROLLCALL_OPTION(never_rerun) { return draft.job.set_rerunnable(false), Result<void>(); }
ROLLCALL_OPTION(mail_start) { return draft.job.set_mail_at_start(true), Result<void>(); }
ROLLCALL_OPTION(mail_end) { return draft.job.set_mail_report(true), Result<void>(); }
ROLLCALL_OPTION(waits) { return draft.job.set_waits(true), Result<void>(); }
ROLLCALL_OPTION(plain) { return draft.job.set_interactive(wire::Submission::PLAIN), Result<void>(); }
ROLLCALL_OPTION(terminal) { return draft.job.set_interactive(wire::Submission::TERMINAL), Result<void>(); }
ROLLCALL_OPTION(terminal_shell) { return draft.job.set_interactive(wire::Submission::SHELL), Result<void>(); }
ROLLCALL_OPTION(id_only) { return draft.id_only = true, Result<void>(); }
ROLLCALL_OPTION(verbose) { return draft.verbose = true, Result<void>(); }
ROLLCALL_OPTION(json) { return draft.json = true, Result<void>(); }

#undef ROLLCALL_OPTION

}  // namespace rollcall::sched::submit::apply
