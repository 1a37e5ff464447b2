#include "common/conf/chosen_columns.hpp"

namespace rollcall::conf {

std::vector<ChosenColumns> chosen_columns(const ClusterFiles& files) {
  std::vector<ChosenColumns> all;
  for (const ColumnsParameter& one : kColumnsParameters)
    if (const Setting* set = files.lsf_conf.find(one.parameter))
      all.push_back({one.command, one.parameter, set->value, setting_place(*set)});
  return all;
}

}  // namespace rollcall::conf
