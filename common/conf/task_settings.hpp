// TaskSettings: the lsf.conf parameters that TaskStarter reads where pam has not sent them. A small value: it is read for each
// task.
#pragma once

#include <optional>
#include <string>

#include "common/conf/lsf_conf.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {

struct TaskSettings {
  std::string key_file;                // ROLLCALL_KEY_FILE; "": not set
  std::optional<std::string> cgroups;  // ROLLCALL_TASK_CGROUPS as written; none: not set
};

inline TaskSettings read_task_settings(const LsfConf& lsf_conf) {
  const Setting* cgroups = lsf_conf.find("ROLLCALL_TASK_CGROUPS");
  return {lsf_conf.value("ROLLCALL_KEY_FILE"), cgroups ? std::optional(cgroups->value) : std::nullopt};
}
// The word comes from the environment or the file. Only a valid "no" turns cgroups off.
inline bool task_cgroups(const std::optional<std::string>& word) {
  return !word || !(same_name(*word, "n") || same_name(*word, "no"));
}

}  // namespace rollcall::conf
