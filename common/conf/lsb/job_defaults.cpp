#include "common/conf/lsb/job_defaults.hpp"

#include <algorithm>
#include <charconv>

#include "common/base/numbers.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

constexpr std::int64_t kMostKb = std::int64_t{1} << 62;

class DefaultsReader {
 public:
  DefaultsReader(const Row& row, const LimitUnit& unit, Problems& problems)
      : row_(row), unit_(unit), cells_(row, problems) {}

  JobDefaults read() {
    JobDefaults defaults;
    defaults.description = cells_.text("DESCRIPTION");
    defaults.res_req = text("RES_REQ");
    defaults.stop_cond = text("STOP_COND");
    defaults.resume_cond = text("RESUME_COND");
    for (const char* keyword : {"RES_REQ", "RESUME_COND", "STOP_COND"})
      if (const Cell* cell = row_.given(keyword))
        defaults.requirements.push_back({keyword, cell->text, cell->place});
    defaults.pre_exec = text("PRE_EXEC");
    defaults.post_exec = text("POST_EXEC");
    defaults.job_starter = text("JOB_STARTER");
    if (const Cell* cell = row_.given("JOB_CONTROLS"))
      take("JOB_CONTROLS", parse_job_controls(cell->text), defaults.job_controls);
    if (const Cell* cell = row_.given("REQUEUE_EXIT_VALUES"))
      take("REQUEUE_EXIT_VALUES", parse_requeue_exits(cell->text), defaults.requeue_exits);
    defaults.most_requeues = cells_.whole("MAX_JOB_REQUEUE", 0, kMaxSeconds);
    defaults.preexec_retries = read_preexec_retries(cells_, kMaxSeconds);
    defaults.remote_preexec_retries = read_remote_preexec_retries(cells_);
    defaults.terminate_when = reasons();
    defaults.cpu_limit = times("CPULIMIT");
    defaults.run_limit = times("RUNLIMIT");
    defaults.memory_limit = amounts("MEMLIMIT", unit_.kb);
    defaults.process_limit = amounts("PROCESSLIMIT", 1);
    defaults.thread_limit = amounts("THREADLIMIT", 1);
    defaults.file_limit = amounts("FILELIMIT", 1).most;  // in KB always
    defaults.data_limit = amounts("DATALIMIT", unit_.kb).most;
    defaults.stack_limit = amounts("STACKLIMIT", unit_.kb).most;
    defaults.core_limit = amounts("CORELIMIT", unit_.kb).most;
    defaults.swap_limit = amounts("SWAPLIMIT", unit_.kb).most;
    defaults.task_limit = tasks();
    defaults.nice = cells_.whole("NICE", -20, 20).value_or(0);
    defaults.links = read_parallel_links(row_, cells_);
    defaults.preemption_limits = read_preemption_limits(cells_);
    defaults.limits_in_force = std::move(in_force_);
    return defaults;
  }

 private:
  // Parentheses are kept: they belong to the expression or the shell command.
  std::string text(std::string_view keyword) const {
    const Cell* cell = row_.given(keyword);
    return cell ? cell->text : "";
  }

  template <class T>
  void take(std::string_view keyword, const Result<T>& value, T& target) {
    if (value)
      target = *value;
    else
      cells_.told(keyword, value.error().text);
  }

  std::vector<std::string> reasons() {
    auto words = cells_.words("TERMINATE_WHEN");
    for (const std::string& word : words)
      if (word != "WINDOW" && word != "LOAD" && word != "PREEMPT" && word != "USER")
        cells_.error("TERMINATE_WHEN", word, "WINDOW, LOAD, PREEMPT or USER");
    return words;
  }

  Limit<TimeLimit> times(std::string_view keyword) {
    return limit_of<TimeLimit>(
        keyword, [&](const std::string& word, const std::string& then) -> std::optional<TimeLimit> {
          const auto time = parse_time_limit(word);
          if (time) return *time;
          cells_.told(keyword, time.error().text + then);
          return std::nullopt;
        });
  }

  // `each`: KB in one unit.
  Limit<long long> amounts(std::string_view keyword, std::int64_t each) {
    return limit_of<long long>(
        keyword, [&](const std::string& word, const std::string& then) -> std::optional<long long> {
          long long value = 0;
          const char* const last = word.data() + word.size();
          const auto [end, error] = std::from_chars(word.data(), last, value);
          if (error == std::errc{} && end == last && value >= 0 && value <= kMostKb / each)
            return value * each;
          cells_.error(keyword, word, "a whole number" + then);
          return std::nullopt;
        });
  }

  // "[DEFAULT] MAXIMUM". Where the default is invalid or above the maximum, the maximum is the default too: a default above the
  // maximum would kill jobs that set no limit, or let them pass their queue's limit. A valid default stays where the maximum is
  // invalid.
  template <class T, class Parse>
  Limit<T> limit_of(std::string_view keyword, const Parse& parse) {
    const auto words = cells_.words(keyword);
    Limit<T> limit;
    if (words.empty()) return limit;
    if (words.size() > 2) return cells_.error(keyword, join(words), "[DEFAULT] MAXIMUM"), limit;
    limit.most = parse(words.back(), "");
    if (words.size() == 1) return limit;
    limit.standard =
        parse(words.front(), limit.most ? "; the maximum " + words.back() + " is the default now" : "");
    if (limit.standard && limit.most && above(*limit.standard, *limit.most)) {
      cells_.error(keyword, join(words),
                   "a default that is at most the maximum; the maximum is the default now");
      limit.standard.reset();
    }
    if (limit.standard.has_value() == limit.most.has_value()) return limit;
    in_force_.emplace_back(keyword, limit.most ? words.back() : words.front());
    if (limit.most) limit.standard = limit.most;
    return limit;
  }
  static bool above(long long standard, long long most) { return standard > most; }
  static bool above(const TimeLimit& standard, const TimeLimit& most) {
    return standard.host_spec == most.host_spec && standard.time > most.time;
  }

  std::vector<int> tasks() {
    const std::string_view keyword = row_.given("TASKLIMIT") ? "TASKLIMIT" : "PROCLIMIT";
    std::vector<int> limits;
    for (const std::string& word : cells_.words(keyword)) {
      const auto value = parse_whole(word, 1, kMaxTasks);
      if (!value) return cells_.error(keyword, word, "a whole number from 1"), std::vector<int>{};
      limits.push_back(*value);
    }
    if (limits.size() <= 3 && std::is_sorted(limits.begin(), limits.end())) return limits;
    cells_.error(keyword, row_.find(keyword)->text,
                 "[MINIMUM [DEFAULT]] MAXIMUM, none less than the one before");
    return {};
  }

  const Row& row_;
  const LimitUnit& unit_;
  RowReader cells_;
  std::vector<std::pair<std::string, std::string>> in_force_;
};

}  // namespace

const std::vector<std::string>& job_default_keywords() {
  static const std::vector<std::string> keywords{"DESCRIPTION",
                                                 "RES_REQ",
                                                 "STOP_COND",
                                                 "RESUME_COND",
                                                 "PRE_EXEC",
                                                 "POST_EXEC",
                                                 "JOB_STARTER",
                                                 "JOB_CONTROLS",
                                                 "REQUEUE_EXIT_VALUES",
                                                 "CPULIMIT",
                                                 "RUNLIMIT",
                                                 "MEMLIMIT",
                                                 "FILELIMIT",
                                                 "DATALIMIT",
                                                 "TERMINATE_WHEN",
                                                 "STACKLIMIT",
                                                 "CORELIMIT",
                                                 "SWAPLIMIT",
                                                 "PROCESSLIMIT",
                                                 "PROCLIMIT",
                                                 "TASKLIMIT",
                                                 "NICE",
                                                 "DJOB_HB_INTERVAL",
                                                 "DJOB_RU_INTERVAL",
                                                 "DJOB_COMMFAIL_ACTION",
                                                 "THREADLIMIT",
                                                 "MAX_JOB_REQUEUE",
                                                 "MAX_PREEXEC_RETRY",
                                                 "LOCAL_MAX_PREEXEC_RETRY",
                                                 "REMOTE_MAX_PREEXEC_RETRY",
                                                 "MAX_JOB_PREEMPT",
                                                 "MAX_TOTAL_TIME_PREEMPT",
                                                 "NO_PREEMPT_INTERVAL",
                                                 "NO_PREEMPT_RUN_TIME",
                                                 "NO_PREEMPT_FINISH_TIME",
                                                 "PREEMPT_DELAY"};
  return keywords;
}

JobDefaults read_job_defaults(const Row& row, const LimitUnit& unit, Problems& problems) {
  return DefaultsReader(row, unit, problems).read();
}

std::optional<int> read_preexec_retries(RowReader& cells, int most_of_local) {
  const auto local = cells.whole("LOCAL_MAX_PREEXEC_RETRY", 0, most_of_local);
  const auto any = cells.whole("MAX_PREEXEC_RETRY", 0, kMaxSeconds);
  return local ? local : any;
}

std::optional<int> read_remote_preexec_retries(RowReader& cells) {
  const auto remote = cells.whole("REMOTE_MAX_PREEXEC_RETRY", 1, kMaxSeconds);
  if (remote) return remote;
  // An invalid one is named where this cluster's own number is read.
  return parse_whole(cells.text("MAX_PREEXEC_RETRY"), 0, kMaxSeconds);
}

Row cells_in_force(const Row& row, const JobDefaults& defaults, const Problems& problems) {
  Row cells = without_errors(row, problems);
  for (const auto& [keyword, word] : defaults.limits_in_force)
    if (const Cell* cell = row.find(keyword)) cells.set(keyword, {word, cell->place});
  return cells;
}

}  // namespace rollcall::conf
