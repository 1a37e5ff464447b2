// The part of root_trust.hpp that daemons alone use. It needs getpwnam(), which static programs cannot link.
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "common/io/root_trust.hpp"

namespace rollcall::io {
namespace {

std::optional<std::uint32_t> uid_of(const std::string& name) {
  const passwd* const found = getpwnam(name.c_str());
  return found == nullptr ? std::nullopt : std::optional<std::uint32_t>(found->pw_uid);
}

std::optional<std::uint32_t> gid_of(const std::string& name) {
  const group* const found = getgrnam(name.c_str());
  return found == nullptr ? std::nullopt : std::optional<std::uint32_t>(found->gr_gid);
}

}  // namespace

Result<RootTrust> read_root_trust(const std::string& file) {
  if (geteuid() != 0) return RootTrust{};
  return read_trust_of_root({uid_of, gid_of}, file);
}

Result<RootTrust> check_daemon_trust(const conf::LoadSettings& settings, const std::vector<NamedPath>& more) {
  auto trust = read_root_trust();
  if (!trust || !trust->root) return trust;
  std::vector<NamedPath> paths{{"/proc/self/exe", "the daemon's own program"}};
  paths.insert(paths.end(), more.begin(), more.end());
  if (const auto lines = untrusted_paths(*trust, settings, paths); !lines.empty())
    return configuration_error(lines.front());
  return trust;
}

}  // namespace rollcall::io
