// cluster_mark: reads and marks names of other clusters, `name@cluster`. For host_id, global_job_id and job ids on command lines alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace rollcall::sched {

inline constexpr char kClusterMark = '@';

struct OfCluster {
  std::string_view name;
  std::optional<std::string_view> cluster;  // none: no mark
};
// Errors are one line; `kind` ("host", "job") is named in it.
inline Result<OfCluster> split_cluster(std::string_view kind, std::string_view word) {
  const auto invalid = [&](std::string_view why) {
    return usage_error("invalid " + std::string(kind) + " \"" + std::string(word) +
                       "\": " + std::string(why));
  };
  for (const char c : word)
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f')
      return invalid("found a blank or control character, expected none");
  const std::size_t at = word.find(kClusterMark);
  OfCluster parts{word.substr(0, at), std::nullopt};
  if (at != word.npos) parts.cluster = word.substr(at + 1);
  if (parts.name.empty()) return invalid("found no name, expected name or name@cluster");
  if (parts.cluster && parts.cluster->empty()) return invalid("found no cluster behind \"@\"");
  if (parts.cluster && parts.cluster->find(kClusterMark) != word.npos)
    return invalid("found two \"@\", expected one");
  return parts;
}

}  // namespace rollcall::sched
