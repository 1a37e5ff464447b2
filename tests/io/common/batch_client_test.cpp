// BatchClient against an mbatchd that answers, loses answers, restarts, or is not there.
#include "common/io/batch_client.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "common/wire/request_parts.hpp"
#include "tests/io/common/cut_silently.hpp"
#include "tests/io/common/fake_daemon.hpp"

using namespace rollcall;
using namespace rollcall::io;
using rollcall::io::test::cut_silently;
using rollcall::testing::FakeDaemon;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

using Kind = BatchError::Kind;
using End = rollcall::testing::FakeEnd<ClusterChannel>;

class BatchClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    files_.settings.key_file = directory_ + "/cluster.key";
    ASSERT_TRUE(create_cluster_key(files_.settings.key_file));
    key_ = *load_cluster_key(files_.settings.key_file);
  }
  void TearDown() override {
    unlink(files_.settings.key_file.c_str());
    unlink((files_.settings.key_file + ".pub").c_str());
    rmdir(directory_.c_str());
  }

  FakeDaemon::Serve serve(std::function<void(End&)> talk) {
    return [this, talk = std::move(talk)](int socket) {
      End end(socket, ClusterChannel::accept(key_, random_seed()));
      talk(end);
    };
  }
  BatchClient client(int port, int tries = 5) {
    conf::BatchSettings settings;
    settings.mbd_host = "127.0.0.1";
    settings.mbd_port = port;
    BatchClient::Patience patience;
    patience.tries = tries;
    patience.say = [this](const std::string& line) { said_ += line + "\n"; };
    return {files_, settings, patience};
  }

  static wire::FromMbatchd text(const char* text, bool last) {
    wire::FromMbatchd message;
    message.mutable_reply()->set_text(text);
    message.mutable_reply()->set_last(last);
    return message;
  }
  static wire::FromMbatchd refusal(wire::BatchReply::Refusal::Why why, const char* text) {
    wire::FromMbatchd message;
    message.mutable_reply()->mutable_refusal()->set_why(why);
    message.mutable_reply()->mutable_refusal()->set_text(text);
    message.mutable_reply()->set_last(true);
    return message;
  }
  static wire::BatchRequest question() {
    wire::BatchRequest request;
    request.mutable_parameters();
    return request;
  }
  static wire::BatchRequest submission(std::size_t bytes) {
    wire::BatchRequest request;
    request.mutable_submit()->add_jobs()->set_script(std::string(bytes, 'x'));
    return request;
  }

  std::string directory_ = "/tmp/batch_client_test.XXXXXX";
  conf::ClusterFiles files_;
  ClusterKey key_;
  std::string said_;
};

TEST_F(BatchClientTest, HandsOverEveryPartAndKeepsTheConnection) {
  FakeDaemon daemon({serve([](End& end) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(end.next<wire::ToMbatchd>().request().has_parameters());
      end.send(text("a", false));
      end.send(text("b", true));
    }
  })});
  auto asks = client(daemon.port());
  for (int i = 0; i < 2; ++i) {
    std::string seen;
    EXPECT_FALSE(asks.ask(question(), [&](wire::BatchReply& part) { seen += part.text(); }));
    EXPECT_EQ(seen, "ab");
  }
}

TEST_F(BatchClientTest, ProvesItselfInOnePacketWithTheRequest) {
  int reads = 0;
  FakeDaemon daemon({serve([&reads](End& end) {
    end.next<wire::ToMbatchd>();
    reads = end.reads();
    end.send(text("a", true));
  })});
  EXPECT_FALSE(client(daemon.port()).ask(question()).error);
  EXPECT_EQ(reads, 2);  // the call, and all the rest
}

TEST_F(BatchClientTest, TellsWhyItWasRefused) {
  FakeDaemon daemon({serve([](End& end) {
    end.next<wire::ToMbatchd>();
    end.send(refusal(wire::BatchReply::Refusal::NO_QUEUE, "q: No such queue"));
  })});
  const auto answer = client(daemon.port()).ask(question());
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->kind, Kind::refused);
  EXPECT_EQ(answer.error->text, "q: No such queue");
}

TEST_F(BatchClientTest, SendsLargeRequestsInParts) {
  static constexpr std::size_t kSize = 300'000;
  FakeDaemon daemon({serve([](End& end) {
                       wire::RequestParts parts;
                       int count = 0;
                       for (auto message = end.next<wire::ToMbatchd>();;
                            message = end.next<wire::ToMbatchd>()) {
                         ++count;
                         ASSERT_LE(message.ByteSizeLong(), ClusterChannel::kAnyoneLimit);
                         if (message.has_part()) {
                           ASSERT_TRUE(parts.add(message.part()));
                           continue;
                         }
                         wire::BatchRequest whole;
                         ASSERT_TRUE(whole.ParseFromString(*parts.finish(message.last_part())));
                         EXPECT_EQ(whole.submit().jobs(0).script().size(), kSize);
                         break;
                       }
                       EXPECT_GT(count, 4);
                       end.send(text("done", true));
                     }),
                     serve([](End& end) { end.receive(); })});
  EXPECT_FALSE(client(daemon.port()).ask(submission(kSize)).error);
  const auto huge = client(daemon.port()).ask(submission(wire::kMostRequest));
  ASSERT_TRUE(huge.error);
  EXPECT_THAT(huge.error->text, HasSubstr("expected at most"));
}

TEST_F(BatchClientTest, ReportsUnreachableMbatchd) {
  int port = 0;
  { port = FakeDaemon({}).port(); }
  const auto answer = client(port, 1).ask(question());
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->kind, Kind::unreachable);
  EXPECT_THAT(answer.error->text, HasSubstr("mbatchd is not running on host 127.0.0.1: 127.0.0.1:"));
  EXPECT_EQ(said_, "");
}

// As mbatchd does after a commit whose answer nobody heard.
TEST_F(BatchClientTest, ASubmissionIsRepeatedWithItsToken) {
  std::vector<std::string> tokens;
  const auto lose =
      serve([&](End& end) { tokens.push_back(end.next<wire::ToMbatchd>().request().submit().token()); });
  const auto answer = serve([&](End& end) {
    tokens.push_back(end.next<wire::ToMbatchd>().request().submit().token());
    end.send(text("done", true));
    tokens.push_back(end.next<wire::ToMbatchd>().request().submit().token());
    end.send(text("another", true));
  });
  FakeDaemon daemon({lose, lose, answer});
  auto asks = client(daemon.port());
  EXPECT_EQ(asks.ask(submission(1)).reply.text(), "done");
  EXPECT_EQ(asks.ask(submission(1)).reply.text(), "another");
  ASSERT_EQ(tokens.size(), 4u);
  EXPECT_EQ(tokens[0].size(), 16u);
  EXPECT_EQ(tokens[1], tokens[0]);
  EXPECT_EQ(tokens[2], tokens[0]);
  EXPECT_NE(tokens[3], tokens[0]) << "another request is not the same";
}

TEST_F(BatchClientTest, SubmissionWithoutAnAnswerIsReportedAsUnknown) {
  const auto lose = serve([](End& end) { end.next<wire::ToMbatchd>(); });
  FakeDaemon daemon({lose, lose});
  const auto submitted = client(daemon.port(), 2).ask(submission(1));
  ASSERT_TRUE(submitted.error);
  EXPECT_EQ(submitted.error->kind, Kind::unknown);
}

TEST_F(BatchClientTest, RepeatsAQuestionAndNoOrder) {
  const auto lose = serve([](End& end) { end.next<wire::ToMbatchd>(); });
  const auto answer = serve([](End& end) {
    end.next<wire::ToMbatchd>();
    end.send(text("late", true));
  });
  {
    FakeDaemon daemon({lose, answer});
    EXPECT_EQ(client(daemon.port()).ask(question()).reply.text(), "late");
  }
  FakeDaemon daemon({lose, answer});
  wire::BatchRequest kill;
  kill.mutable_signal();
  const auto killed = client(daemon.port()).ask(kill);
  ASSERT_TRUE(killed.error);
  EXPECT_EQ(killed.error->kind, Kind::unknown);
}

// It asks on a new connection: an mbatchd that was overloaded does not know who is at the other end of the old one.
TEST_F(BatchClientTest, AsksAgainWhileMbatchdStarts) {
  const auto busy = serve([](End& end) {
    end.next<wire::ToMbatchd>();
    end.send(refusal(wire::BatchReply::Refusal::STARTING, "it reads its store"));
  });
  const auto done = serve([](End& end) {
    EXPECT_TRUE(end.next<wire::ToMbatchd>().request().has_submit());
    end.send(text("done", true));
  });
  FakeDaemon daemon({busy, done});
  EXPECT_FALSE(client(daemon.port()).ask(submission(1)).error);
  EXPECT_EQ(said_, "it reads its store\n");
}

TEST_F(BatchClientTest, AwaitsThroughARestart) {
  const auto news = [](bool over) {
    wire::FromMbatchd message;
    message.mutable_reply()->mutable_awaited()->set_over(over);
    message.mutable_reply()->set_last(over);
    return message;
  };
  FakeDaemon daemon({serve([&](End& end) {
                       EXPECT_TRUE(end.next<wire::ToMbatchd>().request().has_await_job());
                       end.send(news(false));
                     }),
                     serve([&](End& end) {
                       EXPECT_TRUE(end.next<wire::ToMbatchd>().request().has_await_job());
                       end.send(news(true));
                     })});
  wire::BatchRequest request;
  request.mutable_await_job();
  std::string seen;
  const auto result = client(daemon.port()).await(request, [&](wire::BatchReply& part) {
    seen += part.awaited().over() ? "over" : "news ";
    return true;
  });
  EXPECT_EQ(result.how, BatchClient::Awaited::over);
  EXPECT_FALSE(result.error);
  EXPECT_EQ(seen, "news over");
}

wire::FromMbatchd awaited(bool over) {
  wire::FromMbatchd message;
  message.mutable_reply()->mutable_awaited()->set_over(over);
  message.mutable_reply()->set_last(over);
  return message;
}

TEST_F(BatchClientTest, AwaitReconnectsAfterASilentCutAndSaysSoOnce) {
  int cut = -1;  // kept open: a socket that is closed would reset the connection
  const auto cut_after_the_first_news = [&](int socket) {
    End end(socket, ClusterChannel::accept(key_, random_seed()));
    EXPECT_TRUE(end.next<wire::ToMbatchd>().request().has_await());
    end.send(awaited(false));
    cut = dup(socket);
    cut_silently(socket);
  };
  FakeDaemon daemon({cut_after_the_first_news, serve([&](End& end) {
                       const auto again = end.next<wire::ToMbatchd>().request().await();
                       EXPECT_EQ(again.condition(), "done(1)");
                       EXPECT_GE(again.timeout_s(), 1);
                       EXPECT_LT(again.timeout_s(), 3600);  // what has passed is not given twice
                       end.send(awaited(true));
                       end.hear_out();
                     })});
  wire::BatchRequest request;
  request.mutable_await()->set_condition("done(1)");
  request.mutable_await()->set_timeout_s(3600);
  int news = 0;
  const auto result = client(daemon.port()).await(request, [&](wire::BatchReply&) { return ++news > 0; });
  EXPECT_EQ(result.how, BatchClient::Awaited::over);
  EXPECT_FALSE(result.error);
  EXPECT_EQ(news, 2);
  EXPECT_THAT(said_, AllOf(HasSubstr("mbatchd on host 127.0.0.1"), HasSubstr("Please wait ...")));
  EXPECT_EQ(std::count(said_.begin(), said_.end(), '\n'), 1);
  close(cut);
}

TEST_F(BatchClientTest, WaitingClientCanBeWoken) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  FakeDaemon daemon({serve([&](End& end) {
    end.next<wire::ToMbatchd>();
    EXPECT_EQ(write(ends[1], "x", 1), 1);
    end.receive();  // until the client goes
  })});
  wire::BatchRequest request;
  request.mutable_await_job();
  const auto result = client(daemon.port())
                          .await(
                              request, [](wire::BatchReply&) { return true; }, ends[0]);
  EXPECT_EQ(result.how, BatchClient::Awaited::woken);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
