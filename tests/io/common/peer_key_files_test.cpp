// The secrets shared with other clusters: their files, and what each direction's key proves.
#include "common/io/peer_key_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/io/common/cluster_ends.hpp"

namespace rollcall::io {
namespace {

using test::bytes_of;
using test::cluster_key;
using test::ClusterEnd;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PeerKeyFiles : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/rollcall-peer-keys.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    top = name;
  }
  void TearDown() override { std::filesystem::remove_all(top); }
  std::string top;
};

TEST_F(PeerKeyFiles, AreMadeOnceThenTheSuccessor) {
  const std::string directory = top + "/keys";
  EXPECT_EQ(create_peer_key(directory, "east").value(), directory + "/east");
  struct stat info;
  ASSERT_EQ(stat(directory.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  ASSERT_EQ(stat((directory + "/east").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_EQ(create_peer_key(directory, "east").value(), directory + "/east.next");
  EXPECT_THAT(create_peer_key(directory, "east").error().text,
              HasSubstr("let the successor take the key's place"));
  const auto secrets = load_peer_secrets(directory, "east");
  ASSERT_TRUE(secrets);
  ASSERT_EQ(secrets->size(), 2U);
  EXPECT_NE(secrets->at(0), secrets->at(1));
  EXPECT_THAT(load_peer_secrets(directory, "north").value(), IsEmpty());
}

TEST_F(PeerKeyFiles, AreRefusedWhereOthersCouldReadThem) {
  ASSERT_TRUE(create_peer_key(top, "east"));
  chmod((top + "/east").c_str(), 0640);
  EXPECT_THAT(load_peer_secrets(top, "east").error().text, HasSubstr("peer key " + top + "/east"));
  const auto loaded = load_peer_keys(top, "west", cluster_key(), {"east"});
  EXPECT_EQ(loaded.errors.size(), 1U);
  EXPECT_THAT(loaded.dials, IsEmpty());
}

TEST_F(PeerKeyFiles, HaveNamesThatAreFileNames) {
  for (const char* name : {"", ".", "..", "../etc", "a/b", ".hidden", "east.next", "e ast", "\xc3\xa9"})
    EXPECT_FALSE(names_key_file(name)) << name;
  EXPECT_FALSE(create_peer_key(top, "../east"));
  EXPECT_TRUE(names_key_file("hpc-cluster_2.site"));
}

// West and east, each with the file under the other's name.
class PeerDirections : public PeerKeyFiles {
 protected:
  void SetUp() override {
    PeerKeyFiles::SetUp();
    for (const auto& [own, other] : {std::pair("west", "east"), {"east", "west"}}) {
      std::filesystem::create_directory(top + "/" + own);
      put(own, other, 'a');
    }
  }
  void put(const std::string& own, const std::string& file, char digit) const {
    const std::string path = top + "/" + own + "/" + file;
    std::ofstream(path) << std::string(63, digit) << "7\n";
    chmod(path.c_str(), 0600);
  }
  LoadedPeerKeys keys(const std::string& own, std::uint8_t own_key,
                      const std::vector<std::string>& peers) const {
    auto loaded = load_peer_keys(top + "/" + own, own, cluster_key(own_key), peers);
    EXPECT_THAT(loaded.errors, IsEmpty());
    return loaded;
  }
  // The peer's name as the acceptor knows it; "": it was refused.
  static std::string proved(const PeerKey& dials, const PeerKeys& accepts) {
    ClusterEnd dialler(ClusterChannel::dial_naming_key(dials.key, bytes_of(0x22)));
    ClusterEnd acceptor(ClusterChannel::accept(accepts, ClusterChannel::OwnKey(bytes_of(0x33))));
    const std::string call = dialler.channel.start();
    std::string out;
    const auto none = [](std::string_view) { return Result<void>(); };
    if (!acceptor.channel.feed(call, out, none)) return "";
    acceptor.answer(dialler.answer(out));
    return acceptor.channel.open() ? acceptor.channel.peer() : "";
  }
};

TEST_F(PeerDirections, ProveWhoCallsWhom) {
  const auto west = keys("west", 0x11, {"east"}), east = keys("east", 0x12, {"west"});
  EXPECT_EQ(proved(west.dials.at("east"), east.accepts), "west");
  EXPECT_EQ(proved(east.dials.at("west"), west.accepts), "east");
}

TEST_F(PeerDirections, DoNotLetACallComeBackToItsSender) {
  const auto west = keys("west", 0x11, {"east"});
  EXPECT_EQ(proved(west.dials.at("east"), west.accepts), "");
}

// One file under two names by mistake: a call to one cluster still proves nothing at the other.
TEST_F(PeerDirections, AreOfOnePairOfNames) {
  std::filesystem::create_directory(top + "/north");
  put("north", "west", 'a');
  put("west", "north", 'a');
  const auto west = keys("west", 0x11, {"east", "north"}), north = keys("north", 0x13, {"west"}),
             east = keys("east", 0x12, {"west"});
  EXPECT_EQ(proved(west.dials.at("east"), north.accepts), "");
  EXPECT_EQ(proved(west.dials.at("north"), north.accepts), "west");
  EXPECT_EQ(proved(east.dials.at("west"), west.accepts), "east");
}

TEST_F(PeerDirections, AcceptTwoKeysWhileOneIsChanged) {
  put("west", "east.next", 'b');
  put("east", "west.next", 'b');
  const auto west = keys("west", 0x11, {"east"});
  std::filesystem::rename(top + "/east/west.next", top + "/east/west");
  const auto changed = keys("east", 0x12, {"west"});
  EXPECT_EQ(proved(changed.dials.at("west"), west.accepts), "east")
      << "the new key, at a side that dials with the old one";
  EXPECT_EQ(proved(west.dials.at("east"), changed.accepts), "") << "the old key is gone there";
}

}  // namespace
}  // namespace rollcall::io
