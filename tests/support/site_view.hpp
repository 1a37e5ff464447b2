// site_view: the configuration that mbatchd would read from these files, for tests and benches of the Book. Throws what is wrong
// in the files. Owned by nobody: one inline function.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "sched/policy/values/book_config.hpp"
#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::sched {

inline ConfigView site_view(const conf::MemoryFiles& files) {
  const auto require = [](bool held, const conf::Problems& problems) {
    std::string text = "the files of the site:";
    for (const auto& line : conf::lines_of(problems)) text += "\n" + line;
    if (!held) throw std::runtime_error(text);
  };
  const auto cluster = conf::read_cluster_files(files.sources());
  require(cluster.files.has_value(), cluster.problems);
  ConfigView view;
  view.cluster = std::make_shared<conf::ClusterFiles>(*cluster.files);
  const auto lsb = conf::read_lsb_files(files.sources(), *view.cluster);
  require(lsb.files.has_value(), lsb.problems);
  view.lsb = std::make_shared<conf::LsbFiles>(*lsb.files);
  view.batch = std::make_shared<conf::BatchSettings>();
  return view;
}

}  // namespace rollcall::sched
