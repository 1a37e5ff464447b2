#include "common/conf/shared_addresses.hpp"

#include <map>
#include <string>
#include <string_view>

namespace rollcall::conf {
namespace {

bool loopback(std::string_view address) { return address.starts_with("127.") || address == "::1"; }

}  // namespace

void refuse_shared_addresses(const ClusterFiles& files, const FileSources& sources, Problems& problems) {
  const auto text = sources.read("/etc/hosts");
  const HostNames system("", text ? *text : "");
  std::map<std::string, const ClusterHost*> owners;
  for (const ClusterHost& host : files.cluster.hosts) {
    auto addresses = files.names.addresses(host.name);
    if (addresses.empty()) addresses = system.addresses(host.name);
    for (const std::string& address : addresses) {
      if (loopback(address)) continue;
      const auto [owner, fresh] = owners.emplace(address, &host);
      if (fresh || owner->second == &host) continue;
      problems.error(host.place, "HOSTNAME: found " + host.name + " with the address " + address +
                                     ", which is that of " + owner->second->name + " (" +
                                     owner->second->place.text() + "), expected an address of its own");
      break;
    }
  }
}

}  // namespace rollcall::conf
