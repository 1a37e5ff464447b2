// durable_file: a small file that is there whole or not at all, also after the host went down. Functions.
//
// Written beside its place, synced, renamed, and the directory synced. Paths are names in a directory that is open, so
// nobody who may move directories leads them elsewhere; symbolic links are not followed.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace rollcall::io {

// The error is one line, without the directory.
Result<void> write_durably(int directory, const std::string& name, std::string_view bytes,
                           mode_t mode = 0600);

// The same with one sync and no second name, for a name that nobody has yet: the file says itself that it is whole, and
// read_marked() takes no other. What the directory says of a new file is on disk with the file on every file system that
// keeps a journal of both.
Result<void> write_marked(int directory, const std::string& name, std::string_view bytes, mode_t mode = 0600);
// What write_marked() writes, for who syncs many files together.
std::string marked(std::string_view bytes);
// None where it is not there, or not whole.
std::optional<std::string> read_marked(int directory, const std::string& name, std::size_t most);

// The whole file; none where there is no such one. An error where it cannot be read, or is larger than `most` bytes.
Result<std::optional<std::string>> read_at(int directory, const std::string& name, std::size_t most);

}  // namespace rollcall::io
