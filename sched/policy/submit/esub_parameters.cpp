#include "sched/policy/submit/esub_parameters.hpp"

#include <algorithm>

#include "common/base/numbers.hpp"
#include "common/conf/words.hpp"
#include "sched/policy/submit/submit_apply.hpp"
#include "sched/policy/submit/submit_script.hpp"
#include "sched/policy/values/submit_values.hpp"

namespace rollcall::sched::submit {
namespace {

using S = wire::Submission;
constexpr std::string_view kReset = "SUB_RESET";

std::string dates(std::int64_t us) { return us == 0 ? "" : std::to_string(us / 1'000'000); }
std::string yes(bool set) { return set ? "Y" : ""; }

std::string words_of_hosts(const wire::Submission& job) {
  std::string words;
  for (const auto& host : job.asked_hosts()) {
    words += (words.empty() ? "" : " ") + std::string(host.excluded() ? "~" : "") + host.name();
    if (host.first_execution()) words += '!';
    if (host.preference() != 0) words += '+' + std::to_string(host.preference());
  }
  return words;
}

std::string joined_resreqs(const Draft& draft) {
  std::string all;
  for (const auto& text : draft.resreqs) all += (all.empty() ? "" : " ") + text;
  return all;
}

// One parameter: how it is written for an esub, and how a change is applied. `set` null: esubs cannot change it.
struct Parameter {
  std::string_view name;
  std::string (*tell)(const Draft&);
  Result<void> (*set)(Draft&, const std::string&, const SubmitContext&);
  void (*reset)(Draft&);
};

template <void (S::*Setter)(bool)>
Result<void> set_flag(Draft& draft, const std::string& value, const SubmitContext&) {
  const bool on = value == "Y" || value == "y";
  if (!on && value != "N" && value != "n")
    return usage_error("found \"" + value + "\", expected Y or SUB_RESET");
  (draft.job.*Setter)(on);
  return {};
}

// A number in KB or seconds, without a unit.
template <void (wire::Limits::*Setter)(std::int64_t)>
Result<void> set_limit(Draft& draft, const std::string& value, const SubmitContext&) {
  const auto size = parse_size(value, 1);
  if (!size || size->hard) return usage_error("found \"" + value + "\", expected a number");
  (draft.job.mutable_limits()->*Setter)(size->kb);
  return {};
}
#define ROLLCALL_LIMIT(NAME, field)                                                                      \
  {                                                                                                      \
    NAME,                                                                                                \
        [](const Draft& d) {                                                                             \
          return d.job.limits().has_##field() ? std::to_string(d.job.limits().field()) : "";             \
        },                                                                                               \
        set_limit<&wire::Limits::set_##field>, [](Draft& d) { d.job.mutable_limits()->clear_##field(); } \
  }
#define ROLLCALL_TEXT(NAME, field, how)                                                              \
  {                                                                                                  \
    NAME, [](const Draft& d) { return d.job.field(); }, how, [](Draft& d) { d.job.clear_##field(); } \
  }
#define ROLLCALL_FLAG(NAME, field)                                                      \
  {                                                                                     \
    NAME, [](const Draft& d) { return yes(d.job.field()); }, set_flag<&S::set_##field>, \
        [](Draft& d) { d.job.clear_##field(); }                                         \
  }

Result<void> set_command(Draft& draft, const std::string& value, const SubmitContext&) {
  if (value.empty()) return usage_error("found nothing, expected a command");
  draft.job.set_command(value);
  draft.job.clear_script();
  draft.job.set_shell(draft.job.login_shell());
  return {};
}
Result<void> set_resreq(Draft& draft, const std::string& value, const SubmitContext& context) {
  draft.resreqs.clear();
  return apply::resreq(draft, value, context);
}
Result<void> set_least(Draft& draft, const std::string& value, const SubmitContext&) {
  const auto slots = parse_slots(value);
  if (!slots) return slots.error();
  draft.job.set_min_slots(slots->least);
  draft.job.set_max_slots(std::max(slots->most, draft.job.max_slots()));
  return {};
}
Result<void> set_most(Draft& draft, const std::string& value, const SubmitContext&) {
  const auto slots = parse_slots(value);
  if (!slots) return slots.error();
  draft.job.set_max_slots(slots->most);
  draft.job.set_min_slots(std::min(draft.job.min_slots(), slots->most));
  if (draft.job.min_slots() == 0) draft.job.set_min_slots(slots->most);
  return {};
}
template <void (S::*Setter)(std::int64_t)>
Result<void> set_date(Draft& draft, const std::string& value, const SubmitContext&) {
  constexpr int kMost = 2'147'483'647;
  const auto seconds = parse_whole(value, 0, kMost);
  if (!seconds) return usage_error("found \"" + value + "\", expected seconds since 1970");
  (draft.job.*Setter)(std::int64_t{*seconds} * 1'000'000);
  return {};
}
template <S::Interactive Kind>
Result<void> set_interactive(Draft& draft, const std::string& value, const SubmitContext&) {
  if (value != "Y" && value != "y") return usage_error("found \"" + value + "\", expected Y or SUB_RESET");
  draft.job.set_interactive(Kind);
  return {};
}
void no_interactive(Draft& draft) { draft.job.set_interactive(S::NONE); }

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all{
      {"LSB_SUB_JOB_NAME", [](const Draft& d) { return array_name_text(d.job); }, apply::array_name,
       [](Draft& d) { d.job.clear_job_name(), d.job.clear_indices(), d.job.clear_array_slots(); }},
      {"LSB_SUB_QUEUE",
       [](const Draft& d) {
         std::string names;
         for (const auto& queue : d.job.queues()) names += (names.empty() ? "" : " ") + queue;
         return names;
       },
       apply::queues, [](Draft& d) { d.job.clear_queues(); }},
      ROLLCALL_TEXT("LSB_SUB_IN_FILE", input_file, apply::input),
      {"LSB_SUB_OUT_FILE", [](const Draft& d) { return d.job.output_file(); },
       [](Draft& d, const std::string& value, const SubmitContext&) -> Result<void> {
         return d.job.set_output_file(value), Result<void>();
       },
       [](Draft& d) { d.job.clear_output_file(); }},
      {"LSB_SUB_ERR_FILE", [](const Draft& d) { return d.job.error_file(); },
       [](Draft& d, const std::string& value, const SubmitContext&) -> Result<void> {
         return d.job.set_error_file(value), Result<void>();
       },
       [](Draft& d) { d.job.clear_error_file(); }},
      ROLLCALL_FLAG("LSB_SUB2_OVERWRITE_OUT_FILE", output_overwrite),
      ROLLCALL_FLAG("LSB_SUB2_OVERWRITE_ERR_FILE", error_overwrite),
      ROLLCALL_FLAG("LSB_SUB_EXCLUSIVE", exclusive),
      ROLLCALL_FLAG("LSB_SUB_NOTIFY_END", mail_report),
      ROLLCALL_FLAG("LSB_SUB_NOTIFY_BEGIN", mail_at_start),
      ROLLCALL_TEXT("LSB_SUB_USER_GROUP", user_group, apply::user_group),
      {"LSB_SUB_RERUNNABLE", [](const Draft& d) { return yes(d.job.rerunnable()); },
       set_flag<&S::set_rerunnable>, [](Draft& d) { d.job.clear_rerunnable(); }},
      ROLLCALL_TEXT("LSB_SUB_DEPEND_COND", dependency, apply::dependency),
      {"LSB_SUB_RES_REQ", joined_resreqs, set_resreq, [](Draft& d) { d.resreqs.clear(); }},
      ROLLCALL_TEXT("LSB_SUB_PRE_EXEC", pre_exec, apply::pre_exec),
      ROLLCALL_TEXT("LSB_SUB3_POST_EXEC", post_exec, apply::post_exec),
      ROLLCALL_TEXT("LSB_SUB_LOGIN_SHELL", login_shell, apply::shell),
      ROLLCALL_TEXT("LSB_SUB_MAIL_USER", mail_user, apply::mail_user),
      ROLLCALL_TEXT("LSB_SUB_PROJECT_NAME", project, apply::project),
      {"LSB_SUB_INTERACTIVE", [](const Draft& d) { return yes(d.job.interactive() != S::NONE); },
       set_interactive<S::PLAIN>, no_interactive},
      {"LSB_SUB_PTY",
       [](const Draft& d) {
         return yes(d.job.interactive() == S::TERMINAL || d.job.interactive() == S::SHELL);
       },
       set_interactive<S::TERMINAL>, no_interactive},
      {"LSB_SUB_PTY_SHELL", [](const Draft& d) { return yes(d.job.interactive() == S::SHELL); },
       set_interactive<S::SHELL>, no_interactive},
      {"LSB_SUB_HOSTS", [](const Draft& d) { return words_of_hosts(d.job); }, apply::hosts,
       [](Draft& d) { d.job.clear_asked_hosts(); }},
      ROLLCALL_LIMIT("LSB_SUB_RLIMIT_CPU", cpu_s),
      ROLLCALL_LIMIT("LSB_SUB_RLIMIT_FSIZE", file_kb),
      ROLLCALL_LIMIT("LSB_SUB_RLIMIT_DATA", data_kb),
      ROLLCALL_LIMIT("LSB_SUB_RLIMIT_STACK", stack_kb),
      ROLLCALL_LIMIT("LSB_SUB_RLIMIT_CORE", core_kb),
      ROLLCALL_LIMIT("LSB_SUB_RLIMIT_RSS", memory_kb),
      ROLLCALL_LIMIT("LSB_SUB_RLIMIT_RUN", run_s),
      ROLLCALL_LIMIT("LSB_SUB_RLIMIT_PROCESS", processes),
      ROLLCALL_LIMIT("LSB_SUB_RLIMIT_SWAP", swap_kb),
      ROLLCALL_LIMIT("LSB_SUB_RLIMIT_THREAD", threads),
      {"LSB_SUB_NUM_PROCESSORS",
       [](const Draft& d) { return d.job.min_slots() == 0 ? "" : std::to_string(d.job.min_slots()); },
       set_least, [](Draft& d) { d.job.clear_min_slots(), d.job.clear_max_slots(); }},
      {"LSB_SUB_MAX_NUM_PROCESSORS",
       [](const Draft& d) { return d.job.max_slots() == 0 ? "" : std::to_string(d.job.max_slots()); },
       set_most, [](Draft& d) { d.job.set_max_slots(d.job.min_slots()); }},
      {"LSB_SUB_BEGIN_TIME", [](const Draft& d) { return dates(d.job.begin_us()); },
       set_date<&S::set_begin_us>, [](Draft& d) { d.job.clear_begin_us(); }},
      {"LSB_SUB_TERM_TIME", [](const Draft& d) { return dates(d.job.terminate_us()); },
       set_date<&S::set_terminate_us>, [](Draft& d) { d.job.clear_terminate_us(); }},
      ROLLCALL_TEXT("LSB_SUB2_JOB_GROUP", job_group, apply::job_group),
      ROLLCALL_TEXT("LSB_SUB3_JOB_REQUEUE", requeue_exits, apply::requeue_exits),
      ROLLCALL_TEXT("LSB_SUB3_APP", application, apply::application),
      ROLLCALL_TEXT("LSB_SUB3_CWD", asked_cwd, apply::cwd),
      ROLLCALL_TEXT("LSB_SUB4_OUTDIR", output_dir, apply::output_dir),
      ROLLCALL_TEXT("LSB_SUB4_JOB_DESCRIPTION", description, apply::description),
      ROLLCALL_TEXT("LSB_SUB6_GPU_REQ", gpu, apply::gpu),
      {"LSB_SUB_ADDITIONAL", [](const Draft& d) { return d.esub_words; }, nullptr, nullptr},
      ROLLCALL_TEXT("LSB_SUB_COMMAND_LINE", command, set_command),
      {"LSB_SUB_COMMANDNAME", [](const Draft& d) { return d.job.command(); }, nullptr, nullptr},
  };
  return all;
}

std::string quoted(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\' || c == '$' || c == '`') text.push_back('\\');
    text.push_back(c);
  }
  return text + '"';
}

// Takes the value after NAME= from `rest`; it may span several lines.
Result<std::string> take_value(std::string_view& rest, int& line) {
  std::string value;
  char quote = 0;
  while (!rest.empty()) {
    const char c = rest.front();
    if (c == '\n' && quote == 0) break;
    rest.remove_prefix(1);
    if (c == '\n') ++line;
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && !rest.empty()) {
      const char next = rest.front();
      const bool escapes = quote == 0 || next == '"' || next == '\\' || next == '$' || next == '`';
      if (!escapes) value.push_back(c);
      value.push_back(next);
      if (next == '\n') ++line;
      rest.remove_prefix(1);
    } else {
      value.push_back(c);
    }
  }
  if (quote != 0) return usage_error(std::string("found no closing ") + quote + ", expected one");
  return std::string(quote == 0 && value.find_first_not_of(" \t") == value.npos ? "" : value);
}

}  // namespace

std::string esub_parameters(const Draft& draft) {
  std::string text;
  for (const auto& parameter : parameters())
    if (const std::string value = parameter.tell(draft); !value.empty())
      text += std::string(parameter.name) + "=" + (all_digits(value) ? value : quoted(value)) + "\n";
  return text;
}

Result<std::vector<std::pair<std::string, std::string>>> esub_pairs(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t begin = text.find_first_not_of(" \t");
    text.remove_prefix(std::min(begin, text.size()));
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    if (whole.empty() || whole.front() == '#') {
      text.remove_prefix(std::min(end + 1, text.size()));
      continue;
    }
    const int first = line;
    const std::size_t equals = whole.find('=');
    const std::string name(conf::trim(whole.substr(0, std::min(equals, whole.size()))));
    if (equals == whole.npos || name.empty() || name.find_first_of(" \t\"'") != name.npos)
      return usage_error("line " + std::to_string(first) + ": found \"" + std::string(whole.substr(0, 80)) +
                         "\", expected NAME=VALUE");
    text.remove_prefix(equals + 1);
    auto value = take_value(text, line);
    if (!value) return usage_error("line " + std::to_string(first) + ": " + value.error().text);
    text.remove_prefix(std::min<std::size_t>(1, text.size()));
    pairs.emplace_back(name, std::move(*value));
  }
  return pairs;
}

Result<void> apply_esub_changes(Draft& draft, std::string_view text, const SubmitContext& context) {
  const auto pairs = esub_pairs(text);
  if (!pairs) return pairs.error();
  for (const auto& [name, value] : *pairs) {
    const auto& all = parameters();
    const auto found =
        std::find_if(all.begin(), all.end(), [&n = name](const Parameter& p) { return p.name == n; });
    if (found == all.end() || !found->set) {
      draft.esub_notices.push_back("esub: " + name + ": it has no effect here");
      continue;
    }
    if (value == kReset || (value.empty() && found->reset)) {
      found->reset(draft);
      continue;
    }
    if (const auto set = found->set(draft, value, context); !set)
      return usage_error("esub: " + name + ": " + set.error().text);
  }
  return {};
}

Result<void> apply_esub_environment(Draft& draft, std::string_view text) {
  const auto pairs = esub_pairs(text);
  if (!pairs) return pairs.error();
  for (const auto& [name, value] : *pairs) draft.extra_environment.push_back(name + "=" + value);
  return {};
}

Result<std::vector<EsubCall>> esub_calls(std::string_view method, std::string_view asked) {
  std::vector<EsubCall> calls;
  const auto add = [&](std::string_view words) -> Result<void> {
    std::size_t at = 0;
    while ((at = words.find_first_not_of(" \t\"", at)) < words.size()) {
      const std::size_t end = std::min(words.find_first_of(" \t\"(", at), words.size());
      EsubCall call{std::string(words.substr(at, end - at)), {}};
      const bool good = std::all_of(call.name.begin(), call.name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-';
      });
      if (call.name.empty() || !good)
        return usage_error("found \"" + std::string(words) +
                           "\", expected names of letters, digits, _ and -");
      at = words.find_first_not_of(" \t", end);
      if (at < words.size() && words[at] == '(') {
        const std::size_t close = words.find(')', at);
        if (close == words.npos)
          return usage_error("found \"" + std::string(words) + "\", expected a closing )");
        for (std::string_view rest = words.substr(at + 1, close - at - 1);;) {
          const std::size_t comma = std::min(rest.find(','), rest.size());
          const auto argument = conf::trim(rest.substr(0, comma));
          if (!argument.empty()) call.arguments.emplace_back(argument);
          if (comma == rest.size()) break;
          rest.remove_prefix(comma + 1);
        }
        at = close + 1;
      }
      calls.push_back(std::move(call));
      if (at >= words.size()) break;
    }
    return {};
  };
  if (const auto added = add(method); !added) return usage_error("LSB_ESUB_METHOD: " + added.error().text);
  calls.push_back({"", {}});
  if (const auto added = add(asked); !added) return usage_error("-a: " + added.error().text);
  return calls;
}

}  // namespace rollcall::sched::submit
