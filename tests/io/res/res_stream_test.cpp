// Streams of interactive jobs: pipes and terminals, who opens them, slow readers.
#include "tests/io/res/res_stream_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;
using Over = wire::FromRes::JobOver;

TEST_F(ResStream, AnInteractiveJobHasPipes) {
  start_res();
  start(interactive("read line; echo got $line; echo bad >&2; tty; exit 5", wire::Submission::PLAIN));
  Client client(wait_for_ready().port(), key());
  client.begin(true);
  client.input("hello\n");
  wait_for_end(client);
  ASSERT_TRUE(client.over);
  EXPECT_EQ(client.output, "got hello\nnot a tty\n");
  EXPECT_EQ(client.errors, "bad\n");
  EXPECT_EQ(client.over->wait_status(), 5 << 8);
  EXPECT_EQ(wait_for_over().exit_status(), 5 << 8);
}

TEST_F(ResStream, AKeyIsChosenHereWhereMbatchdSendsNone) {
  start_res();
  auto order = interactive("echo out", wire::Submission::PLAIN);
  order.clear_stream_key();
  start(order);
  const auto place = wait_for_ready();
  Client client(place.port(), place.key());
  client.begin(false);
  wait_for_end(client);
  EXPECT_EQ(client.output, "out\n");
}

TEST_F(ResStream, AnInteractiveJobHasATerminal) {
  start_res();
  start(interactive("tty; echo $TERM; stty size; cat; echo end", wire::Submission::TERMINAL));
  Client client(wait_for_ready().port(), key());
  client.begin(true);
  wait_for_output(client, "33 77");
  EXPECT_THAT(client.output, HasSubstr("/dev/pts/"));
  EXPECT_THAT(client.output, HasSubstr("xterm"));
  client.input("hello\n");
  wait_for_output(client, "hello\r\nhello\r\n");  // the echo, and what cat says
  client.input("\4");
  wait_for_end(client);
  EXPECT_THAT(client.output, HasSubstr("end\r\n"));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
}

TEST_F(ResStream, TheWindowAndTheInterruptKeyReachTheJob) {
  start_res();
  start(interactive("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done",
                    wire::Submission::SHELL));
  Client client(wait_for_ready().port(), key());
  client.begin(true);
  wait_for_output(client, "ready");
  wire::ToStream message;
  message.mutable_window()->set_rows(11);
  message.mutable_window()->set_columns(22);
  client.say(message);
  wait_for_output(client, "11 22");
  wire::ToRes::SignalJob order;
  order.set_action(wire::ToRes::SignalJob::TERMINATE);
  order.set_term_reason(14);
  signal(order);
  wait_for_end(client);
  EXPECT_EQ(wait_for_over().term_reason(), 14);
}

TEST_F(ResStream, AnInteractiveJobEndsWithItsClient) {
  start_res();
  start(interactive("echo ready; exec sleep 1000", wire::Submission::PLAIN));
  Client client(wait_for_ready().port(), key());
  client.begin(false);
  wait_for_output(client, "ready");
  const pid_t pid = wait_for_running().pid();
  client.hang_up();
  EXPECT_EQ(wait_for_over().how(), Over::ENDED);
  EXPECT_FALSE(lives(pid));
}

TEST_F(ResStream, KeyOpensOneStreamAndAWrongKeyNone) {
  start_res();
  start(interactive("read line; echo got $line", wire::Submission::PLAIN));
  const auto place = wait_for_ready();
  Client stranger(place.port(), std::string(32, 'x'));
  stranger.begin(true);
  wait_until("the stranger to be turned away", [&] {
    stranger.turn();
    return stranger.closed || stranger.refused;
  });
  Client client(place.port(), key());
  client.begin(true);
  wait_until("the job to start", [&] {
    client.turn();
    return client.pid > 0;
  });
  EXPECT_FALSE(Client(place.port(), key()).connected());  // nobody listens any more
  client.input("x\n");
  wait_for_end(client);
  EXPECT_EQ(client.output, "got x\n");
}

TEST_F(ResStream, ALongOutputComesWholeToASlowReader) {
  start_res();
  start(interactive("head -c 3000000 /dev/zero; echo end", wire::Submission::PLAIN));
  Client client(wait_for_ready().port(), key());
  client.begin(false, 1000);
  std::size_t granted = 1000;
  wait_until("three million bytes", [&] {
    client.turn();
    EXPECT_LE(client.output.size(), granted);
    if (client.output.size() == granted) {
      wire::ToStream message;
      message.set_credit(100'000);
      granted += 100'000;
      client.say(message);
    }
    return client.over.has_value();
  });
  EXPECT_EQ(client.output.size(), 3'000'004U);
}

}  // namespace
}  // namespace rollcall::res::test
