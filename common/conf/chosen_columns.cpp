#include "common/conf/chosen_columns.hpp"

namespace rollcall::conf {

std::vector<ChosenColumns> chosen_columns(const ClusterFiles& files) {
  std::vector<ChosenColumns> all;
  const auto add = [&](const char* command, const char* parameter) {
    if (const Setting* set = files.lsf_conf.find(parameter))
      all.push_back({command, parameter, set->value, setting_place(*set)});
  };
  add("bjobs", "LSB_BJOBS_FORMAT");
  add("bhosts", "LSB_BHOSTS_FORMAT");
  add("bqueues", "LSB_BQUEUES_FORMAT");
  add("busers", "LSB_BUSERS_FORMAT");
  return all;
}

}  // namespace rollcall::conf
