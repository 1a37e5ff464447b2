// ForwardScenario: remote queues and jobs as one readable text, which bsched-query and tests feed to choose(). A value with a
// parser, and a function that prints the choices. The sections are at the top of forward_scenario.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "sched/policy/forward/choice.hpp"

namespace rollcall::sched::forward {

struct ForwardScenario {
  struct Job {
    std::string name;  // ID or ID[INDEX]
    ForwardJob asks;
    std::vector<std::pair<std::size_t, Returns>> returns;  // by place in `queues`
  };
  Settings settings;
  std::vector<RemoteQueue> queues;  // in the order of SNDJOBS_TO
  std::vector<Job> jobs;
};

// True for a text with a section RemoteQueue: such a text describes remote queues alone.
bool has_remote_queues(std::string_view text);

// The error has a line for each fault. `name`: of the file, for these lines.
Result<ForwardScenario> read_forward_scenario(std::string_view text, const std::string& name);

// The choice for each job and the table of queues; with `job` for that one alone. A choice does not count the forwards of the jobs
// before it.
std::string choices_text(const ForwardScenario& scenario, std::string_view job = "");

}  // namespace rollcall::sched::forward
