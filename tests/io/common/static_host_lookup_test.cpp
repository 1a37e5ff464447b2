// Where static programs find hosts: as they are written, in /etc/hosts, and by getent.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <stdlib.h>

#include <array>
#include <fstream>

#include "common/io/host_lookup.hpp"

namespace rollcall::io {
namespace {

std::string text_of(const HostAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool v6 = address.place.ss_family == AF_INET6;
  const auto* const v4_place = reinterpret_cast<const sockaddr_in*>(&address.place);
  const auto* const v6_place = reinterpret_cast<const sockaddr_in6*>(&address.place);
  const void* const bytes = v6 ? static_cast<const void*>(&v6_place->sin6_addr) : &v4_place->sin_addr;
  inet_ntop(address.place.ss_family, bytes, text.data(), text.size());
  return std::string(text.data()) + "/" +
         std::to_string(ntohs(v6 ? v6_place->sin6_port : v4_place->sin_port));
}

// As long as it lives there is no getent.
class NoGetent {
 public:
  NoGetent() : path_(getenv("PATH")) { setenv("PATH", "/nonexistent", 1); }
  ~NoGetent() { setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_;
};

TEST(StaticHostLookup, AnAddressIsTakenAsItIsWritten) {
  const NoGetent none;
  const auto v4 = look_up("10.1.2.3", 7869);
  ASSERT_TRUE(v4) << v4.error().text;
  ASSERT_EQ(v4->size(), 1u);
  EXPECT_EQ(text_of(v4->front()), "10.1.2.3/7869");
  EXPECT_EQ(v4->front().size, sizeof(sockaddr_in));
  const auto v6 = look_up("fd00::5", 65535);
  ASSERT_TRUE(v6) << v6.error().text;
  EXPECT_EQ(text_of(v6->front()), "fd00::5/65535");
  EXPECT_EQ(v6->front().size, sizeof(sockaddr_in6));
}

TEST(StaticHostLookup, TheHostsFileIsReadWhereTheSiteAsksItFirst) {
  std::ifstream services("/etc/nsswitch.conf");
  std::string word, next;
  bool first = false;
  for (; services >> word; next = word) first = first || (next == "hosts:" && word == "files");
  if (!first) GTEST_SKIP() << "the name services of this host do not begin with /etc/hosts";
  const NoGetent none;
  const auto found = look_up("LocalHost", 1);
  ASSERT_TRUE(found) << found.error().text;
  const std::string address = text_of(found->front());
  EXPECT_TRUE(address == "127.0.0.1/1" || address == "::1/1") << address;
}

TEST(StaticHostLookup, OthersAreLookedUpByGetent) {
  {
    const NoGetent none;
    const auto unasked = look_up("no-such-host.invalid", 1);
    ASSERT_FALSE(unasked);
    EXPECT_EQ(unasked.error().text, "getent does not answer");
  }
  const auto unknown = look_up("no-such-host.invalid", 1);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().text, "Name or service not known");
}

}  // namespace
}  // namespace rollcall::io
