// The tables and the report as whole texts: pam writes them part by part.
#pragma once

#include <string>
#include <vector>

#include "pam/policy/report.hpp"

namespace rollcall::pam {

inline std::string closing_table(const Roll& roll, const std::string& command, const LocalTime& local_time,
                                 bool fold) {
  std::string text;
  closing_table(roll, command, local_time, fold, [&](std::string_view part) { text += part; });
  return text;
}

inline std::string usage_table(const Roll& roll, bool fold) {
  std::string text;
  usage_table(roll, fold, [&](std::string_view part) { text += part; });
  return text;
}

inline std::string json_report(const Roll& roll, const std::vector<std::string>& command, int exit_code) {
  std::string text;
  json_report(roll, command, exit_code, [&](std::string_view part) { text += part; });
  return text;
}

}  // namespace rollcall::pam
