// ServerDir: the elims of LSF_SERVERDIR as they are now, and when it is time to look again.
//
// The kernel tells of changes (inotify): of what is in the directory, and of another one in its place, be it moved there or a
// symbolic link that leads there now. Where it cannot, on a network file system, a look every so often does. What is an elim, and safe to run, is decided by elim_files.
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

inline constexpr std::size_t kMostElims = 256;  // more are not started
inline constexpr Duration kSettle =
    std::chrono::milliseconds(500);  // from a change to the look: it may go on
inline constexpr Duration kLeastLookInterval = std::chrono::seconds(10);  // without inotify's help

// Another one for every change of the file that could mean another program.
using FileIdentity =
    std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::int64_t>;  // inode, mtime, size

struct FoundElim {
  FileIdentity identity;
  FileVerdict verdict;
};

struct ServerDirListing {
  std::string unsafe;                      // not empty: why nothing of it may be run
  std::map<std::string, FoundElim> elims;  // by file name; also those that must not run
  bool too_many = false;
};

// Reads the first line of a script: see is_dos_line().
bool begins_with_dos_line(int directory, const char* name);

class ServerDir {
 public:
  void watch(const std::string& directory);
  const std::string& path() const { return path_; }

  ServerDirListing look();  // and watches what is there now

  int fd() const { return inotify_.get(); }  // readable: call take_changes(); -1: none
  // True where an elim of the directory may have changed.
  bool take_changes();

 private:
  void watch_what_is_there();
  void forget(int watch);

  std::string path_;
  io::Descriptor inotify_;
  int directory_ = -1;  // watches; -1: none
  int parent_ = -1;     // only while the directory is missing or a link: others' changes there wake us, too
  std::pair<std::uint64_t, std::uint64_t> watched_{};  // device and inode of the directory
};

}  // namespace rollcall::melim
