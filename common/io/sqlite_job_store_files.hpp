// sqlite_job_store_files: the store's files from outside: who may own them, and the lock that gives them to one mbatchd. Used by
// SqliteJobStore alone.
#pragma once

#include <string>

#include "common/io/descriptor.hpp"
#include "common/io/job_store.hpp"

namespace rollcall::io {

// Opens the file, made if missing (mode 0600). An error where it is not a regular file that only our user can use.
StoreResult<Descriptor> open_own(const std::string& path);

// One mbatchd only: the lock ends with the process. An error where others may write in the directory.
StoreResult<Descriptor> lock_directory(const std::string& directory);

// Lengthens the file with zeros, synced. Later writes into it change neither its length nor its blocks, which saves two waits for
// the disk. Without room the file stays as it was.
void lengthen(const std::string& path, std::size_t bytes);

}  // namespace rollcall::io
