#include "common/conf/lsb/preemption_limits.hpp"

#include <algorithm>
#include <utility>

#include "common/base/numbers.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

constexpr int kMost = 1'000'000'000;

std::optional<PartOfRun> part_of_run(RowReader& cells, const char* keyword) {
  const std::string word = cells.word(keyword);
  if (word.empty()) return std::nullopt;
  const bool percent = word.ends_with('%');
  const auto amount = parse_whole(percent ? word.substr(0, word.size() - 1) : word, 0, percent ? 100 : kMost);
  if (amount) return PartOfRun{*amount, percent};
  cells.error(keyword, word, "minutes, or a part of the run limit from 0% to 100%");
  return std::nullopt;
}

}  // namespace

std::optional<PreemptFor> read_preempt_for(RowReader& cells) {
  static constexpr std::pair<const char*, bool PreemptFor::*> kWords[] = {
      {"GROUP_JLP", &PreemptFor::group_jlp}, {"GROUP_MAX", &PreemptFor::group_max},
      {"HOST_JLU", &PreemptFor::host_jlu},   {"LEAST_RUN_TIME", &PreemptFor::least_run_time},
      {"MINI_JOB", &PreemptFor::mini_job},   {"OPTIMAL_MINI_JOB", &PreemptFor::optimal_mini_job},
      {"USER_JLP", &PreemptFor::user_jlp}};
  const auto words = cells.words("PREEMPT_FOR");
  if (words.empty()) return std::nullopt;
  PreemptFor preempt_for;
  for (const std::string& word : words) {
    const auto known = std::find_if(std::begin(kWords), std::end(kWords),
                                    [&word](const auto& row) { return same_name(row.first, word); });
    if (known == std::end(kWords)) {
      cells.error("PREEMPT_FOR", word,
                  "GROUP_JLP, GROUP_MAX, HOST_JLU, LEAST_RUN_TIME, MINI_JOB, OPTIMAL_MINI_JOB or USER_JLP");
      return std::nullopt;
    }
    preempt_for.*known->second = true;
  }
  return preempt_for;
}

bool read_preempt_exclusive(RowReader& cells) {
  bool exclusive = false;
  for (const std::string& word : cells.words("PREEMPT_JOBTYPE"))
    if (same_name(word, "EXCLUSIVE"))
      exclusive = true;
    else if (!same_name(word, "BACKFILL") &&
             !same_name(word, "AFFINITY"))  // these are told by read_lsb_files
      cells.error("PREEMPT_JOBTYPE", word, "EXCLUSIVE, BACKFILL or AFFINITY");
  return exclusive;
}

bool preemptable(const ResourceDefinition& resource) {
  return resource.type == ResourceType::numeric && resource.order == ResourceOrder::decreasing &&
         resource.release;
}

PreemptionLimits read_preemption_limits(RowReader& cells) {
  PreemptionLimits limits;
  limits.most = cells.whole("MAX_JOB_PREEMPT", 0, kMost);
  limits.total_min = cells.whole("MAX_TOTAL_TIME_PREEMPT", 1, kMost);
  limits.interval_min = cells.whole("NO_PREEMPT_INTERVAL", 0, kMost);
  limits.run_time = part_of_run(cells, "NO_PREEMPT_RUN_TIME");
  limits.finish_time = part_of_run(cells, "NO_PREEMPT_FINISH_TIME");
  limits.delay_s = cells.whole("PREEMPT_DELAY", 0, kMost);
  return limits;
}

PreemptionLimits first_of(const PreemptionLimits& first, const PreemptionLimits& second) {
  return {first.most ? first.most : second.most,
          first.total_min ? first.total_min : second.total_min,
          first.interval_min ? first.interval_min : second.interval_min,
          first.run_time ? first.run_time : second.run_time,
          first.finish_time ? first.finish_time : second.finish_time,
          first.delay_s ? first.delay_s : second.delay_s};
}

}  // namespace rollcall::conf
