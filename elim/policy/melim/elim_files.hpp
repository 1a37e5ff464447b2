// ElimFiles: decides which files of LSF_SERVERDIR are elims, and which of those are safe to run. Functions of stat's results;
// they read no files.
//
// An elim is a file called "elim", or "elim." and at least one more byte; a name that ends with "~" is an editor's copy. MELIM
// may run as root or as the administrator, so only those may control what it runs: the file and its directory belong to root or
// to MELIM's user, are not writable by others, and writable by a group only if that is root's or MELIM's own. Rules:
// "Administering Platform LSF", External Load Indices, Create an elim executable; docs/decisions/0017.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rollcall::melim {

enum class FileType { regular, directory, other, missing };

// What stat(2) says of a file, after following a symbolic link.
struct FileFacts {
  FileType type = FileType::missing;
  std::uint32_t mode = 0;  // permission bits
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  bool dos_line = false;  // its first line begins with #! and ends with a carriage return
};

// The user that MELIM runs as.
struct Runner {
  std::uint32_t user = 0;
  std::uint32_t group = 0;
};

// True for the names above, whether or not such a file exists.
bool elim_name(std::string_view name);

// True for the first bytes of a script whose "#!" line ends in CR LF, which the kernel does not understand.
bool is_dos_line(std::string_view first_bytes);
inline constexpr const char* kDosLine =
    "its first line ends with a carriage return (CR LF, as DOS files have it), expected LF alone: sed -i "
    "'s/\\r$//'";

struct FileVerdict {
  enum class Kind { run, refuse, pass_over } kind = Kind::run;
  std::string text;  // refuse, pass_over: why; run: a warning, or empty
};

// pass_over: no elim at all (a directory, an editor's copy, a file that is not executable); refuse: an elim that must not run.
FileVerdict judge_elim(std::string_view name, const FileFacts& facts, const Runner& runner);

// "" where elims of this directory may be run, else why not.
std::string unsafe_directory(const FileFacts& facts, const Runner& runner);

}  // namespace rollcall::melim
