#include "common/conf/kept_files.hpp"

#include <algorithm>

namespace rollcall::conf {

FileSources KeptFiles::sources() {
  FileSources through = sources_;
  through.read = [this](const std::string& path) -> Result<std::string> {
    const auto kept = texts_.find(path);
    if (kept != texts_.end()) return kept->second;
    return texts_.emplace(path, sources_.read(path)).first->second;
  };
  through.decided = [this](const TimeCondition& condition, bool holds) {
    decided_.emplace_back(condition, holds);
  };
  return through;
}

void KeptFiles::complete() {
  if (decided_.empty()) texts_.clear();
}

bool KeptFiles::outdated() const {
  return std::any_of(decided_.begin(), decided_.end(), [this](const auto& decision) {
    return decision.first.holds(sources_.time) != decision.second;
  });
}

std::shared_ptr<KeptFiles> KeptFiles::again() const {
  auto next = std::make_shared<KeptFiles>(sources_);
  next->texts_ = texts_;
  return next;
}

}  // namespace rollcall::conf
