// PeerSettings: the clusters that may talk to this one, and where their masters are. A value.
//
// From lsf.shared (section Cluster), lsf.cluster (section RemoteClusters) and lsf.conf (ROLLCALL_PEERS, ROLLCALL_PEER_KEYS).
// docs/decisions/0089 says who dials whom. It knows no key: common/io/peer_key_files.hpp reads those.
#pragma once

#include <string>
#include <vector>

#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

struct PeerAddress {
  std::string host;  // a name or an address
  int port = 0;      // LSB_MBD_PORT of that cluster
  friend bool operator==(const PeerAddress&, const PeerAddress&) = default;
};

struct PeerCluster {
  std::string name;
  std::vector<PeerAddress> addresses;  // tried in this order; none: it calls us
  bool never_dialled = false;          // ROLLCALL_PEERS says so

  // Neither lsf.shared nor ROLLCALL_PEERS says where it is.
  bool lacks_address() const { return addresses.empty() && !never_dialled; }
};

struct PeerSettings {
  std::string key_directory;  // ROLLCALL_PEER_KEYS; "": this cluster has no peers
  std::vector<PeerCluster>
      clusters;  // in the order of lsf.shared; without this one, and without those that RemoteClusters leaves out

  const PeerCluster* cluster(std::string_view name) const;
};

// The section RemoteClusters of lsf.cluster has rows, and none of them is this cluster's.
bool left_out_of_remote_clusters(const ClusterFiles& files, const std::string& cluster);

// `own_port`: LSB_MBD_PORT of this cluster, which peers have too where nothing else is said. Errors: a word of ROLLCALL_PEERS that
// cannot be read, or that names no cluster which may be a peer.
PeerSettings read_peer_settings(const ClusterFiles& files, int own_port, Problems& problems);

}  // namespace rollcall::conf
