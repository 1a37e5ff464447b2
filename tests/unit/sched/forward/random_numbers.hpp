// What the property tests of this folder share.
#pragma once

#include <rapidcheck.h>

namespace rollcall::sched::forward {

// From `least` to `most`, all alike, whatever the size of the case is.
inline int pick(int least, int most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}

}  // namespace rollcall::sched::forward
