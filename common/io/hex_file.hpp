// hex_file: a file that holds 32 bytes as one line of hexadecimal digits, and nothing else.
//
//   file = the line of common/base/hex_line.hpp
//
// It is opened without following a symbolic link, in the directory that was checked, and must be a regular file. The caller's
// rule says who may own and read it. Errors name the file, what was found and what was expected, and never contain a byte of it.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

#include "common/base/hex_line.hpp"
#include "common/base/result.hpp"

namespace rollcall::io {

// A file: the name for messages ("cluster key"), and its path.
struct HexFile {
  std::string what;
  std::string path;

  Error wrong(const std::string& found, const std::string& expected) const;
  Error failed(const std::string& what_not, int error) const;  // "cannot WHAT_NOT: ..."
};

// `rule` sees the open file and its directory.
using HexFileRule = std::function<Result<void>(const struct stat& file, const struct stat& directory)>;
Result<HexBytes> read_hex_file(const HexFile& file, const HexFileRule& rule);

// Makes the file with exactly this mode, whole or not at all, and synced when this returns. An error where the name exists.
Result<void> create_hex_file(const HexFile& file, const HexBytes& bytes, mode_t mode);
// The same in the open `directory`, even if its path has changed.
Result<void> create_hex_file_in(int directory, const HexFile& file, const HexBytes& bytes, mode_t mode);

// False where the name does not exist (a symbolic link counts as existing).
bool exists(const HexFile& file);

// "mode 0644", for the messages of rules.
std::string mode_text(mode_t mode);

}  // namespace rollcall::io
