// The system's LocalTime (common/base/civil_time.hpp): the zone of TZ or /etc/localtime.
#pragma once

#include "common/base/civil_time.hpp"
#include "common/base/wall_time.hpp"

namespace rollcall::io {

LocalTime local_time();
WallTime wall_now();

}  // namespace rollcall::io
