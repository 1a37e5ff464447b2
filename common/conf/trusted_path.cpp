#include "common/conf/trusted_path.hpp"

#include <cstdio>
#include <sstream>

namespace rollcall::conf {
namespace {

constexpr std::uint32_t kGroupWrites = 020, kOthersWrite = 002, kSticky = 01000, kAllBits = 07777;

bool others_write(const PathPart& part, const TrustedOwners& owners) {
  const bool group_may = (part.mode & kGroupWrites) != 0 && !owners.groups.contains(part.group);
  return group_may || (part.mode & kOthersWrite) != 0;
}

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 || slash == path.npos ? "/" : path.substr(0, slash);
}

std::string mode_text(std::uint32_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", mode & kAllBits);
  return text;
}

}  // namespace

std::string untrusted_part(const std::vector<PathPart>& way, const TrustedOwners& owners) {
  std::set<std::string> shared;  // sticky, and others may write there
  for (std::size_t i = 0; i < way.size(); ++i) {
    const auto& part = way[i];
    // Others may have put it there, as a link or as a hard link to a file of root's.
    if (part.path != "/" && shared.contains(parent_of(part.path)) && part.kind != PathPart::Kind::directory)
      return part.path + ": is no directory, but in " + parent_of(part.path) +
             ", which others than root may write";
    if (part.kind == PathPart::Kind::link) continue;
    if (!owners.users.contains(part.owner))
      return part.path + ": belongs to user " + std::to_string(part.owner) + ", expected root";
    if (!others_write(part, owners)) continue;
    const bool last = i + 1 == way.size();
    if (last || part.kind != PathPart::Kind::directory || (part.mode & kSticky) == 0)
      return part.path + ": may be written by others than root (mode " + mode_text(part.mode) + ", group " +
             std::to_string(part.group) + "), expected by root alone";
    shared.insert(part.path);
  }
  return "";
}

Result<TrustedNames> parse_trusted_owners(std::string_view text, const std::string& path) {
  TrustedNames names;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string kind, name, more;
    if (!(words >> kind)) continue;
    words >> name;
    if ((kind != "user" && kind != "group") || name.empty() || words >> more)
      return configuration_error(path + ":" + std::to_string(number) + ": found \"" + line +
                                 "\", expected user NAME or group NAME");
    (kind == "user" ? names.users : names.groups).push_back(name);
  }
  return names;
}

}  // namespace rollcall::conf
