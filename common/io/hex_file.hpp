// hex_file: a file that holds 32 bytes as one line of hexadecimal digits, and nothing else.
//
//   file = the line of common/base/hex_line.hpp
//
// It is opened without following a symbolic link, in the directory that was looked at, and must be a regular file.
// Whose it may be and who may read it is the caller's rule. Errors name the file, what was found and what was expected,
// and never hold a byte of it.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

#include "common/base/hex_line.hpp"
#include "common/base/result.hpp"

namespace rollcall::io {

// A file by the words that messages call it by ("cluster key"), and its path.
struct HexFile {
  std::string what;
  std::string path;

  Error wrong(const std::string& found, const std::string& expected) const;
  Error failed(const std::string& what_not, int error) const;  // "cannot WHAT_NOT: ..."
};

// `rule` sees the open file and its directory.
using HexFileRule = std::function<Result<void>(const struct stat& file, const struct stat& directory)>;
Result<HexBytes> read_hex_file(const HexFile& file, const HexFileRule& rule);

// Makes the file with exactly this mode, whole or not at all, and on the disk when this returns. An error where there is
// anything of that name.
Result<void> create_hex_file(const HexFile& file, const HexBytes& bytes, mode_t mode);
// The same in the open `directory`, whatever its path leads to by now.
Result<void> create_hex_file_in(int directory, const HexFile& file, const HexBytes& bytes, mode_t mode);

// False where nothing has that name (a symbolic link is something).
bool exists(const HexFile& file);

// "mode 0644", as rules say what they found.
std::string mode_text(mode_t mode);

}  // namespace rollcall::io
