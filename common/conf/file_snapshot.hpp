// FileSnapshot: a set of files as it was read, so that its `#if time()` can be decided anew at another hour by the same texts:
// what somebody edits meanwhile counts from the next reconfiguration on, as everywhere else.
//
// A value with an identity (sources() borrows it). It reads nothing itself: the caller's sources do, and their clock says
// what time it is. A set without conditions keeps no text once it is complete; before that it can be packed: all of it as bytes,
// for a daemon that may have to start while the files are being edited. Rule: "IBM Spectrum LSF 10.1", lsb.params, automatic time-based
// configuration.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

class FileSnapshot {
 public:
  explicit FileSnapshot(FileSources sources) : sources_(std::move(sources)) {}
  FileSnapshot(const FileSnapshot&) = delete;
  FileSnapshot& operator=(const FileSnapshot&) = delete;

  // For read_cluster_files() and read_lsb_files(), which it must outlive. Whatever they read and decide is kept.
  FileSources sources();
  // All files that were found, as unpacked() takes them. Before complete().
  std::string packed() const;
  // To be called when the set is read.
  void complete();

  // A condition of the set holds now and did not, or the other way round.
  bool outdated() const;
  // The same texts, to be read at the time it is now. A file that was in no open branch until now is read as it is.
  std::shared_ptr<FileSnapshot> again() const;

 private:
  FileSources sources_;
  std::map<std::string, Result<std::string>> texts_;
  std::vector<std::pair<TimeCondition, bool>> decided_;
};

// The files of a set that packed() gave, with a clock of now; a file that was not in it is not there. None: these bytes are no
// whole set.
std::optional<FileSources> unpacked(std::string_view bytes, TimeIn time);

}  // namespace rollcall::conf
