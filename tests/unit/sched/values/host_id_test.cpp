// HostId and HostNumbers: one written form for a host, one number for it.
#include "sched/policy/values/host_id.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include "sched/policy/values/host_numbers.hpp"

namespace rollcall::sched {
namespace {

using testing::HasSubstr;

TEST(HostId, SplitsWhatIsWritten) {
  const HostId ours("hostA"), borrowed("hostA@east");
  EXPECT_TRUE(ours.ours());
  EXPECT_EQ(ours.host(), "hostA");
  EXPECT_EQ(ours.cluster(), "");
  EXPECT_FALSE(borrowed.ours());
  EXPECT_EQ(borrowed.host(), "hostA");
  EXPECT_EQ(borrowed.cluster(), "east");
  EXPECT_NE(ours, borrowed);
  EXPECT_TRUE(HostId().empty());
}

TEST(HostId, WritesWhatWasRead) {
  for (const char* written :
       {"", "hostA", "hostA@east", "@", "@east", "hostA@", "a@b@c", "@@", "a b", "h.example.org@x-1"}) {
    const HostId host{std::string(written)};
    EXPECT_EQ(host.text(), written);
    EXPECT_EQ(HostId(host.text()), host);
    EXPECT_EQ(std::string(host.host()) + (host.ours() ? "" : "@" + std::string(host.cluster())), written);
  }
}

TEST(HostId, TakesAnyOtherTextForALocalHost) {
  for (const char* written : {"@", "hostA@", "a@b@c", "@a@b"}) EXPECT_TRUE(HostId(written).ours()) << written;
}

TEST(HostId, NamesAClusterAsAWhole) {
  const HostId east = HostId::whole_cluster("east");
  EXPECT_EQ(east.text(), "@east");
  EXPECT_TRUE(east.is_cluster() && !east.ours());
  EXPECT_EQ(east.cluster(), "east");
  EXPECT_EQ(east.host(), "");
  for (const char* written : {"east", "hostA@east", "@", "@a@b"})
    EXPECT_FALSE(HostId(written).is_cluster()) << written;
}

TEST(HostId, OrdersOursFirstThenByCluster) {
  std::vector<HostId> hosts{HostId("a@west"), HostId("b"), HostId("z@east"), HostId("a@east"), HostId("a")};
  std::sort(hosts.begin(), hosts.end());
  std::vector<std::string> texts;
  for (const HostId& host : hosts) texts.push_back(text(host));
  EXPECT_EQ(texts, (std::vector<std::string>{"a", "b", "a@east", "z@east", "a@west"}));
  const std::unordered_set<HostId> set(hosts.begin(), hosts.end());
  EXPECT_EQ(set.size(), hosts.size());
  EXPECT_TRUE(set.contains(HostId("a@east")));
}

TEST(HostId, ParsesWithOneFormForOurs) {
  EXPECT_EQ(HostId::parse("hostA", "here")->text(), "hostA");
  EXPECT_EQ(HostId::parse("hostA@here", "here")->text(), "hostA");
  EXPECT_EQ(HostId::parse("hostA@east", "here")->text(), "hostA@east");
  EXPECT_FALSE(HostId::parse("hostA@east", "here")->ours());
}

TEST(HostId, ParseTellsWhatIsInvalid) {
  const auto error = [](std::string_view word) {
    const auto host = HostId::parse(word, "here");
    return host ? "parsed as " + host->text() : host.error().text;
  };
  EXPECT_EQ(error("hostA@"), "invalid host \"hostA@\": found no cluster behind \"@\"");
  EXPECT_EQ(error("a@b@c"), "invalid host \"a@b@c\": found two \"@\", expected one");
  for (const char* word : {"", "@", "@east"}) EXPECT_THAT(error(word), HasSubstr("found no name")) << word;
  for (const char* word : {"a b", "a@ea st", "a\n", "\x7f"})
    EXPECT_THAT(error(word), HasSubstr("found a blank")) << word;
}

TEST(HostNumbers, NumbersHostsInTheirOrder) {
  HostNumbers numbers;
  EXPECT_TRUE(numbers.empty());
  EXPECT_EQ(numbers.add(HostId("b")), 0U);
  EXPECT_EQ(numbers.add(HostId("b@east")), 1U);
  EXPECT_EQ(numbers.add(HostId("a")), 2U);
  EXPECT_EQ(numbers.add(HostId("b")), 0U);
  EXPECT_EQ(numbers.size(), 3U);
  EXPECT_EQ(numbers[1].cluster(), "east");
  EXPECT_EQ(numbers.find("b@east"), 1U);
  EXPECT_EQ(numbers.find(HostId("a")), 2U);
  EXPECT_EQ(numbers.find("a@east"), std::nullopt);
}

TEST(HostNumbers, KeepsNumbersAndNamesWhereTheyAre) {
  HostNumbers numbers;
  numbers.add(HostId("first"));
  const HostId& first = numbers[0];
  for (int i = 0; i < 5000; ++i) {
    numbers.add(HostId("h" + std::to_string(i)));
    numbers.add(HostId("h" + std::to_string(i) + "@east"));
  }
  EXPECT_EQ(&first, &numbers[0]);
  HostNumber number = 0;
  for (const HostId& host : numbers) EXPECT_EQ(numbers.find(host), number++);
  const HostNumbers copy = numbers;
  numbers = {};
  EXPECT_EQ(copy.find("h4999@east"), 10'000U);
  EXPECT_EQ(copy[10'000].text(), "h4999@east");
}

}  // namespace
}  // namespace rollcall::sched
