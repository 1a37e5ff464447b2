// RES with real jobs: how they start, what they get, how their end is told.
#include <signal.h>
#include <sys/stat.h>

#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;
using Over = wire::FromRes::JobOver;

class ResJob : public ResStage {};

TEST_F(ResJob, RunsAndTellsItsEnd) {
  start_res();
  start(job("echo hello; exit 3"));
  const auto running = wait_for_running();
  EXPECT_GT(running.pid(), 0);
  EXPECT_EQ(running.cwd(), directory_);
  const auto over = wait_for_over();
  EXPECT_EQ(over.how(), Over::ENDED);
  EXPECT_EQ(over.exit_status(), 3 << 8);
  EXPECT_EQ(over.term_reason(), 0);
  EXPECT_GT(over.usage().max_memory_kb(), 0);
  EXPECT_LE(over.start_us(), over.end_us());
  const std::string out = text("out.1");
  EXPECT_THAT(out, HasSubstr("hello\n----"));
  EXPECT_THAT(out, HasSubstr("Exited with exit code 3.\n\nResource usage summary:\n"));
  acknowledge();
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
}

TEST_F(ResJob, DeathBySignalIs128AndTheSignal) {
  start_res();
  start(job("kill -SEGV $$"));
  EXPECT_EQ(wait_for_over().exit_status(), (128 + SIGSEGV) << 8);
}

TEST_F(ResJob, AnOrderThatComesTwiceRunsOnce) {
  start_res();
  const auto once = job("echo line >> runs");
  start(once);
  start(once);
  wait_for_over();
  start(once);
  wait_until("the end to be told again", [&] { return count_over(1) >= 2; });
  EXPECT_EQ(text("runs"), "line\n");
}

TEST_F(ResJob, AnOlderTermIsRefused) {
  start_res();
  wire::ToRes order;
  order.set_term(7);
  *order.mutable_start() = job("true");
  send(order);
  wait_for_over();
  kill_res(SIGKILL);
  start_res();
  order.set_term(6);
  *order.mutable_start() = job("true", 2);
  send(order);
  const auto refused = [](const wire::FromRes& told) { return told.has_refused(); };
  wait_until("a refusal", [&] { return find(refused) != nullptr; });
  EXPECT_EQ(find(refused)->refused().term(), 7U);
  EXPECT_EQ(hellos_.back().term(), 7U);
  EXPECT_EQ(count_over(2), 0U);
}

TEST_F(ResJob, AScriptRunsInItsOwnShellWithItsOwnLineNumbers) {
  start_res();
  auto start_order = job("script");
  start_order.mutable_submission()->set_script(
      "#!/bin/bash\n#BSUB -J x\necho ${BASH_VERSION:+bash} $LINENO $LSB_JOBFILENAME\nexit 5\n");
  start(start_order);
  EXPECT_EQ(wait_for_over().exit_status(), 5 << 8);
  EXPECT_THAT(text("out.1"), HasSubstr("bash 3 " + job_directory() + "/u/"));
}

TEST_F(ResJob, JobWhoseShellOrInterpreterIsMissingIsOverAndNotRetried) {
  start_res();
  auto shell = job("true");
  shell.mutable_submission()->set_login_shell("/no/such/shell");
  start(shell);
  const auto over = wait_for_over();
  EXPECT_EQ(over.how(), wire::FromRes::JobOver::ENDED) << over.why();
  EXPECT_EQ(over.exit_status(), 127 << 8);
  EXPECT_THAT(over.why(), HasSubstr("/no/such/shell"));

  auto script = job("script", 2);
  script.mutable_submission()->set_script("#!/no/such/bash\necho never\n");
  start(script);
  const auto second = wait_for_over(2);
  EXPECT_EQ(second.how(), wire::FromRes::JobOver::ENDED) << second.why();
  EXPECT_EQ(second.exit_status(), 127 << 8);
}

TEST_F(ResJob, TheShellOutlivesSignalsAndItsChildrenDoNot) {
  start_res();
  start(job("sh -c 'echo > ready; exec sleep 1000'; echo child $?; exit 4"));
  wait_for_file("ready");
  wire::ToRes::SignalJob order;
  order.set_signal(SIGUSR1);
  signal(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.exit_status(), 4 << 8);
  EXPECT_THAT(text("out.1"), HasSubstr("child 138\n"));
}

TEST_F(ResJob, KillTakesEverythingAlsoWhatLeftItsSession) {
  start_res();
  start(job(
      "setsid sh -c 'trap \"\" INT TERM HUP; echo $$ > fled; while :; do sleep 1; done' & trap '' INT TERM; "
      "while :; do sleep 1; done"));
  const pid_t fled = std::stoi(wait_for_file("fled"));
  wire::ToRes::SignalJob order;
  order.set_action(wire::ToRes::SignalJob::TERMINATE);
  order.set_sequential(true);
  order.set_term_reason(14);
  signal(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.exit_status(), (128 + SIGKILL) << 8);
  EXPECT_EQ(over.term_reason(), 14);
  EXPECT_FALSE(lives(fled));
  EXPECT_THAT(text("out.1"), HasSubstr("TERM_OWNER: job killed by owner.\nExited with exit code 137."));
}

// Both orders come in one packet: the job is being noted on disk, and has no guard yet, when it is to end.
TEST_F(ResJob, AnOrderThatComesBeforeTheGuardIsKeptForIt) {
  start_res();
  for (int id = 1; id <= 10; ++id) {
    start(job("exec sleep 1007", id));
    kill_job(id);
  }
  for (int id = 1; id <= 10; ++id) {
    SCOPED_TRACE(id);
    EXPECT_EQ(wait_for_over(id).exit_status(), (128 + SIGKILL) << 8);
  }
}

TEST_F(ResJob, EndsWhatAJobLeavesBehind) {
  start_res();
  start(job("setsid sh -c 'echo $$ > left; exec sleep 1000' & while ! grep -q . left; do :; done; exit 0"));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_FALSE(lives(std::stoi(text("left"))));
}

TEST_F(ResJob, StopsAndContinues) {
  start_res();
  start(job("while [ ! -e go ]; do :; done"));  // a shell that forks may be held by a stopped child
  const auto running = wait_for_running();
  wire::ToRes::SignalJob order;
  order.set_action(wire::ToRes::SignalJob::SUSPEND);
  signal(order);
  wait_until("JobStopped",
             [&] { return find([](const auto& told) { return told.has_stopped(); }) != nullptr; });
  const std::string stat = "/proc/" + std::to_string(running.pid()) + "/stat";
  wait_until("state T", [&] { return text(stat).find(") T ") != std::string::npos; });
  order.set_action(wire::ToRes::SignalJob::RESUME);
  signal(order);
  wait_until("JobResumed",
             [&] { return find([](const auto& told) { return told.has_resumed(); }) != nullptr; });
  write("go", "");
  EXPECT_EQ(wait_for_over().exit_status(), 0);
}

TEST_F(ResJob, EndsAJobOverItsMemoryLimit) {
  start_res();
  auto order = job("a=$(head -c 100000000 /dev/zero | tr '\\0' x); sleep 1000; echo $a");
  order.mutable_limits()->set_memory_kb(50'000);
  order.mutable_limits()->set_memory_hard(true);
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.term_reason(), 16);
  EXPECT_EQ(over.exit_status(), (128 + SIGKILL) << 8);
  EXPECT_GT(over.usage().max_memory_kb(), 50'000);
}

TEST_F(ResJob, RunLimitSendsUsr2) {
  start_res();
  auto order = job("trap 'echo usr2; exit 9' USR2; while :; do sleep 0.1; done");
  order.mutable_limits()->set_run_s(1);
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.term_reason(), 5);
  EXPECT_EQ(over.exit_status(), 9 << 8);
}

TEST_F(ResJob, EndsAJobOverItsProcessLimit) {
  start_res();
  auto order = job("for i in 1 2 3 4 5 6; do sleep 1000 & done; wait");
  order.mutable_limits()->set_processes(3);
  start(order);
  EXPECT_EQ(wait_for_over().term_reason(), 7);
}

TEST_F(ResJob, EndsAJobOverItsCpuLimit) {
  start_res();
  auto order = job("while :; do :; done");
  order.mutable_limits()->set_cpu_s(1);
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.exit_status() >> 8, 128 + SIGXCPU);
}

TEST_F(ResJob, KernelLimitsReachTheJob) {
  start_res();
  auto order = job("ulimit -c; ulimit -f; ulimit -s");
  order.mutable_limits()->set_core_kb(0);
  order.mutable_limits()->set_file_kb(2048);
  order.mutable_limits()->set_stack_kb(4096);
  start(order);
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_THAT(text("out.1"), testing::StartsWith("0\n4096\n4096\n"));  // -f counts blocks of 512 bytes
}

TEST_F(ResJob, TellsUsage) {
  start_res();
  start(job("sleep 1000 & sleep 1000 & wait"));
  wait_until("usage of three processes", [&] {
    return find([](const auto& told) { return told.has_usage() && told.usage().usage().processes() == 3; }) !=
           nullptr;
  });
  kill_job();
  const auto over = wait_for_over();
  EXPECT_EQ(over.usage().max_processes(), 3);
  EXPECT_EQ(over.usage().pids_size(), 0);
}

TEST_F(ResJob, RunsPreAndPostExecution) {
  start_res();
  auto order = job("cat pre; exit 6");
  order.set_queue_pre_exec("echo queue > " + path("pre"));
  order.mutable_submission()->set_pre_exec("echo job >> " + path("pre"));
  order.mutable_submission()->set_post_exec("echo $LSB_JOBEXIT_STAT $PATH > " + path("post"));
  start(order);
  const auto over = wait_for_over();
  EXPECT_TRUE(over.post_follows());
  EXPECT_EQ(over.exit_status(), 6 << 8);
  acknowledge();
  const auto post = [](const auto& told) { return told.has_post_over(); };
  wait_until("PostOver", [&] { return find(post) != nullptr; });
  EXPECT_FALSE(find(post)->post_over().failed());
  EXPECT_EQ(text("post"), "1536 /bin:/usr/bin:/sbin:/usr/sbin\n");
  EXPECT_THAT(text("out.1"), testing::StartsWith("queue\njob\n"));
  acknowledge();
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
}

TEST_F(ResJob, APreExecutionThatFailsKeepsTheJobAway) {
  start_res();
  auto order = job("touch ran");
  order.set_queue_pre_exec("exit 99");
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.how(), Over::PRE_EXEC_FAILED);
  EXPECT_EQ(over.exit_status(), 99 << 8);
  EXPECT_NE(access(path("ran").c_str(), F_OK), 0);
}

TEST_F(ResJob, AMissingDirectoryOfCwdIsTold) {
  start_res();
  auto order = job("true");
  order.mutable_submission()->set_asked_cwd("/no/such/directory");
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.how(), Over::NOT_STARTED);
  EXPECT_TRUE(over.cwd_missing());
  EXPECT_EQ(over.term_reason(), 25);
}

// bsub -cwd x%J, as LSF does.
TEST_F(ResJob, ADirectoryOfCwdWithItsNumberIsMade) {
  start_res();
  auto order = job("true");
  order.mutable_submission()->set_asked_cwd("made.%J/in");
  start(order);
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  for (const char* name : {"made.1", "made.1/in"}) {
    struct stat facts;
    ASSERT_EQ(stat(path(name).c_str(), &facts), 0) << name;
    EXPECT_EQ(facts.st_mode & 07777, 0700U) << name;
  }
}

TEST_F(ResJob, AMissingSubmissionDirectoryIsTmp) {
  start_res();
  auto order = job("pwd");
  order.mutable_submission()->set_cwd("/no/such/directory");
  start(order);
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_THAT(text("out.1"), testing::StartsWith("/tmp\n"));
}

TEST_F(ResJob, EnvironmentHasTheDocumentedVariables) {
  start_res();
  auto order =
      job("cat $LSB_DJOB_HOSTFILE; wc -c < $LSB_AFFINITY_HOSTFILE; echo $LSB_TRAPSIGS; echo "
          "$CUDA_VISIBLE_DEVICES; "
          "test \"$LS_JOBPID\" = \"$PPID\" && echo parent; echo $LSB_OUTPUTFILE; env | grep -c ^EGO_");
  order.mutable_hosts(0)->set_slots(2);
  order.set_gpus("0,2");
  start(order);
  wait_for_over();
  EXPECT_THAT(text("out.1"),
              testing::StartsWith(host_ + "\n" + host_ + "\n0\ntrap # 15 10 12 2 1\n0,2\nparent\n" +
                                  path("out.1") + "\n0\n"));
}

// What a mail program is given, and that the job's end does not wait for it.
class ResMail : public ResStage {
 protected:
  ResMail() {
    write("mailer",
          "#!/bin/sh\ncat > " + path("mail.new") + " && mv " + path("mail.new") + " " + path("mail") + "\n");
    chmod(path("mailer").c_str(), 0755);
    configure("LSB_MAILPROG=" + path("mailer") + " -x");
  }
};

TEST_F(ResMail, WithoutAnOutputFileTheOutputIsMailed) {
  start_res();
  auto order = job("echo hello; echo bad >&2");
  order.mutable_submission()->clear_output_file();
  order.mutable_submission()->set_job_name("two\nlines");
  start(order);
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  const std::string mail = wait_for_file("mail");
  const std::string user = order.submission().user();
  EXPECT_THAT(mail, testing::StartsWith("From: LSF <" + user + "@" + host_ + ">\nTo: " + user +
                                        "\nSubject: Job 1: <two lines> in cluster <c1> Done\n\n"));
  EXPECT_THAT(mail, testing::EndsWith("The output (if any) follows:\n\nhello\nbad\n"));
}

TEST_F(ResMail, WithoutAMailerTheOutputIsKeptInAFile) {
  configure("LSB_MAILPROG=" + path("nosuch") + "\nLSF_TMPDIR=" + directory_);
  start_res();
  auto order = job("echo hello");
  order.mutable_submission()->clear_output_file();
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.exit_status(), 0);
  EXPECT_THAT(over.why(), HasSubstr("the output is in " + path("1.out") + " on " + host_));
  EXPECT_THAT(text("1.out"), testing::StartsWith("hello\n"));
  EXPECT_THAT(text("1.out"), HasSubstr("Successfully completed."));
}

TEST_F(ResMail, AMailerThatAnotherUserCanChangeIsNotExecutedAsRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "RES of an ordinary user trusts whom it likes";
  ASSERT_EQ(mkdir(path("theirs").c_str(), 0755), 0);
  write("theirs/mailer", "#!/bin/sh\ntouch " + path("executed") + "\n");
  chmod(path("theirs/mailer").c_str(), 0755);
  ASSERT_EQ(chown(path("theirs").c_str(), 1, 1), 0);
  configure("LSB_MAILPROG=" + path("theirs/mailer") + " -x\nLSF_TMPDIR=" + directory_);
  start_res();
  auto order = job("echo hello");
  order.mutable_submission()->clear_output_file();
  start(order);
  EXPECT_THAT(wait_for_over().why(), HasSubstr("the output is in " + path("1.out") + " on " + host_));
  EXPECT_THAT(text("1.out"), testing::StartsWith("hello\n"));
  EXPECT_NE(access(path("executed").c_str(), F_OK), 0);
  EXPECT_THAT(text("log"), HasSubstr("no mail is sent about this job of root's"));
}

TEST_F(ResMail, AMailerThatFailsLosesNothing) {
  configure("LSB_MAILPROG=/bin/false\nLSF_TMPDIR=" + directory_);
  start_res();
  auto order = job("echo hello");
  order.mutable_submission()->clear_output_file();
  start(order);
  wait_for_over();
  EXPECT_THAT(wait_for_file("1.out"), testing::StartsWith("hello\n"));
}

TEST_F(ResMail, WithoutAMailerNoEmptyFileIsMade) {
  configure("LSB_MAILPROG=" + path("nosuch") + "\nLSF_TMPDIR=" + directory_);
  start_res();
  auto order = job("true");
  order.mutable_submission()->clear_output_file();
  start(order);
  EXPECT_EQ(wait_for_over().why(), "");
  EXPECT_NE(access(path("1.out").c_str(), F_OK), 0);
}

TEST_F(ResMail, SendmailIsToldToReadTheAddress) {
  ASSERT_EQ(mkdir(path("lib").c_str(), 0755), 0);
  write("lib/sendmail", "#!/bin/sh\n(echo \"$@\"; cat) > " + path("mail.new") + " && mv " + path("mail.new") +
                            " " + path("mail") + "\n");
  chmod(path("lib/sendmail").c_str(), 0755);
  configure("LSB_MAILPROG=" + path("lib/sendmail"));
  start_res();
  auto order = job("true");
  order.mutable_submission()->clear_output_file();
  start(order);
  wait_for_over();
  EXPECT_THAT(wait_for_file("mail"), testing::StartsWith("-oi -t\nFrom: LSF <"));
}

TEST_F(ResMail, MailsTheBeginWhereAsked) {
  start_res();
  auto order = job("until [ -e " + path("go") + " ]; do sleep 0.02; done");
  order.mutable_submission()->set_mail_at_start(true);
  start(order);
  const std::string mail = wait_for_file("mail");  // while it runs
  EXPECT_THAT(mail, HasSubstr("\nSubject: Job 1: started in cluster <c1>\n\nJob <1> was started on host <" +
                              host_ + "> at "));
  write("go", "");
  EXPECT_EQ(wait_for_over().exit_status(), 0);
}

TEST_F(ResMail, MailsTheReportAloneWhereAsked) {
  start_res();
  auto order = job("exit 3");
  order.mutable_submission()->set_mail_report(true);
  order.mutable_submission()->set_mail_user("other@site");
  start(order);
  wait_for_over();
  EXPECT_THAT(wait_for_file("mail"), HasSubstr("To: other@site\n"));
  EXPECT_EQ(text("out.1"), "");
}

TEST_F(ResMail, NoReportWhereNoneIsWanted) {
  start_res();
  auto order = job("echo hello");
  order.set_mail_report_only(true);
  start(order);
  wait_for_over();
  EXPECT_EQ(text("out.1"), "hello\n");
}

TEST_F(ResJob, AnUnknownJobIsSaidToBe) {
  start_res();
  kill_job(77);
  EXPECT_EQ(wait_for_over(77).how(), Over::NEVER_SEEN);
}

}  // namespace
}  // namespace rollcall::res::test
