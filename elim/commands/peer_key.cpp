#include "elim/commands/peer_key.hpp"

#include "common/conf/peer_settings.hpp"
#include "common/io/peer_key_files.hpp"

namespace rollcall::elim {

Result<std::string> make_peer_key(const DaemonWork& work, const std::string& cluster) {
  if (!work.checked.files)
    return configuration_error(
        "peerkey: the cluster's files have errors; \"lsadmin ckconfig -v\" shows them");
  conf::Problems problems;
  const auto peers = conf::read_peer_settings(*work.checked.files, work.batch.mbd_port, problems);
  if (const auto* fatal = problems.first_fatal()) return configuration_error(fatal->line());
  const std::string& own = work.checked.files->settings.cluster;
  if (peers.cluster(cluster) == nullptr)
    return configuration_error(
        "peerkey: found cluster \"" + cluster + "\", expected another one than " + own +
        " of lsf.shared, and one of RemoteClusters in lsf.cluster where that section exists");
  if (peers.key_directory.empty())
    return configuration_error(
        "peerkey: ROLLCALL_PEER_KEYS of lsf.conf names no directory for the keys of peers");
  const auto made = io::create_peer_key(peers.key_directory, cluster);
  if (!made) return made.error();
  const bool next = made->ends_with(".next");
  return "made " + *made + "; copy it by a way that nobody can read to the ROLLCALL_PEER_KEYS of " + cluster +
         ", there as " + own +
         (next ? ".next; when both masters were restarted (badmin mbdrestart), rename it on both sides to "
                 "the name without .next"
               : ", mode 0600, of the user who runs mbatchd; then restart both masters (badmin mbdrestart)");
}

}  // namespace rollcall::elim
