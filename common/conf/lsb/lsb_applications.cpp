// ENV_VARS = [ '"' ] pair { "," pair } [ '"' ]
// pair     = NAME "=" "'" VALUE "'"        VALUE: anything but quotes and commas; blanks round a pair do not count
// NAME     = letters, digits and "_", no digit first
#include "common/conf/lsb/lsb_applications.hpp"

#include <algorithm>
#include <array>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

struct WithoutEffect {
  std::string_view keyword, why;
};

constexpr std::string_view kNoCheckpoints = "jobs are not checkpointed";
constexpr std::string_view kNoResizing = "resizing jobs is not supported in this release";
constexpr std::string_view kOfQueues = "it is a queue's parameter";
constexpr std::string_view kNoBinding = "binding jobs to processors is not supported in this release";
constexpr std::string_view kNoPriorities = "absolute priorities are not supported in this release";
constexpr std::string_view kNoEstimates = "estimated run times are not supported in this release";

constexpr auto kWithoutEffect = std::to_array<WithoutEffect>({
    {"ABS_RUNLIMIT", "time limits are wall clock time of any host, always"},
    {"APS_PRIORITY", kNoPriorities},
    {"BIND_JOB", kNoBinding},
    {"CHKPNT_DIR", kNoCheckpoints},
    {"CHKPNT_INITPERIOD", kNoCheckpoints},
    {"CHKPNT_METHOD", kNoCheckpoints},
    {"CHKPNT_PERIOD", kNoCheckpoints},
    {"CHUNK_JOB_SIZE", "job chunking is not supported in this release"},
    {"CONTAINER", "jobs run without containers"},
    {"CPU_FREQUENCY", "processors keep their frequency"},
    {"CORE_DUMP_DIR", "the kernel says where cores go"},
    {"DJOB_DISABLED", "blaunch works in jobs of every profile"},
    {"DJOB_ENV_SCRIPT", "tasks have the environment of blaunch"},
    {"DJOB_RESIZE_GRACE_PERIOD", kNoResizing},
    {"DJOB_TASK_BIND", kNoBinding},
    {"DOCKER_IMAGE_AFFINITY", "jobs run without containers"},
    {"ELIGIBLE_PEND_TIME_LIMIT", "pending times have no limit"},
    {"ESTIMATED_RUNTIME", kNoEstimates},
    {"EXEC_DRIVER", "jobs run without containers"},
    {"FAIRSHARE_ADJUSTMENT_FACTOR", "fairshare is not supported in this release"},
    {"GPU_REQ", "only bsub -gpu asks for GPUs"},
    {"HOST_POST_EXEC", "POST_EXEC runs on the first host alone"},
    {"HOST_PRE_EXEC", "PRE_EXEC runs on the first host alone"},
    {"JOB_CONTROLS", kOfQueues},
    {"JOB_CWD", "jobs run where bsub -cwd says"},
    {"JOB_CWD_TTL", "directories of jobs are not removed"},
    {"JOB_INCLUDE_POSTPROC", "a job ends before its post-execution"},
    {"JOB_POSTPROC_TIMEOUT", "that of lsb.params counts"},
    {"JOB_PREPROC_TIMEOUT", "that of lsb.params counts"},
    {"JOB_SIZE_LIST", "jobs may have every size within TASKLIMIT"},
    {"LOCAL_MAX_PREEXEC_RETRY_ACTION", "that of lsb.params counts"},
    {"MEMLIMIT_TYPE", "MEMLIMIT counts for the whole job"},
    {"MIG", "jobs are not migrated"},
    {"NETWORK_REQ", "there is no network scheduling"},
    {"PEND_TIME_LIMIT", "pending times have no limit"},
    {"PERSISTENT_HOST_ORDER", "RES_REQ says the order"},
    {"PLAN", "no starts are planned"},
    {"PRIORITY", kNoPriorities},
    {"RC_ACCOUNT", "hosts are not rented"},
    {"RC_RECLAIM_ACTION", "hosts are not rented"},
    {"RESIZABLE_JOBS", kNoResizing},
    {"RESIZE_NOTIFY_CMD", kNoResizing},
    {"RESUME_COND", kOfQueues},
    {"RTASK_GONE_ACTION", "blaunch says what a lost task means"},
    {"RUNTIME", kNoEstimates},
    {"STOP_COND", kOfQueues},
    {"SUCCESS_EXIT_VALUES", "only 0 is success"},
    {"TERMINATE_WHEN", kOfQueues},
    {"USE_PAM_CREDS", "PAM is asked for no job"},
    {"WATCHDOG", "jobs are not watched by scripts"},
});

const WithoutEffect* without_effect(std::string_view keyword) {
  const auto found = std::find_if(kWithoutEffect.begin(), kWithoutEffect.end(),
                                  [&](const auto& row) { return same_name(row.keyword, keyword); });
  return found == kWithoutEffect.end() ? nullptr : &*found;
}

std::vector<std::string> known_keywords() {
  std::vector<std::string> known = job_default_keywords();
  for (const WithoutEffect& row : kWithoutEffect) known.emplace_back(row.keyword);
  for (const char* own : {"NAME", "ENV_VARS", "RERUNNABLE", "PREEMPT_FOR", "SUSPEND_CONTROL",
                          "RESUME_CONTROL", "TERMINATE_CONTROL"})
    known.emplace_back(own);
  return known;
}

bool is_variable(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string control(const Row& row, std::string_view keyword) {
  const Cell* cell = row.given(keyword);
  return cell ? cell->text : "";
}

ApplicationProfile read_profile(const Row& row, const LimitUnit& unit, Problems& problems) {
  RowReader cells(row, problems);
  ApplicationProfile profile;
  profile.name = cells.required("NAME");
  profile.jobs = read_job_defaults(row, unit, problems);
  profile.jobs.job_controls = {control(row, "SUSPEND_CONTROL"), control(row, "RESUME_CONTROL"),
                               control(row, "TERMINATE_CONTROL")};
  const Row valid = without_errors(row, problems);  // an invalid value falls back to the queue's
  if (valid.given("NICE")) profile.nice = profile.jobs.nice;
  if (valid.given("REQUEUE_EXIT_VALUES")) profile.requeue_exits = profile.jobs.requeue_exits;
  profile.rerunnable = cells.yes_no("RERUNNABLE");
  profile.preempt_for = read_preempt_for(cells);
  if (const Cell* cell = row.given("ENV_VARS")) {
    if (auto words = parse_env_vars(cell->text))
      profile.environment = std::move(*words);
    else
      cells.told("ENV_VARS", words.error().text);
  }
  profile.place = row.place;
  profile.shown = shown_lines(cells_in_force(row, profile.jobs, problems));
  for (const auto& [keyword, cell] : row.cells())
    if (const WithoutEffect* known = without_effect(keyword); known && !cell.is_default())
      problems.warning(cell.place, std::string(known->keyword) + " of application profile " +
                                       printable(profile.name) +
                                       " has no effect: " + std::string(known->why));
  return profile;
}

}  // namespace

Result<std::vector<std::string>> parse_env_vars(std::string_view text) {
  const auto bad = [](std::string_view found) {
    return usage_error("found " + printable(found) + ", expected NAME='VALUE',NAME='VALUE'");
  };
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  std::vector<std::string> words;
  while (true) {
    text = trim(text);
    const auto equals = text.find("='");
    if (equals == std::string_view::npos || !is_variable(text.substr(0, equals))) return bad(text);
    const auto end = text.find('\'', equals + 2);
    if (end == std::string_view::npos) return bad(text);
    const std::string_view value = text.substr(equals + 2, end - equals - 2);
    if (value.find_first_of(std::string_view("\",\0", 3)) != std::string_view::npos) return bad(text);
    const std::string name(text.substr(0, equals + 1));
    std::erase_if(words, [&](const std::string& word) { return word.starts_with(name); });
    words.push_back(name + std::string(value));
    text = trim(text.substr(end + 1));
    if (text.empty()) return words;
    if (text.front() != ',') return bad(text);
    text.remove_prefix(1);
  }
}

std::vector<ApplicationProfile> read_lsb_applications(const SectionFile& file, const LimitUnit& unit,
                                                      Problems& problems) {
  std::vector<ApplicationProfile> profiles;
  check_sections(file, {"Application"}, problems);
  each_row(file, "Application", {{"NAME"}, known_keywords()}, problems, [&](const Row& row) {
    ApplicationProfile profile = read_profile(row, unit, problems);
    for (const ApplicationProfile& other : profiles)
      if (other.name == profile.name)
        return RowReader(row, problems)
            .error("NAME", profile.name, "each profile once; it is at " + other.place.text() + " too");
    if (!profile.name.empty()) profiles.push_back(std::move(profile));
  });
  return profiles;
}

}  // namespace rollcall::conf
