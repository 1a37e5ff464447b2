// bsub against an mbatchd that refuses, answers half, hangs, closes or breaks the protocol: one clear line on standard error,
// nothing on standard output, and 255. What it has sent it does not send as another job.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "common/base/term_reason.hpp"
#include "common/io/cluster_channel.hpp"
#include "common/io/cluster_key.hpp"
#include "common/wire/batch.pb.h"
#include "tests/io/common/fake_daemon.hpp"

using namespace rollcall;
using namespace rollcall::io;
using rollcall::testing::FakeDaemon;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

using End = rollcall::testing::FakeEnd<ClusterChannel>;
using Refusal = wire::BatchReply::Refusal;

struct Said {
  int code = -1;
  std::string out, err;
};

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class BsubFakeMbatchd : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    const std::string key = directory_ + "/cluster.key";
    ASSERT_TRUE(create_cluster_key(key));
    key_ = *load_cluster_key(key);
    put("lsf.shared",
        "Begin Cluster\nClusterName\nc1\nEnd Cluster\nBegin HostType\nTYPENAME\nX86_64\nEnd HostType\n");
    put("lsf.cluster.c1", "Begin Host\nHOSTNAME type\nfake X86_64\nEnd Host\n");
    put("hosts", "127.0.0.1 fake\n");
  }
  void TearDown() override { ASSERT_EQ(std::system(("rm -rf -- " + directory_).c_str()), 0); }

  void put(const std::string& name, const std::string& text) {
    std::ofstream(directory_ + "/" + name) << text;
  }

  Said bsub(int port, const std::string& options = "", const std::string& variables = "LSB_NTRIES=1",
            const std::string& err = "") {
    put("lsf.conf", "LSF_LOGDIR=" + directory_ + "\nLSB_SHAREDIR=" + directory_ +
                        "\nROLLCALL_MBD_HOST=fake\nLSB_MBD_PORT=" + std::to_string(port) + "\n" +
                        more_of_lsf_conf_);
    const std::string line = "LSF_ENVDIR=" + directory_ + " " + variables + " " ROLLCALL_BSUB + options +
                             " -J x true </dev/null >" + directory_ + "/out 2>" +
                             (err.empty() ? directory_ + "/err" : err);
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(directory_ + "/out"),
            text_of(directory_ + "/err")};
  }

  // The same with a terminal as standard error.
  Said bsub_on_terminal(int port, const std::string& options) {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    // Without an open descriptor the last close would drop what was written.
    const int kept = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    Said said = bsub(port, options, "LSB_NTRIES=1", ptsname(terminal));
    char text[4096];
    const auto size = read(terminal, text, sizeof text);
    said.err.assign(text, size > 0 ? static_cast<std::size_t>(size) : 0);
    std::erase(said.err, '\r');
    for (const int fd : {kept, terminal}) close(fd);
    return said;
  }

  FakeDaemon::Serve serve(std::function<void(End&)> talk) {
    return [this, talk = std::move(talk)](int socket) {
      End end(socket, ClusterChannel::accept(key_, random_seed()));
      talk(end);
    };
  }
  // Every connection is served alike, so a retry meets the same fault.
  Said against(std::function<void(End&)> talk) {
    return against_sockets(std::vector<FakeDaemon::Serve>(8, serve(std::move(talk))));
  }
  Said against_sockets(std::vector<FakeDaemon::Serve> connections) {
    FakeDaemon daemon(std::move(connections));
    return bsub(daemon.port());
  }

  static wire::FromMbatchd refusal(Refusal::Why why, const char* text) {
    wire::FromMbatchd message;
    message.mutable_reply()->mutable_refusal()->set_why(why);
    message.mutable_reply()->mutable_refusal()->set_text(text);
    message.mutable_reply()->set_last(true);
    return message;
  }
  static wire::FromMbatchd accepted(int jobs) {
    wire::FromMbatchd message;
    message.mutable_reply()->set_last(true);
    message.mutable_reply()->mutable_submitted();
    for (int i = 0; i < jobs; ++i) {
      auto& job = *message.mutable_reply()->mutable_submitted()->add_jobs();
      job.set_id(7);
      job.set_queue("normal");
    }
    return message;
  }
  static void expect_one_line(const Said& said) {
    EXPECT_EQ(said.code, 255);
    EXPECT_EQ(said.out, "");
    EXPECT_THAT(said.err, EndsWith("\n"));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }

  std::string directory_ = "/tmp/bsub_fake.XXXXXX";
  std::string more_of_lsf_conf_;
  ClusterKey key_;
};

TEST_F(BsubFakeMbatchd, PrintsTheIdOfAnAcceptedJob) {
  const Said said = against([](End& end) {
    EXPECT_EQ(end.next<wire::ToMbatchd>().request().submit().jobs(0).job_name(), "x");
    end.send(accepted(1));
    end.receive();
  });
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out, "Job <7> is submitted to queue <normal>.\n");
  EXPECT_EQ(said.err, "");
}

TEST_F(BsubFakeMbatchd, AnswersAWaitWithAFinishedJob) {
  FakeDaemon daemon({serve([](End& end) {
    EXPECT_TRUE(end.next<wire::ToMbatchd>().request().submit().jobs(0).waits());
    end.send(accepted(1));
    EXPECT_EQ(end.next<wire::ToMbatchd>().request().await_job().key().id(), 7);
    wire::FromMbatchd over;
    over.mutable_reply()->set_last(true);
    auto& awaited = *over.mutable_reply()->mutable_awaited();
    awaited.set_over(true);
    auto& record = *awaited.mutable_job()->mutable_record();
    record.set_status(wire::STATUS_EXIT);
    record.set_exit_status(3 << 8);
    record.add_hosts()->set_name("n1");
    end.send(over);
    end.receive();
  })});
  const Said said = bsub(daemon.port(), " -K");
  EXPECT_EQ(said.code, 3);
  EXPECT_EQ(said.out, "Job <7> is submitted to queue <normal>.\n");
  EXPECT_EQ(said.err, "<<Waiting for dispatch ...>>\n<<Starting on n1>>\n<<Job is finished>>\n");
}

// LSF's manual has 126 for -K, and both lines for an interactive job that bkill ends while it pends.
TEST_F(BsubFakeMbatchd, WaitsAndInteractiveJobsEndAlikeWhereBkillEndsThemWhilePending) {
  const auto kill = serve([](End& end) {
    end.next<wire::ToMbatchd>();
    end.send(accepted(1));
    end.next<wire::ToMbatchd>();
    wire::FromMbatchd over;
    over.mutable_reply()->set_last(true);
    auto& awaited = *over.mutable_reply()->mutable_awaited();
    awaited.set_over(true);
    awaited.set_killed_pending(true);
    auto& record = *awaited.mutable_job()->mutable_record();
    record.mutable_key()->set_id(7);
    record.set_status(wire::STATUS_EXIT);
    record.set_exit_status(130 << 8);
    record.set_term_reason(TERM_OWNER);
    end.send(over);
    end.receive();
  });
  for (const char* const option : {" -K", " -I", " -Ip", " -Is"}) {
    FakeDaemon daemon({kill, kill});
    const Said said = bsub(daemon.port(), option);
    EXPECT_EQ(said.code, 126) << option;
    EXPECT_EQ(said.err, "<<Waiting for dispatch ...>>\n<<Terminated while pending>>\n") << option;
    const Said shown = bsub_on_terminal(daemon.port(), option);
    EXPECT_EQ(shown.code, 126) << option;
    EXPECT_EQ(shown.err,
              "<<Waiting for dispatch ...>>\n<< Job <7> has been terminated by user or administrator >>\n"
              "<<Terminated while pending>>\n")
        << option;
  }
}

TEST_F(BsubFakeMbatchd, FindsMbatchdByLsfConfAlone) {
  ASSERT_EQ(unlink((directory_ + "/lsf.shared").c_str()), 0);
  put("lsf.cluster.c1", "Begin Host\n");
  const Said said = against([](End& end) {
    end.next<wire::ToMbatchd>();
    end.send(accepted(1));
    end.receive();
  });
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out, "Job <7> is submitted to queue <normal>.\n");
  EXPECT_EQ(said.err, "") << "10,000 hosts need not be read to find one";
}

TEST_F(BsubFakeMbatchd, GoesOnWithoutMalformedLinesOfLsfConfAndSaysSoWithoutANumber) {
  more_of_lsf_conf_ = "nonsense words\nLSF_X VALUE\n=5\n# a comment\n";
  const Said said = against([](End& end) {
    end.next<wire::ToMbatchd>();
    end.send(accepted(1));
    end.receive();
  });
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out, "Job <7> is submitted to queue <normal>.\n");
  EXPECT_EQ(
      said.err,
      "bsub: warning: lsf.conf has lines that are not NAME=VALUE: they are ignored (badmin ckconfig shows "
      "them)\n")
      << "programs that merge both streams take the first number for the job's";
}

// More often than any other command tries: its job is worth waiting for.
TEST_F(BsubFakeMbatchd, WaitsWithoutLimitWhileMbatchdStarts) {
  std::vector<FakeDaemon::Serve> connections(35, serve([](End& end) {
                                               end.next<wire::ToMbatchd>();
                                               end.send(refusal(Refusal::STARTING, ""));
                                             }));
  connections.push_back(serve([](End& end) {
    end.next<wire::ToMbatchd>();
    end.send(accepted(1));
    end.receive();
  }));
  FakeDaemon daemon(std::move(connections));
  const Said said = bsub(daemon.port(), "", "env -u LSB_NTRIES");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out, "Job <7> is submitted to queue <normal>.\n");
  EXPECT_THAT(said.err, HasSubstr("Please wait"));
}

TEST_F(BsubFakeMbatchd, PrintsTheRefusal) {
  const Said said = against([](End& end) {
    end.next<wire::ToMbatchd>();
    end.send(refusal(Refusal::NOT_ALLOWED, "normal: User cannot use the queue"));
  });
  expect_one_line(said);
  EXPECT_THAT(said.err, EndsWith("normal: User cannot use the queue. Job not submitted.\n"));
}

TEST_F(BsubFakeMbatchd, PrintsThatMbatchdsDiskIsFull) {
  const Said said = against([](End& end) {
    end.next<wire::ToMbatchd>();
    end.send(refusal(Refusal::DISK_FULL, "mbatchd cannot keep it: no space left on device"));
  });
  expect_one_line(said);
  EXPECT_THAT(said.err, EndsWith("no space left on device. Job not submitted.\n"));
}

// A request that was sent may have been accepted: bsub says so, and not that it was refused.
TEST_F(BsubFakeMbatchd, HalfAnAnswerLeavesTheEndUnknown) {
  const Said said = against([](End& end) {
    end.next<wire::ToMbatchd>();
    end.send_half(accepted(1));
  });
  expect_one_line(said);
  EXPECT_THAT(said.err, StartsWith("bsub: "));
  EXPECT_THAT(said.err, HasSubstr("not known"));
}

TEST_F(BsubFakeMbatchd, ClosedConnectionLeavesTheEndUnknown) {
  const Said said = against([](End& end) { end.next<wire::ToMbatchd>(); });
  expect_one_line(said);
  EXPECT_THAT(said.err, HasSubstr("not known"));
}

TEST_F(BsubFakeMbatchd, TimesOutWhenMbatchdHangs) {
  const Said said = against([](End& end) {
    end.next<wire::ToMbatchd>();
    end.receive();  // until bsub has gone
  });
  expect_one_line(said);
  EXPECT_THAT(said.err, HasSubstr("not known"));
}

TEST_F(BsubFakeMbatchd, JobIsNotSubmittedWhereEveryConnectionIsClosed) {
  const Said said = against_sockets(std::vector<FakeDaemon::Serve>(8, [](int) {}));
  expect_one_line(said);
  EXPECT_THAT(said.err, EndsWith("Job not submitted.\n"));
}

TEST_F(BsubFakeMbatchd, JobIsNotSubmittedToAnotherProgramAtThePort) {
  const Said said = against_sockets(std::vector<FakeDaemon::Serve>(8, [](int socket) {
    const std::string garbage = "HTTP/1.1 400 Bad Request\r\n\r\n" + std::string(4096, '\xff');
    send(socket, garbage.data(), garbage.size(), MSG_NOSIGNAL);
    char byte = 0;
    while (recv(socket, &byte, 1, 0) > 0) {
    }
  }));
  expect_one_line(said);
  EXPECT_THAT(said.err, EndsWith("Job not submitted.\n"));
}

TEST_F(BsubFakeMbatchd, WithAnotherKeyIsAnErrorAtOnce) {
  FakeDaemon daemon({[](int socket) {
    const std::string garbage(4096, '\xff');
    send(socket, garbage.data(), garbage.size(), MSG_NOSIGNAL);
    char byte = 0;
    while (recv(socket, &byte, 1, 0) > 0) {
    }
  }});
  const Said said = bsub(daemon.port(), "", "LSB_NTRIES=100");  // it serves one connection alone
  expect_one_line(said);
  EXPECT_THAT(said.err, Not(HasSubstr("Please wait")));
  EXPECT_THAT(said.err,
              HasSubstr("another cluster's daemon, or a key that was replaced; look at LSB_MBD_PORT"));
}

TEST_F(BsubFakeMbatchd, BrokenAnswerIsOneLine) {
  const Said said = against([](End& end) {
    end.next<wire::ToMbatchd>();
    end.send_payload("\xff\xff\xff\xff");
    end.receive();
  });
  expect_one_line(said);
  EXPECT_THAT(said.err, StartsWith("bsub: "));
}

TEST_F(BsubFakeMbatchd, AnswerForAnotherNumberOfJobsIsAnError) {
  for (const int jobs : {0, 2}) {
    const Said said = against([jobs](End& end) {
      end.next<wire::ToMbatchd>();
      end.send(accepted(jobs));
    });
    expect_one_line(said);
    EXPECT_THAT(said.err, HasSubstr("expected ours"));
  }
}

TEST_F(BsubFakeMbatchd, ReportsUnreachableMbatchd) {
  int port = 0;
  { port = FakeDaemon({}).port(); }
  const Said said = bsub(port);
  expect_one_line(said);
  EXPECT_THAT(said.err, StartsWith("bsub: mbatchd is not running on host fake: "));
  EXPECT_THAT(said.err, EndsWith(". Job not submitted.\n"));
}

}  // namespace
