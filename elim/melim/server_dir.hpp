// ServerDir: the elims now in LSF_SERVERDIR, and when to look again.
//
// The kernel reports changes (inotify): in the directory, and when another directory or a symbolic link takes its place. On
// network file systems it cannot, so the directory is also read at intervals. elim_files decides what is an elim and safe to run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "common/base/job_clock.hpp"
#include "common/io/descriptor.hpp"
#include "elim/policy/melim/elim_files.hpp"

namespace rollcall::melim {

inline constexpr std::size_t kMostElims = 256;  // further ones are not started
inline constexpr Duration kSettle =
    std::chrono::milliseconds(500);  // from a change to the look: more changes may follow
inline constexpr Duration kLeastLookInterval = std::chrono::seconds(10);  // without inotify

// Changes whenever the file may be another program.
using FileIdentity =
    std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::int64_t>;  // inode, mtime, size

struct FoundElim {
  FileIdentity identity;
  FileVerdict verdict;
};

struct ServerDirListing {
  std::string unsafe;                      // why no file of it may be run; "": it is safe
  std::map<std::string, FoundElim> elims;  // by file name; including those that must not run
  bool too_many = false;
};

// Reads the first line of a script: see is_dos_line().
bool begins_with_dos_line(int directory, const char* name);

class ServerDir {
 public:
  void watch(const std::string& directory);
  const std::string& path() const { return path_; }

  ServerDirListing look();  // also renews the watches

  int fd() const { return inotify_.get(); }  // readable: call take_changes(); -1: none
  // True where an elim of the directory may have changed.
  bool take_changes();

 private:
  void watch_what_is_there();
  void forget(int watch);

  std::string path_;
  io::Descriptor inotify_;
  int directory_ = -1;  // watches; -1: none
  int parent_ = -1;  // only while the directory is missing or a link, since other changes there wake us too
  std::pair<std::uint64_t, std::uint64_t> watched_{};  // device and inode of the directory
};

}  // namespace rollcall::melim
