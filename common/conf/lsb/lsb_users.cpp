#include "common/conf/lsb/lsb_users.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/without_effect.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

void read_user(const Row& row, LsbUsers& users, Problems& problems) {
  RowReader cells(row, problems);
  UserLimits user{cells.required("USER_NAME"), cells.whole("MAX_JOBS", 0, kMaxTasks),
                  cells.real("JL/P", 0, kMaxTasks), cells.whole("MAX_PEND_JOBS", 0, kMaxTasks), row.place};
  for (const UserLimits& other : users.users)
    if (other.name == user.name)
      return cells.error("USER_NAME", user.name, "each user once; it is at " + other.place.text() + " too");
  if (cells.valid()) users.users.push_back(std::move(user));
}

void read_group(const Row& row, LsbUsers& users, Problems& problems) {
  RowReader cells(row, problems);
  UserGroup group{.name = cells.required("GROUP_NAME"),
                  .members = cells.words("GROUP_MEMBER"),
                  .administrators = cells.words("GROUP_ADMIN"),
                  .place = row.place};
  if (const Cell* cell = row.given("USER_SHARES")) {
    const auto shares = parse_shares(cell->text, 0);
    if (!shares) return cells.told("USER_SHARES", shares.error().text);
    group.shares = *shares;
  }
  for (const UserGroup& other : users.groups)
    if (other.name == group.name)
      return cells.error("GROUP_NAME", group.name,
                         "each group once; it is at " + other.place.text() + " too");
  if (!group.name.empty()) users.groups.push_back(std::move(group));
}

void read_mapping(const Row& row, LsbUsers& users, Problems& problems) {
  RowReader cells(row, problems);
  UserMapping mapping{.local = cells.words("LOCAL"), .remote = cells.words("REMOTE"), .place = row.place};
  const std::string direction = cells.required("DIRECTION");
  if (same_name(direction, "import"))
    mapping.direction = UserMapping::Direction::import_jobs;
  else if (!direction.empty() && !same_name(direction, "export"))
    return cells.error("DIRECTION", direction, "export or import");
  for (const std::string& word : mapping.remote) {
    const std::size_t at = word.find('@');
    if (at == std::string::npos || at == 0 || at + 1 == word.size())
      cells.error("REMOTE", word, "USER@CLUSTER");
  }
  if (!cells.valid()) return;
  if (mapping.local.empty() || mapping.remote.empty())
    return problems.error(row.place, "found a user map without LOCAL or REMOTE, expected users in both");
  users.mappings.push_back(std::move(mapping));
}

// "Since the limit specified with the keyword default applies to user groups also, make sure you select a limit that is high enough, or
// explicitly define limits for user groups" (reference of LSF 6.2).
void check_default(const LsbUsers& users, Problems& problems) {
  const auto row_of = [&](const std::string& name) {
    const auto found = std::find_if(users.users.begin(), users.users.end(),
                                    [&](const UserLimits& row) { return row.name == name; });
    return found == users.users.end() ? nullptr : &*found;
  };
  const UserLimits* const standard = row_of("default");
  if (standard == nullptr || (!standard->max_jobs && !standard->per_processor)) return;
  for (const UserGroup& group : users.groups)
    if (row_of(group.name) == nullptr && row_of(group.name + "@") == nullptr)
      problems.warning(
          standard->place,
          "USER_NAME: found default and no row of group " + printable(group.name) +
              ", expected one: MAX_JOBS and JL/P of default hold for all of its members together");
}

}  // namespace

LsbUsers read_lsb_users(const SectionFile& file, Problems& problems) {
  LsbUsers users;
  check_sections(file, {"User", "UserGroup", "UserMap"}, problems);
  each_row(file, "User",
           with_known("lsb.users", "User", {{"USER_NAME"}, {"MAX_JOBS", "JL/P", "MAX_PEND_JOBS"}}), problems,
           [&](const Row& row) { read_user(row, users, problems); });
  each_row(
      file, "UserGroup",
      with_known("lsb.users", "UserGroup", {{"GROUP_NAME", "GROUP_MEMBER"}, {"USER_SHARES", "GROUP_ADMIN"}}),
      problems, [&](const Row& row) { read_group(row, users, problems); });
  each_row(file, "UserMap", {{"LOCAL", "REMOTE", "DIRECTION"}, {}}, problems,
           [&](const Row& row) { read_mapping(row, users, problems); });
  check_default(users, problems);
  return users;
}

}  // namespace rollcall::conf
