// BatchClient with tickets: it keeps the ticket that it is given, connects with it, and connects without where mbatchd refuses it.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "common/io/batch_client.hpp"
#include "tests/io/common/fake_daemon.hpp"

using namespace rollcall;
using namespace rollcall::io;
using rollcall::testing::FakeDaemon;

namespace {

using Kind = BatchError::Kind;
using End = rollcall::testing::FakeEnd<ClusterChannel>;

// Takes the one ticket, as often as it comes.
struct OneTicket : TicketDesk {
  Ticket ticket;
  bool good = true;
  int uses = 0;
  OneTicket() {
    ticket.id.fill(3);
    ticket.secret.fill(4);
  }
  std::optional<cluster::Bytes32> secret(const TicketId& id, const std::string&) override {
    if (!good || id != ticket.id) return std::nullopt;
    return ticket.secret;
  }
  bool spend(const TicketId&, const cluster::Bytes32&) override {
    ++uses;
    return true;
  }
};

class BatchTickets : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    setenv("HOME", directory_.c_str(), 1);
    unsetenv("XDG_RUNTIME_DIR");
    files_.programs.mbatchd.ticket_life = std::chrono::seconds(300);
    files_.settings.key_file = directory_ + "/cluster.key";
    ASSERT_TRUE(create_cluster_key(files_.settings.key_file));
    key_ = *load_cluster_key(files_.settings.key_file);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  FakeDaemon::Serve serve(std::function<void(End&)> talk) {
    return [this, talk = std::move(talk)](int socket) {
      auto channel = ClusterChannel::accept(key_, random_seed());
      channel.honour_tickets(desk_, "somewhere");
      End end(socket, std::move(channel));
      talk(end);
    };
  }
  // An mbatchd that takes one request, gives the ticket to a client that asks for one, and answers.
  FakeDaemon::Serve answering() {
    return serve([this](End& end) {
      const auto message = end.next<wire::ToMbatchd>();
      asked_.push_back(message);
      wire::FromMbatchd reply;
      reply.mutable_reply()->set_text("a");
      reply.mutable_reply()->set_last(true);
      if (message.ticket()) reply.set_ticket(desk_.ticket.bytes());
      end.send(reply);
    });
  }
  // An mbatchd that reads until its client goes.
  FakeDaemon::Serve hearing() {
    return serve([](End& end) { EXPECT_EQ(end.receive(), ""); });
  }
  // All talk to the same port, so to the same ticket.
  std::optional<BatchError> ask(const FakeDaemon& daemon, const wire::BatchRequest& request, int tries = 1) {
    conf::BatchSettings settings;
    settings.mbd_host = "127.0.0.1";
    settings.mbd_port = daemon.port();
    BatchClient::Patience patience;
    patience.tries = tries;
    patience.say = [](const std::string&) {};
    return BatchClient(files_, settings, patience).ask(request).error;
  }
  static wire::BatchRequest question() {
    wire::BatchRequest request;
    request.mutable_parameters();
    return request;
  }

  std::string directory_ = "/tmp/batch_tickets.XXXXXX";
  conf::ClusterFiles files_;
  ClusterKey key_;
  OneTicket desk_;
  std::vector<wire::ToMbatchd> asked_;
};

TEST_F(BatchTickets, AreKeptAndUsed) {
  FakeDaemon daemon({answering(), answering(), answering()});
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(ask(daemon, question()));
  EXPECT_EQ(desk_.uses, 2);
  ASSERT_EQ(asked_.size(), 3u);
  EXPECT_TRUE(asked_[0].ticket());
  EXPECT_FALSE(asked_[1].ticket()) << "it has one";
}

TEST_F(BatchTickets, ThatAreNotTakenAreNoError) {
  FakeDaemon daemon({answering(), hearing(), answering(), answering()});
  EXPECT_FALSE(ask(daemon, question()));
  desk_.good = false;
  EXPECT_FALSE(ask(daemon, question())) << "though it tries once";
  EXPECT_EQ(desk_.uses, 0);
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_TRUE(asked_[1].ticket()) << "it would like a new one";
  desk_.good = true;
  EXPECT_FALSE(ask(daemon, question()));
  EXPECT_EQ(desk_.uses, 1);
}

// An mbatchd that knows no tickets closes the connection; so does one that dies.
TEST_F(BatchTickets, ThatBreakTheConnectionAreNoError) {
  FakeDaemon daemon({answering(), [](int) {}, answering()});
  EXPECT_FALSE(ask(daemon, question()));
  wire::BatchRequest request;
  request.mutable_submit()->add_jobs();
  EXPECT_FALSE(ask(daemon, request));
  EXPECT_EQ(asked_.size(), 2u);
}

TEST_F(BatchTickets, ASubmissionKeepsItsTokenWhenTheTicketIsNotTaken) {
  std::string first;
  FakeDaemon daemon({answering(), serve([&first](End& end) {
                       first = end.next<wire::ToMbatchd>().request().submit().token();
                     }),
                     answering()});
  EXPECT_FALSE(ask(daemon, question()));
  wire::BatchRequest request;
  request.mutable_submit()->add_jobs();
  EXPECT_FALSE(ask(daemon, request));
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(asked_[1].request().submit().token(), first) << "mbatchd may have heard it";
}

TEST_F(BatchTickets, AreNotUsedForRequestsThatMustNotBeRepeated) {
  FakeDaemon daemon({answering(), answering()});
  EXPECT_FALSE(ask(daemon, question()));
  wire::BatchRequest kill_it;
  kill_it.mutable_signal();
  EXPECT_FALSE(ask(daemon, kill_it));
  EXPECT_EQ(desk_.uses, 0);
  EXPECT_FALSE(asked_[1].ticket()) << "it has one, and does not use it here";
}

TEST_F(BatchTickets, AreNotUsedWhereTheSiteWantsNone) {
  std::vector<FakeDaemon::Serve> serves;
  for (int i = 0; i < 2; ++i) serves.push_back(answering());
  FakeDaemon daemon(serves);
  EXPECT_FALSE(ask(daemon, question()));
  files_.programs.mbatchd.ticket_life = std::chrono::seconds(0);
  EXPECT_FALSE(ask(daemon, question()));
  EXPECT_EQ(desk_.uses, 0);
  EXPECT_FALSE(asked_[1].ticket());
}

TEST_F(BatchTickets, ThatOthersCouldReadAreNotUsed) {
  FakeDaemon daemon({answering(), answering()});
  EXPECT_FALSE(ask(daemon, question()));
  for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/.rollcall"))
    ASSERT_EQ(chmod(entry.path().c_str(), 0644), 0);
  EXPECT_FALSE(ask(daemon, question()));
  EXPECT_EQ(desk_.uses, 0);
}

}  // namespace
