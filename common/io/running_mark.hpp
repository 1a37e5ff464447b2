// running_mark: a file of a daemon whose lock shows whether the daemon runs. Functions.
//
// The daemon holds an exclusive flock for its whole life, however it ends. Another program of the same user, or of root, checks
// whether it is held. The file stays after the end: a daemon has run here, and runs no more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

// Makes the file `name` in an open directory if it does not exist, and holds it while the descriptor is open. Waits a moment for
// an earlier holder that is just ending. None: it cannot be made, or is held.
Descriptor hold_running_mark(int directory, const char* name);

// The holder's sign that its loop runs. A holder that beats and then stops is frozen.
void beat_running_mark(int mark);
// A number that changes with each beat; none where the holder never beats, or the mark cannot be read.
std::optional<std::int64_t> running_mark_beat(const std::string& path);

// Whether it is held; none where it does not exist or cannot be read.
std::optional<bool> running_mark_held(const std::string& path);

}  // namespace rollcall::io
