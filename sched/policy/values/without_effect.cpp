#include "sched/policy/values/without_effect.hpp"

namespace rollcall::sched {

std::vector<std::string> options_without_effect(const wire::Submission& asked) {
  std::vector<std::string> lines;
  if (asked.gpu().find("mode=exclusive_process") != std::string::npos)
    lines.emplace_back(
        "-gpu mode=exclusive_process: the devices are this job's alone; their compute mode is not set");
  if (!asked.alloc_flags().empty())
    lines.push_back("-alloc_flags " + asked.alloc_flags() + ": kept, without effect here");
  return lines;
}

}  // namespace rollcall::sched
