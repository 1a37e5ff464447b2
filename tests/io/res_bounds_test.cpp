// What one user's job can take of RES and of its shepherd.
#include <signal.h>
#include <sys/resource.h>

#include "res_stream_stage.hpp"

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
TEST_F(ResBounds, AShepherdThatTakesNothingIsNotKeptEverythingFor) {
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

}  // namespace
}  // namespace rollcall::res::test
