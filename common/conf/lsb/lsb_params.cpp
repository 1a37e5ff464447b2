#include "common/conf/lsb/lsb_params.hpp"

#include <algorithm>
#include <limits>

#include "common/base/numbers.hpp"
#include "common/conf/known_parameters.hpp"
#include "common/conf/lsb/job_defaults.hpp"
#include "common/conf/row_reader.hpp"

namespace rollcall::conf {
namespace {

const std::vector<std::string> kParameterNames{"MBD_SLEEP_TIME",
                                               "SBD_SLEEP_TIME",
                                               "JOB_ACCEPT_INTERVAL",
                                               "MAX_SBD_FAIL",
                                               "CLEAN_PERIOD",
                                               "MAX_JOB_NUM",
                                               "HIST_HOURS",
                                               "PG_SUSP_IT",
                                               "DEFAULT_QUEUE",
                                               "DEFAULT_HOST_SPEC",
                                               "DEFAULT_PROJECT",
                                               "MAX_PREEXEC_RETRY",
                                               "REMOTE_MAX_PREEXEC_RETRY",
                                               "MC_RECLAIM_DELAY",
                                               "MC_PLUGIN_SCHEDULE_ENHANCE",
                                               "MC_PLUGIN_UPDATE_INTERVAL",
                                               "MC_RUSAGE_UPDATE_INTERVAL",
                                               "MC_PENDING_REASON_UPDATE_INTERVAL",
                                               "MC_PENDING_REASON_PKG_SIZE",
                                               "MC_RESOURCE_MATCHING_CRITERIA",
                                               "COMPUTE_UNIT_TYPES"};

// The names read here, and those of known_parameters.hpp, which mbatchd reads itself or which have no effect.
const std::vector<std::string>& known_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = kParameterNames;
    for (const KnownParameter& known : known_parameters())
      if (known.file == KnownParameter::File::lsb_params) all.emplace_back(known.name);
    return all;
  }();
  return names;
}

constexpr int kMost = std::numeric_limits<int>::max();  // LSF's INFINIT_INT

// The bounds are those of lsb.params(5), else what the readers can keep.
struct Number {
  const char* name;
  int least, most;
  void (*set)(LsbParams& params, int value);
};
#define ROLLCALL_NUMBER(field) [](LsbParams& params, int value) { params.field = value; }
constexpr Number kNumbers[] = {
    {"MAX_USER_JOB_STORAGE", 0, kMaxSeconds, ROLLCALL_NUMBER(max_user_storage_mb)},
    {"MAX_EVENT_ARCHIVE_FILE", 0, kMost, ROLLCALL_NUMBER(event_files)},
    {"JOB_HISTORY_DAYS", 0, kMaxSeconds, ROLLCALL_NUMBER(history_days)},
    {"MAX_REQUEUE_PAUSE", 0, kMaxSeconds, ROLLCALL_NUMBER(max_requeue_pause_s)},
    {"MAX_JOB_ARRAY_SIZE", 1, kMost - 1, ROLLCALL_NUMBER(max_array_size)},
    {"MAX_JOB_REQUEUE", 0, kMost, ROLLCALL_NUMBER(max_requeue)},
    {"JOB_PREPROC_TIMEOUT", 0, kMaxTasks, ROLLCALL_NUMBER(preproc_timeout_min)},
    {"JOB_POSTPROC_TIMEOUT", 0, kMaxTasks, ROLLCALL_NUMBER(postproc_timeout_min)},
    {"JOB_TERMINATE_INTERVAL", 0, 4294967, ROLLCALL_NUMBER(terminate_interval_s)},  // milliseconds in 32 bits
    {"ACCT_ARCHIVE_AGE", 0, kMost, ROLLCALL_NUMBER(account_days)},
    {"ACCT_ARCHIVE_SIZE", 0, kMost, ROLLCALL_NUMBER(account_kb)},
    {"MAX_ACCT_ARCHIVE_FILE", 0, kMost, ROLLCALL_NUMBER(account_files)},
    {"MAX_JOBID", 999999, kMost - 1, ROLLCALL_NUMBER(max_job_id)}};
#undef ROLLCALL_NUMBER

// "23:30" as a minute of the day.
std::optional<int> minute_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto hour = parse_whole(text.substr(0, colon), 0, 23);
  const auto minute = parse_whole(text.substr(colon + 1), 0, 59);
  return hour && minute ? std::optional(*hour * 60 + *minute) : std::nullopt;
}

std::optional<int> account_minute(RowReader& cells) {
  const std::string text = cells.word("ACCT_ARCHIVE_TIME");
  if (text.empty()) return std::nullopt;
  const auto minute = minute_of(text);
  if (!minute) cells.error("ACCT_ARCHIVE_TIME", text, "a time of day, hh:mm");
  return minute;
}

template <class T, class U>
void set(T& target, const std::optional<U>& value) {
  if (value) target = *value;
}

// Any of the three further words alone switches COUNT_PREEMPTABLE on. An invalid value is one error, and the choice stays off.
ForwardChoice forward_choice(RowReader& cells) {
  constexpr std::string_view kName = "MC_PLUGIN_SCHEDULE_ENHANCE";
  ForwardChoice choice;
  const auto words = cells.words(kName);
  for (const std::string& word : words) {
    choice.kind =
        word == "RESOURCE_ONLY" ? ForwardChoice::Kind::resource_only : ForwardChoice::Kind::count_preemptable;
    if (word == "HIGH_QUEUE_PRIORITY")
      choice.high_queue_priority = true;
    else if (word == "PREEMPTABLE_QUEUE_PRIORITY")
      choice.preemptable_queue_priority = true;
    else if (word == "PENDING_WHEN_NOSLOTS")
      choice.pending_when_no_slots = true;
    else if (word == "RESOURCE_ONLY" ? words.size() > 1 : word != "COUNT_PREEMPTABLE") {
      cells.error(kName, word,
                  "RESOURCE_ONLY alone, or COUNT_PREEMPTABLE HIGH_QUEUE_PRIORITY PREEMPTABLE_QUEUE_PRIORITY "
                  "PENDING_WHEN_NOSLOTS");
      return {};
    }
  }
  return choice;
}

void read_unit_types(RowReader& cells, LsbParams& params) {
  for (std::string name : cells.words("COMPUTE_UNIT_TYPES")) {
    const bool standard = name.ends_with('!');
    if (standard) name.pop_back();
    auto& types = params.compute_unit_types;
    if (name.empty() || std::find(types.begin(), types.end(), name) != types.end() ||
        (standard && !params.default_compute_unit_type.empty()))
      return cells.error("COMPUTE_UNIT_TYPES", name, "names, each once, one of them with ! at its end");
    if (standard) params.default_compute_unit_type = name;
    types.push_back(std::move(name));
  }
  if (params.default_compute_unit_type.empty() && !params.compute_unit_types.empty())
    params.default_compute_unit_type = params.compute_unit_types.front();
}

void read_row(const Row& row, LsbParams& params, Problems& problems) {
  RowReader cells(row, problems);
  set(params.mbd_sleep_time, cells.some_seconds("MBD_SLEEP_TIME"));
  set(params.sbd_sleep_time, cells.some_seconds("SBD_SLEEP_TIME"));
  set(params.job_accept_interval, cells.whole("JOB_ACCEPT_INTERVAL", 0, kMaxSeconds));
  set(params.max_sbd_fail, cells.whole("MAX_SBD_FAIL", 0, kMaxSeconds));
  set(params.clean_period, cells.seconds("CLEAN_PERIOD"));
  set(params.max_job_num, cells.whole("MAX_JOB_NUM", 0, kMaxSeconds));
  for (const Number& number : kNumbers)
    if (const auto value = cells.whole(number.name, number.least, number.most)) number.set(params, *value);
  params.exit_after_preexec_retries = cells.text("LOCAL_MAX_PREEXEC_RETRY_ACTION") == "EXIT";
  for (const char* name : {"RESOURCE_RESERVE_PER_TASK", "RESOURCE_RESERVE_PER_SLOT"})
    params.reserve_per_task |= cells.yes_no(name).value_or(false);
  params.preemption_limits = read_preemption_limits(cells);
  params.preempt_exclusive = read_preempt_exclusive(cells);
  set(params.use_suspended_slots, cells.yes_no("USE_SUSP_SLOTS"));
  params.preemptable_resources = cells.words("PREEMPTABLE_RESOURCES");
  set(params.preempt_for, read_preempt_for(cells));
  params.exit_rate = cells.real("GLOBAL_EXIT_RATE", 0, 1e9);
  set(params.exit_rate_minutes, cells.real("JOB_EXIT_RATE_DURATION", 0, 1e9));
  params.account_minute = account_minute(cells);
  set(params.hist_hours, cells.whole("HIST_HOURS", 0, kMaxSeconds));
  set(params.pg_susp_it, cells.seconds("PG_SUSP_IT"));
  params.default_queues = cells.words("DEFAULT_QUEUE");
  params.default_host_spec = cells.word("DEFAULT_HOST_SPEC");
  if (row.given("DEFAULT_PROJECT")) params.default_project = cells.word("DEFAULT_PROJECT");
  params.default_application = cells.word("DEFAULT_APPLICATION");
  params.preexec_retries = read_preexec_retries(cells, kMost);
  set(params.remote_preexec_retries, read_remote_preexec_retries(cells));
  if (const auto minutes = cells.whole("MC_RECLAIM_DELAY", 0, kMaxTasks))
    params.mc_reclaim_delay = std::chrono::minutes(*minutes);
  params.forward_choice = forward_choice(cells);
  set(params.mc_update_interval, cells.seconds("MC_PLUGIN_UPDATE_INTERVAL"));
  set(params.mc_rusage_update_interval, cells.seconds("MC_RUSAGE_UPDATE_INTERVAL"));
  set(params.mc_pending_reason_interval, cells.seconds("MC_PENDING_REASON_UPDATE_INTERVAL"));
  set(params.mc_pending_reason_kb, cells.whole("MC_PENDING_REASON_PKG_SIZE", 0, kMaxSeconds));
  params.mc_matching_resources = cells.words("MC_RESOURCE_MATCHING_CRITERIA");
  read_unit_types(cells, params);
  params.links = read_parallel_links(row, cells);
  if (params.forward_choice.kind != ForwardChoice::Kind::off && params.mc_update_interval == Duration{0})
    cells.warning("MC_PLUGIN_SCHEDULE_ENHANCE", cells.text("MC_PLUGIN_SCHEDULE_ENHANCE"),
                  "MC_PLUGIN_UPDATE_INTERVAL above 0 beside it");
}

}  // namespace

LsbParams read_lsb_params(const SectionFile& file, Problems& problems) {
  LsbParams params;
  check_sections(file, {"Parameters"}, problems);
  // Several Parameters sections are read as one; of a keyword given twice the last counts.
  Place place;
  for (const Section* section : file.all("Parameters")) {
    check_keywords(*section, {{}, known_names()}, problems);
    for (const Row& row : section->rows)
      for (const auto& [keyword, cell] : row.cells()) params.cells.set(keyword, cell);
    place = section->place;
  }
  params.cells.place = place;
  const Row cells = params.cells;
  read_row(cells, params, problems);
  params.cells = without_errors(cells, problems);
  params.shown = shown_lines(params.cells);
  return params;
}

}  // namespace rollcall::conf
