// KeptFiles: a set of files as it was read, so that its `#if time()` can be decided anew at another hour by the same texts:
// what somebody edits meanwhile counts from the next reconfiguration on, as everywhere else.
//
// A value with an identity (sources() borrows it). It reads nothing itself: the caller's sources do, and their clock says
// what time it is. A set without conditions keeps no text. Rule: "IBM Spectrum LSF 10.1", lsb.params, automatic time-based
// configuration.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

class KeptFiles {
 public:
  explicit KeptFiles(FileSources sources) : sources_(std::move(sources)) {}
  KeptFiles(const KeptFiles&) = delete;
  KeptFiles& operator=(const KeptFiles&) = delete;

  // For read_cluster_files() and read_lsb_files(), which it must outlive. Whatever they read and decide is kept.
  FileSources sources();
  // To be called when the set is read.
  void complete();

  // A condition of the set holds now and did not, or the other way round.
  bool outdated() const;
  // The same texts, to be read at the time it is now. A file that was in no open branch until now is read as it is.
  std::shared_ptr<KeptFiles> again() const;

 private:
  FileSources sources_;
  std::map<std::string, Result<std::string>> texts_;
  std::vector<std::pair<TimeCondition, bool>> decided_;
};

}  // namespace rollcall::conf
