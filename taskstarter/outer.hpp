// Outer: the level that the launcher started and waits for.
//
// It relays: signals inwards, the task's end outwards. It watches the launcher's process that started it, and is the
// subreaper of last resort: when the inner level is killed, everything falls to it and is ended. It keeps every
// descriptor that it was given open until it exits: Hydra's proxy takes an early end of PMI_FD for a crash. It knows
// nothing of pam. It is forked from before anything large is touched, so it stays small.
#pragma once

#include <span>

#include "taskstarter/policy/options.hpp"

namespace rollcall::taskstarter {

// Runs both levels. `words` is the task's command, at least one word, ended by a null pointer. Ends the process as the
// task ended.
[[noreturn]] void run_task(const Options& options, std::span<char* const> words);

}  // namespace rollcall::taskstarter
