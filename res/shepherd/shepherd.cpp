#include "res/shepherd/shepherd.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>

#include "common/io/frame_socket.hpp"
#include "common/io/process_tree.hpp"
#include "common/io/secure_channel.hpp"
#include "common/io/spawn.hpp"
#include "res/policy/job_files.hpp"
#include "res/policy/job_life.hpp"
#include "res/policy/job_report.hpp"
#include "res/policy/process_plan.hpp"
#include "res/shepherd/hooks.hpp"
#include "res/shepherd/job_files_here.hpp"
#include "res/shepherd/job_limits.hpp"
#include "res/shepherd/last_words.hpp"
#include "res/shepherd/notices.hpp"
#include "res/shepherd/proc_reader.hpp"
#include "res/shepherd/tasks.hpp"

namespace rollcall::res {
namespace {

using namespace std::chrono_literals;
using FromRes = wire::FromRes;

constexpr Duration kClearPause = 20ms;
constexpr Duration kMostClearing = 30s;  // what the kernel does not let go is left behind then
constexpr Duration kMailPatience = 60s;
constexpr Duration kLimitInterval = 1s;  // how often a job with limits on its memory is looked at
constexpr Duration kUsualInterval = 15s;
constexpr std::size_t kPeekBytes = 64 << 10;

Duration monotonic() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

std::int64_t wall_us() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * std::int64_t{1'000'000} + now.tv_nsec / 1000;
}

// mbatchd may leave the choice to us: what bsub needs it hears with JobReady.
std::string random_key() {
  const io::Nonce bytes = io::random_nonce();
  return {bytes.begin(), bytes.end()};
}

class Shepherd {
 public:
  explicit Shepherd(ShepherdStart start)
      : order_(std::move(start.order)),
        guard_(std::move(start.guard)),
        listener_(std::move(start.listener)),
        res_(std::move(start.res)),
        signals_(std::move(start.signals)),
        res_user_(start.res_user),
        attempt_(order_.has_start() ? order_.start().job() : order_.expect().job()) {
    life_.rules = life_rules(order_);
    interval_ = interval_of(order_.settings());
  }

  [[noreturn]] void run() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::array<char, PATH_MAX> here;
    own_ = getcwd(here.data(), here.size()) == nullptr ? "u" : std::string(here.data()) + "/u";
    files_.places = job_places(order_, own_);
    umask(order_.has_start() ? static_cast<mode_t>(order_.start().submission().umask() & 0777) : 077);
    happened(event::Began{});
    while (!finished_) turn();
    leave();
  }

 private:
  TimePoint now() const { return {monotonic()}; }

  // ---- the stepper

  void happened(Event event) {
    events_.push_back(std::move(event));
    if (stepping_) return;
    stepping_ = true;
    while (!events_.empty()) {
      const Event next = std::move(events_.front());
      events_.pop_front();
      for (const auto& effect : step(life_, next, now()))
        std::visit([this](const auto& e) { carry_out(e); }, effect);
    }
    stepping_ = false;
  }

  void carry_out(const effect::RunPreExec&) {
    // The queue's goes first, the job's ends the preparation.
    hooks_.begin({order_.start().queue_pre_exec(), order_.start().submission().pre_exec()}, 0,
                 Hooks::After::failure_ends);
  }
  void carry_out(const effect::RunPostExec& e) {
    hooks_.begin({order_.start().submission().post_exec(), order_.start().queue_post_exec()}, e.exit_status,
                 Hooks::After::failure_goes_on);
  }
  void carry_out(const effect::AwaitClient&) {
    const auto& start = order_.start();
    const bool terminal = start.submission().interactive() != wire::Submission::PLAIN;
    const std::string key = start.stream_key().empty() ? random_key() : start.stream_key();
    const auto port = tasks_.expect_client(key, terminal, now() + life_.rules.patience);
    if (!port) return happened(event::JobNotStarted{port.error().text, false});
    FromRes told;
    *told.mutable_ready()->mutable_job() = attempt_;
    told.mutable_ready()->mutable_stream()->set_port(*port);
    told.mutable_ready()->mutable_stream()->set_key(key);
    ready_ = told;
    tell(told);
  }
  void carry_out(const effect::StartJob&) { start_job(); }
  void carry_out(const effect::Signal& e) {
    io::signal_descendants(e.signo);
    if (e.signo == SIGSTOP) io::signal_descendants(e.signo);  // what was forked meanwhile
  }
  void carry_out(const effect::RunControl& e) {
    hooks_.run_control(e.command, read_processes(io::descendants_of(getpid())));
  }
  void carry_out(const effect::KillAll&) {
    clearing_since_ = now();
    clear();
  }
  void carry_out(const effect::TellRunning&) {
    FromRes told;
    auto& running = *told.mutable_running();
    *running.mutable_job() = attempt_;
    running.set_pid(job_);
    running.set_pgid(job_);
    running.set_user(order_.user());
    running.set_uid(order_.uid());
    running.set_home(order_.home());
    running.set_cwd(files_.places.directory);
    running.set_start_us(start_us_);
    running_ = told;
    tell(told);
    tell_begin(order_, files_, start_us_);
  }
  void carry_out(const effect::TellStopped&) {
    FromRes told;
    *told.mutable_stopped()->mutable_job() = attempt_;
    told.mutable_stopped()->set_at_us(wall_us());
    stopped_ = told;
    tell(told);
  }
  void carry_out(const effect::TellResumed&) {
    FromRes told;
    *told.mutable_resumed()->mutable_job() = attempt_;
    told.mutable_resumed()->set_at_us(wall_us());
    stopped_.reset();
    tell(told);
  }
  void carry_out(const effect::TellOver& e) {
    const std::int64_t end_us = end_us_ != 0 ? end_us_ : wall_us();
    const auto used = ended_usage();
    meter_.finish(used.user_s, used.system_s, job_ > 0 ? used.largest_kb : 0, end_us);
    FromRes told;
    auto& over = *told.mutable_over();
    *over.mutable_job() = attempt_;
    over.set_how(e.how);
    over.set_exit_status(e.exit_status);
    over.set_term_reason(e.term_reason);
    *over.mutable_usage() = meter_.usage();
    over.set_end_us(end_us);
    over.set_why(e.why);
    over.set_post_follows(e.post_follows);
    over.set_start_us(start_us_);
    over.set_cwd_missing(e.cwd_missing);
    mail_ = tell_end(order_, files_, over, meter_.sampled(), wall_us());
    if (mail_ > 0) mail_until_ = now() + kMailPatience;
    say(kWordOver, over.SerializeAsString());
    if (!e.post_follows && mail_ < 0 && tasks_.empty()) return;  // RES reads it as soon as we are gone
    await_kept();
    tell(told);
  }
  void carry_out(const effect::TellPostOver& e) {
    FromRes told;
    *told.mutable_post_over()->mutable_job() = attempt_;
    told.mutable_post_over()->set_failed(e.failed);
    say(kWordPost, told.post_over().SerializeAsString());
  }
  void carry_out(const effect::Finish&) {
    done_ = true;
    finish_if_done();
  }
  // The mail, and what clients have not read yet, are waited for.
  void finish_if_done() {
    if (done_ && mail_ < 0 && (tasks_.empty() || guard_gone_)) finished_ = true;
  }

  // ---- one turn of the loop

  void turn() {
    take_hooks();
    if (finished_) return;
    fds_.assign(
        {{signals_.get(), POLLIN, 0},
         {guard_gone_ ? -1 : guard_.fd(), POLLIN, 0},
         {listener_.get(), POLLIN, 0},
         {res_ ? res_.fd() : -1, static_cast<short>(res_.wants_to_write() ? POLLIN | POLLOUT : POLLIN), 0}});
    tasks_.add_to(fds_);
    if (poll(fds_.data(), fds_.size(), timeout()) < 0) return;
    if (fds_[1].revents != 0) take_guard();
    if (fds_[0].revents != 0) take_signals();
    if (fds_[3].revents != 0) take_res();
    if (fds_[2].revents != 0) accept_res();
    if (tasks_.turn(fds_, now())) {
      if (order_.task_only() && tasks_.empty()) happened(event::Released{});
      finish_if_done();
    }
    pass_time();
  }

  int timeout() const {
    std::optional<TimePoint> first = next_deadline(life_);
    const auto at_most = [&](std::optional<TimePoint> t) {
      if (t) first = first ? std::min(*first, *t) : *t;
    };
    at_most(sample_at_);
    at_most(clear_at_);
    at_most(mail_until_);
    at_most(tasks_.next_deadline());
    if (const auto us = order_.start().submission().terminate_us(); us != 0 && !deadline_told_)
      at_most(now() + std::chrono::microseconds(std::max<std::int64_t>(us - wall_us(), 0)));
    if (!first) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }

  void pass_time() {
    if (sample_at_ && now() >= *sample_at_) sample();
    if (clear_at_ && now() >= *clear_at_) clear();
    if (mail_until_ && now() >= *mail_until_) end_mail();
    if (const auto us = order_.start().submission().terminate_us();
        us != 0 && !deadline_told_ && wall_us() >= us) {
      deadline_told_ = true;
      happened(event::DeadlinePassed{});
    }
    if (const auto deadline = next_deadline(life_); deadline && now() >= *deadline)
      happened(event::TimePassed{});
  }

  void take_signals() {
    std::array<signalfd_siginfo, 8> infos;
    while (read(signals_.get(), infos.data(), sizeof infos) > 0) continue;
    reap();
  }

  void reap() {
    int status = 0;
    pid_t pid = 0;
    rusage used{};
    std::optional<int> ended;
    while ((pid = wait4(-1, &status, WNOHANG, &used)) > 0) {
      if (pid == job_) ended = status;
      hooks_.ended(pid, status);
      if (pid == mail_) end_mail();
      tasks_.ended(pid, status, used, life_.reason, now());
    }
    if (ended) {
      end_us_ = wall_us();
      happened(event::JobEnded{*ended});
    }
    if (clearing_since_) clear();
  }

  // ---- RES and the guard

  void tell(const FromRes& told) {
    wire::FromShepherd message;
    *message.mutable_told() = told;
    send(message);
  }
  void send(const wire::FromShepherd& message) {
    if (res_ && !res_.send(message.SerializeAsString())) res_.close();
  }

  void say(char word, const std::string& message) {
    if (guard_gone_) return;
    if (!guard_.send(std::string(1, word) + message) || !guard_.drain(-1)) lose_guard();
  }
  void await_kept() {
    kept_ = false;
    while (!kept_ && !guard_gone_) {
      pollfd ready{guard_.fd(), POLLIN, 0};
      if (poll(&ready, 1, -1) > 0) take_guard();
    }
  }
  void take_guard() {
    const bool up = guard_.receive([this](std::string_view word) -> Result<void> {
      if (word.front() == kWordKept) kept_ = true;
      return {};
    });
    if (!up) lose_guard();
  }
  void lose_guard() {
    if (guard_gone_) return;
    guard_gone_ = true;
    happened(event::GuardGone{});
  }

  void accept_res() {
    io::Descriptor fresh(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fresh) return;
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(fresh.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
    if (peer.uid != res_user_ && peer.uid != 0) return;
    res_ = io::FrameSocket(std::move(fresh));  // the newest one is the living one
    if (ready_ && !running_) tell(*ready_);
    if (running_) tell(*running_);
    if (stopped_) tell(*stopped_);
  }

  void take_res() {
    const bool up = res_.flush() && res_.receive([this](std::string_view bytes) -> Result<void> {
      wire::ToShepherd message;
      if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return internal_error("found a message that cannot be read, expected ToShepherd");
      take(message);
      return {};
    });
    if (!up) res_.close();
  }

  void take(const wire::ToShepherd& message) {
    if (message.has_signal()) happened(event::Ordered{message.signal()});
    if (message.has_release()) {
      last_told_.reset();  // its last usage is told
      if (sample_at_) sample();
      happened(event::Released{});
    }
    if (message.has_settings()) {
      interval_ = interval_of(message.settings());
      if (sample_at_) sample_at_ = now() + interval_;
    }
    if (message.has_task()) expect_task(message.task());
    if (message.has_ask()) sample();
    if (message.has_peek()) peek(message.peek());
  }

  void peek(const wire::PeekPart& asked) {
    wire::FromShepherd message;
    auto& part = *message.mutable_peeked();
    part.set_number(asked.number());
    part.set_over(life_.phase == Phase::clearing || life_.phase == Phase::post_exec ||
                  life_.phase == Phase::over);
    const std::string& path = asked.errors() ? files_.error_file : files_.places.output_file;
    const io::Descriptor file(
        path.empty() ? -1 : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    const std::int64_t begin = asked.errors() ? 0 : files_.output_from;
    std::string data(kPeekBytes, '\0');
    const ssize_t size = file ? pread(file.get(), data.data(), data.size(), begin + asked.from()) : -1;
    if (size >= 0)
      part.set_data(data.substr(0, static_cast<std::size_t>(size)));
    else
      part.set_why_not(path.empty() ? "it writes to no file" : path + ": " + std::strerror(errno));
    send(message);
  }

  // ---- the job

  Duration interval_of(const wire::ToRes::Welcome& settings) const {
    const auto& limits = life_.rules.limits;
    const Duration told = settings.usage_interval_ms() == 0
                              ? kUsualInterval
                              : std::chrono::milliseconds(settings.usage_interval_ms());
    const bool watched = limits.has_memory_kb() || limits.has_swap_kb() || limits.has_processes() ||
                         limits.has_threads() || limits.has_cpu_s();
    return watched ? std::min(told, kLimitInterval) : told;
  }

  std::vector<std::string> environment() const {
    auto words = job_environment(order_, files_.places);
    set_variable(words, "LS_JOBPID", std::to_string(getpid()));
    set_variable(words, "LSB_JOBRES_PID", std::to_string(getpid()));
    return words;
  }

  io::SpawnPlan usual_plan() const {
    io::SpawnPlan plan;
    sigemptyset(&plan.mask);
    plan.own_session = true;
    plan.nice = order_.start().nice();
    return plan;
  }

  void start_job() {
    start_us_ = wall_us();
    make_tmp_dir(order_, files_.places);
    write_host_files(order_, files_.places);
    if (const auto opened = open_job_files(order_, files_); !opened) return not_started(opened.error().text);
    const auto process = job_process(order_.start(), files_.places.job_file);
    if (process.script && !write_private_file(files_.places.job_file, *process.script, 0700))
      return not_started("cannot write " + files_.places.job_file + ": " + std::strerror(errno));
    auto plan = usual_plan();
    plan.argv = process.argv;
    plan.environment = environment();
    plan.directory = files_.places.directory;
    plan.limits = process_limits(order_.start().limits(), order_.enforcement());
    StreamEnds ends;
    if (Stream* const client = tasks_.of_job()) {
      auto made = client->ends();
      if (!made) return not_started(made.error().text);
      ends = std::move(*made);
      lead_to(plan, *client, ends);
    } else {
      plan.descriptors = {{files_.input.get(), 0}, {files_.output.get(), 1}, {files_.errors.get(), 2}};
    }
    const auto started = io::spawn(plan);
    if (const auto* error = std::get_if<io::SpawnError>(&started)) return not_started(text_of(*error));
    job_ = std::get<pid_t>(started);
    files_.input.reset();
    sample_at_ = now() + std::min(interval_, kLimitInterval);
    tasks_.job_started(job_);
    happened(event::JobStarted{});
  }

  void not_started(const std::string& why) {
    if (Stream* const client = tasks_.of_job()) client->not_started(why, 127);
    happened(event::JobNotStarted{why, files_.directory_missing});
  }

  // ---- tasks

  void expect_task(const wire::ExpectTask& expected) {
    wire::FromShepherd answer;
    auto& place = *answer.mutable_place();
    place.set_number(expected.number());
    const auto port = takes_tasks() ? tasks_.expect(expected, now() + life_.rules.patience)
                                    : Result<std::uint16_t>(internal_error("the job is not running"));
    if (port)
      place.set_port(*port);
    else
      place.set_why_not(port.error().text);
    send(answer);
  }
  bool takes_tasks() const { return life_.phase == Phase::running || life_.phase == Phase::serving; }

  io::SpawnPlan task_plan(const wire::RunTask& task) {
    auto plan = usual_plan();
    if (task.shell() && task.words_size() > 0)
      plan.argv = {"/bin/sh", "-c", task.words(0)};
    else
      plan.argv.assign(task.words().begin(), task.words().end());
    if (!order_.has_start() && !std::exchange(host_files_written_, true))
      write_host_files(order_, files_.places);
    auto places = files_.places;
    places.directory = task_directory(task.cwd());
    plan.environment = task_environment(order_, task, places);
    set_variable(plan.environment, "LS_JOBPID", std::to_string(getpid()));
    plan.directory = places.directory;
    plan.umask = static_cast<mode_t>(task.umask() & 0777);
    const auto& limits = order_.has_start() ? order_.start().limits() : order_.expect().limits();
    plan.limits = process_limits(order_.task_only() ? task.limits() : limits, order_.enforcement());
    return plan;
  }
  std::string task_directory(const std::string& asked) const {
    for (const std::string& place : {asked, order_.home()})
      if (!place.empty() && access(place.c_str(), X_OK) == 0) return place;
    return "/tmp";
  }

  void lose_client() {
    if (job_ < 0 || end_us_ != 0) return;
    wire::ToRes::SignalJob order;
    order.set_action(wire::ToRes::SignalJob::TERMINATE);
    order.set_sequential(true);
    order.set_term_reason(kTermOwner);
    io::signal_descendants(SIGHUP);
    happened(event::Ordered{order});
  }

  void sample() {
    sample_at_ = now() + interval_;
    const auto living = read_processes(io::descendants_of(getpid()));
    const auto ended = ended_usage();
    meter_.sample(living, ended.user_s, ended.system_s, wall_us());
    const auto& usage = meter_.usage();
    FromRes told;
    *told.mutable_usage()->mutable_job() = attempt_;
    *told.mutable_usage()->mutable_usage() = usage;
    if (!last_told_ || now() - *last_told_ >= told_interval()) {
      last_told_ = now();
      tell(told);
    }
    happened(event::Sampled{meter_.cpu_s(), usage.memory_kb(), usage.swap_kb(), usage.processes(),
                            usage.threads()});
  }
  Duration told_interval() const {
    return order_.settings().usage_interval_ms() == 0
               ? kUsualInterval
               : std::chrono::milliseconds(order_.settings().usage_interval_ms());
  }

  // Everything that is left is killed, until nothing is.
  void clear() {
    int status = 0;
    pid_t pid = 0;
    rusage used{};
    while ((pid = wait4(-1, &status, WNOHANG, &used)) > 0) {
      if (pid == job_ && end_us_ == 0) end_us_ = wall_us();
      tasks_.ended(pid, status, used, life_.reason, now());
    }
    const int error = errno;
    const bool late = now() - *clearing_since_ > kMostClearing;
    if ((pid < 0 && error == ECHILD) || late) {
      clearing_since_.reset();
      clear_at_.reset();
      sample_at_.reset();
      return happened(event::Emptied{});
    }
    io::signal_descendants(SIGKILL);
    // What has changed its user is killed by the guard, which may be root.
    if (now() - *clearing_since_ > 5 * kClearPause) say(kWordKill, "");
    clear_at_ = now() + kClearPause;
  }

  void take_hooks() {
    const auto result = hooks_.take_result();
    if (!result) return;
    if (life_.phase == Phase::post_exec)
      happened(event::PostEnded{*result});
    else
      happened(event::PreEnded{*result});
  }

  // ---- the end

  void end_mail() {
    if (mail_ > 0) kill(mail_, SIGKILL);
    mail_ = -1;
    mail_until_.reset();
    finish_if_done();
  }

  [[noreturn]] void leave() {
    io::signal_descendants(SIGKILL);
    if (!files_.places.tmp_dir.empty()) remove_tmp_dir();
    if (res_) res_.drain(1000);
    _exit(0);
  }
  void remove_tmp_dir() {
    auto plan = usual_plan();
    plan.argv = {"/bin/rm", "-rf", "--", files_.places.tmp_dir};
    plan.environment = {"PATH=/bin:/usr/bin"};
    const auto started = io::spawn(plan);
    if (const auto* pid = std::get_if<pid_t>(&started)) waitpid(*pid, nullptr, 0);
  }

  wire::JobOrder order_;
  io::FrameSocket guard_;
  io::Descriptor listener_;
  io::FrameSocket res_;
  io::Descriptor signals_;
  uid_t res_user_;
  wire::JobAttempt attempt_;
  std::string own_;
  JobLife life_;
  std::deque<Event> events_;
  bool stepping_ = false, finished_ = false, done_ = false, guard_gone_ = false, kept_ = false,
       deadline_told_ = false;

  JobFiles files_;
  pid_t job_ = -1;
  std::int64_t start_us_ = 0, end_us_ = 0;
  UsageMeter meter_;
  Duration interval_{};
  std::optional<TimePoint> sample_at_, last_told_, clearing_since_, clear_at_, mail_until_;
  std::optional<FromRes> ready_, running_, stopped_;
  std::vector<pollfd> fds_;
  bool host_files_written_ = false;
  Tasks tasks_{{[this](const wire::RunTask& task) { return task_plan(task); },
                [this] { return takes_tasks(); },
                [this] {
                  if (!sample_at_) sample_at_ = now() + std::min(interval_, kLimitInterval);
                },
                [this] { happened(event::ClientCame{}); }, [this] { lose_client(); }}};

  Hooks hooks_{[this] {
    auto plan = usual_plan();
    plan.environment = environment();
    return plan;
  }};
  pid_t mail_ = -1;
};

}  // namespace

void run_shepherd(ShepherdStart start) { Shepherd(std::move(start)).run(); }

}  // namespace rollcall::res
