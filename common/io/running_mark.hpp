// running_mark: a file of a daemon that says by its lock whether the daemon runs. Functions.
//
// The daemon holds an exclusive flock for as long as it lives, however it ends; another program of the same user, or of root,
// asks whether anybody holds it. The file stays when the daemon ends: that one has run here, and runs no more, is told by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

// Makes the file `name` in an open directory where it is not there, and holds it while the descriptor is open. Waits a moment
// for who held it before and is just ending. None: it cannot be made, or somebody else holds it.
Descriptor hold_running_mark(int directory, const char* name);

// The holder says that its loop turns. Who does so now and then, and then no more, holds the mark and is frozen.
void beat_running_mark(int mark);
// Another number after each beat; none where the holder never beats, or the mark cannot be read.
std::optional<std::int64_t> running_mark_beat(const std::string& path);

// Whether somebody holds it; none where it is not there or cannot be read.
std::optional<bool> running_mark_held(const std::string& path);

}  // namespace rollcall::io
