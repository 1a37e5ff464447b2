// The Book: what becomes of submissions, and who may do what.
#include "sched/policy/book/book.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

// ---------------------------------------------------------------- submission

TEST_F(BookTest, ASubmissionIsSavedAndRecorded) {
  const auto accepted = submitted(plain_job());
  EXPECT_EQ(accepted.id(), 1);
  EXPECT_EQ(accepted.queue(), "normal");
  EXPECT_TRUE(accepted.default_queue());
  EXPECT_THAT(accepted.notices(), ElementsAre("Memory limit: 4.88 MB.", "Run limit: 10 min."));
  EXPECT_THAT(lines(effects),
              ElementsAre("SaveSubmission 1", "SaveJob 1", "RecordEvent new job of 1", "SaveCounters"));
  EXPECT_TRUE(schedules(effects));
  const Job& kept = job({1, 0});
  EXPECT_EQ(kept.status(), wire::STATUS_PEND);
  EXPECT_EQ(kept.asked->user(), "ann");
  EXPECT_EQ(kept.asked->uid(), 1001U);
  EXPECT_EQ(kept.asked->project(), "default");
  EXPECT_EQ(kept.asked->min_slots(), 1U);
  EXPECT_EQ(book->jobs().combined_resreq(kept), "select[mem > 10 && type == local] order[r15s:pg]");
}

TEST_F(BookTest, IdentityIsTheServersNotTheClients) {
  auto asked = plain_job();
  asked.set_user("root");
  asked.set_uid(0);
  submit(asked, kBob);
  EXPECT_EQ(job({1, 0}).asked->user(), "bob");
  EXPECT_EQ(job({1, 0}).asked->uid(), 1002U);
}

TEST_F(BookTest, AUserGroupIsOneThatTheUserIsIn) {
  auto asked = plain_job();
  asked.set_user_group("dev");
  submit(asked);
  EXPECT_EQ(job({1, 0}).asked->user_group(), "dev");
  // A group of the operating system, which lsb.users need not name.
  asked.set_user_group("staff");
  Identity eve = kEve;
  eve.groups = {"staff"};
  submit(asked, eve);
  EXPECT_EQ(job({2, 0}).asked->user_group(), "staff");
}

TEST_F(BookTest, TheHostOfAClientHasItsOfficialName) {
  auto asked = plain_job();
  asked.set_from_host("HOSTB.");
  submit(asked);
  EXPECT_EQ(job({1, 0}).asked->from_host(), "hostB");
  asked.set_from_host("laptop");
  submit(asked);
  EXPECT_EQ(job({2, 0}).asked->from_host(), "laptop") << "it is no host of the cluster";
}

TEST_F(BookTest, InvalidSubmissionsAreRefused) {
  const auto with = [](auto change) {
    auto asked = plain_job();
    change(asked);
    return asked;
  };
  using S = wire::Submission;
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("none"); })), "none: No such queue");
  EXPECT_EQ(refused(with([](S& a) { a.set_user_group("nosuch"); })), "nosuch: No such user group");
  EXPECT_EQ(refused(with([](S& a) { a.set_user_group("dev"); }), kEve),
            "dev: User eve is not a member of the user group");
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("talk"); })), "talk: Queue only accepts interactive jobs");
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("special"), a.set_interactive(S::PLAIN); })),
            "special: Queue does not accept interactive jobs");
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("special"); }), kEve), "special: User cannot use the queue");
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("special"), a.set_min_slots(9); })),
            "special: Too many processors requested");
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("special"), a.set_min_slots(1); })),
            "special: Too few processors requested");
  EXPECT_EQ(refused(with([](S& a) { a.mutable_limits()->set_run_s(3601); })),
            "normal: Cannot exceed queue's hard limit(s): RUNLIMIT");
  EXPECT_EQ(refused(with([](S& a) { a.set_exclusive(true); })),
            "normal: Queue does not accept exclusive jobs");
  EXPECT_THAT(refused(with([](S& a) { a.set_resreq("select[mem >]"); })),
              HasSubstr("Bad resource requirement syntax"));
  EXPECT_THAT(refused(with([](S& a) { a.set_resreq("nothing > 5"); })),
              HasSubstr("Bad resource requirement syntax"));
  EXPECT_THAT(refused(with([](S& a) { a.set_dependency("done("); })), HasSubstr("dependency condition"));
  EXPECT_EQ(refused(with([](S& a) { a.set_dependency("done(77)"); })), "Job <77> is not found");
  EXPECT_EQ(refused(with([](S& a) { a.set_dependency("done(x)"); })), "x: No matching job found");
  EXPECT_THAT(refused(with([](S& a) { a.set_terminate_us(5); })), HasSubstr("Bad time specification"));
  EXPECT_THAT(refused(with([](S& a) { a.add_asked_hosts()->set_name("mars"); })),
              HasSubstr("mars: Bad host name"));
  EXPECT_THAT(refused(with([](S& a) { a.set_application("x"); })),
              HasSubstr("x: No such application profile"));
  EXPECT_THAT(refused(with([](S& a) { a.set_cwd(std::string("/a\0b", 4)); })), HasSubstr("zero byte"));
  for (const char* name : {"a\nb", "a\x1b[2J", "a\x7f"})
    EXPECT_THAT(refused(with([name](S& a) { a.set_job_name(name); })), HasSubstr("control character"));
  EXPECT_EQ(refused(with([](S& a) { a.set_mail_user("a\nBcc: b"); })),
            "-u: found a control character, expected none");
  EXPECT_EQ(refused(with([](S& a) { a.set_project("p\x1b"); })),
            "-P: found a control character, expected none");
  EXPECT_EQ(refused(with([](S& a) {
              a.set_cwd(
                  "/home/\xc2\x9b"
                  "2J");
            })),
            "the working directory: found a control character, expected none");
  EXPECT_EQ(refused(with([](S& a) {
              a.set_command(
                  "echo \x9b"
                  "2J");
            })),
            "the command: found a control character, expected none but newline and tab");
  EXPECT_THAT(refused(with([](S& a) { a.add_environment("NOVALUE"); })), HasSubstr("NAME=VALUE"));
  EXPECT_EQ(refused(with([](S& a) { a.set_command(""); })), "no command is given");
  EXPECT_THAT(refused(array_job(1001)), HasSubstr("MAX_JOB_ARRAY_SIZE"));
  EXPECT_EQ(book->jobs().size(), 0U);
  EXPECT_EQ(book->rows().next_job_id(), 1);
}

TEST_F(BookTest, ControlCharactersAreRefusedInEveryTextThatOthersSee) {
  using S = wire::Submission;
  const std::vector<std::pair<const char*, std::function<void(S&, const std::string&)>>> texts{
      {"-J", [](S& a, const auto& t) { a.set_job_name(t); }},
      {"-P", [](S& a, const auto& t) { a.set_project(t); }},
      {"-G", [](S& a, const auto& t) { a.set_user_group(t); }},
      {"-g", [](S& a, const auto& t) { a.set_job_group(t); }},
      {"-Jd", [](S& a, const auto& t) { a.set_description(t); }},
      {"-u", [](S& a, const auto& t) { a.set_mail_user(t); }},
      {"-w", [](S& a, const auto& t) { a.set_dependency(t); }},
      {"-app", [](S& a, const auto& t) { a.set_application(t); }},
      {"-sla", [](S& a, const auto& t) { a.set_service_class(t); }},
      {"-U", [](S& a, const auto& t) { a.set_reservation(t); }},
      {"-R", [](S& a, const auto& t) { a.set_resreq(t); }},
      {"-q", [](S& a, const auto& t) { a.add_queues(t); }},
      {"-m", [](S& a, const auto& t) { a.add_asked_hosts()->set_name(t); }},
      {"-a", [](S& a, const auto& t) { a.add_esubs(t); }},
      {"-i", [](S& a, const auto& t) { a.set_input_file(t); }},
      {"-o", [](S& a, const auto& t) { a.set_output_file(t); }},
      {"-e", [](S& a, const auto& t) { a.set_error_file(t); }},
      {"-f", [](S& a, const auto& t) { a.add_transfers()->set_remote(t); }},
      {"-cwd", [](S& a, const auto& t) { a.set_asked_cwd(t); }},
      {"-outdir", [](S& a, const auto& t) { a.set_output_dir(t); }},
      {"-L", [](S& a, const auto& t) { a.set_login_shell(t); }},
      {"-E", [](S& a, const auto& t) { a.set_pre_exec(t); }},
      {"-Ep", [](S& a, const auto& t) { a.set_post_exec(t); }},
      {"-Q", [](S& a, const auto& t) { a.set_requeue_exits(t); }},
      {"-W", [](S& a, const auto& t) { a.mutable_limits()->set_run_spec(t); }},
      {"-c", [](S& a, const auto& t) { a.mutable_limits()->set_cpu_spec(t); }},
      {"the command", [](S& a, const auto& t) { a.set_command(t); }},
      {"the working directory", [](S& a, const auto& t) { a.set_cwd(t); }},
      {"HOME", [](S& a, const auto& t) { a.set_home(t); }},
      {"the submission host", [](S& a, const auto& t) { a.set_from_host(t); }}};
  for (const auto& [option, set] : texts)
    for (const char* control : {"\x1b[2J", "\x7f", "\r",
                                "\x9b"
                                "2J",
                                "\xc2\x9b"
                                "2J"}) {
      auto asked = plain_job();
      set(asked, std::string("a") + control);
      EXPECT_THAT(refused(asked), testing::StartsWith(std::string(option) + ": found a control character"));
    }
  EXPECT_EQ(book->jobs().size(), 0U);
  auto lines = plain_job();
  lines.set_command("echo a\n\tb");
  lines.set_job_name(
      "gr\xc3\xb6\xc3\x9f"
      "e");
  EXPECT_EQ(refused(lines), "") << "newline, tab and other characters are no controls";
}

TEST_F(BookTest, ControlCharactersAreRefusedInReasonsAndComments) {
  submit(plain_job());
  wire::SignalJobs kill;
  kill.mutable_filter()->add_keys()->set_id(1);
  kill.set_reason("because\x1b[2J");
  const auto refused_kill = book->commands().signal_jobs(kill, kAnn, now);
  EXPECT_THAT(refused_kill.reply.refusal().text(), HasSubstr("-C: found a control character"));
  EXPECT_EQ(job({1, 0}).status(), wire::STATUS_PEND);
  wire::ControlBatch close;
  close.set_action(wire::ControlBatch::QUEUE_CLOSE);
  close.set_comment("closed\n by me");
  EXPECT_THAT(book->commands().control(close, kAnn, now).reply.refusal().text(),
              HasSubstr("-C: found a control character"));
}

TEST_F(BookTest, TheFirstQueueThatFits) {
  auto asked = plain_job();
  asked.add_queues("talk");
  asked.add_queues("special");
  const auto accepted = submitted(asked);
  EXPECT_EQ(accepted.queue(), "special");
  EXPECT_FALSE(accepted.default_queue());
  EXPECT_EQ(job({1, 0}).asked->min_slots(), 4U) << "PROCLIMIT's default";
}

TEST_F(BookTest, CheckingKeepsNothing) {
  wire::Submit request;
  request.set_check_only(true);
  *request.add_jobs() = plain_job();
  const auto applied = book->commands().submit(request, kAnn, now);
  EXPECT_EQ(applied.reply.submitted().jobs(0).id(), 0);
  EXPECT_FALSE(applied.reply.submitted().jobs(0).has_refusal());
  EXPECT_THAT(applied.effects, IsEmpty());
}

TEST_F(BookTest, IdsRollOverAndPassThoseInUse) {
  submit(plain_job());
  book->rows().load_counters(999'999, 5);
  EXPECT_EQ(submit(plain_job()), 999'999);
  EXPECT_EQ(submit(plain_job()), 2);
}

TEST_F(BookTest, WithdrawnSubmissionLeavesNothing) {
  submit(array_job(5));
  ASSERT_EQ(book->jobs().size(), 5U);
  book->rows().withdraw(1);
  EXPECT_EQ(book->jobs().size(), 0U);
  EXPECT_TRUE(book->jobs().submissions().empty());
}

// ---------------------------------------------------------------- rights

TEST_F(BookTest, OwnersActOnTheirOwnAndAdministratorsOnAll) {
  submit(plain_job());
  const JobKey key{1, 0};
  for (const auto action :
       {Act::KILL, Act::STOP, Act::RESUME, Act::REMOVE, Act::REQUEUE, Act::SEND, Act::FORCE})
    EXPECT_THAT(ask(key, action, kBob, 10), ElementsAre("! Job <1>: User permission denied"));
  wire::MoveJob move;
  set_key(*move.mutable_key(), key);
  EXPECT_THAT(answer(book->commands().move_job(move, kBob, now)),
              ElementsAre("! Job <1>: User permission denied"));
  wire::SwitchJobs to;
  set_key(*to.mutable_filter()->add_keys(), key);
  to.set_queue("special");
  EXPECT_THAT(answer(book->commands().switch_jobs(to, kBob, now)),
              ElementsAre("! Job <1>: User permission denied"));
  wire::ModifyJobs modify;
  set_key(*modify.mutable_filter()->add_keys(), key);
  modify.add_fields(wire::Submission::kProjectFieldNumber);
  EXPECT_THAT(answer(book->commands().modify_jobs(modify, kBob, now)),
              ElementsAre("! Job <1>: User permission denied"));
  EXPECT_THAT(ask(key, Act::KILL, kEve), ElementsAre("! Job <1>: User permission denied"))
      << "another queue's";
  EXPECT_EQ(status(key), wire::STATUS_PEND);
  // Another account of the same name, or one that has got the uid of one that is gone, is not the owner.
  EXPECT_THAT(ask(key, Act::KILL, Identity{1002, 1, "ann", {}, false}), ElementsAre(HasSubstr("denied")));
  EXPECT_THAT(ask(key, Act::KILL, Identity{1001, 1, "bob", {}, false}), ElementsAre(HasSubstr("denied")));
  EXPECT_THAT(ask(key, Act::KILL, kRoot), ElementsAre("Job <1> is being terminated"));
  EXPECT_EQ(job(key).record.term_reason(), TERM_ADMIN);
}

TEST_F(BookTest, AQueuesAdministratorActsOnItsJobs) {
  auto asked = plain_job();
  asked.add_queues("special");
  submit(asked);
  EXPECT_THAT(ask({1, 0}, Act::STOP, kEve), ElementsAre("Job <1> is being stopped"));
  EXPECT_THAT(ask({1, 0}, Act::RESUME, kAnn),
              ElementsAre("! Job <1>: Job was suspended by LSF admin or root, and is resumed by them"));
  EXPECT_THAT(ask({1, 0}, Act::RESUME, kEve), ElementsAre("Job <1> is being resumed"));
}

TEST_F(BookTest, QueuesAndHostsAreTheirAdministrators) {
  wire::ControlBatch control;
  control.set_action(wire::ControlBatch::QUEUE_CLOSE);
  control.add_names("special");
  EXPECT_THAT(answer(book->commands().control(control, kAnn, now)),
              ElementsAre("! special: User permission denied"));
  EXPECT_THAT(answer(book->commands().control(control, kEve, now)), ElementsAre("Queue <special> is closed"));
  EXPECT_THAT(lines(effects), ElementsAre("SaveControl queue special closed", "RecordEvent queue control"));
  auto asked = plain_job();
  asked.add_queues("special");
  EXPECT_EQ(refused(asked), "special: Queue has been closed");
  control.set_action(wire::ControlBatch::QUEUE_OPEN);
  EXPECT_THAT(answer(book->commands().control(control, kRoot, now)),
              ElementsAre("Queue <special> is opened"));
  control.set_action(wire::ControlBatch::HOST_CLOSE);
  control.clear_names();
  control.add_names("big");
  control.add_names("mars");
  EXPECT_THAT(answer(book->commands().control(control, kEve, now)), ElementsAre("!! User permission denied"));
  EXPECT_THAT(answer(book->commands().control(control, kRoot, now)),
              ElementsAre("Close <hostB> ...... done", "Close <hostC> ...... done",
                          "! mars: No such host or host group"));
  EXPECT_FALSE(book->jobs().host_control("hostB").open);
  EXPECT_TRUE(book->jobs().host_control("hostA").open);
}

}  // namespace
}  // namespace rollcall::sched::book
