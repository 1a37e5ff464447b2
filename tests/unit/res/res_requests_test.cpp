// What RES and its shepherds take from clients: whole and bounded, whatever is sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "common/wire/frame.hpp"
#include "res/policy/client_requests.hpp"
#include "res/policy/stream_requests.hpp"

namespace rollcall::res {
namespace {

using testing::HasSubstr;
using wire::ToResFromClient;
using wire::ToStream;

std::string part(const std::string& bytes, bool last) {
  ToResFromClient message;
  if (last)
    message.set_last_part(bytes);
  else
    message.set_part(bytes);
  return message.SerializeAsString();
}

std::string task_bytes(const std::string& word) {
  wire::RunTask task;
  task.add_words(word);
  return task.SerializeAsString();
}

TEST(ClientRequests, TakesATaskInParts) {
  ClientRequests requests;
  const std::string bytes = task_bytes(std::string(1000, 'x'));
  const auto first = requests.take(part(bytes.substr(0, 400), false), true);
  ASSERT_TRUE(first);
  EXPECT_FALSE(*first) << "more is to come";
  const auto whole = requests.take(part(bytes.substr(400), true), true);
  ASSERT_TRUE(whole && *whole);
  EXPECT_EQ((*whole)->task().SerializeAsString(), bytes);
}

TEST(ClientRequests, RefusesPartsOfAnUnauthenticatedClient) {
  ClientRequests requests;
  for (const bool last : {false, true}) {
    const auto taken = requests.take(part("x", last), false);
    ASSERT_FALSE(taken);
    EXPECT_THAT(taken.error().text, HasSubstr("unauthenticated"));
  }
}

TEST(ClientRequests, RefusesBrokenRequests) {
  ClientRequests requests;
  EXPECT_FALSE(requests.take("\xff\xff", true));
  EXPECT_FALSE(requests.take(part("\xff\xff", true), true));
}

TEST(ClientRequests, ATaskThatIsTakenFitsIntoAShepherdsFrame) {
  wire::RunTask task;
  task.add_words("true");
  EXPECT_FALSE(objection_to(task));
  task.add_environment("A=" + std::string(wire::kMostTask, 'x'));
  ASSERT_TRUE(objection_to(task));
  EXPECT_THAT(*objection_to(task), HasSubstr("expected at most 921600"));
  task.mutable_environment(0)->resize(wire::kMostTask - 100);
  EXPECT_FALSE(objection_to(task));
  wire::ToShepherd message;
  *message.mutable_task()->mutable_task() = task;
  message.mutable_task()->set_key(std::string(32, 'k'));
  EXPECT_LE(message.ByteSizeLong(), wire::kFrameLimit);
}

ToStream credit_of(std::uint64_t bytes) {
  ToStream message;
  message.set_credit(bytes);
  return message;
}

TEST(StreamRequests, CreditDoesNotWrapAround) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  StreamRequests asked;
  asked.take(credit_of(kMost));
  asked.take(credit_of(10));
  EXPECT_EQ(asked.credit(), kMost);
}

TEST(StreamRequests, CreditAddsUpAlsoBeforeBegin) {
  StreamRequests asked;
  asked.take(credit_of(10));
  ToStream message;
  message.mutable_begin()->set_credit(5);
  asked.take(message);
  asked.take(credit_of(2));
  EXPECT_EQ(asked.credit(), 17U);
}

TEST(StreamRequests, KeepsInputUpToTwiceTheCredit) {
  StreamRequests asked;
  ToStream message;
  message.set_input(std::string(kInputCredit, 'x'));
  for (int i = 0; i < 4; ++i) asked.take(message);
  EXPECT_EQ(asked.input().size(), 2 * kInputCredit);
}

TEST(StreamRequests, EndsInputBehindAllInput) {
  StreamRequests asked;
  ToStream message;
  message.set_input("abc");
  asked.take(message);
  message.mutable_input_over();
  asked.take(message);
  EXPECT_FALSE(asked.take_input_end());
  asked.input_written(3);
  EXPECT_TRUE(asked.take_input_end());
  EXPECT_FALSE(asked.take_input_end()) << "once";
}

TEST(StreamRequests, TakesSignalsAndNothingElseAsSignals) {
  StreamRequests asked;
  ToStream message;
  for (const int number : {0, -1, 65, 2}) {
    message.set_signal(number);
    asked.take(message);
  }
  EXPECT_EQ(asked.take_signal(), 2);
  EXPECT_EQ(asked.take_signal(), std::nullopt);
}

TEST(StreamRequests, BeginsOnce) {
  StreamRequests asked;
  ToStream message;
  message.mutable_begin()->set_credit(5);
  asked.take(message);
  message.mutable_begin()->set_credit(7);
  asked.take(message);
  EXPECT_TRUE(asked.take_wanted());
  EXPECT_FALSE(asked.take_wanted());
  EXPECT_EQ(asked.begin().credit(), 5U);
}

}  // namespace
}  // namespace rollcall::res
