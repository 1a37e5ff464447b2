// Tickets: every row of its header's table.
#include "sched/policy/values/tickets.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched {
namespace {

using std::chrono::seconds;

constexpr Duration kLife = seconds(300);
const TicketHolder kAda{1000, 100, "ada", false, "10.0.0.1"};
const TicketHolder kBen{1001, 100, "ben", false, "10.0.0.1"};

Tickets::Given random_of(int number) {
  Tickets::Given given;
  given.id[0] = static_cast<std::uint8_t>(number);
  given.id[1] = static_cast<std::uint8_t>(number >> 8);
  given.secret.fill(static_cast<std::uint8_t>(number + 1));
  return given;
}
Tickets::Bytes32 nonce_of(int number) {
  Tickets::Bytes32 nonce{};
  nonce[3] = static_cast<std::uint8_t>(number);
  nonce[4] = static_cast<std::uint8_t>(number >> 8);
  nonce[5] = static_cast<std::uint8_t>(number >> 16);
  return nonce;
}

TEST(Tickets, AreGoodForTheirHolderFromItsAddressForTheirTime) {
  Tickets tickets;
  const auto given = tickets.give(kAda, random_of(1), kLife, seconds(10));
  ASSERT_TRUE(given);
  EXPECT_EQ(tickets.secret(given->id, "10.0.0.1", seconds(309)), random_of(1).secret);
  EXPECT_FALSE(tickets.secret(given->id, "10.0.0.2", seconds(10)));
  EXPECT_FALSE(tickets.secret(random_of(2).id, "10.0.0.1", seconds(10)));
  EXPECT_FALSE(tickets.secret(given->id, "10.0.0.1", seconds(310)));
  EXPECT_FALSE(tickets.spend(given->id, nonce_of(1), seconds(310)));
  ASSERT_NE(tickets.holder(given->id), nullptr) << "one who was let in just before";
  EXPECT_EQ(tickets.holder(given->id)->name, "ada");
}

TEST(Tickets, TakeEachNonceOnce) {
  Tickets tickets;
  const auto ada = tickets.give(kAda, random_of(1), kLife, seconds(0));
  const auto ben = tickets.give(kBen, random_of(2), kLife, seconds(0));
  EXPECT_TRUE(tickets.spend(ada->id, nonce_of(1), seconds(1)));
  EXPECT_FALSE(tickets.spend(ada->id, nonce_of(1), seconds(1)));
  EXPECT_FALSE(tickets.spend(ada->id, nonce_of(1), seconds(299))) << "for as long as it is good";
  EXPECT_TRUE(tickets.spend(ada->id, nonce_of(2), seconds(1)));
  EXPECT_TRUE(tickets.spend(ben->id, nonce_of(1), seconds(1))) << "another ticket's are its own";
  EXPECT_FALSE(tickets.spend(random_of(3).id, nonce_of(1), seconds(1)));
}

TEST(Tickets, AreSpentWhenTheyWereUsedTooOften) {
  Tickets tickets;
  const auto given = tickets.give(kAda, random_of(1), kLife, seconds(0));
  for (std::size_t i = 0; i < Tickets::kMostUses; ++i)
    ASSERT_TRUE(tickets.spend(given->id, nonce_of(static_cast<int>(i)), seconds(1)));
  EXPECT_FALSE(tickets.spend(given->id, nonce_of(70'000), seconds(1)));
  EXPECT_FALSE(tickets.secret(given->id, "10.0.0.1", seconds(1)));
  EXPECT_FALSE(tickets.spend(given->id, nonce_of(0), seconds(1)))
      << "a forgotten ticket is not accepted again";
  EXPECT_EQ(tickets.nonces(), 0u);
  const auto next = tickets.give(kAda, random_of(2), kLife, seconds(1));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->id, random_of(2).id);
}

TEST(Tickets, OneHolderHasOneUntilHalfOfItIsGone) {
  Tickets tickets;
  const auto first = tickets.give(kAda, random_of(1), kLife, seconds(0));
  EXPECT_EQ(tickets.give(kAda, random_of(2), kLife, seconds(150))->id, first->id);
  EXPECT_EQ(tickets.give(kAda, random_of(3), kLife, seconds(151))->id, random_of(3).id);
  EXPECT_TRUE(tickets.secret(first->id, "10.0.0.1", seconds(151))) << "the old one stays good";
  TicketHolder by_key = kAda, elsewhere = kAda;
  by_key.by_key = true;
  elsewhere.address = "10.0.0.2";
  EXPECT_EQ(tickets.give(by_key, random_of(4), kLife, seconds(151))->id, random_of(4).id);
  EXPECT_EQ(tickets.give(elsewhere, random_of(5), kLife, seconds(151))->id, random_of(5).id);
  EXPECT_EQ(tickets.give(kBen, random_of(6), kLife, seconds(151))->id, random_of(6).id);
}

TEST(Tickets, AreForgottenAndOneUserHasSoMany) {
  Tickets tickets;
  TicketHolder holder = kAda;
  for (std::size_t i = 0; i < Tickets::kMostOfUser; ++i) {
    holder.address = "10.0.1." + std::to_string(i);
    ASSERT_TRUE(tickets.give(holder, random_of(static_cast<int>(i)), kLife, seconds(0)));
  }
  ASSERT_TRUE(tickets.spend(random_of(0).id, nonce_of(1), seconds(0)));
  EXPECT_FALSE(tickets.give(kAda, random_of(1000), kLife, seconds(0)));
  EXPECT_TRUE(tickets.give(kBen, random_of(1001), kLife, seconds(0))) << "others have theirs";
  EXPECT_TRUE(tickets.give(kAda, random_of(1000), kLife, seconds(310)));
  EXPECT_EQ(tickets.size(), 1u);
  EXPECT_EQ(tickets.nonces(), 0u);
  EXPECT_EQ(tickets.holder(random_of(0).id), nullptr);
  tickets.forget_all();
  EXPECT_FALSE(tickets.secret(random_of(1000).id, "10.0.0.1", seconds(310)));
  EXPECT_FALSE(tickets.give(kAda, random_of(1), seconds(0), seconds(0))) << "none are wanted";
}

}  // namespace
}  // namespace rollcall::sched
