#include "common/io/root_trust.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>

#include "common/base/numbers.hpp"
#include "common/io/read_file.hpp"

namespace rollcall::io {
namespace {

constexpr int kMostLinks = 40;  // the kernel's limit

conf::PathPart part_of(const std::string& path, const struct stat& facts) {
  using Kind = conf::PathPart::Kind;
  const Kind kind = S_ISDIR(facts.st_mode)   ? Kind::directory
                    : S_ISLNK(facts.st_mode) ? Kind::link
                                             : Kind::other;
  return {path, facts.st_uid, facts.st_gid, facts.st_mode & 07777U, kind};
}

std::deque<std::string> components(const std::string& path) {
  std::deque<std::string> found;
  for (std::size_t at = 0; at < path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    if (end > at) found.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

Error failed(const std::string& path) {
  return configuration_error(path + ": cannot be looked at: " + std::strerror(errno));
}

Result<void> take(const std::vector<std::string>& names, const std::string& kind, const NumberOf& number_of,
                  const std::string& file, RootTrust& trust) {
  const bool user = kind == "user";
  for (const auto& name : names) {
    std::optional<std::uint32_t> number;
    if (const auto given = parse_whole(name, 0, INT_MAX))
      number = static_cast<std::uint32_t>(*given);
    else
      number = (user ? number_of.user : number_of.group)(name);
    if (!number) return configuration_error(file + ": " + kind + " \"" + name + "\" is unknown on this host");
    (user ? trust.owners.users : trust.owners.groups).insert(*number);
    trust.notes.push_back(file + " trusts " + kind + " " + name + ": whoever can act as " +
                          (user ? "this user" : "a member of this group") +
                          " and may write what the daemons execute or believe can act as root on this host");
  }
  return {};
}

// In a user namespace that does not map all users, the machine's root appears as nobody.
void add_unmapped(conf::TrustedOwners& owners) {
  constexpr std::uint32_t kUnmapped = 65534;
  const auto map = read_file("/proc/self/uid_map");
  if (!map || map->find("4294967295") != map->npos) return;
  owners.users.insert(kUnmapped);
  owners.groups.insert(kUnmapped);
}

std::string directions(const std::string& why) {
  return why.find("belongs to user") != why.npos
             ? std::string("; give it to root, or name its owner in ") + kTrustedOwnersFile
             : std::string("; take the others' right to write away (chmod go-w), or name the group in ") +
                   kTrustedOwnersFile;
}

}  // namespace

Result<std::vector<conf::PathPart>> path_parts(const std::string& path) {
  std::vector<conf::PathPart> parts;
  struct stat facts;
  if (lstat("/", &facts) != 0) return failed("/");
  parts.push_back(part_of("/", facts));
  std::string here;  // "": the root
  auto left = components(std::filesystem::absolute(path).string());
  for (int links = 0; !left.empty();) {
    const std::string name = std::move(left.front());
    left.pop_front();
    if (name == ".") continue;
    if (name == "..") {
      here.resize(here.empty() ? 0 : here.rfind('/'));
      continue;
    }
    const std::string next = here + "/" + name;
    if (lstat(next.c_str(), &facts) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return parts;
      return failed(next);
    }
    parts.push_back(part_of(next, facts));
    if (!S_ISLNK(facts.st_mode)) {
      here = next;
      continue;
    }
    char target[PATH_MAX];
    const ssize_t size = readlink(next.c_str(), target, sizeof target);
    if (size <= 0 || size == sizeof target || ++links > kMostLinks) return failed(next);
    if (target[0] == '/') here.clear();
    auto further = components(std::string(target, static_cast<std::size_t>(size)));
    left.insert(left.begin(), further.begin(), further.end());
  }
  return parts;
}

Result<void> check_trust(const RootTrust& trust, const std::string& path, const std::string& what_for) {
  if (!trust.root || path.empty()) return {};
  const auto parts = path_parts(path);
  if (!parts) return parts.error();
  if (const auto why = conf::untrusted_part(*parts, trust.owners); !why.empty())
    return configuration_error(why + ": " + what_for + directions(why));
  return {};
}

Result<RootTrust> read_trust_of_root(const NumberOf& number_of, const std::string& file) {
  RootTrust trust;
  trust.root = true;
  add_unmapped(trust.owners);
  if (access(file.c_str(), F_OK) != 0) return trust;
  // Checked by root's own files alone: the file cannot yet extend trust.
  if (auto own = check_trust(trust, file, "it says whom root trusts"); !own) return own.error();
  const auto text = read_file(file);
  if (!text) return failed(file);
  const auto names = conf::parse_trusted_owners(*text, file);
  if (!names) return names.error();
  if (auto users = take(names->users, "user", number_of, file, trust); !users) return users.error();
  if (auto groups = take(names->groups, "group", number_of, file, trust); !groups) return groups.error();
  return trust;
}

bool root_has_daemons(const conf::LoadSettings& settings) {
  struct stat key;
  return (lstat(settings.key_file.c_str(), &key) == 0 ? key.st_uid : geteuid()) == 0;
}

std::vector<std::string> untrusted_paths(const RootTrust& trust, const conf::LoadSettings& settings,
                                         const std::vector<NamedPath>& more) {
  std::vector<NamedPath> paths{{settings.env_dir, "LSF_ENVDIR"},
                               {settings.env_dir + "/lsf.conf", "lsf.conf"},
                               {settings.env_dir + "/hosts", "LSF_ENVDIR/hosts"},
                               {settings.conf_dir, "LSF_CONFDIR"},
                               {settings.conf_dir + "/lsf.shared", "lsf.shared"},
                               {settings.conf_dir + "/lsf.cluster." + settings.cluster, "lsf.cluster"},
                               {settings.server_dir, "LSF_SERVERDIR"}};
  paths.insert(paths.end(), more.begin(), more.end());
  std::vector<std::string> lines;
  std::set<std::string> parts;  // a directory is on the way to many files
  for (const auto& [path, name] : paths) {
    if (geteuid() != 0 && !path_parts(path)) continue;  // hidden from who asks
    const auto believed = check_trust(trust, path, "root believes it (" + name + ")");
    const std::string why = believed ? "" : believed.error().text;
    if (!why.empty() && parts.insert(why.substr(0, why.find(": "))).second) lines.push_back(why);
  }
  return lines;
}

Result<Descriptor> open_trusted_program(const RootTrust& trust, const std::string& path) {
  if (auto believed = check_trust(trust, path, "root would execute it"); !believed) return believed.error();
  Descriptor program(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat facts;
  if (!program || fstat(program.get(), &facts) != 0)
    return configuration_error(path + ": cannot be opened: " + std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) return configuration_error(path + ": is no regular file");
  if (const auto why = trust.root ? conf::untrusted_part({part_of(path, facts)}, trust.owners) : "";
      !why.empty())
    return configuration_error(why + ": root would execute it");
  return program;
}

}  // namespace rollcall::io
