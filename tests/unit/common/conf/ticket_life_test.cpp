// ticket_life: what ROLLCALL_TICKET_LIFE of lsf.conf, or its absence, means.
#include "common/conf/ticket_life.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::conf {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

Result<seconds> life_of(const std::string& text) { return ticket_life(*LsfConf::parse(text, "lsf.conf")); }

TEST(TicketLife, IsAsLsfConfSays) {
  EXPECT_EQ(*life_of("ROLLCALL_TICKET_LIFE=0\n"), seconds(0));
  EXPECT_EQ(*life_of("ROLLCALL_TICKET_LIFE=20\n"), seconds(20));
  EXPECT_EQ(*life_of("ROLLCALL_TICKET_LIFE=300\n"), kLongestTicketLife);
}

TEST(TicketLife, IsAsTheBuildSaysWhereLsfConfIsSilent) {
#ifdef ROLLCALL_TICKETS
  EXPECT_EQ(*life_of(""), kLongestTicketLife);
#else
  EXPECT_EQ(*life_of(""), seconds(0)) << "tickets are off unless the site turns them on";
#endif
}

TEST(TicketLife, NamesAnInvalidValue) {
  for (const char* const word : {"301", "-1", "Y", "3 0"}) {
    const auto life = life_of("ROLLCALL_TICKET_LIFE=" + std::string(word) + "\n");
    ASSERT_FALSE(life) << word;
    EXPECT_THAT(life.error().text, HasSubstr("ROLLCALL_TICKET_LIFE: found " + std::string(word)));
  }
}

}  // namespace
}  // namespace rollcall::conf
