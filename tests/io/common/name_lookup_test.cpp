// Name look-ups through getent, as static programs make them.
#include "common/io/name_lookup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

namespace rollcall::io {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::IsEmpty;

TEST(NameLookup, AKnownHostHasItsAddressesOnceEach) {
  const auto addresses = look_up_host("localhost");
  ASSERT_TRUE(addresses);
  EXPECT_THAT(*addresses, Contains(AnyOf("127.0.0.1", "::1")));
  for (const auto& address : *addresses)
    EXPECT_EQ(std::count(addresses->begin(), addresses->end(), address), 1) << address;
}

TEST(NameLookup, AnUnknownHostHasNone) {
  const auto addresses = look_up_host("no-such-host.invalid");
  ASSERT_TRUE(addresses);
  EXPECT_THAT(*addresses, IsEmpty());
}

TEST(NameLookup, ANameThatLooksLikeAnOptionIsAName) {
  const auto addresses = look_up_host("--help");
  ASSERT_TRUE(addresses);
  EXPECT_THAT(*addresses, IsEmpty());
}

TEST(NameLookup, WithoutGetentNoHostAndNoHomeIsKnown) {
  const std::string path = getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const auto addresses = look_up_host("localhost");
  const auto home = look_up_home(geteuid());
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(addresses);
  EXPECT_EQ(home, "");
}

TEST(NameLookup, AUsersHomeIsThatOfThePasswordFile) {
  const passwd* entry = getpwuid(geteuid());
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(look_up_home(geteuid()), entry->pw_dir);
  EXPECT_EQ(look_up_home(3999999999u), "");
}

}  // namespace
}  // namespace rollcall::io
