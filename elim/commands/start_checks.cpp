#include "elim/commands/start_checks.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "common/conf/own_host.hpp"
#include "common/conf/peer_settings.hpp"
#include "common/io/cluster_key.hpp"
#include "common/io/daemon_files.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/name_lookup.hpp"

namespace rollcall::elim {
namespace {

constexpr const char* kMungeSocket = "/run/munge/munge.socket.2";  // where libmunge looks

// The owner of the key, who runs the daemons; none: there is no key yet.
std::optional<uid_t> key_owner(const conf::ClusterFiles& files) {
  struct stat info;
  if (lstat(files.settings.key_file.c_str(), &info) != 0) return std::nullopt;
  return info.st_uid;
}

std::string cannot_make(const std::string& name, const std::string& path, const std::string& why) {
  return name + ": cannot write to the directory " + path + ": " + why;
}

// "" where the directory is there and writable, or can be made.
std::string unwritable(const std::string& name, const std::string& path) {
  std::filesystem::path there = path;
  std::error_code error;
  while (there.has_relative_path() && !std::filesystem::exists(there, error)) there = there.parent_path();
  if (!std::filesystem::is_directory(there, error))
    return cannot_make(name, path, there.string() + " is no directory");
  if (faccessat(AT_FDCWD, there.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return "";
  return cannot_make(name, path,
                     there == path ? std::strerror(errno) : there.string() + ": " + std::strerror(errno));
}

bool answers(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.data(), path.size());
  const io::Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return fd && (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
                errno == EAGAIN);  // busy
}

// Owners and modes for which a daemon of this host refuses to start.
std::vector<std::string> refused_here(const conf::ClusterFiles& files, const conf::BatchSettings& batch,
                                      const conf::ClusterHost& row) {
  auto paths = io::files_of_lim(files.settings);
  const auto add = [&paths](const std::vector<io::NamedPath>& more) {
    paths.insert(paths.end(), more.begin(), more.end());
  };
  if (row.server) add(io::files_of_res(batch));
  conf::Problems told;  // by ckconfig, before
  if (row.name == batch.mbd_host)
    add(io::files_of_mbatchd(files, batch, conf::read_peer_settings(files, batch.mbd_port, told)));
  return io::refused_files(files.settings, paths);
}

void add(std::vector<std::string>& lines, std::string line) {
  if (!line.empty()) lines.push_back(std::move(line));
}

}  // namespace

std::vector<std::string> start_obstacles(const conf::ClusterFiles& files, const conf::BatchSettings& batch) {
  std::vector<std::string> lines;
  const std::string here = io::host_name_here();
  const auto official = files.names.official(here);
  const auto* row = official ? files.cluster.host(*official) : nullptr;
  if (row == nullptr) {
    lines.push_back(conf::no_such_host(files, here));
    return lines;
  }
  for (auto& line : refused_here(files, batch, *row)) lines.push_back(std::move(line));
  const auto owner = key_owner(files);
  if (!owner && files.cluster.hosts.size() > 1)
    lines.push_back("cluster key " + files.settings.key_file +
                    ": found none; run \"lsf_daemons init\" on one host and copy it to the others");
  if (owner.value_or(geteuid()) != geteuid()) return lines;
  if (owner)
    if (const auto key = io::check_cluster_key(files.settings.key_file); !key)
      lines.push_back(key.error().text);
  if (!owner)
    add(lines, unwritable("cluster key", std::filesystem::path(files.settings.key_file).parent_path()));
  if (row->server) add(lines, unwritable("ROLLCALL_JOBDIR", batch.job_dir));
  if (*official == batch.mbd_host) add(lines, unwritable("LSB_SHAREDIR", batch.share_dir));
  return lines;
}

std::vector<std::string> start_warnings(const conf::ClusterFiles& files) {
  std::vector<std::string> lines;
  if (!io::root_has_daemons(files.settings)) return lines;  // a cluster of one user
  std::string munge = files.programs.munge_socket;
  if (munge.empty()) munge = kMungeSocket;
  if (!answers(munge))
    lines.push_back(
        "munged does not run on this host (" + munge +
        "): only root can submit and control jobs from here; every host needs munged and the same munge key");
  const auto& administrators = files.cluster.administrators;
  if (!administrators.empty() && io::no_such_user(administrators.front()))
    lines.push_back("the administrator " + administrators.front() +
                    " is no user of this host: elims will not run");
  return lines;
}

}  // namespace rollcall::elim
