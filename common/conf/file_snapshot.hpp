// FileSnapshot: the texts of a set of configuration files, kept so that `#if time()` can be decided again at another hour from
// the same texts. Edits made meanwhile take effect at the next reconfiguration, as everywhere else.
//
// A value with an identity (sources() borrows it). It reads no files itself: the caller's sources do, and they have the clock. A
// set without conditions drops its texts in complete(). Before that, packed() gives all of it as bytes, for a daemon that may
// have to start while the files are being edited. Rule: "IBM Spectrum LSF 10.1", lsb.params, automatic time-based configuration.
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

  // Sources for read_cluster_files() and read_lsb_files() that record every text and decision. The snapshot must outlive them.
  FileSources sources();
  // All files that were found, for unpacked(). Call before complete(). `beside`: texts that are no files of the set, by names that are no
  // paths; an older release ignores them.
  std::string packed(const std::map<std::string, std::string>& beside = {}) const;
  // Call when the whole set has been read.
  void complete();

  // True when a condition of the set has changed since it was decided.
  bool outdated() const;
  // A snapshot of the same texts to be read at the present time. A file that no open branch included before is read from disk.
  std::shared_ptr<FileSnapshot> again() const;

 private:
  FileSources sources_;
  std::map<std::string, Result<std::string>> texts_;
  std::vector<std::pair<TimeCondition, bool>> decided_;
};

// Sources that read the files of packed() with the clock `time`; other files are missing. None: `bytes` are incomplete or
// invalid.
std::optional<FileSources> unpacked(std::string_view bytes, TimeIn time);

}  // namespace rollcall::conf
