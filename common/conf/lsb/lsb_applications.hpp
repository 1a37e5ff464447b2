// LsbApplications: the typed view of lsb.applications: profiles that a job names with -app. Values.
#pragma once

#include <string>
#include <vector>

#include "common/conf/lsb/job_defaults.hpp"

namespace rollcall::conf {

struct ApplicationProfile {
  std::string name;
  JobDefaults jobs;
  Place place;
  Row cells;  // all of the section, also what is not read here
};

std::vector<ApplicationProfile> read_lsb_applications(const SectionFile& file, const LimitUnit& unit,
                                                      Problems& problems);

}  // namespace rollcall::conf
