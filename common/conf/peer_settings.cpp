// ROLLCALL_PEERS = cluster=host[:port][,host[:port]]... | cluster=none ...     none: never dialled
#include "common/conf/peer_settings.hpp"

#include <algorithm>
#include <optional>

#include "common/base/numbers.hpp"
#include "common/conf/settings_reader.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

constexpr const char* kAddresses = "ROLLCALL_PEERS";
constexpr std::string_view kNone = "none";

std::optional<PeerAddress> address_of(std::string_view word, int otherwise) {
  const std::size_t colon = word.rfind(':');
  PeerAddress address{std::string(word.substr(0, colon)), otherwise};
  if (colon != word.npos) {
    const auto port = parse_whole(word.substr(colon + 1), 1, 65535);
    if (!port) return std::nullopt;
    address.port = static_cast<int>(*port);
  }
  if (address.host.empty() || address.host.find(':') != std::string::npos) return std::nullopt;
  return address;
}

std::optional<std::vector<PeerAddress>> addresses_of(std::string_view list, int otherwise) {
  std::vector<PeerAddress> addresses;
  if (list == kNone) return addresses;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const auto address = address_of(list.substr(at, end - at), otherwise);
    if (!address) return std::nullopt;
    addresses.push_back(*address);
    at = end + 1;
  }
  return addresses;
}

}  // namespace

bool left_out_of_remote_clusters(const ClusterFiles& files, const std::string& cluster) {
  const auto& remote = files.cluster.remote_clusters;
  return !remote.empty() && std::none_of(remote.begin(), remote.end(),
                                         [&](const RemoteCluster& row) { return row.name == cluster; });
}

const PeerCluster* PeerSettings::cluster(std::string_view name) const {
  const auto found = std::find_if(clusters.begin(), clusters.end(),
                                  [&](const PeerCluster& one) { return one.name == name; });
  return found == clusters.end() ? nullptr : &*found;
}

PeerSettings read_peer_settings(const ClusterFiles& files, int own_port, Problems& problems) {
  SettingsReader in(files.lsf_conf, problems);
  PeerSettings peers;
  peers.key_directory = in.directory("ROLLCALL_PEER_KEYS", "");
  for (const ClusterRow& row : files.shared.clusters) {
    if (row.name == files.settings.cluster || left_out_of_remote_clusters(files, row.name)) continue;
    PeerCluster& peer = peers.clusters.emplace_back(PeerCluster{row.name, {}, false});
    for (const auto& server : row.servers) peer.addresses.push_back({server, own_port});
  }
  const Setting* setting = in.find(kAddresses);
  if (setting == nullptr) return peers;
  for (const auto& word : split_words(setting->value)) {
    Setting found = *setting;
    found.value = word;  // an error names the word alone
    const std::size_t equals = word.find('=');
    const auto peer = std::find_if(peers.clusters.begin(), peers.clusters.end(), [&](const PeerCluster& one) {
      return one.name == word.substr(0, equals);
    });
    const auto addresses = equals == word.npos
                               ? std::nullopt
                               : addresses_of(std::string_view(word).substr(equals + 1), own_port);
    if (!addresses)
      in.error(found, kAddresses,
               "CLUSTER=HOST[:PORT][,HOST[:PORT]]... or CLUSTER=none, separated by blanks");
    else if (peer == peers.clusters.end())
      in.error(found, kAddresses,
               "clusters of lsf.shared, and of RemoteClusters where that section exists, but for this one");
    else
      peer->addresses = *addresses, peer->never_dialled = addresses->empty();
  }
  return peers;
}

}  // namespace rollcall::conf
