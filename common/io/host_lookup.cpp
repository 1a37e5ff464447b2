#include "common/io/host_lookup.hpp"

#include <netdb.h>

#include <cstring>
#include <memory>

namespace rollcall::io {

Result<std::vector<HostAddress>> look_up(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (failed != 0) return internal_error(gai_strerror(failed));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  std::vector<HostAddress> addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    auto& address = addresses.emplace_back();
    std::memcpy(&address.place, each->ai_addr, each->ai_addrlen);
    address.size = each->ai_addrlen;
  }
  return addresses;
}

}  // namespace rollcall::io
