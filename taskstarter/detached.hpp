// Processes of ours that outlive a TaskStarter: no launcher waits for them, knows them by name or ends them with its own.
#pragma once

#include <span>
#include <string_view>

namespace rollcall::taskstarter {

// Forks a process whose parent is gone at once. True in that process; false here.
bool fork_detached();

// What such a process does first: another name and command line (so that `pkill TaskStarter` spares it), a session of its own, and
// none of our descriptors but `spared`, since a launcher waits for the end of what it gave us. `words`: the task's, of our own
// command line; `name`: 15 bytes at most.
void leave_launcher(std::string_view name, int spared, std::span<char* const> words);

}  // namespace rollcall::taskstarter
