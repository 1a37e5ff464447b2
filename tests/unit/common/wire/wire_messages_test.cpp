// The messages of common/wire/task.proto: their bytes are a promise to programs of another version.
#include <gtest/gtest.h>

#include <string>

#include "common/wire/task.pb.h"
#include "tests/support/hex.hpp"

namespace rollcall::wire {
namespace {

using rollcall::test::to_hex;

TEST(Messages, RegisterHasTheseBytes) {
  FromStarter message;
  Register& reg = *message.mutable_registration();
  reg.set_host("n1");
  reg.set_starter_pid(300);
  reg.set_inner_pid(301);
  reg.set_start_time_us(1000000);
  reg.set_rank(0);
  reg.set_command("./hello");
  reg.set_parent_pid(299);
  reg.set_parent_name("orted");
  reg.set_task_pid(302);
  EXPECT_EQ(to_hex(message.SerializeAsString()),
            "0a26"      // FromStarter.registration
            "0a026e31"  // host
            "10ac02"    // starter_pid
            "18ad02"    // inner_pid
            "20c0843d"  // start_time_us
            "2800"      // rank 0 is told from no rank
            "32072e2f68656c6c6f"
            "38ab02"  // parent_pid
            "42056f72746564"
            "58ae02");  // task_pid
}

TEST(Messages, TaskEndedAndSignalsHaveTheseBytes) {
  FromStarter ended;
  ended.mutable_task_ended()->set_by_signal(true);
  ended.mutable_task_ended()->set_value(11);
  ended.mutable_task_ended()->mutable_usage()->set_user_us(5);
  EXPECT_EQ(to_hex(ended.SerializeAsString()), "22080801100b2a020805");
  FromPam signal;
  signal.mutable_deliver_signal()->set_sequence(2);
  signal.mutable_deliver_signal()->set_signo(10);
  EXPECT_EQ(to_hex(signal.SerializeAsString()), "12040802100a");
  FromPam end;
  end.mutable_end_task()->set_grace_ms(10000);
  EXPECT_EQ(to_hex(end.SerializeAsString()), "1a0308904e");
}

TEST(Messages, WelcomeOfTaskZeroIsStillAWelcome) {
  FromPam message;
  message.mutable_welcome()->set_tid(0);
  const std::string bytes = message.SerializeAsString();
  ASSERT_FALSE(bytes.empty());  // an empty payload could not be sealed
  FromPam back;
  ASSERT_TRUE(back.ParseFromString(bytes));
  EXPECT_EQ(back.message_case(), FromPam::kWelcome);
}

TEST(Messages, NoRankIsToldFromRankZero) {
  Register with, without, back;
  with.set_rank(0);
  ASSERT_TRUE(back.ParseFromString(with.SerializeAsString()));
  EXPECT_TRUE(back.has_rank());
  ASSERT_TRUE(back.ParseFromString(without.SerializeAsString()));
  EXPECT_FALSE(back.has_rank());
}

TEST(Messages, WordsNeedNotBeUtf8) {
  Register message, back;
  message.set_command("./caf\xe9 \xff\xfe");
  message.set_host("h\xf6st");
  message.mutable_failed()->set_path("/opt/\xe9/app");
  ASSERT_TRUE(back.ParseFromString(message.SerializeAsString()));
  EXPECT_EQ(back.command(), "./caf\xe9 \xff\xfe");
  EXPECT_EQ(back.failed().path(), "/opt/\xe9/app");
}

TEST(Messages, UnknownFieldsAreSkipped) {
  FromPam signal;
  signal.mutable_deliver_signal()->set_signo(10);
  const std::string newer = signal.SerializeAsString() + std::string("\xf8\x07\x01", 3);  // field 127 = 1
  FromPam back;
  ASSERT_TRUE(back.ParseFromString(newer));
  EXPECT_EQ(back.deliver_signal().signo(), 10);
}

TEST(Messages, UnknownCommandIsNoCommand) {
  FromPam back;
  ASSERT_TRUE(back.ParseFromString(std::string("\xa2\x06\x00", 3)));  // field 100, an empty message
  EXPECT_EQ(back.message_case(), FromPam::MESSAGE_NOT_SET);
}

TEST(Messages, HalfAMessageIsRefused) {
  FromStarter message;
  message.mutable_registration()->set_host("n1");
  const std::string bytes = message.SerializeAsString();
  FromStarter back;
  for (std::size_t size = 1; size < bytes.size(); ++size)
    EXPECT_FALSE(back.ParseFromString(bytes.substr(0, size))) << size << " bytes of " << bytes.size();
}

}  // namespace
}  // namespace rollcall::wire
