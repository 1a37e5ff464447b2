// resreq_syntax: this cluster's settings for parsing resource requirements: LSF_STRICT_RESREQ, LSF_UNIT_FOR_LIMITS. A function.
#pragma once

#include "common/conf/cluster_files.hpp"
#include "common/resreq/resreq.hpp"

namespace rollcall::sched {

inline resreq::Syntax resreq_syntax(const conf::LoadSettings& settings) {
  return {settings.strict_resreq, settings.limit_unit.memory_mb(), settings.limit_unit.tmp_mb()};
}

}  // namespace rollcall::sched
