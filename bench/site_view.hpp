// site_view: the configuration that mbatchd would read from these files, for benches of the Book. Ends the program where the
// files have an error. Owned by nobody: one inline function.
#pragma once

#include <cstdlib>
#include <memory>

#include "sched/policy/values/book_config.hpp"
#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::sched {

inline ConfigView site_view(const conf::MemoryFiles& files) {
  const auto cluster = conf::read_cluster_files(files.sources());
  if (!cluster.files) std::abort();
  ConfigView view;
  view.cluster = std::make_shared<conf::ClusterFiles>(*cluster.files);
  const auto lsb = conf::read_lsb_files(files.sources(), *view.cluster);
  if (!lsb.files) std::abort();
  view.lsb = std::make_shared<conf::LsbFiles>(*lsb.files);
  view.batch = std::make_shared<conf::BatchSettings>();
  return view;
}

}  // namespace rollcall::sched
