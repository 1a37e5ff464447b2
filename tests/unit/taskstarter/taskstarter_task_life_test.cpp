// The rows of the table in taskstarter/policy/task_life.hpp: dialing and running.
#include "tests/unit/taskstarter/taskstarter_task_life_fixture.hpp"

namespace rollcall::taskstarter {
namespace {

// dialing

TEST_F(TaskLife, DialsThenStartsThenRegisters) {
  EXPECT_THAT(on(Began{}), ElementsAre("Dial"));
  EXPECT_THAT(on(Connected{}), ElementsAre("StartTask"));
  EXPECT_THAT(on(TaskStarted{}), ElementsAre("SendRegistration"));
  EXPECT_FALSE(next_deadline(state)) << "a TaskStarter whose task runs has no deadline";
}

TEST_F(TaskLife, StartsNoTaskWithoutPam) {
  for (const auto why : {DialFailure::refused, DialFailure::stranger, DialFailure::unknown_host}) {
    state = State{};
    dialing();
    const Lines done = on(DialFailed{why});
    ASSERT_EQ(done.size(), 2U);
    EXPECT_TRUE(done[0].starts_with("Complain no pam"));
    EXPECT_EQ(done[1], "Finish Exit (125)");
    EXPECT_EQ(state.phase, Phase::finished);
  }
}

TEST_F(TaskLife, AnUnreachablePamIsDialedForHalfAMinute) {
  dialing();
  Lines done;
  int dials = 1;
  while (state.phase == Phase::dialing && now < TimePoint{} + seconds(60)) {
    EXPECT_THAT(on(DialFailed{DialFailure::no_answer}), IsEmpty());
    done = pass(kRedialPause);
    if (!done.empty() && done[0] == "Dial") ++dials;
  }
  EXPECT_EQ(dials, 60);
  EXPECT_THAT(done, ElementsAre("Complain no pam, no answer", "Finish Exit (125)"));
  EXPECT_EQ(now, TimePoint{} + kRedialLimit);
}

TEST_F(TaskLife, AStoppedPamThatTheKernelAnswersForIsWaitedForWithoutALimit) {
  dialing();
  on(Answered{});
  EXPECT_THAT(pass(std::chrono::hours(1)), IsEmpty());
  EXPECT_THAT(on(Connected{}), ElementsAre("StartTask"));
}

TEST_F(TaskLife, WithoutALauncherAPamThatSaysNothingIsNotWaitedForLong) {
  const Lines given_up{"Complain no pam, no answer", "Finish Exit (125)"};
  dialing();
  on(Answered{});
  pass(std::chrono::hours(1));
  on(ParentGone{});
  EXPECT_EQ(pass(kRedialLimit), given_up);
  state = State{};
  dialing();
  on(ParentGone{});
  on(Answered{});
  EXPECT_EQ(pass(kRedialLimit), given_up);
}

TEST_F(TaskLife, AfterItHasHungUpTheLimitCountsAgain) {
  dialing();
  on(Answered{});
  on(DialFailed{DialFailure::hung_up});
  ASSERT_TRUE(state.dial_limit);
  EXPECT_EQ(*state.dial_limit, now + kRedialLimit);
}

TEST_F(TaskLife, HangUpsAreDialedAgainEverMoreSlowlyUntilTheLimit) {
  dialing();
  Lines last;
  const auto waited = pauses(
      [&] {
        on(Answered{});
        EXPECT_THAT(on(DialFailed{DialFailure::hung_up}), IsEmpty());
      },
      last);
  EXPECT_THAT(waited, ElementsAre(100, 200, 400, 800, 1600, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000,
                                  2000, 2000, 2000, 2000, 2000))
      << "18 dials in 30 s";
  EXPECT_THAT(last, ElementsAre("Complain no pam, hung up", "Finish Exit (125)"));
  EXPECT_EQ(now, TimePoint{} + kRedialLimit);
}

TEST_F(TaskLife, AfterHangUpsAStoppedPamIsStillWaitedForWithoutALimit) {
  dialing();
  on(DialFailed{DialFailure::hung_up});
  pass(kHangUpPause);
  on(Answered{});
  EXPECT_THAT(pass(std::chrono::hours(1)), IsEmpty());
  EXPECT_THAT(on(DialFailed{DialFailure::hung_up}), IsEmpty());
  EXPECT_EQ(*state.dial_limit, now + (kRedialLimit - kHangUpPause)) << "the rest of the limit";
}

TEST_F(TaskLife, EndingSignalBeforeTheStartEndsTaskStarter) {
  for (const int signo : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGABRT}) {
    state = State{};
    dialing();
    EXPECT_THAT(on(SignalArrived{signo, kLauncher}),
                ElementsAre("Finish " + ExitStatus::signaled(signo).text()));
  }
}

TEST_F(TaskLife, OtherSignalsAreKeptForTheTask) {
  dialing();
  EXPECT_THAT(on(SignalArrived{SIGUSR1, kLauncher}), IsEmpty());
  on(Connected{});
  EXPECT_THAT(on(TaskStarted{}), ElementsAre("SendRegistration", "SignalTask USR1"));
  EXPECT_THAT(on(SignalArrived{SIGUSR1, kPam, 1}), IsEmpty()) << "pam's copy of the same";
}

TEST_F(TaskLife, AnIgnoredSignalDoesNotEndUs) {
  state.settings.ignored_signals = std::uint64_t{1} << (SIGINT - 1);
  dialing();
  EXPECT_THAT(on(SignalArrived{SIGINT, kTerminal}), IsEmpty());
  EXPECT_EQ(state.phase, Phase::dialing);
}

TEST_F(TaskLife, AFailedStartIsToldToPam) {
  dialing();
  on(Connected{});
  EXPECT_THAT(on(StartFailed{true}), ElementsAre("SendRegistration"));
  EXPECT_THAT(on(Welcomed{}), ElementsAre("Finish Exit (127)"));
  state = State{};
  dialing();
  on(Connected{});
  on(StartFailed{false});
  EXPECT_THAT(on(Welcomed{}), ElementsAre("Finish Exit (126)"));
}

TEST_F(TaskLife, AFailedStartIsToldAgainWherePamHasGivenTheConnectionUp) {
  dialing();
  on(Connected{});
  on(StartFailed{true});
  EXPECT_THAT(on(LinkLost{}), IsEmpty());
  EXPECT_THAT(pass(kHangUpPause), ElementsAre("Dial"));
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration"));
  EXPECT_THAT(on(Welcomed{}), ElementsAre("Finish Exit (127)"));
}

TEST_F(TaskLife, AFailedStartIsToldAgainWhereTheRelayIsLost) {
  dialing();
  on(Connected{true});
  EXPECT_THAT(on(StartFailed{true}), ElementsAre("SendRegistration"));
  EXPECT_THAT(on(LinkLost{}), IsEmpty());
  EXPECT_THAT(pass(kHangUpPause), ElementsAre("Dial"));
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration"));
  EXPECT_THAT(on(Welcomed{}), ElementsAre("Finish Exit (127)"));
}

TEST_F(TaskLife, AFailedStartIsToldOnceWhereTheRelayPassedItOn) {
  for (const Event& passed_on : {Event{Delivered{}}, Event{Welcomed{}}}) {
    state = State{};
    dialing();
    on(Connected{true});
    on(StartFailed{false});
    EXPECT_THAT(on(passed_on), ElementsAre("Finish Exit (126)"));
  }
}

TEST_F(TaskLife, AFailedStartIsToldDirectlyWhereTheRelayIsStopped) {
  dialing();
  on(Connected{true});
  on(StartFailed{true});
  EXPECT_THAT(pass(kDelivery + kHangUpPause), ElementsAre("Dial"));
  EXPECT_THAT(on(DialFailed{DialFailure::refused}),
              ElementsAre("Complain cannot execute, no answer", "Finish Exit (127)"));
}

// A pam without room

TEST_F(TaskLife, DialsAgainWhenPamSaysSo) {
  dialing();
  on(Answered{});
  EXPECT_THAT(on(PutOff{seconds(7)}), IsEmpty());
  EXPECT_THAT(pass(seconds(7) - milliseconds(1)), IsEmpty());
  EXPECT_THAT(pass(milliseconds(1)), ElementsAre("Dial"));
}

TEST_F(TaskLife, WaitsAsOftenAsPamSaysSo) {
  dialing();
  for (int i = 0; i < 1000; ++i) {
    on(Answered{});
    on(PutOff{seconds(20)});
    EXPECT_THAT(pass(seconds(20)), ElementsAre("Dial"));
  }
  EXPECT_THAT(on(Connected{}), ElementsAre("StartTask"));
}

TEST_F(TaskLife, APamThatIsGoneWhileItIsWaitedForIsNoticed) {
  dialing();
  on(PutOff{seconds(1)});
  pass(seconds(1));
  EXPECT_THAT(on(DialFailed{DialFailure::refused}),
              ElementsAre("Complain no pam, refused", "Finish Exit (125)"));
}

TEST_F(TaskLife, WithoutItsLauncherItWaitsForTheLimitOnly) {
  dialing();
  on(ParentGone{});
  Lines last;
  for (Duration waited{0}; waited <= kRedialLimit; waited += seconds(1)) {
    on(PutOff{seconds(1)});
    last = pass(seconds(1));
  }
  EXPECT_EQ(state.phase, Phase::finished);
}

TEST_F(TaskLife, ATaskThatRunsGoesOnWhilePamHasNoRoom) {
  running();
  on(LinkLost{});
  for (int i = 0; i < 10; ++i) {
    on(PutOff{kLongestWait * 2});
    EXPECT_THAT(pass(kLongestWait), ElementsAre("Dial"));
  }
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration"));
}

TEST_F(TaskLife, AFailedStartThatPamCannotBeToldIsSaid) {
  dialing();
  on(Connected{});
  state.link = Link::gone;
  EXPECT_THAT(on(StartFailed{false}), ElementsAre("Complain cannot execute, no answer", "Finish Exit (126)"));
}

TEST_F(TaskLife, AParentThatGoesEarlyIsToldAfterTheRegistration) {
  dialing();
  EXPECT_THAT(on(ParentGone{}), IsEmpty());
  on(Connected{});
  EXPECT_THAT(on(TaskStarted{}), ElementsAre("SendRegistration", "SendParentLost"));
}

TEST_F(TaskLife, StartsNothingWithoutTheOuterLevel) {
  dialing();
  EXPECT_THAT(on(OuterGone{}), ElementsAre("Finish Exit (125)"));
}

// running

TEST_F(TaskLife, ACutLinkIsDialedForHalfAMinuteThenTheTaskIsEnded) {
  running();
  EXPECT_THAT(on(LinkLost{}), ElementsAre("Dial"));
  on(DialFailed{DialFailure::no_answer});
  EXPECT_THAT(pass(kRedialPause), ElementsAre("Dial"));
  const Lines done = pass(kRedialLimit - kRedialPause);
  EXPECT_THAT(done, ElementsAre("SignalTask TERM", "Complain pam silent, no answer"));
  EXPECT_THAT(pass(kKillGrace), ElementsAre("SignalDescendants KILL"));
}

TEST_F(TaskLife, ALinkTakenUpAgainRegistersAnew) {
  running();
  on(LinkLost{});
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration"));
  EXPECT_THAT(pass(seconds(100)), IsEmpty());
}

TEST_F(TaskLife, ADeadPamEndsTheTaskAtOnce) {
  for (const auto why : {DialFailure::refused, DialFailure::stranger, DialFailure::other_pam}) {
    state = State{};
    running();
    on(LinkLost{});
    const Lines done = on(DialFailed{why});
    ASSERT_EQ(done.size(), 2U);
    EXPECT_EQ(done[0], "SignalTask TERM") << "the signal comes first: stderr may have no reader";
    EXPECT_TRUE(done[1].starts_with("Complain pam dead")) << done[1];
    EXPECT_THAT(pass(kKillGrace), ElementsAre("SignalDescendants KILL"));
    EXPECT_THAT(on(TaskExited{ExitStatus::signaled(9), false}), ElementsAre("Finish Signal (9 KILL)"))
        << "no pam is left to be told";
  }
}

TEST_F(TaskLife, APamThatClosesUnprovedCallsToMakeRoomIsNotDead) {
  running();
  on(LinkLost{});
  for (const auto pause : {kHangUpPause, 2 * kHangUpPause, 4 * kHangUpPause}) {
    EXPECT_THAT(on(DialFailed{DialFailure::hung_up}), IsEmpty());
    EXPECT_THAT(pass(pause - milliseconds(1)), IsEmpty());
    EXPECT_THAT(pass(milliseconds(1)), ElementsAre("Dial"));
  }
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration"));
  on(Welcomed{});
  EXPECT_THAT(pass(seconds(100)), IsEmpty());
  EXPECT_THAT(on(LinkLost{}), ElementsAre("Dial"));
  on(DialFailed{DialFailure::hung_up});
  EXPECT_THAT(pass(kHangUpPause), ElementsAre("Dial")) << "a new row";
}

TEST_F(TaskLife, AfterAHangUpAClosedPortIsADeadPam) {
  running();
  on(LinkLost{});
  on(DialFailed{DialFailure::hung_up});
  EXPECT_THAT(pass(kHangUpPause), ElementsAre("Dial"));
  EXPECT_THAT(on(DialFailed{DialFailure::refused}),
              ElementsAre("SignalTask TERM", "Complain pam dead, refused"));
}

TEST_F(TaskLife, HangUpsUntilTheLimitAreADeadPam) {
  running();
  on(LinkLost{});
  const TimePoint lost = now;
  Lines last;
  EXPECT_EQ(pauses([&] { on(DialFailed{DialFailure::hung_up}); }, last).size(), 18U);
  EXPECT_THAT(last, ElementsAre("SignalTask TERM", "Complain pam dead, hung up"));
  EXPECT_EQ(now, lost + kRedialLimit);
}

TEST_F(TaskLife, DialsASilentPamAsLongAsPamHasSaid) {
  for (const Duration patience : {kPamPatience, Duration(seconds(120))}) {
    state = State{};
    running();
    on(Welcomed{patience});
    on(LinkLost{});
    ASSERT_TRUE(state.dial_limit);
    EXPECT_EQ(*state.dial_limit, now + patience);
    on(DialFailed{DialFailure::no_answer});
    EXPECT_THAT(pass(patience - milliseconds(1)), ElementsAre("Dial"));
    on(DialFailed{DialFailure::no_answer});
    EXPECT_THAT(pass(milliseconds(1)), ElementsAre("SignalTask TERM", "Complain pam silent, no answer"));
  }
}

TEST_F(TaskLife, APamThatDoesNotTakeTheRegistrationIsNotDialedInAHotLoop) {
  running();
  EXPECT_THAT(on(LinkLost{}), ElementsAre("Dial")) << "the first was welcomed";
  Lines last;
  const auto waited = pauses(
      [&] {
        EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration"));
        EXPECT_THAT(on(LinkLost{}), IsEmpty());
      },
      last);
  ASSERT_EQ(waited.size(), 18U);
  EXPECT_EQ(waited[0], 100);
  EXPECT_EQ(waited[17], 2000);
  EXPECT_THAT(last, ElementsAre("SignalTask TERM", "Complain pam dead, turned away"));
}

TEST_F(TaskLife, ALinkThatWasNeverWelcomedIsDialedLater) {
  dialing();
  on(Connected{});
  on(TaskStarted{});
  EXPECT_THAT(pass(std::chrono::hours(1)), IsEmpty()) << "a pam that is stopped may welcome it late";
  EXPECT_THAT(on(LinkLost{}), IsEmpty());
  EXPECT_THAT(pass(kHangUpPause), ElementsAre("Dial"));
}

TEST_F(TaskLife, EverySignalReachesTheTaskOnce) {
  for (const int signo : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, 40}) {
    state = State{};
    running();
    EXPECT_THAT(on(SignalArrived{signo, kLauncher}), ElementsAre("SignalTask " + signal_name(signo)));
    EXPECT_THAT(on(SignalArrived{signo, kPam, 1}), IsEmpty());
    EXPECT_THAT(on(SignalArrived{signo, kTerminal}), IsEmpty());
  }
}

TEST_F(TaskLife, PamsRepetitionAfterAReconnectionIsNoSignal) {
  running();
  EXPECT_THAT(on(SignalArrived{SIGUSR1, kPam, 1}), ElementsAre("SignalTask USR1"));
  EXPECT_THAT(on(SignalArrived{SIGUSR1, kPam, 1}), IsEmpty());
  EXPECT_THAT(on(SignalArrived{SIGUSR1, kPam, 2}), ElementsAre("SignalTask USR1"));
}

TEST_F(TaskLife, InASharedGroupTheTerminalHasDeliveredItsCopy) {
  shared();
  running();
  EXPECT_THAT(on(SignalArrived{SIGINT, kTerminal}), IsEmpty());
  EXPECT_THAT(on(SignalArrived{SIGINT, kPam, 1}), IsEmpty());
  EXPECT_THAT(on(SignalArrived{SIGINT, kLauncher}), IsEmpty());
  EXPECT_THAT(on(SignalArrived{SIGTERM, kPam, 2}), ElementsAre("SignalTask TERM"));
}

TEST_F(TaskLife, StopIsTstpThenStop) {
  running();
  EXPECT_THAT(on(SignalArrived{SIGTSTP, kPam, 1}), ElementsAre("SignalTask TSTP"));
  EXPECT_THAT(pass(kStopGrace - milliseconds(1)), IsEmpty());
  EXPECT_THAT(pass(milliseconds(1)), ElementsAre("SignalTask STOP"));
  EXPECT_THAT(pass(seconds(5)), IsEmpty());
  EXPECT_THAT(on(SignalArrived{SIGCONT, kPam, 2}), ElementsAre("ContinueOuter", "SignalTask CONT"));
}

TEST_F(TaskLife, AContWithinTheGraceTakesTheStopBack) {
  running();
  on(SignalArrived{SIGTSTP, kPam, 1});
  on(SignalArrived{SIGCONT, kPam, 2});
  EXPECT_THAT(on(SignalArrived{SIGTSTP, kLauncher}), IsEmpty()) << "late copies of the launcher are dropped";
  EXPECT_THAT(on(SignalArrived{SIGCONT, kLauncher}), IsEmpty());
  EXPECT_THAT(pass(seconds(5)), IsEmpty());
}

TEST_F(TaskLife, TheTerminalsOwnStopIsLeftToTheTask) {
  shared();
  running();
  EXPECT_THAT(on(SignalArrived{SIGTSTP, kTerminal}), IsEmpty());
  EXPECT_THAT(pass(seconds(5)), IsEmpty());
}

TEST_F(TaskLife, WhenPamAsksForTheSameStopItIsSeenThrough) {
  shared();
  running();
  on(SignalArrived{SIGTSTP, kTerminal});
  EXPECT_THAT(on(SignalArrived{SIGTSTP, kPam, 1}), IsEmpty());
  EXPECT_THAT(pass(kStopGrace), ElementsAre("SignalTask STOP"));
}

TEST_F(TaskLife, AnEndIsTermAndAfterTheGraceKill) {
  running();
  EXPECT_THAT(on(EndRequested{seconds(10)}), ElementsAre("SignalTask TERM"));
  EXPECT_THAT(pass(seconds(10) - milliseconds(1)), IsEmpty());
  EXPECT_THAT(pass(milliseconds(1)), ElementsAre("SignalDescendants KILL"));
  EXPECT_THAT(on(TaskExited{ExitStatus::signaled(SIGKILL), false}),
              ElementsAre("SendTaskEnded", "Finish Signal (9 KILL)"));
}

TEST_F(TaskLife, AnEndWithoutGraceIsKill) {
  running();
  EXPECT_THAT(on(EndRequested{Duration{0}}), ElementsAre("SignalDescendants KILL"));
}

TEST_F(TaskLife, TheTermThatTheLauncherHasJustSentIsNotSentAgain) {
  running();
  EXPECT_THAT(on(SignalArrived{SIGTERM, kLauncher}), ElementsAre("SignalTask TERM"));
  EXPECT_THAT(on(EndRequested{seconds(10)}), IsEmpty());
  EXPECT_EQ(state.phase, Phase::ending);
}

TEST_F(TaskLife, AStoppedTaskIsContinuedSoThatItCanEnd) {
  running();
  on(TaskStopped{});
  EXPECT_THAT(on(EndRequested{seconds(10)}), ElementsAre("SignalTask TERM", "SignalTask CONT"));
  state = State{};
  running();
  on(TaskStopped{});
  on(TaskContinued{});
  EXPECT_THAT(on(EndRequested{seconds(10)}), ElementsAre("SignalTask TERM"));
}

TEST_F(TaskLife, AnEndedTaskIsReported) {
  running();
  EXPECT_THAT(on(TaskExited{ExitStatus::exited(3), false}), ElementsAre("SendTaskEnded", "Finish Exit (3)"));
  EXPECT_EQ(state.leftovers, 0U);
}

TEST_F(TaskLife, ALostParentIsToldOnceForEachConnection) {
  running();
  EXPECT_THAT(on(ParentGone{}), ElementsAre("SendParentLost"));
  EXPECT_THAT(on(ParentGone{}), IsEmpty());
  on(LinkLost{});
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration", "SendParentLost"));
}

TEST_F(TaskLife, ALostOuterLevelEndsEverything) {
  running();
  EXPECT_THAT(on(OuterGone{}), ElementsAre("SendStarterLost", "SignalDescendants KILL"));
  EXPECT_THAT(on(TaskExited{ExitStatus::signaled(SIGKILL), true}), ElementsAre("SignalDescendants KILL"));
  EXPECT_THAT(on(DescendantsChanged{1}), ElementsAre("SignalDescendants KILL"));
  EXPECT_THAT(on(DescendantsChanged{0}), ElementsAre("SendTaskEnded", "Finish Signal (9 KILL)"));
  EXPECT_THAT(on(OuterGone{}), IsEmpty());
}

TEST_F(TaskLife, WithoutOuterLevelACutLinkIsNotWaitedFor) {
  running();
  on(LinkLost{});
  EXPECT_THAT(on(OuterGone{}), ElementsAre("SignalDescendants KILL"));
  EXPECT_THAT(on(TaskExited{ExitStatus::signaled(SIGKILL), false}), ElementsAre("Finish Signal (9 KILL)"));
}

}  // namespace
}  // namespace rollcall::taskstarter
