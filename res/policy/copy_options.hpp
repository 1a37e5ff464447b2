// copy_options: the command line of lsrcp, and the words that it has the other host run. Functions; the grammar is at the
// top of copy_options.cpp. Rules: lsrcp(1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/piece.pb.h"

namespace rollcall::res {

// Exit statuses of lsrcp, beside 0 and 255 (a wrong command line, files of the cluster that cannot be read).
inline constexpr int kCannotRead = 1;
inline constexpr int kCannotWrite = 2;
inline constexpr int kCannotReach = 3;

struct CopyEnd {
  std::string host;  // "": here
  std::string path;
};
struct LsrcpOptions {
  bool help = false, version = false;
  bool append = false;  // -a
  CopyEnd from, to;     // not both on another host
};
Result<LsrcpOptions> parse_lsrcp(const std::vector<std::string>& words);

// What a file is, wherever it is seen from. Two paths with the same are one file that hosts share: inode numbers, sizes and
// both times to the nanosecond agree.
struct FileMark {
  std::string identity;  // "INODE SIZE MTIME CTIME", as stat(1) prints them
  unsigned mode = 0;     // permissions
  bool regular = false;
};
// Prints a FileMark on the host where it runs, and how it is read again. Nothing: that was no answer of stat's.
std::vector<std::string> mark_words(const std::string& path);
std::optional<FileMark> read_mark(std::string_view text);

// The host that stands for the cluster where the job was submitted, and the file that is meant there.
inline constexpr const char* kSubmissionCluster = "@";
struct SubmittedFile {
  wire::PieceAsked::File file = wire::PieceAsked::INPUT;
  std::uint32_t transfer = 0;
};
std::optional<SubmittedFile> submitted_file(std::string_view name);

std::vector<std::string> read_words(const std::string& path);
// Standard input to the file; a new one gets `mode`.
std::vector<std::string> write_words(const std::string& path, bool append, unsigned mode);

}  // namespace rollcall::res
