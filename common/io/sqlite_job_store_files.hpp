// The files of mbatchd's store, but for what is in them: who may own them, and the lock that makes one mbatchd theirs. Used by
// SqliteJobStore alone.
#pragma once

#include <string>

#include "common/io/descriptor.hpp"
#include "common/io/job_store.hpp"

namespace rollcall::io {

// The file, made where it is not there (mode 0600). An error where it is not a regular file that our user alone may touch.
StoreResult<Descriptor> open_own(const std::string& path);

// Only one mbatchd: the lock goes with the process, however it ends. An error where others may write in the directory.
StoreResult<Descriptor> lock_directory(const std::string& directory);

// Makes the file that long, with zeros behind what is in it, on disk: what is written over them later is flushed without a change
// of the file's length and blocks, which is two more waits for the disk. As before where that cannot be: there is no room.
void lengthen(const std::string& path, std::size_t bytes);

}  // namespace rollcall::io
