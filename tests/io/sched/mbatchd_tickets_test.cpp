// mbatchd and clients with tickets: no request is carried out twice, no user becomes another, and a refused ticket costs no job.
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/write.hpp>
#include <cstdlib>
#include <fstream>

#include "common/io/batch_client.hpp"
#include "tests/io/common/munged.hpp"
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using boost::asio::ip::tcp;
using testing::HasSubstr;
using testing::Not;
using Refusal = wire::BatchReply::Refusal;

std::string bytes_of(const wire::BatchRequest& request) {
  wire::ToMbatchd message;
  *message.mutable_request() = request;
  return message.SerializeAsString();
}

wire::BatchRequest question() {
  wire::BatchRequest request;
  request.mutable_parameters();
  return request;
}

// A first flight, kept to be sent again, and what comes back.
class Flight {
 public:
  Flight(const io::Ticket& ticket, const wire::BatchRequest& request)
      : channel_(io::ClusterChannel::dial_with_ticket(ticket, io::random_seed())) {
    bytes = channel_.start();
    bytes += channel_.seal(bytes_of(request));
  }

  // Nothing where it is told No, or nothing at all.
  std::optional<wire::BatchReply> fly(std::uint16_t port) {
    tcp::socket socket(loop_);
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
    boost::system::error_code error;
    boost::asio::write(socket, boost::asio::buffer(bytes), error);
    std::optional<wire::BatchReply> reply;
    std::array<char, 65536> buffer;
    while (!error && !reply) {
      const std::size_t size = socket.read_some(boost::asio::buffer(buffer), error);
      if (error) break;
      heard.append(buffer.data(), size);
      std::string out;
      const auto fed =
          channel_.feed({buffer.data(), size}, out, [&](std::string_view payload) -> Result<void> {
            wire::FromMbatchd message;
            EXPECT_TRUE(message.ParseFromArray(payload.data(), static_cast<int>(payload.size())));
            EXPECT_EQ(message.ticket(), "") << "a ticket is no reason for another";
            reply = message.reply();
            return {};
          });
      if (!fed) break;
    }
    return reply;
  }

  std::string bytes, heard;

 private:
  boost::asio::io_context loop_;
  io::ClusterChannel channel_;
};

const std::string kNo("\0\0\0\1\0", 5);

class MbatchdTickets : public Stage {
 protected:
  static constexpr const char* kTickets = "ROLLCALL_TICKET_LIFE=300\n";
  void begin(const std::string& lsf_conf = kTickets) {
    write_lsf_conf(lsf_conf);
    expect_started();
  }
  static std::optional<io::Ticket> ticket_of(Talk& talk) {
    wire::ToMbatchd message;
    *message.mutable_request() = question();
    message.set_ticket(true);
    talk.say(message);
    const auto reply = talk.hear();
    return reply ? io::Ticket::of(reply->ticket()) : std::nullopt;
  }
  std::optional<io::Ticket> ticket() const { return ticket_of(*client()); }
  std::optional<wire::BatchReply> fly(const io::Ticket& ticket, const wire::BatchRequest& request) const {
    return Flight(ticket, request).fly(port_);
  }
  int jobs() const {
    wire::BatchRequest request;
    request.mutable_jobs()->mutable_filter()->set_user("all");
    request.mutable_jobs()->mutable_filter()->set_finished_too(true);
    return ask(request).jobs().jobs_size();
  }
};

TEST_F(MbatchdTickets, ARequestComesInTheFirstFlight) {
  begin();
  const auto given = ticket();
  ASSERT_TRUE(given) << log();
  auto request = submit_request();
  request.mutable_submit()->mutable_jobs(0)->set_user("nobody");
  const auto reply = fly(*given, request);
  ASSERT_TRUE(reply) << log();
  ASSERT_EQ(reply->submitted().jobs_size(), 1) << reply->refusal().text();
  EXPECT_GT(reply->submitted().jobs(0).id(), 0);
  EXPECT_EQ(jobs(), 1);
  wire::BatchRequest reconfig;
  reconfig.mutable_control()->set_action(wire::ControlBatch::RECONFIG);
  EXPECT_FALSE(fly(*given, reconfig)->has_refusal()) << "the owner's ticket is the owner's";
}

TEST_F(MbatchdTickets, AFlightThatIsRepeatedSubmitsNothing) {
  begin();
  const auto given = ticket();
  ASSERT_TRUE(given);
  Flight flight(*given, submit_request());  // without a token
  ASSERT_TRUE(flight.fly(port_));
  for (int i = 0; i < 3; ++i) {
    Flight again(*given, question());
    again.bytes = flight.bytes;
    EXPECT_FALSE(again.fly(port_));
    EXPECT_EQ(again.heard, kNo);
  }
  EXPECT_EQ(jobs(), 1);
  EXPECT_TRUE(fly(*given, question())) << "the ticket stays good";
  EXPECT_THAT(log(), Not(HasSubstr("closed a connection"))) << "an old ticket is not logged as an error";
}

TEST_F(MbatchdTickets, TheSameFlightOnTwoConnectionsAtOnceSubmitsOnce) {
  begin();
  const auto given = ticket();
  ASSERT_TRUE(given);
  const Flight flight(*given, submit_request());
  boost::asio::io_context loop;
  std::vector<tcp::socket> sockets;
  for (int i = 0; i < 8; ++i) {
    sockets.emplace_back(loop);
    sockets.back().connect({boost::asio::ip::make_address("127.0.0.1"), port_});
    boost::asio::write(sockets.back(), boost::asio::buffer(flight.bytes.substr(0, flight.bytes.size() - 1)));
  }
  for (auto& socket : sockets)
    boost::asio::write(socket, boost::asio::buffer(flight.bytes.substr(flight.bytes.size() - 1)));
  int told_no = 0;
  for (auto& socket : sockets) {
    std::array<char, 4096> buffer;
    boost::system::error_code error;
    const std::size_t size = socket.read_some(boost::asio::buffer(buffer), error);
    if (std::string(buffer.data(), size) == kNo) ++told_no;
  }
  EXPECT_EQ(told_no, 7);
  EXPECT_EQ(jobs(), 1);
}

TEST_F(MbatchdTickets, AThousandRequestsMayComeWithOne) {
  begin();
  const auto given = ticket();
  ASSERT_TRUE(given);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(fly(*given, submit_request())) << i;
  EXPECT_EQ(jobs(), 1000);
}

TEST_F(MbatchdTickets, AChangedByteAnywhereSubmitsNothing) {
  begin();
  const auto given = ticket();
  ASSERT_TRUE(given);
  wire::BatchRequest request = submit_request();
  const std::size_t size = Flight(*given, request).bytes.size();
  for (std::size_t i = 0; i < size; ++i) {
    boost::asio::io_context loop;
    tcp::socket socket(loop);
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), port_});
    std::string bytes = Flight(*given, request).bytes;
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
    boost::asio::write(socket, boost::asio::buffer(bytes));
    boost::system::error_code ignored;
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    std::array<char, 4096> buffer;
    while (!ignored) socket.read_some(boost::asio::buffer(buffer), ignored);  // until it is closed
  }
  EXPECT_EQ(jobs(), 0);
}

TEST_F(MbatchdTickets, AreGoodForThisMbatchdAlone) {
  begin();
  const auto given = ticket();
  ASSERT_TRUE(given);
  kill_hard();
  expect_started();
  Flight flight(*given, submit_request());
  EXPECT_FALSE(flight.fly(port_));
  EXPECT_EQ(flight.heard, kNo);
  EXPECT_EQ(jobs(), 0);
  EXPECT_TRUE(fly(*ticket(), question())) << "and the next one gives its own";
}

TEST_F(MbatchdTickets, AreOverWhenTheirTimeIs) {
  begin("ROLLCALL_TICKET_LIFE=1\n");
  const auto given = ticket();
  ASSERT_TRUE(given);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  std::string heard;
  while (heard != kNo && std::chrono::steady_clock::now() < until) {
    Flight flight(*given, question());
    flight.fly(port_);
    heard = flight.heard;
  }
  EXPECT_EQ(heard, kNo);
}

TEST_F(MbatchdTickets, AreNotGivenWhereTheSiteWantsNone) {
  begin("ROLLCALL_TICKET_LIFE=0\n");
  EXPECT_FALSE(ticket());
  kill_hard();
  begin("ROLLCALL_TICKET_LIFE=301\n");
  EXPECT_FALSE(ticket());
  EXPECT_THAT(log(), HasSubstr("lsf.conf:7: ROLLCALL_TICKET_LIFE: found \"301\", expected 0 to 300 seconds"));
}

// Reconfigured away while one was good.
TEST_F(MbatchdTickets, AreForgottenWhenTheSiteWantsNoneAnyMore) {
  begin();
  const auto given = ticket();
  ASSERT_TRUE(given);
  write_lsf_conf("ROLLCALL_TICKET_LIFE=0\n");
  wire::BatchRequest reconfig;
  reconfig.mutable_control()->set_action(wire::ControlBatch::RECONFIG);
  ASSERT_FALSE(ask(reconfig).has_refusal());
  EXPECT_FALSE(fly(*given, question()));
}

TEST_F(MbatchdTickets, UnauthenticatedClientGetsNone) {
  begin();
  EXPECT_FALSE(ticket_of(*stranger()));
}

// By MUNGE: the ticket is of who was proved, and who that is no request can say.
TEST_F(MbatchdTickets, AUsersTicketIsThatUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  io::Munged munged;
  NEEDS_MUNGED(munged);
  begin(kTickets + ("ROLLCALL_MUNGE_SOCKET=" + munged.socket() + "\n"));
  constexpr uid_t kDaemon = 1;
  auto talk = stranger();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(kDaemon) != 0 || setuid(kDaemon) != 0) _exit(1);
    const auto made = io::munge_encode(talk->hash(), munged.socket());
    _exit(made && ::write(ends[1], made->data(), made->size()) > 0 ? 0 : 1);
  }
  close(ends[1]);
  std::string credential(4096, '\0');
  const ssize_t size = ::read(ends[0], credential.data(), credential.size());
  close(ends[0]);
  waitpid(child, nullptr, 0);
  ASSERT_GT(size, 0);
  wire::ToMbatchd proof;
  proof.set_munge(credential.substr(0, static_cast<std::size_t>(size)));
  talk->say(proof);
  const auto given = ticket_of(*talk);
  ASSERT_TRUE(given) << log();

  const auto owned = ask(submit_request());
  ASSERT_EQ(owned.submitted().jobs_size(), 1);
  wire::BatchRequest kill_it;
  kill_it.mutable_signal()->mutable_filter()->add_keys()->set_id(owned.submitted().jobs(0).id());
  kill_it.mutable_signal()->mutable_filter()->set_user("all");
  const auto killed = fly(*given, kill_it);
  ASSERT_TRUE(killed);
  EXPECT_TRUE(killed->has_refusal() || killed->outcomes().outcomes(0).failed());
  wire::BatchRequest reconfig;
  reconfig.mutable_control()->set_action(wire::ControlBatch::RECONFIG);
  EXPECT_EQ(fly(*given, reconfig)->refusal().why(), Refusal::NOT_ALLOWED);

  auto mine = submit_request();
  mine.mutable_submit()->mutable_jobs(0)->set_user("root");
  const auto reply = fly(*given, mine);
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->submitted().jobs_size(), 1);
  wire::BatchRequest who;
  who.mutable_jobs()->mutable_filter()->set_user("daemon");
  EXPECT_EQ(ask(who).jobs().jobs_size(), 1) << "the message said root";
}

}  // namespace
}  // namespace rollcall::mbatchd::test
