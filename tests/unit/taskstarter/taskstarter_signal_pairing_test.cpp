// One delivery for each signal, in whatever order its copies come.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "taskstarter/policy/signal_pairing.hpp"

namespace rollcall::taskstarter {
namespace {

using std::chrono::milliseconds;
constexpr auto kPam = SignalSource::pam;
constexpr auto kLauncher = SignalSource::launcher;
constexpr auto kTerminal = SignalSource::terminal;

TimePoint at(int ms) { return {milliseconds(ms)}; }

int delivered(SignalPairing& pairing, const std::vector<SignalSource>& arrivals, int signo = SIGUSR1) {
  int count = 0;
  for (const SignalSource source : arrivals) count += pairing.first_arrival(signo, source, at(0)) ? 1 : 0;
  return count;
}

TEST(SignalPairing, EveryOrderOfTheThreeWaysIsOneSignal) {
  std::vector<SignalSource> order{kPam, kLauncher, kTerminal};
  std::sort(order.begin(), order.end());
  do {
    SignalPairing pairing;
    EXPECT_EQ(delivered(pairing, order), 1);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(SignalPairing, AnyTwoWaysAreOneSignal) {
  for (const auto a : {kPam, kLauncher, kTerminal})
    for (const auto b : {kPam, kLauncher, kTerminal}) {
      SignalPairing pairing;
      EXPECT_EQ(delivered(pairing, {a, b}), a == b ? 2 : 1);
    }
}

TEST(SignalPairing, EveryOrderOfTwoSignalsByThreeWaysIsTwo) {
  std::vector<SignalSource> order{kPam, kPam, kLauncher, kLauncher, kTerminal, kTerminal};
  std::sort(order.begin(), order.end());
  do {
    SignalPairing pairing;
    EXPECT_EQ(delivered(pairing, order), 2);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(SignalPairing, SignalThatComesOneWayAloneIsDelivered) {
  SignalPairing pairing;
  EXPECT_EQ(delivered(pairing, {kLauncher, kLauncher, kLauncher}), 3);
  EXPECT_EQ(delivered(pairing, {kPam, kPam}), 0) << "pairs off with the launcher's copy";
  EXPECT_EQ(delivered(pairing, {kPam, kPam}), 1);
}

TEST(SignalPairing, NumbersDoNotMix) {
  SignalPairing pairing;
  EXPECT_TRUE(pairing.first_arrival(SIGUSR1, kPam, at(0)));
  EXPECT_TRUE(pairing.first_arrival(SIGUSR2, kLauncher, at(0)));
  EXPECT_FALSE(pairing.first_arrival(SIGUSR1, kLauncher, at(0)));
}

TEST(SignalPairing, AfterTheWindowItIsANewSignal) {
  SignalPairing pairing;
  EXPECT_TRUE(pairing.first_arrival(SIGTERM, kPam, at(0)));
  EXPECT_FALSE(pairing.first_arrival(SIGTERM, kLauncher, at(1250)));
  EXPECT_TRUE(pairing.first_arrival(SIGTERM, kTerminal, at(1251)));
  EXPECT_FALSE(pairing.first_arrival(SIGTERM, kPam, at(1500)));
}

TEST(SignalPairing, TheWindowBeginsWithTheFirstArrival) {
  SignalPairing pairing;
  EXPECT_TRUE(pairing.first_arrival(SIGTERM, kPam, at(0)));
  EXPECT_FALSE(pairing.first_arrival(SIGTERM, kLauncher, at(900)));
  EXPECT_TRUE(pairing.first_arrival(SIGTERM, kTerminal, at(1300)));
}

TEST(SignalPairing, ForgetsInTime) {
  SignalPairing pairing;
  EXPECT_FALSE(pairing.forgets_at());
  pairing.first_arrival(SIGTERM, kPam, at(0));
  pairing.first_arrival(SIGTERM, kPam, at(200));
  ASSERT_TRUE(pairing.forgets_at());
  EXPECT_GT(*pairing.forgets_at(), at(1450));
  pairing.forget_old(*pairing.forgets_at());
  EXPECT_FALSE(pairing.forgets_at());
}

TEST(SignalPairing, PamsNumbersAreTakenOnce) {
  SignalPairing pairing;
  EXPECT_FALSE(pairing.repeated(1));
  EXPECT_TRUE(pairing.repeated(1));
  EXPECT_FALSE(pairing.repeated(3));
  EXPECT_TRUE(pairing.repeated(2));
  EXPECT_FALSE(pairing.repeated(0)) << "a pam that does not count";
  EXPECT_FALSE(pairing.repeated(0));
}

}  // namespace
}  // namespace rollcall::taskstarter
