// LsbUsers: the typed view of lsb.users: limits of users and groups, groups of users with their shares, and accounts of
// other clusters. Values; whether an account exists is not asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/conf/lsb/values.hpp"
#include "common/conf/section_file.hpp"

namespace rollcall::conf {

struct UserLimits {
  std::string name;  // a user, a group, "group@" (each member on its own), or "default"
  std::optional<int> max_jobs;
  std::optional<double> per_processor;  // JL/P
  std::optional<int> max_pending;       // MAX_PEND_JOBS
  Place place;
};

struct UserGroup {
  std::string name;
  std::vector<std::string> members;  // users, groups, "~user", "all", "!" (asked by egroup)
  std::vector<Share> shares;
  std::vector<std::string> administrators;
  Place place;
};

struct UserMapping {
  std::vector<std::string> local;
  std::vector<std::string> remote;  // "user@cluster"
  enum class Direction { export_jobs, import_jobs } direction = Direction::export_jobs;
  Place place;
};

struct LsbUsers {
  std::vector<UserLimits> users;
  std::vector<UserGroup> groups;
  std::vector<UserMapping> mappings;
};

LsbUsers read_lsb_users(const SectionFile& file, Problems& problems);

}  // namespace rollcall::conf
