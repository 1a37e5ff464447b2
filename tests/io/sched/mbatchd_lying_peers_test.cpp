// A master of another cluster that has its key, speaks the protocol and lies, against a real mbatchd: as the cluster that submits, and as
// the one that executes. It harms its own jobs at most: own jobs, those of the third cluster and mbatchd go on.
#include <pwd.h>
#include <unistd.h>

#include <limits>
#include <random>

#include "tests/io/sched/lying_peer_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// ---------------------------------------------------------------- as the cluster that submits

TEST_F(LyingPeers, OfferingJobsOfRootAndOfAdministratorsStartNone) {
  expect_started();
  const auto east = peer();
  int id = 0;
  const std::string us = getpwuid(geteuid())->pw_name;
  for (const std::string& user : {std::string("root"), us}) {
    auto offer = offer_of(++id, user);
    offer.mutable_offer()->mutable_asked()->set_uid(65534);  // which is not what counts
    EXPECT_THAT(answer(*east, offer), HasSubstr("do not run as root or as an administrator")) << user;
  }
  for (const std::string& user :
       {std::string(), std::string("a b"), std::string("root\n"), std::string(300, 'a')})
    EXPECT_THAT(answer(*east, offer_of(++id, user)), HasSubstr("no user can have")) << user;
  EXPECT_THAT(answer(*east, offer_of(++id, "no-such-user")), HasSubstr("not known here"));
  EXPECT_THAT(answer(*east, offer_of(++id, "0")), HasSubstr("not known here")) << "a number is no name";
  EXPECT_EQ(jobs_here(), 0);
  expect_own_jobs_run();
}

TEST_F(LyingPeers, ProposingAccountsGetThoseOfUserMapAlone) {
  expect_started();
  const auto east = peer();
  auto claim = [&, id = 0](const std::string& user, const std::vector<std::string>& accounts) mutable {
    auto offer = offer_of(++id, "");
    offer.mutable_offer()->set_user(user);
    for (const auto& account : accounts) offer.mutable_offer()->add_run_as(account);
    return answer(*east, offer);
  };
  EXPECT_THAT(claim("ann", {"root", "daemon"}), HasSubstr("no row in UserMap"));
  EXPECT_THAT(claim("mary", {"root", "daemon"}), HasSubstr("accepts no account"));
  EXPECT_THAT(claim("eve", {"root"}), HasSubstr("do not run as root")) << "whatever a row says";
  EXPECT_THAT(claim("mary", std::vector<std::string>(200, "nobody")), HasSubstr("expected at most 100"));
  EXPECT_THAT(answer(*east, offer_of(50, "mary")), HasSubstr("accepts no account"))
      << "whoever has a row is not taken by name";
  EXPECT_EQ(jobs_here(), 0);
  EXPECT_EQ(claim("mary", {"daemon", "nobody"}), "accepted");
  EXPECT_EQ(jobs_here(), 1);
}

TEST_F(LyingPeers, GetTheLimitsAndTheNiceOfTheReceivingQueue) {
  expect_started();
  const auto east = peer();
  auto offer = offer_of(1);
  auto& asked = *offer.mutable_offer()->mutable_asked();
  asked.mutable_limits()->set_run_s(100'000);
  EXPECT_THAT(answer(*east, offer), HasSubstr("Cannot exceed queue's hard limit"));
  auto special = offer_of(2);
  special.mutable_offer()->set_queue("special");
  EXPECT_THAT(answer(*east, special), HasSubstr("REFUSED")) << "USERS of the queue";
  special.mutable_offer()->set_queue("to_north");
  EXPECT_THAT(answer(*east, special), HasSubstr("RCVJOBS_FROM")) << "nothing is passed on to a third cluster";
  asked.clear_limits();
  asked.set_uid(0);
  asked.set_gid(0);
  asked.set_user_group("root");
  asked.set_priority(1'000'000);
  asked.set_dependency("done(1)");
  asked.add_queues("special");
  asked.add_asked_hosts()->set_name(host_);
  for (const char* word : {"LSF_ENVDIR=/evil", "LSF_SERVERDIR=/evil", "LSB_JOBID=1",
                           "CUDA_VISIBLE_DEVICES=0,1", "ROLLCALL_RELAY=x", "LSFUSER=root", "KEPT=yes"})
    asked.add_environment(word);
  const auto host = res(host_);
  ASSERT_EQ(answer(*east, offer), "accepted");
  host->serve(kPatience,
              [&] { return !host->attempts().empty() && host->attempts().begin()->second.started; });
  ASSERT_EQ(host->attempts().size(), 1U) << log();
  const auto& order = host->attempts().begin()->second.order;
  EXPECT_EQ(order.submission().user(), kGuest);
  EXPECT_EQ(order.submission().uid(), getpwnam(kGuest)->pw_uid);
  EXPECT_EQ(order.submission().gid(), getpwnam(kGuest)->pw_gid);
  EXPECT_EQ(order.queue(), "normal");
  EXPECT_EQ(order.nice(), 5);
  EXPECT_EQ(order.limits().run_s(), 600);
  EXPECT_EQ(order.gpus(), "");
  EXPECT_THAT(order.submission().environment(), Contains("KEPT=yes"));
  for (const char* head : {"LSF_", "LSB_", "CUDA_", "ROLLCALL_", "LSFUSER"})
    EXPECT_THAT(order.submission().environment(), Each(Not(StartsWith(head))));
}

TEST_F(LyingPeers, CommandingJobsThatAreNotTheirsChangeNone) {
  expect_started();
  const int own = submit();
  const auto north = peer("north");
  ASSERT_EQ(answer(*north, offer_of(5)), "accepted");
  const int norths = own + 1;
  ASSERT_EQ(status(norths), wire::STATUS_PEND);
  const auto east = peer();
  for (const int id : {own, norths, 5, 999})
    for (std::uint64_t attempt = 0; attempt < 3; ++attempt) {
      wire::PeerMessage acknowledge, recall, signal;
      *acknowledge.mutable_acknowledge()->mutable_attempt() = attempt_of(id, attempt);
      *recall.mutable_recall()->mutable_attempt() = attempt_of(id, attempt);
      *signal.mutable_signal()->mutable_attempt() = attempt_of(id, attempt);
      signal.mutable_signal()->mutable_sent()->set_number(std::numeric_limits<std::uint64_t>::max());
      signal.mutable_signal()->mutable_sent()->set_action(wire::SentSignal::TERMINATE);
      say(*east, acknowledge);
      EXPECT_THAT(answer(*east, recall), StartsWith("UNKNOWN"));
      EXPECT_THAT(answer(*east, signal), StartsWith("UNKNOWN"));
    }
  EXPECT_EQ(status(own), wire::STATUS_PEND);
  EXPECT_EQ(status(norths), wire::STATUS_PEND);
  EXPECT_EQ(answer(*north, offer_of(5)), "accepted") << "north's job is what it was";
  expect_own_jobs_run();
}

TEST_F(LyingPeers, FloodingWithOffersFillTheirRoomAlone) {
  expect_started();
  const auto east = peer();
  int accepted = 0;
  for (int id = 1; id <= 60; ++id) {
    const std::string said = answer(*east, offer_of(id));
    if (said == "accepted")
      ++accepted;
    else
      ASSERT_THAT(said, HasSubstr("IMPT_JOBBKLG")) << log();
  }
  EXPECT_EQ(accepted, 20);
  auto huge = offer_of(1000);
  huge.mutable_offer()->mutable_asked()->set_script(
      std::string(950UL << 10, 'x'));  // still fits into a frame
  EXPECT_THAT(answer(*east, huge), HasSubstr("bytes, expected at most"));
  EXPECT_EQ(jobs_here(), 20);
  kill_hard();
  expect_started();  // the store is sound
  EXPECT_EQ(jobs_here(), 20);
}

TEST_F(LyingPeers, WithoutSenseAreCutOffAndOthersServed) {
  expect_started();
  const auto north = peer("north");
  std::mt19937 draw(7);
  const std::string good = offer_of(1).SerializeAsString();
  for (int round = 0; round < 20; ++round) {
    const auto east = call();
    if (!east->open()) break;
    hear(*east);
    say(*east, hello(5 + static_cast<unsigned>(round)));
    for (int i = 0; i < 50; ++i) {
      std::string bytes = good;
      for (int k = 0; k < 1 + i % 7; ++k) bytes[draw() % bytes.size()] = static_cast<char>(draw());
      if (i % 5 == 0) bytes.resize(draw() % bytes.size());
      if (i % 10 == 9) bytes += std::string(draw() % 100'000, '\xff');
      east->say_payload(bytes);
    }
  }
  EXPECT_TRUE(serves(*north)) << log();
  EXPECT_THAT(answer(*north, offer_of(5)), testing::AnyOf("accepted", HasSubstr("IMPT_JOBBKLG")))
      << "some of the nonsense may have been a good offer";
  expect_own_jobs_run();
}

TEST_F(LyingPeers, AskingForTerminalsThatAreNotTheirsGetNone) {
  expect_started();
  const auto host = res(host_);
  host->runs_at_once = false;
  const auto north = peer("north");
  auto offer = offer_of(1);
  offer.mutable_offer()->mutable_asked()->set_interactive(wire::Submission::TERMINAL);
  ASSERT_EQ(answer(*north, offer), "accepted");
  ASSERT_EQ(answer(*north, offer_of(2)), "accepted");
  host->serve(kPatience, [&] { return host->attempts().size() == 2; });
  wire::FromRes ready;
  const auto first = host->attempts().begin()->first;
  auto& told = *ready.mutable_ready();
  told.mutable_job()->mutable_key()->set_id(first.first.first);
  told.mutable_job()->set_attempt(first.second);
  told.mutable_stream()->set_host("127.0.0.1");
  told.mutable_stream()->set_port(1);
  told.mutable_stream()->set_key(std::string(32, 'k'));
  host->say(ready);
  const auto east = peer();
  const auto refused = [](Talk& talk, const wire::ForwardAttempt& attempt,
                          wire::PieceAsked::Operation operation, const std::string& user,
                          std::int64_t from = 0, std::uint64_t terminal = 9) {
    wire::PeerMessage question;
    auto& piece = *question.mutable_piece();
    piece.set_number(9);
    *piece.mutable_attempt() = attempt;
    piece.set_user(user);
    piece.mutable_asked()->set_operation(operation);
    piece.mutable_asked()->set_from(from);
    piece.mutable_asked()->set_terminal(terminal);
    say(talk, question);
    const auto said = hear_kind(talk, What::kPieceRead);
    return said ? said->piece_read().piece().why_not() : "the connection has ended";
  };
  for (const auto operation :
       {wire::PieceAsked::TERMINAL_IN, wire::PieceAsked::TERMINAL_OUT, wire::PieceAsked::TERMINAL_END}) {
    EXPECT_THAT(refused(*east, attempt_of(1), operation, kGuest),
                HasSubstr("no interactive job of this user"))
        << "it is north's";
    EXPECT_THAT(refused(*north, attempt_of(1), operation, "root"),
                HasSubstr("no interactive job of this user"));
    EXPECT_THAT(refused(*north, attempt_of(1, 2), operation, kGuest),
                HasSubstr("no interactive job of this user"));
    EXPECT_THAT(refused(*north, attempt_of(2), operation, kGuest),
                HasSubstr("no interactive job of this user"))
        << "it has none";
    EXPECT_THAT(refused(*north, attempt_of(0), operation, kGuest), HasSubstr("without a number"));
    EXPECT_THAT(refused(*north, attempt_of(1), operation, kGuest, -1), HasSubstr("does not know"));
    if (operation != wire::PieceAsked::TERMINAL_IN) {
      EXPECT_THAT(refused(*north, attempt_of(1), operation, kGuest, 3), HasSubstr("was closed"));
    }
  }
  EXPECT_THAT(refused(*north, attempt_of(1), wire::PieceAsked::TERMINAL_OUT, kGuest, 0, 0),
              HasSubstr("does not know"));
  EXPECT_EQ(status(first.first.first), wire::STATUS_RUN);
  host->hang_up();
  expect_own_jobs_run();
}

// ---------------------------------------------------------------- as the cluster that executes

TEST_F(LyingPeers, AnsweringForTerminalsFoolTheirOwnClientAlone) {
  expect_started();
  auto east = peer();
  const auto north = peer("north");
  auto request = submit_request();
  request.mutable_submit()->mutable_jobs(0)->add_queues("to_east");
  request.mutable_submit()->mutable_jobs(0)->set_interactive(wire::Submission::TERMINAL);
  const int id = ask(request).submitted().jobs(0).id();
  const auto offered = hear_kind(*east, What::kOffer);
  ASSERT_TRUE(offered) << why_pending(id) << log();
  EXPECT_EQ(offered->offer().asked().interactive(), wire::Submission::TERMINAL);
  auto state = state_of(offered->offer().attempt(), wire::STATUS_RUN);
  state.mutable_state()->set_terminal(true);
  say(*east, state);
  ASSERT_TRUE(serves(*east)) << log();
  const auto bsub = client();
  wire::ToMbatchd question;
  auto& asked = *question.mutable_request()->mutable_piece();
  asked.mutable_key()->set_id(id);
  asked.set_attempt(offered->offer().attempt().attempt());
  asked.mutable_asked()->set_operation(wire::PieceAsked::TERMINAL_OUT);
  asked.mutable_asked()->set_terminal(9);
  const auto ask_east = [&] {
    bsub->say(question);
    const auto came = hear_kind(*east, What::kPiece);
    EXPECT_TRUE(came) << log();
    if (!came) return std::uint64_t{0};
    EXPECT_EQ(came->piece().attempt().key().id(), id);
    EXPECT_EQ(came->piece().attempt().attempt(), offered->offer().attempt().attempt());
    EXPECT_EQ(came->piece().asked().operation(), wire::PieceAsked::TERMINAL_OUT);
    EXPECT_FALSE(came->piece().user().empty());
    return came->piece().number();
  };
  const auto read = [](std::uint64_t number) {
    wire::PeerMessage message;
    message.mutable_piece_read()->set_number(number);
    return message;
  };
  const auto told = [&] {
    const auto reply = bsub->hear();
    return reply ? reply->reply().piece() : wire::Piece();
  };
  auto number = ask_east();
  auto forged = read(number);
  forged.mutable_piece_read()->mutable_piece()->add_told()->set_output("north was here");
  say(*north, forged);
  EXPECT_TRUE(serves(*north));
  auto large = read(number);
  large.mutable_piece_read()->mutable_piece()->add_told()->set_output(std::string(300'000, 'x'));
  say(*east, large);
  EXPECT_THAT(told().why_not(), HasSubstr("found a piece of 300000 bytes"));
  number = ask_east();
  auto garbled = read(number);
  auto& lies = *garbled.mutable_piece_read()->mutable_piece();
  lies.add_told()->set_output("from the job");
  lies.add_told()->mutable_lost()->set_why("two\nlines");
  say(*east, garbled);
  const auto heard = told();
  ASSERT_EQ(heard.told_size(), 2);
  EXPECT_EQ(heard.told(0).output(), "from the job");
  EXPECT_THAT(heard.told(1).lost().why(), Not(HasSubstr("\n")));
  EXPECT_EQ(status(id), wire::STATUS_RUN);
  // An answer that comes again, and one to nothing.
  say(*east, garbled);
  say(*east, read(123456));
  EXPECT_TRUE(serves(*east)) << log();
  ask_east();
  east.reset();
  EXPECT_THAT(told().why_not(), HasSubstr("cluster east: the connection ended")) << log();
  expect_own_jobs_run();
}

TEST_F(LyingPeers, ReportingJobsThatAreNotTheirsChangeNone) {
  expect_started();
  const auto host = res(host_);
  host->runs_at_once = false;
  const int own = submit();
  host->serve(kPatience, [&] { return host->attempt({{own, 0}, 1}).started == 1; });
  host->say_running({{own, 0}, 1});
  const auto north = peer("north");
  const auto at_north = runs_at(*north, "to_north");
  const auto east = peer();
  const auto at_east = runs_at(*east, "to_east");
  const auto before = record(at_north.key().id());
  for (const auto& attempt :
       {attempt_of(own), at_north, attempt_of(at_east.key().id(), 2),
        attempt_of(at_east.key().id(), std::numeric_limits<std::uint64_t>::max()), attempt_of(12345)})
    for (const auto how : {Over::ENDED, Over::REFUSED, Over::WITHDRAWN, Over::UNKNOWN}) {
      say(*east, state_of(attempt, wire::STATUS_USUSP));
      say(*east, over_of(attempt, 9, how));
    }
  EXPECT_TRUE(serves(*east)) << log();
  EXPECT_EQ(status(own), wire::STATUS_RUN);
  const auto after = record(at_north.key().id());
  EXPECT_EQ(after.status(), wire::STATUS_RUN);
  EXPECT_EQ(after.attempt(), before.attempt());
  EXPECT_EQ(after.forwarded().SerializeAsString(), before.forwarded().SerializeAsString());
  EXPECT_EQ(status(at_east.key().id()), wire::STATUS_RUN)
      << "attempts that it does not have are not its job's";
  host->end({{own, 0}, 1}, 3 << 8);
  host->serve(kPatience, [&] { return host->attempt({{own, 0}, 1}).acknowledged; });
  EXPECT_EQ(record(own).exit_status(), 3 << 8);
  say(*north, over_of(at_north, 0));
  EXPECT_TRUE(hear_kind(*north, What::kAcknowledge));
  EXPECT_EQ(status(at_north.key().id()), wire::STATUS_DONE);
}

TEST_F(LyingPeers, ClaimingToHoldEverythingGetOnlyOrdersForThemselves) {
  expect_started();
  const int own = submit();
  const auto north = peer("north");
  const auto at_north = runs_at(*north, "to_north");
  auto east = call();
  hear(*east);
  say(*east, hello());
  for (int part = 0; part < 20; ++part) {
    wire::PeerMessage held;
    for (int i = 0; i < 500; ++i) {
      auto& running = *held.mutable_held()->add_running();
      running = state_of(attempt_of(1 + i, 1 + static_cast<unsigned>(part)), wire::STATUS_RUN).state();
      *held.mutable_held()->add_over() = over_of(attempt_of(1 + i), 0).over();
    }
    held.mutable_held()->set_last(part == 19);
    say(*east, held);
  }
  EXPECT_TRUE(serves(*east)) << log();
  EXPECT_EQ(status(own), wire::STATUS_PEND);
  EXPECT_EQ(status(at_north.key().id()), wire::STATUS_RUN);
  wire::PeerMessage again;
  again.mutable_held()->set_last(true);
  say(*east, again);
  while (hear(*east)) continue;
  EXPECT_TRUE(east->ended()) << "it is said once in a connection";
  expect_own_jobs_run();
}

TEST_F(LyingPeers, TellingNonsenseOfTheirJobsStoreNone) {
  expect_started();
  const auto east = peer();
  const auto attempt = runs_at(*east, "to_east");
  const int id = attempt.key().id();
  auto odd = state_of(attempt, wire::STATUS_RUN);
  auto& job = *odd.mutable_state()->mutable_job();
  job.set_queue("q\033[2J");
  job.set_why("line\nline\033[31m");
  job.set_exec_user("root\n");
  job.set_exec_home(std::string(100'000, 'h'));
  job.set_pid(-5);
  job.set_suspend_reasons(0xffffffff);
  auto& usage = *job.mutable_usage();
  usage.set_user_s(std::numeric_limits<double>::quiet_NaN());
  usage.set_system_s(-1e300);
  usage.set_memory_kb(std::numeric_limits<std::int64_t>::min());
  usage.set_max_memory_kb(std::numeric_limits<std::int64_t>::max());
  usage.set_threads(-7);
  job.add_hosts()->set_name("e1\033]0;");
  job.add_hosts()->set_slots(4'000'000'000U);
  say(*east, odd);
  ASSERT_TRUE(serves(*east)) << log();
  const auto now = record(id);
  EXPECT_GE(now.usage().user_s(), 0);
  EXPECT_GE(now.usage().system_s(), 0);
  EXPECT_GE(now.usage().memory_kb(), 0);
  EXPECT_GE(now.usage().threads(), 0);
  EXPECT_GE(now.pid(), 0);
  EXPECT_EQ(now.SerializeAsString().find('\033'), std::string::npos);
  EXPECT_LT(now.ByteSizeLong(), 4096U);
  for (const int unknown : {-1, 0, 4711}) {
    auto state = state_of(attempt, static_cast<wire::JobStatus>(unknown));
    const auto liar = peer("east", 6 + static_cast<unsigned>(unknown + 1));
    say(*liar, state);
    EXPECT_TRUE(serves(*liar)) << unknown;
    EXPECT_NE(status(id), wire::STATUS_NULL);
  }
  expect_own_jobs_run();
}

TEST_F(LyingPeers, EndingAJobTwiceEndItOnce) {
  expect_started();
  const auto east = peer();
  const auto attempt = runs_at(*east, "to_east");
  const int id = attempt.key().id();
  auto end = over_of(attempt, 0x7fffff00);
  end.mutable_over()->set_run_s(-1'000'000'000'000);
  end.mutable_over()->set_term_reason(4711);
  end.mutable_over()->set_why(std::string(100'000, 'w'));
  say(*east, end);
  ASSERT_TRUE(hear_kind(*east, What::kAcknowledge)) << log();
  const auto first = record(id);
  EXPECT_EQ(first.status(), wire::STATUS_EXIT);
  EXPECT_GE(first.run_s(), 0);
  EXPECT_GE(first.pend_s(), 0);
  EXPECT_GE(first.end_us(), first.start_us());
  EXPECT_LT(first.ByteSizeLong(), 4096U);
  for (int i = 0; i < 3; ++i) {
    say(*east, over_of(attempt, 0));
    EXPECT_TRUE(hear_kind(*east, What::kAcknowledge)) << "so that it stops";
    say(*east, state_of(attempt, wire::STATUS_RUN));
  }
  EXPECT_TRUE(serves(*east));
  const auto last = record(id);
  EXPECT_EQ(last.status(), first.status());
  EXPECT_EQ(last.exit_status(), first.exit_status());
  EXPECT_EQ(last.end_us(), first.end_us());
  EXPECT_EQ(last.run_s(), first.run_s());
  EXPECT_EQ(stop(), 0);
  const std::string accounts = file(share() + "/logdir/lsb.acct");
  const std::size_t once = accounts.find("\"JOB_FINISH\"");
  ASSERT_NE(once, std::string::npos);
  EXPECT_EQ(accounts.find("\"JOB_FINISH\"", once + 1), std::string::npos) << accounts;
}

TEST_F(LyingPeers, TellingAbsurdFiguresDelayTheirOwnJobsAlone) {
  expect_started();
  const auto east = peer();
  const auto north = peer("north");
  constexpr int kLeast = std::numeric_limits<int>::min(), kMost = std::numeric_limits<int>::max();
  for (const int number : {kLeast, -1, 0, kMost})
    for (int k = 0; k < 100; ++k) {
      wire::PeerMessage message;
      auto& queue = *message.mutable_figures()->add_queues();
      queue.set_name(k % 2 ? "guests" : "queue\033[2J" + std::to_string(k));
      queue.set_accounts_for(std::numeric_limits<std::uint64_t>::max());
      for (const auto set :
           {&wire::QueueFigures::OfQueue::set_priority, &wire::QueueFigures::OfQueue::set_total,
            &wire::QueueFigures::OfQueue::set_available, &wire::QueueFigures::OfQueue::set_running,
            &wire::QueueFigures::OfQueue::set_pending, &wire::QueueFigures::OfQueue::set_preemptable,
            &wire::QueueFigures::OfQueue::set_job_room, &wire::QueueFigures::OfQueue::set_slot_room})
        (queue.*set)(number);
      say(*east, message);
    }
  EXPECT_TRUE(serves(*east)) << log();
  const std::string lines = log();
  std::size_t told = 0;
  for (auto at = lines.find("cannot be true"); at != std::string::npos;
       at = lines.find("cannot be true", at + 1))
    ++told;
  EXPECT_LE(told, 21U) << "a peer fills no log";
  EXPECT_EQ(lines.find('\033'), std::string::npos);
  wire::BatchRequest clusters;
  clusters.mutable_clusters();
  EXPECT_GT(ask(clusters).clusters().rows_size(), 0);
  EXPECT_GT(submit_to("to_east"), 0);
  runs_at(*north, "to_north");
  expect_own_jobs_run();
}

}  // namespace
}  // namespace rollcall::mbatchd::test
