// What pam and a relay say of tasks: every item, and what is none.
#include "common/wire/relay_items.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace rollcall::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string text(const RelayItem& item) {
  const std::string tasks =
      std::to_string(item.first) + (item.last == item.first ? "" : "-" + std::to_string(item.last));
  return item.kind == RelayItem::Kind::end ? tasks + " end" : tasks + " " + std::string(item.message);
}

std::vector<std::string> texts(std::string_view payload) {
  std::vector<std::string> all;
  while (!payload.empty()) {
    const auto item = take_item(payload);
    if (!item) {
      all.push_back("error");
      break;
    }
    all.push_back(text(*item));
  }
  return all;
}

std::string error(std::string_view payload) {
  const auto item = take_item(payload);
  return item ? "" : item.error().text;
}

TEST(RelayItems, AreReadAsTheyWereWritten) {
  std::string payload;
  append_task_message(payload, 1, "hello");
  append_task_message(payload, 2, 4000000000, "signal");
  append_task_message(payload, 7, 7, "one");
  append_task_end(payload, 1);
  EXPECT_THAT(texts(payload), ElementsAre("1 hello", "2-4000000000 signal", "7 one", "1 end"));
}

TEST(RelayItems, HaveTheBytesOfTheProtocolsPage) {
  std::string payload;
  append_task_message(payload, 258, "ab");
  append_task_message(payload, 1, 2, "c");
  append_task_end(payload, 3);
  EXPECT_EQ(payload, std::string("\1\0\0\1\2\0\0\0\2ab"
                                 "\3\0\0\0\1\0\0\0\2\0\0\0\1c"
                                 "\2\0\0\0\3",
                                 11 + 14 + 5));
}

TEST(RelayItems, WhatIsNoneIsAnError) {
  EXPECT_THAT(error(std::string("\0", 1)), HasSubstr("kind 0"));
  EXPECT_THAT(error("\4...."), HasSubstr("kind 4"));
  EXPECT_THAT(error("\xff...."), HasSubstr("expected 1 to 3"));
  EXPECT_THAT(error(std::string("\2\0\0\0\0", 5)), HasSubstr("tasks 0 to 0"));
  EXPECT_THAT(error(std::string("\3\0\0\0\2\0\0\0\1\0\0\0\1x", 14)), HasSubstr("tasks 2 to 1"));
  EXPECT_THAT(error(std::string("\1\0\0\0\1\0\0\0\0", 9)), HasSubstr("message of 0 bytes"));
  EXPECT_THAT(error(std::string("\1\0\0\0\1\0\1\0\1x", 10)), HasSubstr("message of 65537 bytes"));
}

TEST(RelayItems, AnItemThatIsCutShortIsAnError) {
  std::string payload;
  append_task_message(payload, 1, 3, "message");
  for (std::size_t size = 1; size < payload.size(); ++size)
    EXPECT_THAT(error(std::string_view(payload).substr(0, size)), HasSubstr("cut short")) << size;
}

TEST(RelayItems, WholeItemsAreTakenOff) {
  std::string payload;
  for (TaskNumber task = 1; task <= 100; ++task) append_task_message(payload, task, std::string(50, 'x'));
  std::size_t seen = 0;
  while (!payload.empty()) {
    const std::string part = take_items(payload, 1000);
    EXPECT_LE(part.size(), 1000U);
    for (const auto& item : texts(part)) {
      EXPECT_NE(item, "error");
      ++seen;
    }
  }
  EXPECT_EQ(seen, 100U);
  append_task_message(payload, 1, std::string(5000, 'y'));
  append_task_end(payload, 1);
  EXPECT_EQ(take_items(payload, 1000).size(), 5009U) << "one that is larger leaves alone";
  EXPECT_EQ(take_items(payload, 1000).size(), 5U);
}

}  // namespace
}  // namespace rollcall::wire
