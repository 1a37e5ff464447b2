// SettingsReader: how the views of lsf.conf take values out of it: ports, directories, yes or no, each with its line of error.
//
// It reads one LsfConf and owns nothing; what a parameter means is the view's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/conf/lsf_conf.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::conf {

class SettingsReader {
 public:
  SettingsReader(const LsfConf& conf, Problems& problems) : conf_(conf), problems_(problems) {}

  const Setting* find(std::string_view name) const { return conf_.find(name); }
  int port(std::string_view name, int otherwise);
  // An absolute path: every program must find the same file, whatever its working directory is.
  std::string directory(std::string_view name, const std::string& otherwise);
  bool yes_no(std::string_view name, bool otherwise);
  std::optional<bool> yes_no(std::string_view name);  // none: not set, or neither
  // "" where it is not set.
  std::string text(std::string_view name) const { return conf_.value(name); }
  // A whole number from `least` to `most`; `what` is what it is a number of: "connections".
  int number(std::string_view name, int least, int most, int otherwise, std::string_view what);

  // "NAME: found VALUE, expected WHAT" at the place of the setting.
  void error(const Setting& setting, std::string_view name, std::string_view expected);
  // Of ports and directories: with the default, daemons would not find one another, or an empty store.
  void fatal(const Setting& setting, std::string_view name, std::string_view expected);

 private:
  const LsfConf& conf_;
  Problems& problems_;
};

}  // namespace rollcall::conf
