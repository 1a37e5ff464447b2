#include "common/io/daemon_files.hpp"

#include "common/conf/lsb/lsb_files.hpp"
#include "common/io/name_lookup.hpp"

namespace rollcall::io {

std::vector<NamedPath> files_of_lim(const conf::LoadSettings& settings) {
  if (settings.server_dir.empty()) return {};
  return {{settings.server_dir + "/melim", "the program of MELIM"}};
}

std::vector<NamedPath> files_of_res(const conf::BatchSettings& batch) {
  return {{batch.job_dir, "ROLLCALL_JOBDIR"}};
}

std::vector<NamedPath> files_of_mbatchd(const conf::ClusterFiles& files, const conf::BatchSettings& batch,
                                        const conf::PeerSettings& peers) {
  const std::string directory = conf::lsb_directory(files);
  std::vector<NamedPath> paths{{conf::batch_directory(batch, files.settings), "LSB_SHAREDIR"},
                               {directory, "LSB_CONFDIR"}};
  for (const char* name :
       {"lsb.params", "lsb.queues", "lsb.hosts", "lsb.users", "lsb.applications", "lsb.resources"})
    paths.emplace_back(directory + "/" + name, name);
  if (!peers.key_directory.empty()) paths.emplace_back(peers.key_directory, "ROLLCALL_PEER_KEYS");
  return paths;
}

std::vector<std::string> refused_files(const conf::LoadSettings& settings,
                                       const std::vector<NamedPath>& more) {
  if (!root_has_daemons(settings)) return {};
  const auto trust = read_trust_of_root({look_up_uid, look_up_gid});
  if (!trust) return {trust.error().text};
  return untrusted_paths(*trust, settings, more);
}

}  // namespace rollcall::io
