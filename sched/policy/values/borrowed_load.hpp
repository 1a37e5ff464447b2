// BorrowedLoad: a host on lease, with what lsload shows of it beside the values that place jobs: how old they are, and its status in
// its own cluster. A value; docs/decisions/0109.
//
// Everything in it is a stranger's word, as in HostOnLease.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/wall_time.hpp"
#include "common/wire/load.pb.h"
#include "sched/policy/values/host_on_lease.hpp"

namespace rollcall::sched {

struct BorrowedLoad {
  HostOnLease host;  // without its share
  // Milliseconds, by index, when it was told; the age of an index that is not in it is not known.
  std::map<std::string, std::uint32_t> age_ms;
  std::vector<std::string> beyond;  // indices beyond their thresholds there
  wire::Reply::Status status;
  WallTime told;  // by the clock here
};

}  // namespace rollcall::sched
