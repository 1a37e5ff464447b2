// LsfConf: the NAME=VALUE pairs of an lsf.conf, with the line each came from. A value; the caller reads the
// file.
//
// It is not the typed view (see pam/policy/pam_config.hpp) and knows no parameter by name. The grammar is at
// the top of lsf_conf.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::conf {

struct Setting {
  std::string value;
  std::string where;  // "FILE:LINE", for messages about the value
};

// `where` as a Place.
Place setting_place(const Setting& setting);

class LsfConf {
 public:
  LsfConf() = default;

  // The first malformed line is the error "FILE:LINE: found X, expected Y"; it lists the numbers of further ones.
  // A name given twice: the last one counts.
  static Result<LsfConf> parse(std::string_view text, const std::string& file_name);

  // The same for ckconfig: each malformed line is a problem, all other lines are read.
  static LsfConf parse(std::string_view text, const std::string& file_name, Problems& problems);

  // nullptr where the name is not set, or has an empty value.
  const Setting* find(std::string_view name) const;
  // The value, or "" where there is none.
  std::string value(std::string_view name) const;

  const std::map<std::string, Setting, std::less<>>& settings() const { return settings_; }

  // The pairs as lines that parse() reads back to the same pairs.
  std::string text() const;

 private:
  std::map<std::string, Setting, std::less<>> settings_;
};

}  // namespace rollcall::conf
