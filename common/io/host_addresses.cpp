#include "common/io/host_addresses.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <vector>

namespace rollcall::io {
namespace {

constexpr std::size_t kMost = 8;

std::string text_of(int family, const void* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(family, address, text.data(), text.size()) != nullptr ? text.data() : "";
}

void add(const ifaddrs& entry, std::vector<std::string>& v4, std::vector<std::string>& v6) {
  if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0 || (entry.ifa_flags & IFF_LOOPBACK) != 0)
    return;
  if (entry.ifa_addr->sa_family == AF_INET) {
    v4.push_back(text_of(AF_INET, &reinterpret_cast<const sockaddr_in*>(entry.ifa_addr)->sin_addr));
  } else if (entry.ifa_addr->sa_family == AF_INET6) {
    const auto& address = reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr;
    if (!IN6_IS_ADDR_LINKLOCAL(&address)) v6.push_back(text_of(AF_INET6, &address));
  }
}

}  // namespace

std::string host_name_here() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

std::string reachable_as() {
  std::vector<std::string> addresses;
  std::vector<std::string> v6;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) == 0) {
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) add(*entry, addresses, v6);
    freeifaddrs(list);
  }
  addresses.insert(addresses.end(), v6.begin(), v6.end());
  if (addresses.empty()) addresses.push_back("127.0.0.1");
  if (addresses.size() > kMost) addresses.resize(kMost);
  std::string text = host_name_here();
  for (const auto& address : addresses) text += "," + address;
  return text;
}

}  // namespace rollcall::io
