// The rows of the table in taskstarter/policy/task_life.hpp: ending, leftovers, reporting, finished.
#include "tests/unit/taskstarter/taskstarter_task_life_fixture.hpp"

namespace rollcall::taskstarter {
namespace {

// ending

TEST_F(TaskLife, ALaterEndOnlyShortens) {
  ending(seconds(10));
  EXPECT_THAT(on(EndRequested{seconds(20)}), IsEmpty());
  EXPECT_THAT(on(EndRequested{seconds(2)}), IsEmpty());
  EXPECT_THAT(pass(seconds(2)), ElementsAre("SignalDescendants KILL"));
  EXPECT_THAT(on(EndRequested{seconds(2)}), IsEmpty());
}

TEST_F(TaskLife, AnEndAtOnceInterruptsTheGrace) {
  ending(seconds(10));
  EXPECT_THAT(on(EndRequested{Duration{0}}), ElementsAre("SignalDescendants KILL"));
}

TEST_F(TaskLife, KillIsRepeatedUntilTheTaskIsGone) {
  ending(Duration{0});
  EXPECT_TRUE(wants_descendants(state));
  EXPECT_THAT(pass(kKillAgain), ElementsAre("SignalDescendants KILL"));
  EXPECT_THAT(pass(2 * kKillAgain), ElementsAre("SignalDescendants KILL"));
  EXPECT_GE(pass(seconds(100)).size(), 99U);
  EXPECT_EQ(state.phase, Phase::ending) << "a task that the kernel cannot end has not ended";
}

TEST_F(TaskLife, ATaskThatIsEndingIsNotStoppedButGetsOtherSignals) {
  ending();
  EXPECT_THAT(on(SignalArrived{SIGTSTP, kPam, 1}), IsEmpty());
  EXPECT_THAT(pass(kStopGrace), IsEmpty());
  EXPECT_THAT(on(SignalArrived{SIGUSR1, kLauncher}), ElementsAre("SignalTask USR1"));
  pass(SignalPairing::kWindow + milliseconds(1));
  EXPECT_THAT(on(SignalArrived{SIGTERM, kLauncher}), ElementsAre("SignalTask TERM"));
}

TEST_F(TaskLife, ADeadPamShortensTheGrace) {
  ending(seconds(10));
  on(LinkLost{});
  on(DialFailed{DialFailure::refused});
  EXPECT_THAT(pass(kKillGrace), ElementsAre("SignalDescendants KILL"));
}

// leftovers

TEST_F(TaskLife, ProcessThatEndsByItselfIsNoLeftover) {
  leftovers();
  EXPECT_TRUE(wants_descendants(state));
  EXPECT_THAT(pass(kLeftoverGrace - milliseconds(1)), IsEmpty());
  EXPECT_THAT(on(DescendantsChanged{0}), ElementsAre("SendTaskEnded", "Finish Exit (3)"));
  EXPECT_EQ(state.leftovers, 0U);
}

TEST_F(TaskLife, LeftoversGetTermThenKill) {
  leftovers(2);
  EXPECT_THAT(pass(kLeftoverGrace), ElementsAre("SignalDescendants TERM", "SignalDescendants CONT"));
  EXPECT_THAT(pass(kKillGrace), ElementsAre("SignalDescendants KILL"));
  EXPECT_THAT(on(DescendantsChanged{1}), ElementsAre("SignalDescendants KILL"));
  EXPECT_THAT(on(DescendantsChanged{0}), ElementsAre("SendTaskEnded", "Finish Exit (3)"));
  EXPECT_EQ(state.leftovers, 2U);
}

TEST_F(TaskLife, GivesUpOnProcessesThatKillDoesNotEnd) {
  leftovers();
  const Lines done = pass(kLeftoverGrace + kKillGrace + kGiveUp);
  ASSERT_GE(done.size(), 3U);
  EXPECT_EQ(done[done.size() - 3], "Complain cannot end leftovers, no answer");
  EXPECT_EQ(done.back(), "Finish Exit (3)");
}

TEST_F(TaskLife, LeftoversOfAnEndHaveWhatIsLeftOfItsGrace) {
  ending(milliseconds(500));
  on(TaskExited{ExitStatus::signaled(SIGTERM), true});
  on(DescendantsChanged{1});
  EXPECT_THAT(pass(kLeftoverGrace), ElementsAre("SignalDescendants TERM", "SignalDescendants CONT"));
  EXPECT_THAT(pass(milliseconds(400)), ElementsAre("SignalDescendants KILL"));
}

TEST_F(TaskLife, AnEndAtOnceKillsLeftovers) {
  leftovers();
  EXPECT_THAT(on(EndRequested{Duration{0}}), ElementsAre("SignalDescendants KILL"));
  EXPECT_EQ(state.leftovers, 2U);
}

TEST_F(TaskLife, DropsSignalsAfterTheTasksEnd) {
  leftovers();
  EXPECT_THAT(on(SignalArrived{SIGTERM, kLauncher}), IsEmpty());
  EXPECT_THAT(on(SignalArrived{SIGUSR1, kPam, 1}), IsEmpty());
}

TEST_F(TaskLife, ALostOuterLevelKillsLeftovers) {
  leftovers();
  EXPECT_THAT(on(OuterGone{}), ElementsAre("SendStarterLost", "SignalDescendants KILL"));
}

TEST_F(TaskLife, ALostLinkIsDialedWhileLeftoversEnd) {
  leftovers();
  EXPECT_THAT(on(LinkLost{}), ElementsAre("Dial"));
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration"));
  EXPECT_THAT(on(Welcomed{}), IsEmpty());
  EXPECT_THAT(on(DescendantsChanged{0}), ElementsAre("SendTaskEnded", "Finish Exit (3)"));
}

// reporting

TEST_F(TaskLife, TheEndIsReportedWhenTheLinkIsBack) {
  reporting();
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration", "SendTaskEnded"));
  EXPECT_THAT(on(Welcomed{}), ElementsAre("Finish Exit (3)"));
}

TEST_F(TaskLife, TheEndIsRelayedWhenTheLinkDoesNotComeBack) {
  reporting();
  EXPECT_THAT(pass(kRedialLimit), ElementsAre("Finish Exit (3)"));
}

TEST_F(TaskLife, SendsNoReportToADeadPam) {
  reporting();
  EXPECT_THAT(on(DialFailed{DialFailure::refused}), ElementsAre("Finish Exit (3)"));
}

TEST_F(TaskLife, ALauncherThatWantsTheEndDoesNotWaitForTheReport) {
  reporting();
  EXPECT_THAT(on(SignalArrived{SIGUSR1, kLauncher}), IsEmpty());
  EXPECT_THAT(on(SignalArrived{SIGTERM, kLauncher}), ElementsAre("Finish Exit (3)"));
}

TEST_F(TaskLife, SendsNoReportWithoutTheOuterLevel) {
  reporting();
  EXPECT_THAT(on(OuterGone{}), ElementsAre("Finish Exit (3)"));
}

// Pam gives a connection up unread that has not proved itself to it in its time: what it was told is lost.
TEST_F(TaskLife, AnEndThatPamHasNotTakenIsToldAnew) {
  dialing();
  on(Connected{});
  on(TaskStarted{});
  EXPECT_THAT(on(TaskExited{ExitStatus::exited(3), false}), ElementsAre("SendTaskEnded"));
  EXPECT_THAT(on(LinkLost{}), IsEmpty());
  EXPECT_THAT(pass(kHangUpPause), ElementsAre("Dial"));
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration", "SendTaskEnded"));
  EXPECT_THAT(pass(seconds(1000)), IsEmpty()) << "it may be stopped";
  EXPECT_THAT(on(Welcomed{}), ElementsAre("Finish Exit (3)"));
}

TEST_F(TaskLife, AnEndThatTheKernelCannotSendIsToldAnew) {
  running();
  kernel_takes = false;
  EXPECT_THAT(on(TaskExited{ExitStatus::exited(3), false}), ElementsAre("SendTaskEnded"));
  EXPECT_THAT(on(LinkLost{}), ElementsAre("Dial"));
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration", "SendTaskEnded"));
  EXPECT_THAT(on(Delivered{}), IsEmpty()) << "the kernel's word is not pam's";
  EXPECT_THAT(on(Welcomed{}), ElementsAre("Finish Exit (3)"));
}

TEST_F(TaskLife, WithoutALauncherAnEndIsNotToldForLong) {
  for (const bool early : {true, false}) {
    state = State{};
    dialing();
    on(Connected{});
    on(TaskStarted{});
    if (early) EXPECT_THAT(on(ParentGone{}), ElementsAre("SendParentLost"));
    EXPECT_THAT(on(TaskExited{ExitStatus::exited(3), false}), ElementsAre("SendTaskEnded"));
    if (!early) EXPECT_THAT(on(ParentGone{}), IsEmpty()) << "the task has ended";
    EXPECT_THAT(pass(kRedialLimit), ElementsAre("Finish Exit (3)"));
  }
}

TEST_F(TaskLife, WithoutALauncherAnEndIsNotPutOffForLong) {
  reporting();
  on(ParentGone{});
  on(PutOff{seconds(20)});
  pass(seconds(20));
  EXPECT_EQ(state.link, Link::dialing);
  on(PutOff{seconds(20)});
  EXPECT_THAT(pass(seconds(20)), ElementsAre("Finish Exit (3)"));
}

// reporting, to the relay of the host

TEST_F(TaskLife, TheRelaySaysWhenTheEndHasLeftTheHost) {
  reporting_to_the_relay();
  EXPECT_THAT(on(Delivered{}), ElementsAre("Finish Exit (3)"));
}

TEST_F(TaskLife, TheEndIsToldAnewWhenTheRelayIsGoneBeforeItHasLeft) {
  reporting_to_the_relay();
  EXPECT_THAT(on(LinkLost{}), ElementsAre("Dial"));
  EXPECT_THAT(on(Delivered{}), IsEmpty()) << "too late";
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration", "SendTaskEnded"));
  EXPECT_THAT(on(Welcomed{}), ElementsAre("Finish Exit (3)"));
}

TEST_F(TaskLife, ARelayThatSaysNothingIsPassedBy) {
  reporting_to_the_relay();
  EXPECT_THAT(pass(kDelivery), ElementsAre("Dial"));
  EXPECT_THAT(on(Connected{}), ElementsAre("SendRegistration", "SendTaskEnded"));
  EXPECT_THAT(on(Welcomed{}), ElementsAre("Finish Exit (3)"));
}

TEST_F(TaskLife, ALauncherThatWantsTheEndDoesNotWaitForTheRelay) {
  reporting_to_the_relay();
  EXPECT_THAT(on(SignalArrived{SIGTERM, kLauncher}), ElementsAre("Finish Exit (3)"));
}

TEST_F(TaskLife, WithoutTheOuterLevelNobodyWaitsForTheRelay) {
  reporting_to_the_relay();
  EXPECT_THAT(on(OuterGone{}), ElementsAre("Finish Exit (3)"));
}

// orphans: processes left by TaskStarters whose outer and inner process were both killed

TEST_F(TaskLife, OrphansAreEndedWheneverPamSaysSo) {
  running();
  EXPECT_THAT(on(OrphansReported{}), ElementsAre("EndOrphans"));
  EXPECT_EQ(state.phase, Phase::running) << "its own task goes on";
  on(EndRequested{seconds(1)});
  EXPECT_THAT(on(OrphansReported{}), ElementsAre("EndOrphans"));
}

TEST_F(TaskLife, LooksForOrphansOnlyWhenAsked) {
  running();
  on(SignalArrived{SIGTERM, kLauncher});
  EXPECT_THAT(on(TaskExited{ExitStatus::signaled(SIGTERM), false}),
              ElementsAre("SendTaskEnded", "Finish Signal (15 TERM)"))
      << "the keeper of the job's cgroup does, once no TaskStarter is left";
}

// finished, and the text forms

TEST_F(TaskLife, NoEffectFollowsTheEnd) {
  running();
  on(TaskExited{ExitStatus::exited(0), false});
  ASSERT_EQ(state.phase, Phase::finished);
  for (const Event& event : std::vector<Event>{
           LinkLost{}, Connected{}, EndRequested{Duration{0}}, TimePassed{}, SignalArrived{SIGTERM, kPam, 9},
           DescendantsChanged{1}, TaskExited{ExitStatus::exited(1), true}})
    EXPECT_THAT(on(event), IsEmpty()) << text(event);
  EXPECT_FALSE(next_deadline(state));
}

TEST(TaskLifeText, EventsAreOneLineEach) {
  EXPECT_EQ(text(Event{SignalArrived{SIGTERM, kLauncher}}), "SignalArrived TERM from launcher");
  EXPECT_EQ(text(Event{DialFailed{DialFailure::other_pam}}), "DialFailed other pam");
  EXPECT_EQ(text(Event{EndRequested{seconds(1)}}), "EndRequested 1000 ms");
  EXPECT_EQ(text(Event{TaskExited{ExitStatus::signaled(11), true}}),
            "TaskExited Signal (11 SEGV), descendants left");
}

}  // namespace
}  // namespace rollcall::taskstarter
