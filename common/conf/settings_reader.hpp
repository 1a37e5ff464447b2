// SettingsReader: takes values out of lsf.conf for a typed view: ports, directories, yes or no; reports an error for each invalid
// one.
//
// It reads one LsfConf and owns nothing; the view knows what a parameter means.
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
  // Must be absolute: every program must find the same file, whatever its working directory.
  std::string directory(std::string_view name, const std::string& otherwise);
  bool yes_no(std::string_view name, bool otherwise);
  std::optional<bool> yes_no(std::string_view name);  // none: not set, or invalid
  // "" where it is not set.
  std::string text(std::string_view name) const { return conf_.value(name); }
  // A whole number from `least` to `most`; `what` names what it counts: "connections".
  int number(std::string_view name, int least, int most, int otherwise, std::string_view what);

  // "NAME: found VALUE, expected WHAT" at the place of the setting.
  void error(const Setting& setting, std::string_view name, std::string_view expected);
  void warning(const Setting& setting, const std::string& text);
  // For ports and directories: with the default instead, daemons would not find one another, or would open an empty store.
  void fatal(const Setting& setting, std::string_view name, std::string_view expected);

 private:
  const LsfConf& conf_;
  Problems& problems_;
};

}  // namespace rollcall::conf
