// chosen_columns: which columns lsf.conf chooses for tables of b* commands, as written. A function; the commands know what is valid.
#pragma once

#include <string>
#include <vector>

#include "common/conf/cluster_files.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::conf {

struct ChosenColumns {
  std::string command;  // "bjobs"
  std::string parameter;
  std::string text;
  Place place;
};

// LSB_BJOBS_FORMAT, LSB_BHOSTS_FORMAT, LSB_BQUEUES_FORMAT and LSB_BUSERS_FORMAT, as far as they are set.
std::vector<ChosenColumns> chosen_columns(const ClusterFiles& files);

}  // namespace rollcall::conf
