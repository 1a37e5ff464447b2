// ticket_life: how long a ticket of mbatchd is valid (ROLLCALL_TICKET_LIFE of lsf.conf). A function.
//
// Where lsf.conf does not set it, the build decides: no tickets, or with ROLLCALL_TICKETS the longest life. docs/decisions/0074.
#pragma once

#include <chrono>

#include "common/base/result.hpp"
#include "common/conf/lsf_conf.hpp"

namespace rollcall::conf {

inline constexpr std::chrono::seconds kLongestTicketLife{300};  // as long as MUNGE's credentials

// 0: no tickets. An invalid value is an error that names it.
Result<std::chrono::seconds> ticket_life(const LsfConf& lsf_conf);

}  // namespace rollcall::conf
