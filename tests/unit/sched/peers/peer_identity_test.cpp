// Which stores of other clusters are accepted, and what a hello must have.
#include "sched/policy/peers/peer_identity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::sched::peers {
namespace {

using testing::HasSubstr;

wire::PeerRow row(char store, std::uint64_t term, char run = 'r') {
  wire::PeerRow row;
  row.set_store(std::string(kIdentityBytes, store));
  row.set_term(term);
  row.set_run(std::string(kIdentityBytes, run));
  return row;
}
wire::PeerHello hello(const wire::PeerRow& of) { return hello_of({"east", of, "1.0"}); }
const OwnIdentity kOwn{"west", row('w', 3), "1.0"};

std::string refusal(const wire::PeerRow& said, const std::optional<wire::PeerRow>& known) {
  return refusal_of(hello(said), known ? &*known : nullptr, kOwn).value_or("");
}

TEST(PeerIdentity, AcceptsWhatItKnowsAndWhatHasOnlyStartedAgain) {
  EXPECT_EQ(refusal(row('e', 7), std::nullopt), "");
  EXPECT_EQ(refusal(row('e', 7), row('e', 7)), "") << "the connection was cut";
  EXPECT_EQ(refusal(row('e', 8, 's'), row('e', 7)), "") << "it has started again";
}

TEST(PeerIdentity, RefusesAStoreThatHasLostJobs) {
  EXPECT_THAT(refusal(row('f', 9), row('e', 7)),
              HasSubstr("cluster east has a store that was made anew; \"badmin hforget @east\""));
  EXPECT_THAT(refusal(row('e', 6), row('e', 7)),
              HasSubstr("put back to an older state: found its term 6, last seen was 7"));
  EXPECT_THAT(refusal(row('e', 7, 's'), row('e', 7)), HasSubstr("has opened its store twice in one term"));
}

TEST(PeerIdentity, RefusesACopyOfItsOwnStore) {
  EXPECT_THAT(refusal(row('w', 9), std::nullopt), HasSubstr("a copy of the store of west"));
}

TEST(PeerIdentity, AHelloMustNameTheClusterOfItsKeyAndBeWhole) {
  EXPECT_TRUE(check_hello(hello(row('e', 1)), "east"));
  EXPECT_FALSE(check_hello(hello(row('e', 1)), "north"));
  EXPECT_FALSE(check_hello(hello(row('e', 0)), "east")) << "no term";
  for (const auto change : {+[](wire::PeerHello& hello) { hello.clear_store(); },
                            +[](wire::PeerHello& hello) { hello.set_run("short"); },
                            +[](wire::PeerHello& hello) { hello.set_version(std::string(65, 'v')); },
                            +[](wire::PeerHello& hello) { hello.set_version("1.0\x1b[2J"); }}) {
    auto changed = hello(row('e', 1));
    change(changed);
    EXPECT_FALSE(check_hello(changed, "east")) << changed.version();
  }
}

TEST(PeerIdentity, WordsOfAPeerAreFitForALog) {
  EXPECT_EQ(plain_words("no\nmore \x1b[31m"), "no?more ?[31m");
  EXPECT_EQ(plain_words(std::string(1000, 'x')).size(), 200U);
}

}  // namespace
}  // namespace rollcall::sched::peers
