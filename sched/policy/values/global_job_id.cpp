// global_job_id = ID [ "[" INDEX "]" ] "@" CLUSTER      ID, INDEX: whole numbers from 1, without leading zeros
#include "sched/policy/values/global_job_id.hpp"

#include <limits>
#include <optional>

#include "common/base/numbers.hpp"
#include "sched/policy/values/cluster_mark.hpp"

namespace rollcall::sched {
namespace {

std::optional<std::int32_t> number_of(std::string_view word) {
  if (word.starts_with('0')) return std::nullopt;
  return parse_whole(word, 1, std::numeric_limits<std::int32_t>::max());
}

// "12", "12[3]".
std::optional<JobKey> key_of(std::string_view word) {
  JobKey key;
  if (const std::size_t open = word.find('['); open != word.npos) {
    if (!word.ends_with(']')) return std::nullopt;
    const auto index = number_of(word.substr(open + 1, word.size() - open - 2));
    if (!index) return std::nullopt;
    key.index = *index;
    word = word.substr(0, open);
  }
  const auto id = number_of(word);
  if (!id) return std::nullopt;
  key.id = *id;
  return key;
}

}  // namespace

std::string text(const GlobalJobId& id) { return text(id.job) + kClusterMark + id.cluster; }

Result<GlobalJobId> parse_global_job_id(std::string_view word) {
  const auto parts = split_cluster("job", word);
  if (!parts) return parts.error();
  const auto key = key_of(parts->name);
  if (!key || !parts->cluster)
    return usage_error("invalid job \"" + std::string(word) + "\": expected id@cluster or id[index]@cluster");
  return GlobalJobId{std::string(*parts->cluster), *key};
}

}  // namespace rollcall::sched
