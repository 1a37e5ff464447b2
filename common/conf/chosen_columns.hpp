// chosen_columns: which columns lsf.conf chooses for tables of b* commands, as written. A function; the commands know what is valid.
#pragma once

#include <string>
#include <vector>

#include "common/conf/cluster_files.hpp"
#include "common/conf/problems.hpp"
#include "common/conf/program_settings.hpp"

namespace rollcall::conf {

struct ChosenColumns {
  std::string command;  // "bjobs"
  std::string parameter;
  std::string text;
  Place place;
};

// The parameters, each with its member of CommandPrograms.
struct ColumnsParameter {
  const char* command;
  const char* parameter;
  std::string CommandPrograms::*text;
};
inline constexpr ColumnsParameter kColumnsParameters[] = {
    {"bjobs", "LSB_BJOBS_FORMAT", &CommandPrograms::bjobs_format},
    {"bhosts", "LSB_BHOSTS_FORMAT", &CommandPrograms::bhosts_format},
    {"bqueues", "LSB_BQUEUES_FORMAT", &CommandPrograms::bqueues_format},
    {"busers", "LSB_BUSERS_FORMAT", &CommandPrograms::busers_format}};

// Those that are set.
std::vector<ChosenColumns> chosen_columns(const ClusterFiles& files);

}  // namespace rollcall::conf
