// The rank from the environment, and words made fit for a message.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "taskstarter/policy/task_text.hpp"

namespace rollcall::taskstarter {
namespace {

std::optional<std::uint32_t> rank_in(const std::map<std::string, std::string>& environment) {
  return launcher_rank([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(LauncherRank, TheFirstOfTheFourCounts) {
  EXPECT_EQ(rank_in({}), std::nullopt);
  EXPECT_EQ(rank_in({{"SLURM_PROCID", "4"}}), 4U);
  EXPECT_EQ(rank_in({{"SLURM_PROCID", "4"}, {"PMI_RANK", "3"}}), 3U);
  EXPECT_EQ(rank_in({{"SLURM_PROCID", "4"}, {"PMI_RANK", "3"}, {"PMIX_RANK", "2"}}), 2U);
  EXPECT_EQ(rank_in({{"PMI_RANK", "3"}, {"PMIX_RANK", "2"}, {"OMPI_COMM_WORLD_RANK", "1"}}), 1U);
}

TEST(LauncherRank, InvalidRankIsSkipped) {
  EXPECT_EQ(rank_in({{"PMIX_RANK", ""}, {"PMI_RANK", "7"}}), 7U);
  EXPECT_EQ(rank_in({{"PMI_RANK", "-1"}}), std::nullopt);
  EXPECT_EQ(rank_in({{"PMI_RANK", "1x"}}), std::nullopt);
  EXPECT_EQ(rank_in({{"PMI_RANK", "4294967296"}}), std::nullopt);
  EXPECT_EQ(rank_in({{"PMI_RANK", "4294967295"}}), 4294967295U);
}

TEST(MessageText, KeepsWhatIsUtf8) {
  EXPECT_EQ(message_text("plain", 10), "plain");
  EXPECT_EQ(message_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 20), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(MessageText, ReplacesInvalidUtf8) {
  EXPECT_EQ(message_text("a\xff"
                         "b",
                         10),
            "a?b");
  EXPECT_EQ(message_text("\xc3", 10), "?");
  EXPECT_EQ(message_text("\xe2\x82", 10), "??");
  EXPECT_EQ(message_text("\xc0\xaf", 10), "??") << "longer than needed";
  EXPECT_EQ(message_text("\xe0\x80\xaf", 10), "???");
  EXPECT_EQ(message_text("\xed\xa0\x80", 10), "???") << "half of a pair";
  EXPECT_EQ(message_text("\xf4\x90\x80\x80", 10), "????") << "beyond the last character";
}

TEST(MessageText, IsCutAtACharacter) {
  EXPECT_EQ(message_text("abcdef", 3), "abc");
  EXPECT_EQ(message_text("ab\xc3\xa4", 3), "ab");
  EXPECT_EQ(message_text("abc", 0), "");
}

TEST(CommandText, JoinsTheWords) {
  const char* words[] = {"app", "", "a b"};
  EXPECT_EQ(command_text(words, 100), "app  a b");
  EXPECT_EQ(command_text(words, 4), "app ");
}

}  // namespace
}  // namespace rollcall::taskstarter
