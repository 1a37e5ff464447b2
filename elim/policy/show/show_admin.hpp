// What lsadmin prints as JSON: a verdict on files, settings, and what was done on each host. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/conf/show_conf.hpp"

namespace rollcall::elim::show {

// {"COMMAND":"lsadmin","SUBCOMMAND":"ckconfig","ERRORS":n,"WARNINGS":n,"FILES":[...],"PROBLEMS":[...]}
std::string check_json(const std::string& subcommand, const conf::Problems& problems,
                       const std::vector<std::string>& files);

// ... "PARAMETERS":[{"NAME":...,"VALUE":...,"WHERE":...}]
std::string parameters_json(const std::vector<conf::ShownParameter>& parameters);

struct HostOutcome {
  std::string host;
  std::string trouble;  // "": it was done
};
// ... "HOSTS":n,"RECORDS":[{"HOST_NAME":...,"DONE":true,"TEXT":...}]
std::string outcomes_json(const std::string& subcommand, const std::vector<HostOutcome>& outcomes);

}  // namespace rollcall::elim::show
