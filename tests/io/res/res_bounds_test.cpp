// Limits of what one user's job can take of RES and of its shepherd.
#include <signal.h>
#include <sys/resource.h>

#include "common/wire/request_parts.hpp"
#include "tests/io/common/munged.hpp"
#include "tests/io/common/raw_peer.hpp"
#include "tests/io/res/res_stream_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;

class ResBounds : public ResStream {};

TEST_F(ResBounds, MoreTasksThanAProgramUsuallyMayHaveFiles) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{80, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  start_res();
  setrlimit(RLIMIT_NOFILE, &before);
  start(job("exec sleep 1000"));
  wait_for_running();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 30; ++i) {
    const auto place = run_task(task("echo files $(ulimit -n); exec sleep 1000"));
    ASSERT_TRUE(place) << place.error().text;
    clients.push_back(std::make_unique<Client>(place->port(), place->key()));
    clients.back()->begin(false);
    wait_for_output(*clients.back(), "files 80\n");  // the tasks themselves have the limit of everybody
    ASSERT_FALSE(HasFailure()) << "task " << i;
  }
}

// A stand-still of the guard as well: it would wake the shepherd.
TEST_F(ResBounds, DataForAStoppedShepherdIsLimited) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  const pid_t guard = guard_of(), shepherd = shepherd_of();
  ASSERT_EQ(kill(guard, SIGSTOP), 0);
  ASSERT_EQ(kill(shepherd, SIGSTOP), 0);
  auto large = task("true");
  large.add_environment("LARGE=" + std::string(800'000, 'x'));
  const auto ask_shortly = [&] {
    return ask([&](const io::ResClient&) {
      auto files = conf::read_cluster_files(io::file_sources_of(directory_));
      const auto settings = conf::read_batch_settings(*files.files);
      return io::ResClient(*files.files, *settings, std::chrono::milliseconds(100)).run_task(host_, large);
    });
  };
  std::optional<io::ResError> refused;
  for (int i = 0; i < 30 && !refused; ++i)
    if (const auto place = ask_shortly(); !place && place.error().kind == io::ResError::Kind::refused)
      refused = place.error();
  kill(guard, SIGCONT);
  kill(shepherd, SIGCONT);
  ASSERT_TRUE(refused) << "24 MB wait for it, and more are taken";
  EXPECT_THAT(refused->text, HasSubstr("does not take what it is sent"));
  wait_until("a task to be taken again", [&] { return run_task(task("true")).has_value(); });
}

// Connections that hold almost 4 MB each of tasks that never end.
TEST_F(ResBounds, UnfinishedRequestsOfOneUserHaveABound) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const io::Munged munged;
  NEEDS_MUNGED(munged);
  configure("ROLLCALL_MUNGE_SOCKET=" + munged.socket());
  start_res();
  wait_for_hello();
  wire::ToResFromClient part, end;
  part.set_part(std::string(60'000, 'p'));
  end.set_last_part("p");
  const auto as_user = [&](uid_t uid) {
    auto peer = std::make_unique<io::RawPeer>(
        res_port_, io::ClusterChannel::dial_as_anyone(key_.public_half, io::random_seed()));
    wire::ToResFromClient proof;
    proof.set_munge(io::credential_of(uid, peer->hash(), munged.socket()));
    peer->say(proof.SerializeAsString());
    return peer;
  };
  constexpr std::size_t kParts = wire::kMostRequest / 60'000,
                        kFit = wire::kMostUnfinished / (kParts * 60'000);
  constexpr uid_t kDaemon = 1, kNobody = 65534;
  std::vector<std::unique_ptr<io::RawPeer>> crowd;
  const auto more = [&] {
    crowd.push_back(as_user(kDaemon));
    for (std::size_t sent = 0; sent < kParts; ++sent) crowd.back()->say(part.SerializeAsString());
  };
  const auto told = [](io::RawPeer& peer) {
    wire::FromResToClient message;
    const auto heard = peer.hear();
    if (heard) message.ParseFromString(*heard);
    return message;
  };
  for (std::size_t i = 0; i < kFit; ++i) more();
  // Until RES has read what these sent, one more finds room: its bytes are no RunTask, and end it.
  wire::FromResToClient refused;
  for (int i = 0; i < 100 && !refused.has_refused(); ++i) {
    more();
    more();
    crowd.back()->say(end.SerializeAsString());
    refused = told(*crowd.back());
    if (!refused.has_refused()) crowd.pop_back();
  }
  EXPECT_TRUE(refused.refused().busy()) << "a client comes again";
  EXPECT_THAT(refused.refused().why(), HasSubstr("each user may have 67108864"));
  wait_until("RES closes the connection", [&] { return crowd.back()->ended(); });
  wire::ToResFromClient status;
  status.mutable_control()->set_action(wire::ControlRes::STATUS);
  for (const uid_t user : {kDaemon, kNobody}) {
    const auto other = as_user(user);
    other->say(status.SerializeAsString());
    EXPECT_FALSE(told(*other).has_refused());
  }
}

}  // namespace
}  // namespace rollcall::res::test
