// TrustedPath: which paths root may trust, judged from the facts of each step without a file system.
#include "common/conf/trusted_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::conf {
namespace {

using ::testing::ElementsAre;
using Kind = PathPart::Kind;

const PathPart kRoot{"/", 0, 0, 0755}, kOpt{"/opt", 0, 0, 0755}, kTmp{"/tmp", 0, 0, 01777};

TEST(TrustedPath, PathOwnedByRootAloneIsTrusted) {
  EXPECT_EQ(untrusted_part({kRoot, kOpt, {"/opt/lsf.conf", 0, 0, 0644, Kind::other}}, {}), "");
  EXPECT_EQ(untrusted_part({kRoot, {"/opt", 0, 0, 0775}}, {}), "") << "the group root";
}

TEST(TrustedPath, AnotherOwnerOnTheWayIsNamed) {
  EXPECT_EQ(untrusted_part({kRoot, {"/opt", 1000, 0, 0755}, {"/opt/etc", 0, 0, 0755}}, {}),
            "/opt: belongs to user 1000, expected root");
  EXPECT_EQ(untrusted_part({kRoot, kOpt, {"/opt/lim", 1000, 0, 0755, Kind::other}}, {}),
            "/opt/lim: belongs to user 1000, expected root");
}

TEST(TrustedPath, AWritableDirectoryIsNamedWithItsMode) {
  EXPECT_EQ(untrusted_part({kRoot, {"/opt", 0, 50, 0775}, {"/opt/etc", 0, 0, 0755}}, {}),
            "/opt: may be written by others than root (mode 0775, group 50), expected by root alone");
  EXPECT_EQ(untrusted_part({kRoot, {"/opt", 0, 0, 0757}}, {}),
            "/opt: may be written by others than root (mode 0757, group 0), expected by root alone");
}

TEST(TrustedPath, AStickyDirectoryKeepsADirectoryOfRootsInItsPlace) {
  const PathPart site{"/tmp/site", 0, 0, 0700};
  EXPECT_EQ(untrusted_part({kRoot, kTmp, site}, {}), "");
  EXPECT_EQ(untrusted_part({kRoot, kTmp, {"/tmp/site", 1000, 0, 0700}}, {}),
            "/tmp/site: belongs to user 1000, expected root");
  EXPECT_NE(untrusted_part({kRoot, kTmp}, {}), "") << "anybody makes files in it";
  EXPECT_EQ(untrusted_part({kRoot, kTmp, {"/tmp/lim", 0, 0, 0755, Kind::other}}, {}),
            "/tmp/lim: is no directory, but in /tmp, which others than root may write")
      << "another name of a file of root's";
}

TEST(TrustedPath, ALinkIsJudgedByItsDirectory) {
  const PathPart link{"/opt/lsf", 1000, 1000, 0777, Kind::link};
  EXPECT_EQ(untrusted_part({kRoot, kOpt, link, {"/opt/lsf-10", 0, 0, 0755}}, {}), "");
  EXPECT_EQ(untrusted_part({kRoot, kTmp, {"/tmp/lsf", 0, 0, 0777, Kind::link}, kOpt}, {}),
            "/tmp/lsf: is no directory, but in /tmp, which others than root may write");
  EXPECT_EQ(untrusted_part({kRoot,
                            kTmp,
                            {"/tmp/site", 0, 0, 0755},
                            {"/tmp/site/up", 0, 0, 0777, Kind::link},
                            {"/tmp/evil", 0, 0, 0777, Kind::link}},
                           {}),
            "/tmp/evil: is no directory, but in /tmp, which others than root may write")
      << "a link that leads back into /tmp";
}

TEST(TrustedPath, OwnersWhomRootHasNamedAreAsRoot) {
  const std::vector<PathPart> way{kRoot, {"/opt", 1000, 50, 0775}, {"/opt/etc", 0, 0, 0755}};
  EXPECT_EQ(untrusted_part(way, {.users = {0, 1000}, .groups = {0, 50}}), "");
  EXPECT_NE(untrusted_part(way, {.users = {0, 1000}}), "") << "its group may write";
}

TEST(TrustedOwnersFile, NamesUsersAndGroups) {
  const auto names = parse_trusted_owners("# the site's\nuser lsfadmin\n\n  group 50 # lsf\nuser 7", "/f");
  ASSERT_TRUE(names);
  EXPECT_THAT(names->users, ElementsAre("lsfadmin", "7"));
  EXPECT_THAT(names->groups, ElementsAre("50"));
  EXPECT_TRUE(parse_trusted_owners("", "/f"));
}

TEST(TrustedOwnersFile, AMalformedLineIsAnError) {
  for (const char* line : {"user", "lsfadmin", "user a b", "users a"}) {
    const auto names = parse_trusted_owners(std::string("user a\n") + line + "\n", "/f");
    ASSERT_FALSE(names) << line;
    EXPECT_EQ(names.error().text,
              std::string("/f:2: found \"") + line + "\", expected user NAME or group NAME");
  }
}

}  // namespace
}  // namespace rollcall::conf
