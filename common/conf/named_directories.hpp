// The directories that lsf.conf itself names, for a check that they exist. Pure.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "common/conf/lsf_conf.hpp"

namespace rollcall::conf {

struct NamedDirectory {
  std::string parameter;
  std::string path;
  Place place;
};

// Of the parameters `names` those that are set. A path that is not absolute has an error of its own and is left out.
inline std::vector<NamedDirectory> named_directories(const LsfConf& lsf_conf,
                                                     std::initializer_list<std::string_view> names) {
  std::vector<NamedDirectory> directories;
  for (const std::string_view name : names)
    if (const Setting* setting = lsf_conf.find(name); setting != nullptr && setting->value.starts_with('/'))
      directories.push_back({std::string(name), setting->value, setting_place(*setting)});
  return directories;
}

}  // namespace rollcall::conf
