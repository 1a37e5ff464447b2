// durable_file: writes a small file whole or not at all, also across a crash of the host. Functions.
//
// The file is written under another name, synced and renamed, and the directory is synced. Names are relative to an open
// directory, so that a moved directory leads nowhere else; symbolic links are not followed.
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

// The same with one sync and no rename, for a name that is not in use. The file has a mark that it is whole, and read_marked()
// rejects others. On a journalling file system a new file's directory entry is on disk with the file.
Result<void> write_marked(int directory, const std::string& name, std::string_view bytes, mode_t mode = 0600);
// The bytes that write_marked() writes, for callers that sync many files together.
std::string marked(std::string_view bytes);
// None: it does not exist, or is incomplete.
std::optional<std::string> read_marked(int directory, const std::string& name, std::size_t most);

// The whole file; none where it does not exist. An error where it cannot be read, or is larger than `most` bytes.
Result<std::optional<std::string>> read_at(int directory, const std::string& name, std::size_t most);

}  // namespace rollcall::io
