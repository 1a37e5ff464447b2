// LsfTask: the typed view of lsf.task: which commands run where they are called, which may run on other hosts, and what
// these need. A value. A user's own file (~/.lsftask) adds to it with "+" and takes away with "-".
#pragma once

#include <map>
#include <set>
#include <string>

#include "common/conf/section_file.hpp"

namespace rollcall::conf {

struct LsfTask {
  std::set<std::string> local;
  std::map<std::string, std::string> remote;  // name -> requirement string, "" for none
};

// Reads on top of `tasks`, so that a user's file goes over the site's.
void read_lsf_task(const SectionFile& file, LsfTask& tasks, Problems& problems);
SectionSyntax lsf_task_syntax();

}  // namespace rollcall::conf
