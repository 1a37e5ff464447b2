// A program in C that has nothing but a shared object of the client library submits a job and lists it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "common/io/cluster_channel.hpp"
#include "common/io/cluster_key.hpp"
#include "common/wire/batch.pb.h"
#include "tests/io/common/fake_daemon.hpp"

using namespace rollcall;
using rollcall::testing::FakeDaemon;

namespace {

using End = rollcall::testing::FakeEnd<io::ClusterChannel>;

std::string output_of(const std::string& line, int& status) {
  std::string text;
  FILE* const pipe = popen(line.c_str(), "r");
  std::array<char, 1000> bytes;
  while (const auto count = fread(bytes.data(), 1, bytes.size(), pipe)) text.append(bytes.data(), count);
  status = pclose(pipe);
  return text;
}

TEST(ClientProbe, SubmitsAndListsAJobFromC) {
  std::string directory = "/tmp/client_probe.XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  ASSERT_TRUE(io::create_cluster_key(directory + "/cluster.key"));
  const auto key = *io::load_cluster_key(directory + "/cluster.key");
  std::string submitted;
  const auto served = [&key](std::function<void(End&, const wire::BatchRequest&)> answer) {
    return [&key, answer = std::move(answer)](int socket) {
      End end(socket, io::ClusterChannel::accept(key, io::random_seed()));
      answer(end, end.next<wire::ToMbatchd>().request());
    };
  };
  FakeDaemon daemon({served([&](End& end, const wire::BatchRequest& request) {
                       submitted = request.submit().jobs(0).command();
                       wire::FromMbatchd answer;
                       answer.mutable_reply()->set_last(true);
                       answer.mutable_reply()->mutable_submitted()->add_jobs()->set_id(7);
                       end.send(answer);
                     }),
                     served([](End& end, const wire::BatchRequest&) {
                       wire::FromMbatchd answer;
                       answer.mutable_reply()->set_last(true);
                       auto& jobs = *answer.mutable_reply()->mutable_jobs();
                       (*jobs.mutable_submissions())[5].set_job_name("x");
                       jobs.add_jobs()->mutable_record()->mutable_key()->set_id(7);
                       jobs.mutable_jobs(0)->mutable_record()->set_submission(5);
                       end.send(answer);
                     })});
  std::ofstream(directory + "/hosts") << "127.0.0.1 fake\n";
  std::ofstream(directory + "/lsf.conf")
      << "LSF_LOGDIR=" << directory << "\nLSB_SHAREDIR=" << directory
      << "\nROLLCALL_MBD_HOST=fake\nLSB_MBD_PORT=" << daemon.port() << "\n";
  int status = -1;
  const auto said = output_of("LSF_ENVDIR=" + directory + " " ROLLCALL_PROBE " 'sleep 10' 2>&1", status);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(said, "submitted 7\n7 x\n");
  EXPECT_EQ(submitted, "sleep 10");
  ASSERT_EQ(std::system(("rm -rf -- " + directory).c_str()), 0);
}

}  // namespace
