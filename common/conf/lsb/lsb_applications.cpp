#include "common/conf/lsb/lsb_applications.hpp"

namespace rollcall::conf {

std::vector<ApplicationProfile> read_lsb_applications(const SectionFile& file, const LimitUnit& unit,
                                                      Problems& problems) {
  std::vector<ApplicationProfile> profiles;
  check_sections(file, {"Application"}, problems);
  each_row(file, "Application", {{"NAME"}, job_default_keywords()}, problems, [&](const Row& row) {
    RowReader cells(row, problems);
    ApplicationProfile profile{cells.required("NAME"), read_job_defaults(row, unit, problems), row.place,
                               row};
    for (const ApplicationProfile& other : profiles)
      if (other.name == profile.name)
        return cells.error("NAME", profile.name,
                           "each profile once; it is at " + other.place.text() + " too");
    if (!profile.name.empty()) profiles.push_back(std::move(profile));
  });
  return profiles;
}

}  // namespace rollcall::conf
