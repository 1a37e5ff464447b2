// mbatchd and the masters of other clusters, which this test plays: who is heard, what is remembered, what a peer that lies gets.
#include <sys/stat.h>

#include "tests/io/sched/peer_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using testing::HasSubstr;
using testing::Not;

using Peers = PeerStage;

TEST_F(Peers, AreGreetedAndServed) {
  expect_started();
  EXPECT_THAT(status(), HasSubstr("\ncluster east: not connected"));
  EXPECT_THAT(status(), HasSubstr("\ncluster north: no key"));
  const auto peer = connect();
  EXPECT_EQ(said_.hello().cluster(), "test");
  EXPECT_EQ(said_.hello().store().size(), 16U);
  EXPECT_TRUE(serves(*peer)) << log();
  EXPECT_THAT(status(), HasSubstr("\ncluster east: connected, term 5"));
}

TEST_F(Peers, AreTheStoreTheyWereAfterARestartOfOurs) {
  expect_started();
  const auto first = connect();
  ASSERT_TRUE(serves(*first));
  const auto before = said_.hello();
  kill_hard();
  expect_started();
  const auto second = connect();
  ASSERT_TRUE(serves(*second));
  EXPECT_EQ(said_.hello().store(), before.store());
  EXPECT_GT(said_.hello().term(), before.term());
  EXPECT_NE(said_.hello().run(), before.run());
  kill_hard();
  expect_started();
  const auto older = connect(4);
  const auto refused = hear(*older);
  ASSERT_TRUE(refused && refused->has_refused()) << "what was known has outlived mbatchd";
  EXPECT_THAT(refused->refused().why(), HasSubstr("older state"));
}

TEST_F(Peers, WithAStoreMadeAnewAreRefusedUntilAnAdministratorSaysSo) {
  expect_started();
  ASSERT_TRUE(serves(*connect()));
  const auto anew = connect(6, 'f');
  ASSERT_TRUE(hear(*anew).value().has_refused());
  EXPECT_FALSE(hear(*anew));
  EXPECT_TRUE(anew->ended());
  EXPECT_THAT(forget("north").outcomes().outcomes(0).text(), HasSubstr("Cluster <north>"));
  EXPECT_TRUE(forget("moon").outcomes().outcomes(0).failed());
  EXPECT_FALSE(forget("east").outcomes().outcomes(0).failed());
  EXPECT_TRUE(serves(*connect(6, 'f')));
}

TEST_F(Peers, ACallComesBackToNobodyAndProvesNothingElsewhere) {
  expect_started();
  EXPECT_FALSE(call("test", "east")->open()) << "our own call, sent back to us";
  EXPECT_FALSE(call("east", "north")->open());
  EXPECT_FALSE(call("north", "test")->open());
  EXPECT_THAT(log(), HasSubstr("a call that names a key which this daemon does not have"));
}

// The peer has its key, and none of the rights of a daemon or a client of ours.
TEST_F(Peers, HaveNoWordOfOurDaemonsOrClients) {
  expect_started();
  const auto as_client = connect();
  ASSERT_TRUE(serves(*as_client));
  wire::ToMbatchd message;
  *message.mutable_request() = submit_request();
  as_client->say(message);
  const auto as_res = call();
  wire::FromRes res;
  res.mutable_hello()->set_host(host_);
  res.mutable_hello()->set_run(std::string(16, 'r'));
  message.set_engine(res.SerializeAsString());
  hear(*as_res);
  as_res->say(message);
  EXPECT_FALSE(hear(*as_res)) << log();
  EXPECT_EQ(submit(), 1) << "no job was submitted before";
  EXPECT_THAT(log(), Not(HasSubstr("RES of " + host_ + " is connected")));
}

TEST_F(Peers, ThatLieInTheirHelloAreCutOff) {
  expect_started();
  for (const auto& lie : {hello(5, 'e', "north"), hello(5, 'e', "test"), hello(0)}) {
    const auto peer = call();
    ASSERT_TRUE(hear(*peer));
    say(*peer, lie);
    EXPECT_FALSE(hear(*peer));
    EXPECT_TRUE(peer->ended());
  }
  const auto copy = connect();  // our own store's identity
  auto mirrored = said_;
  mirrored.mutable_hello()->set_cluster("east");
  const auto mirror = call();
  hear(*mirror);
  say(*mirror, mirrored);
  EXPECT_TRUE(hear(*mirror).value().has_refused());
  EXPECT_TRUE(serves(*copy)) << "the good one is not disturbed";
}

TEST_F(Peers, OfALaterVersionAreToldWhatIsNotKnown) {
  expect_started();
  const auto peer = connect();
  wire::PeerMessage later;
  later.set_number(42);
  std::string bytes = later.SerializeAsString() + "\xfa\x3f\x02hi";  // field 1023, bytes
  peer->say_payload(bytes);
  EXPECT_EQ(hear(*peer).value().unsupported().number(), 42U);
  auto greeting = hello(7);
  const auto next = call();
  hear(*next);
  next->say_payload(greeting.SerializeAsString() + "\xfa\x3f\x02hi");
  EXPECT_TRUE(serves(*next)) << "unknown fields are passed over";
}

// Of an earlier release: it does not know the kind in which this mbatchd offers jobs.
TEST_F(Peers, ThatDoNotKnowOffersHoldNoJob) {
  write_queues("End Queue\nBegin Queue\nQUEUE_NAME = send\nHOSTS = none\nSNDJOBS_TO = guests@east\n");
  expect_started();
  const auto peer = connect();
  auto request = submit_request();
  request.mutable_submit()->mutable_jobs(0)->add_queues("send");
  const int id = ask(request).submitted().jobs(0).id();
  ASSERT_GT(id, 0);
  EXPECT_TRUE(serves(*peer));
  EXPECT_EQ(status(id), wire::STATUS_PEND) << "a peer that tells nothing of what it holds is offered nothing";
  wire::PeerMessage held;
  held.mutable_held()->set_last(true);
  say(*peer, held);
  std::optional<wire::PeerMessage> offer;
  do offer = hear(*peer);
  while (offer && !offer->has_offer());
  ASSERT_TRUE(offer) << log();
  wire::PeerMessage unsupported;
  unsupported.mutable_unsupported()->set_number(offer->number());
  say(*peer, unsupported);
  EXPECT_TRUE(serves(*peer));
  EXPECT_THAT(why_pending(id), testing::Not(HasSubstr("forwarded to")));
  unsupported.mutable_unsupported()->set_number(123'456);
  say(*peer, unsupported);
  EXPECT_TRUE(serves(*peer)) << "a number that was never said is nothing";
  wire::BatchRequest kill;
  kill.mutable_signal()->mutable_filter()->add_keys()->set_id(id);
  ask(kill);
  EXPECT_EQ(status(id), wire::STATUS_EXIT) << "it ends here, where it is";
}

// A bmod that waits for the answer to a recall.
TEST_F(Peers, ThatDoNotKnowRecallsKeepNoBmodWaiting) {
  write_queues("End Queue\nBegin Queue\nQUEUE_NAME = send\nHOSTS = none\nSNDJOBS_TO = guests@east\n");
  expect_started();
  const auto peer = connect();
  wire::PeerMessage held;
  held.mutable_held()->set_last(true);
  say(*peer, held);
  const auto hears = [&](wire::PeerMessage::WhatCase kind) {
    auto heard = hear(*peer);
    while (heard && heard->what_case() != kind) heard = hear(*peer);
    return heard.value_or(wire::PeerMessage());
  };
  auto request = submit_request();
  request.mutable_submit()->mutable_jobs(0)->add_queues("send");
  const int id = ask(request).submitted().jobs(0).id();
  const auto offer = hears(wire::PeerMessage::kOffer);
  ASSERT_TRUE(offer.has_offer()) << log();
  wire::PeerMessage accepted;
  *accepted.mutable_state()->mutable_attempt() = offer.offer().attempt();
  accepted.mutable_state()->mutable_job()->mutable_key()->set_id(55);
  accepted.mutable_state()->mutable_job()->set_queue("guests");
  accepted.mutable_state()->mutable_job()->set_status(wire::STATUS_PEND);
  say(*peer, accepted);
  ASSERT_TRUE(serves(*peer));
  const auto bmod = client();
  wire::ToMbatchd change;
  auto& modify = *change.mutable_request()->mutable_modify();
  modify.mutable_filter()->add_keys()->set_id(id);
  modify.mutable_changed()->set_job_name("another");
  modify.add_fields(wire::Submission::kJobNameFieldNumber);
  ASSERT_TRUE(bmod->open());
  bmod->say(change);
  const auto recall = hears(wire::PeerMessage::kRecall);
  ASSERT_TRUE(recall.has_recall()) << log();
  wire::PeerMessage unsupported;
  unsupported.mutable_unsupported()->set_number(recall.number());
  say(*peer, unsupported);
  std::string answer;
  while (const auto part = bmod->hear()) {
    for (const auto& outcome : part->reply().outcomes().outcomes()) answer += outcome.text();
    if (part->reply().last()) break;
  }
  EXPECT_THAT(answer, HasSubstr("cluster east, whose release is older: it cannot be asked back")) << log();
  EXPECT_EQ(status(id), wire::STATUS_PEND) << "it waits there";
}

TEST_F(Peers, OfALaterReleaseAddFieldsToMessagesAboutJobs) {
  write_queues("RCVJOBS_FROM = east\n");
  expect_started();
  const auto peer = connect();
  wire::PeerMessage message;
  auto& offer = *message.mutable_offer();
  offer.mutable_attempt()->mutable_key()->set_id(7);
  offer.mutable_attempt()->set_attempt(1);
  offer.set_queue("normal");
  wire::Submission asked = submit_request().submit().jobs(0);
  asked.set_user("nobody");
  ASSERT_TRUE(offer.mutable_asked()->ParseFromString(asked.SerializeAsString() + "\xfa\x3f\x02hi"));
  ASSERT_TRUE(offer.mutable_attempt()->MergeFromString("\xfa\x3f\x02hi"));
  say(*peer, message);
  const auto answer = hear(*peer);
  ASSERT_TRUE(answer && answer->has_state()) << (answer ? answer->over().why() : log());
}

TEST_F(Peers, CallingThousandTimesCostTheOthersNothing) {
  expect_started();
  int heard = 0;
  for (int i = 0; i < 60; ++i) {
    const auto peer = call();
    if (peer->open() && hear(*peer)) ++heard;
  }
  EXPECT_LE(heard, 30);
  EXPECT_GT(submit(), 0);
}

// A question is believed in nothing: the job is one of ours, and nobody has sent it here.
TEST_F(Peers, ReadNothingOfAJobThatTheyDidNotSend) {
  expect_started();
  const int job = submit();
  ASSERT_GT(job, 0);
  const auto peer = connect();
  wire::PeerMessage question;
  auto& piece = *question.mutable_piece();
  piece.set_number(9);
  piece.mutable_attempt()->mutable_key()->set_id(job);
  piece.mutable_attempt()->set_attempt(1);
  piece.set_user("root");
  say(*peer, question);
  const auto answer = hear(*peer);
  ASSERT_TRUE(answer && answer->has_piece_read()) << log();
  EXPECT_EQ(answer->piece_read().number(), 9U);
  EXPECT_THAT(answer->piece_read().piece().why_not(), HasSubstr("no such job of this user"));
  wire::PeerMessage unasked;
  unasked.mutable_piece_read()->set_number(1);
  unasked.mutable_piece_read()->mutable_piece()->set_data(std::string(300'000, 'x'));
  say(*peer, unasked);
  EXPECT_TRUE(serves(*peer)) << log();
}

TEST_F(Peers, WithAKeyThatOthersMayReadAreNotConnectedAndJobsRun) {
  chmod((keys_ + "/east").c_str(), 0644);
  expect_started();
  EXPECT_FALSE(call()->open());
  EXPECT_THAT(log(), HasSubstr("peer key " + keys_ + "/east"));
  EXPECT_THAT(status(), HasSubstr("cluster east: no key: peer key " + keys_ + "/east: mode 0644"));
  EXPECT_GT(submit(), 0);
}

TEST_F(Peers, TwoKeysAreValidDuringAChange) {
  write_key("east.next", secret(0x77));
  expect_started();
  EXPECT_TRUE(serves(*connect()));
  Talk next(port_, io::ClusterChannel::dial_naming_key(io::key_of_direction(secret(0x77), "east", "test"),
                                                       io::random_seed()));
  EXPECT_TRUE(next.open());
}

TEST_F(Peers, LeftOutOfRemoteClustersAreRefused) {
  write("lsf.cluster.test",
        "Begin Host\nHOSTNAME model type server RESOURCES\n" + host_ +
            " ! ! 1 ()\nEnd Host\nBegin RemoteClusters\nCLUSTERNAME\nnorth\nEnd RemoteClusters\n");
  expect_started();
  EXPECT_FALSE(call()->open());
  EXPECT_THAT(status(), Not(HasSubstr("east")));
}

}  // namespace
}  // namespace rollcall::mbatchd::test
