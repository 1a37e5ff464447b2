#include "res/commands/remote_tasks.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "common/io/batch_client.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/lim_client.hpp"
#include "common/io/res_client.hpp"
#include "common/io/stream_client.hpp"

extern char** environ;

namespace rollcall::res {
namespace {

constexpr std::size_t kAsked = 16;  // hosts asked at the same time
constexpr int kTries = 20;          // a RES may just be restarting
constexpr std::chrono::milliseconds kPause{250};
constexpr std::chrono::seconds kOverloadPatience{60};  // for a RES that is overloaded
constexpr std::chrono::milliseconds kLongestPause{4000};

// A host's answer to the request for its task: the place of the task's stream, or the reason for a failure.
struct Asked {
  std::optional<wire::StreamPlace> place;
  std::string why;
  bool lost = false;  // the host or its RES was away for the whole patience, or has lost the job
};

// Grows with each try, and varies with the pid, so that clients refused together do not all return together.
std::chrono::milliseconds overload_pause(int tried) {
  const auto longest = std::min(kLongestPause, kPause * tried);
  return longest / 2 + longest * (static_cast<int>(getpid()) % 100) / 200;
}

using Clock = std::chrono::steady_clock;

// Returns how long to retry a host that is unreachable or whose RES is away: the host had the job's order when the job began.
// A repeated request is safe: a task starts only once its client connects, and the client connects to one of them.
Clock::time_point asked_until(const RemoteTasks& tasks) {
  if (!tasks.patience) return Clock::now();
  const Duration silence = tasks.patience->silence;
  return silence == Duration{0} ? Clock::time_point::max() : Clock::now() + silence;
}

io::FromRes<wire::StreamPlace> ask_once(const io::ResClient& client, const RemoteTasks& tasks,
                                        const std::string& host, const wire::RunTask& task) {
  if (!tasks.span) return client.run_task(host, task);
  const auto known = tasks.span->find(host);
  return client.run_task(
      known == tasks.span->end() ? io::ResClient::SpanHost{host, {}, 0, {}} : known->second, task);
}

Asked ask(const io::ResClient& client, const RemoteTasks& tasks, const std::string& host,
          const wire::RunTask& task, Clock::time_point until) {
  const auto begin = Clock::now();
  for (int tried = 1;; ++tried) {
    auto place = ask_once(client, tasks, host, task);
    if (place) return {std::move(*place), ""};
    const auto& error = place.error();
    const bool overloaded = error.again && Clock::now() - begin < kOverloadPatience;
    const bool refused = error.kind == io::ResError::Kind::refused;
    const bool starting = error.kind == io::ResError::Kind::not_running && tried < kTries;
    const bool away = !refused && Clock::now() < until;
    if (!overloaded && !starting && !away) return {std::nullopt, error.text, !refused || error.no_job};
    std::this_thread::sleep_for(overloaded ? overload_pause(tried) : kPause);
  }
}

std::vector<Asked> ask_all(const io::ResClient& client, const RemoteTasks& tasks) {
  std::vector<Asked> asked(tasks.hosts.size());
  std::atomic<std::size_t> next{0};
  const auto until = asked_until(tasks);
  const auto work = [&] {
    for (std::size_t i = next++; i < asked.size(); i = next++) {
      wire::RunTask task = tasks.task;
      task.set_task(tasks.first_task + static_cast<unsigned>(i));
      asked[i] = ask(client, tasks, tasks.hosts[i], task, until);
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min(asked.size(), kAsked); ++i) others.emplace_back(work);
  work();
  for (auto& thread : others) thread.join();
  return asked;
}

io::StreamSettings settings_for(const RemoteTasks& tasks, const conf::BatchSettings& batch) {
  io::StreamSettings settings{tasks.task.terminal()};
  if (!tasks.patience) {
    settings.silence = batch.alive_timeout;
    return settings;
  }
  settings.heartbeat = tasks.patience->heartbeat;
  settings.silence = tasks.patience->silence;
  if (tasks.patience->action == CommfailAction::ignore_commfail) settings.silence = Duration{0};
  settings.after_cut = io::StreamSettings::AfterCut::end_others;
  return settings;
}

// A task was lost with its host: LSF shuts down the whole job unless DJOB_COMMFAIL_ACTION says otherwise.
void end_job(io::Stage& stage, const RemoteTasks& tasks) {
  auto client = io::BatchClient::of(stage.files_to_ask(), io::print_error_line);
  if (!client) return void(stage.fail(client.error().text));
  wire::BatchRequest request;
  *request.mutable_signal()->mutable_filter()->add_keys() = tasks.task.job().key();
  request.mutable_signal()->set_action(wire::SignalJobs::KILL);
  stage.fail("lost contact with a host of the job: the job is ended (DJOB_COMMFAIL_ACTION)");
  if (const auto error = client->ask(std::move(request)).error)
    stage.fail("cannot end the job: " + error->text);
}

// True if a host was lost before its task began. Tasks of one command wait for each other, so the others must not begin.
bool lost_before_begin(const std::vector<Asked>& asked, const RemoteTasks& tasks) {
  return tasks.patience && tasks.patience->action != CommfailAction::ignore_commfail &&
         std::any_of(asked.begin(), asked.end(), [](const Asked& one) { return one.lost; });
}

int give_up(io::Stage& stage, const std::vector<Asked>& asked, const RemoteTasks& tasks) {
  for (const auto& one : asked)
    if (!one.place) stage.fail(one.why);
  if (tasks.patience->action == CommfailAction::end_job) end_job(stage, tasks);
  return io::kFailed;
}

}  // namespace

int run_remote_tasks(io::Stage& stage, const RemoteTasks& tasks) {
  const auto& files = stage.files_to_ask();
  const auto settings = conf::read_batch_settings(files);
  if (!settings) return stage.fail(settings.error().text);
  const auto asked = ask_all(io::ResClient(files, *settings), tasks);
  if (lost_before_begin(asked, tasks)) return give_up(stage, asked, tasks);

  std::vector<io::StreamOrder> orders;
  for (const auto& one : asked) {
    if (!one.place) continue;
    orders.push_back({*one.place, tasks.input && tasks.hosts.size() == 1});
    auto& host = *orders.back().place.mutable_host();
    host = files.names.address(host).value_or(host);
  }
  const auto ends = io::run_streams(orders, settings_for(tasks, *settings));
  int status = 0;
  bool cut = false;
  auto end = ends.begin();
  for (const auto& one : asked) {
    int own = 0;
    if (!one.place) {
      own = stage.fail(one.why);
    } else {
      own = io::exit_code_of(*end);
      if (end->how != io::StreamEnd::How::over) stage.fail(end->why);
      cut |= end->cut;
      ++end;
    }
    if (status == 0) status = own;
  }
  if (!cut || !tasks.patience) return status;
  if (tasks.patience->action == CommfailAction::end_job) end_job(stage, tasks);
  return io::kFailed;  // the other statuses mean little: we ended those tasks
}

wire::RunTask task_from_here() {
  wire::RunTask task;
  for (char** word = environ; *word; ++word) task.add_environment(*word);
  if (char* const directory = getcwd(nullptr, 0)) {
    task.set_cwd(directory);
    std::free(directory);
  }
  const mode_t mask = umask(0);
  umask(mask);
  task.set_umask(mask);
  return task;
}

std::string official_name(io::Stage& stage, const std::string& host) {
  return stage.files_to_ask().names.official(host).value_or(host);
}

std::string this_host(io::Stage& stage) { return official_name(stage, io::host_name_here()); }

std::optional<std::vector<std::string>> hosts_that_are_up(io::Stage& stage) {
  wire::Request request;
  request.mutable_load()->set_from_host(this_host(stage));
  const auto answer = io::LimClient(stage.files_to_ask()).ask_master(request);
  if (answer.error) return stage.fail(answer.error->text), std::nullopt;
  std::vector<std::string> hosts;
  for (const auto& host : answer.reply.loads().hosts()) {
    if (host.status().unavailable() || host.status().res_down())
      stage.fail("host " + host.host() + (host.status().unavailable() ? " is unavailable" : " has no RES") +
                 ": left out");
    else
      hosts.push_back(host.host());
  }
  return hosts;
}

std::optional<std::vector<std::string>> placed_hosts(io::Stage& stage, const std::string& resreq,
                                                     const std::vector<std::string>& among, unsigned least) {
  wire::Request request;
  auto& load = *request.mutable_load();
  for (const auto& host : among) load.add_hosts(host);
  load.set_resreq(resreq);
  load.set_from_host(this_host(stage));
  load.set_default_local(true);
  load.set_only_usable(true);
  load.set_place(least);
  const auto answer = io::LimClient(stage.files_to_ask()).ask_master(request);
  if (answer.error) {
    if (answer.error->refusal.why() == wire::Reply::Refusal::NOT_ENOUGH)
      std::fputs("ls_placeofhosts: Not enough host(s) currently eligible\n", stderr);
    else
      stage.fail(answer.error->text);
    return std::nullopt;
  }
  std::vector<std::string> hosts;
  for (const auto& host : answer.reply.loads().hosts())
    if (least == 0 || host.slots() > 0) hosts.push_back(host.host());
  return hosts;
}

}  // namespace rollcall::res
