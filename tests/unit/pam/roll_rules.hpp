// The job that the tests of the roll are about: mpirun on n1.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "tests/unit/pam/roll_driver.hpp"

namespace rollcall::pam {

inline RollRules rules(std::optional<int> expected = 2) {
  RollRules r;
  r.launcher = "mpirun";
  r.host = "n1";
  r.expected = expected;
  return r;
}

using Texts = std::vector<std::string>;

inline event::ParentLost proxy_killed(Tid tid) {
  return {tid, 55, "hydra_pmi_proxy", ExitStatus::signaled(SIGKILL), false};
}

}  // namespace rollcall::pam
