// The three spellings of a job's hosts.
#include "common/base/host_list.hpp"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

using Hosts = std::vector<HostSlots>;

TEST(HostList, LsbHostsHasAWordPerSlot) {
  const auto list = HostList::from_lsb_hosts("grid01 grid01 grid05 grid03\n");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->hosts(), (Hosts{{"grid01", 2}, {"grid05", 1}, {"grid03", 1}}));
  EXPECT_EQ(list->slots(), 4);
  EXPECT_EQ(list->distinct(), 3u);
  EXPECT_EQ(list->lsb_hosts_text(), "grid01 grid01 grid05 grid03");
  EXPECT_EQ(list->lsb_mcpu_hosts_text(), "grid01 2 grid05 1 grid03 1");
}

TEST(HostList, LsbMcpuHostsHasPairsInAnOrderOfItsOwn) {
  const auto list = HostList::from_lsb_mcpu_hosts("grid03 1 grid05 1  grid01 2 grid03 4");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->hosts(), (Hosts{{"grid03", 5}, {"grid05", 1}, {"grid01", 2}}));
  EXPECT_EQ(list->slots(), 8);
}

TEST(HostList, AHostfileHasALinePerSlot) {
  const auto list = HostList::from_hostfile("# made by us\nn1\r\n\n  n2 # two\nn1", "hf");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->hosts(), (Hosts{{"n1", 2}, {"n2", 1}}));
}

TEST(HostList, EmptyTextIsAnEmptyList) {
  for (const char* nothing : {"", " ", "\n\t"}) {
    EXPECT_TRUE(HostList::from_lsb_hosts(nothing)->empty());
    EXPECT_TRUE(HostList::from_lsb_mcpu_hosts(nothing)->empty());
    EXPECT_TRUE(HostList::from_hostfile(nothing, "hf")->empty());
  }
}

TEST(HostList, OddBytesInANameAreErrors) {
  for (const char* bad : {"n1;rm", "n/1", "n\x01", "n\xc3\xa4", "n:1", "$n", "*"}) {
    EXPECT_FALSE(host_name(bad)) << bad;
    const auto list = HostList::from_lsb_hosts(std::string("n1 ") + bad);
    ASSERT_FALSE(list) << bad;
    EXPECT_EQ(list.error().kind, ErrorKind::configuration);
    EXPECT_EQ(list.error().text.find("LSB_HOSTS: found "), 0u);
    EXPECT_FALSE(HostList::from_lsb_mcpu_hosts(std::string(bad) + " 1"));
    EXPECT_FALSE(HostList::from_hostfile(bad, "hf"));
  }
  EXPECT_TRUE(host_name(std::string(255, 'x')));
  EXPECT_FALSE(host_name(std::string(256, 'x')));
  EXPECT_FALSE(host_name(""));
  EXPECT_TRUE(host_name("A-b_c.9"));
  EXPECT_FALSE(host_name("-oProxyCommand")) << "an option of ssh, in users' scripts";
}

TEST(HostList, BrokenPairsAreNamed) {
  const auto text = [](const char* pairs) { return HostList::from_lsb_mcpu_hosts(pairs).error().text; };
  EXPECT_EQ(text("n1 2 n2"), "LSB_MCPU_HOSTS: after \"n2\": found the end, expected a number of slots");
  for (const char* bad : {"n1 0", "n1 -1", "n1 n2", "n1 1.5", "n1 99999999999"})
    EXPECT_NE(text(bad).find("expected a number of slots from 1"), std::string::npos) << bad;
  EXPECT_NE(text("n1 10000000 n2 1").find("expected fewer slots in all"), std::string::npos);
}

TEST(HostList, HundredThousandWordsAreReadAtOnce) {
  std::string words;
  for (int i = 0; i < 100'000; ++i) words += "n" + std::to_string(i) + " ";
  EXPECT_EQ(HostList::from_lsb_hosts(words)->distinct(), 100'000u);
}

TEST(HostList, AddSumsTheSlotsOfAKnownHost) {
  HostList list;
  list.add("a", 1);
  list.add("b", 2);
  list.add("a", 3);
  EXPECT_EQ(list.hosts(), (Hosts{{"a", 4}, {"b", 2}}));
  EXPECT_EQ(list.slots(), 6);
}

TEST(Printable, ForeignBytesFitOneLine) {
  EXPECT_EQ(printable("abc"), "\"abc\"");
  EXPECT_EQ(printable("a\n\x1b\"\\\xff"), "\"a\\x0a\\x1b\\x22\\x5c\\xff\"");
  EXPECT_EQ(printable(std::string(61, 'x')), "\"" + std::string(60, 'x') + "...\"");
}

}  // namespace
}  // namespace rollcall
