// The directory of LSB_SHAREDIR where it can be known, for mbatchd that starts with broken files. Pure.
//
// BatchSettings has the default in the place of an invalid directory, beside a fatal error: only programs that heed the error may
// use it.
#pragma once

#include <optional>
#include <string>

#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

// LSB_SHAREDIR, or the default where it is not set; none where it is no absolute path: the store is somewhere else.
inline std::optional<std::string> share_directory(const ClusterFiles& files) {
  const Setting* named = files.lsf_conf.find("LSB_SHAREDIR");
  if (named == nullptr) return files.settings.env_dir + "/work";
  return named->value.starts_with('/') ? std::optional(named->value) : std::nullopt;
}

}  // namespace rollcall::conf
