// SaidOfAttempt: what a cluster says of an attempt that another one has made there.
#pragma once

#include <optional>

#include "common/wire/peer.pb.h"

namespace rollcall::sched {

struct SaidOfAttempt {
  std::optional<wire::ForwardState> state;  // it is accepted and not over
  std::optional<wire::ForwardOver> over;    // exactly one of the two is set
};

}  // namespace rollcall::sched
