#include "res/shepherd/shepherd.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <optional>

#include "common/base/event_pump.hpp"
#include "common/io/cgroup_slots.hpp"
#include "common/io/process_tree.hpp"
#include "common/io/spawn.hpp"
#include "common/io/task_relay.hpp"
#include "res/policy/file_transfers.hpp"
#include "res/policy/job_commands.hpp"
#include "res/policy/job_life.hpp"
#include "res/policy/relay_name.hpp"
#include "res/policy/span_file.hpp"
#include "res/shepherd/clocks.hpp"
#include "res/shepherd/file_pieces.hpp"
#include "res/shepherd/guard_frames.hpp"
#include "res/shepherd/guard_talk.hpp"
#include "res/shepherd/hooks.hpp"
#include "res/shepherd/job_files_here.hpp"
#include "res/shepherd/job_limits.hpp"
#include "res/shepherd/job_messages.hpp"
#include "res/shepherd/job_meter.hpp"
#include "res/shepherd/notices.hpp"
#include "res/shepherd/peek.hpp"
#include "res/shepherd/proc_reader.hpp"
#include "res/shepherd/process_plans.hpp"
#include "res/shepherd/res_talk.hpp"
#include "res/shepherd/tasks.hpp"

namespace rollcall::res {
namespace {

using namespace std::chrono_literals;
using wire::FromRes;

constexpr Duration kClearPause = 20ms;
constexpr Duration kMostClearing = 30s;  // processes that survive SIGKILL for longer are left behind
constexpr Duration kMailPatience = 60s;

class Shepherd {
 public:
  explicit Shepherd(ShepherdStart start)
      : order_(std::move(start.order)),
        signals_(std::move(start.signals)),
        life_{attempt_rules(order_)},
        cgroup_(start.cgroup),
        meter_(order_, life_.rules.limits, start.cgroup),
        guard_(std::move(start.guard), [this] { happened(event::GuardGone{}); }),
        res_({std::move(start.listener), std::move(start.res), start.res_user}, attempt_of(order_),
             [this](const wire::ToShepherd& message) { take(message); }) {}

  [[noreturn]] void run() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::array<char, PATH_MAX> here;
    const bool known = getcwd(here.data(), here.size()) != nullptr;
    files_.places = job_places(order_, known ? std::string(here.data()) + "/u" : "u");
    relay_.listen(relay_name(order_));
    if (span_of(order_)) relay_.set_directory(files_.places.span_directory);
    files_.places.relay = relay_.name();
    umask(order_.has_start() ? static_cast<mode_t>(order_.start().submission().umask() & 0777) : 077);
    happened(event::Began{});
    while (!finished_) turn();
    leave();
  }

 private:
  TimePoint now() const { return steady_now(); }

  // ---- the stepper

  void happened(Event event) {
    pump_.happened(std::move(event), [this](const Event& next) {
      for (const auto& effect : step(life_, next, now()))
        std::visit([this](const auto& e) { carry_out(e); }, effect);
    });
  }

  void carry_out(const effect::RunPreExec&) {
    hooks_.begin(preparation(order_, files_.places), 0, Hooks::After::failure_ends);
    meter_.begin(now());
  }
  void carry_out(const effect::RunCopiesBack& e) {
    const std::string& told = files_.error_file.empty() ? files_.places.output_file : files_.error_file;
    auto commands = e.output_alone ? std::vector<std::string>() : commands_back(order_.start(), told);
    // The report stands at the end of an output that goes back.
    if (!files_.returned_output.empty()) {
      report_ = tell_end(order_, files_, over_of(life_.outcome), meter_.sampled(), wall_us());
      mail_ = std::exchange(report_->mail, -1);
    }
    for (auto& command : commands_to_return(files_)) commands.push_back(std::move(command));
    hooks_.begin(commands, 0, Hooks::After::failure_goes_on);
  }
  void carry_out(const effect::ChangeLimits& e) {
    auto& limits = order_.has_start() ? *order_.mutable_start()->mutable_limits()
                                      : *order_.mutable_expect()->mutable_limits();
    limits = e.limits;
    if (order_.has_start()) deadline_.set(e.terminate_us);
    change_limits(limits, order_.enforcement(), io::descendants_of(getpid()));
    meter_.set(limits, now());
  }
  void carry_out(const effect::RunPostExec& e) {
    hooks_.begin(commands_after(order_.start()), e.exit_status, Hooks::After::failure_goes_on);
    meter_.begin(now());
  }
  void carry_out(const effect::AwaitClient&) {
    const ExpectedClient client{order_.start().submission().interactive() != wire::Submission::PLAIN,
                                !order_.start().from_cluster().empty()};
    auto place = tasks_.expect_client(order_.start().stream_key(), client, now() + life_.rules.patience);
    if (!place) return happened(event::JobNotStarted{place.error().text, false});
    FromRes::JobReady ready;
    *ready.mutable_stream() = std::move(*place);
    res_.tell(std::move(ready));
  }
  void carry_out(const effect::StartJob&) { start_job(); }
  void carry_out(const effect::Signal& e) {
    io::signal_descendants(e.signo);
    if (e.signo == SIGSTOP) io::signal_descendants(e.signo);  // again, for processes forked meanwhile
  }
  void carry_out(const effect::LookForRunning&) {
    std::vector<pid_t> pids = io::descendants_of(getpid());
    const auto frozen = life_.frozen ? io::frozen_in_slot(cgroup_) : std::vector<pid_t>();
    std::erase_if(pids, [&](pid_t pid) { return std::binary_search(frozen.begin(), frozen.end(), pid); });
    if (any_runs(pids)) happened(event::FoundRunning{});
  }
  void carry_out(const effect::Freeze&) { guard_.say(kFrameFreeze, ""); }
  void carry_out(const effect::Thaw&) { guard_.say(kFrameThaw, ""); }
  void carry_out(const effect::RunControl& e) {
    hooks_.run_control(e, read_processes(io::descendants_of(getpid())));
  }
  void carry_out(const effect::KillAll&) {
    hooks_.stop();
    clearing_since_ = now();
    clear();
  }
  void carry_out(const effect::TellRunning&) {
    res_.tell(running_message(order_, files_, job_, start_us_));
    tell_begin(order_, files_, start_us_);
  }
  void carry_out(const effect::TellStopped&) { res_.tell_stopped(wall_us()); }
  void carry_out(const effect::TellResumed&) { res_.tell_resumed(wall_us()); }
  void carry_out(const effect::TellOver& e) {
    auto over = over_of(e);
    const std::string unreturned = keep_unreturned(order_, files_);
    if (!unreturned.empty()) {
      report_.reset();
      files_.trouble += unreturned + ".\n";
      files_.output_note += (files_.output_note.empty() ? "" : "; ") + unreturned;
    }
    const EndTold told = report_ ? *report_ : tell_end(order_, files_, over, meter_.sampled(), wall_us());
    if (!told.note.empty()) over.set_why(over.why().empty() ? told.note : over.why() + "; " + told.note);
    if (told.mail > 0) mail_ = told.mail;
    if (mail_ > 0) mail_until_ = now() + kMailPatience;
    guard_.say(kFrameOver, over.SerializeAsString());
    if (!e.post_follows && mail_ < 0 && tasks_.empty()) return;  // RES reads the end once we exit
    guard_.await_kept();
    res_.tell(std::move(over));
  }
  FromRes::JobOver over_of(const effect::TellOver& how) {
    const std::int64_t end_us = end_us_ != 0 ? end_us_ : wall_us();
    if (!std::exchange(measured_, true)) meter_.finish(job_ > 0, end_us);
    return over_message(order_, how, meter_.usage(), {start_us_, end_us});
  }
  void carry_out(const effect::TellPostOver& e) {
    guard_.say(kFramePost, post_over_message(order_, e.failed).SerializeAsString());
  }
  void carry_out(const effect::Finish&) {
    done_ = true;
    tasks_.nothing_starts(now());
    finish_if_done();
  }
  // Waits for the mail, and for clients that have not read all output yet.
  void finish_if_done() {
    if (done_ && mail_ < 0 && (tasks_.empty() || guard_.gone())) finished_ = true;
  }

  // ---- one turn of the loop

  void turn() {
    take_hooks();
    if (finished_) return;
    fds_.assign({{signals_.get(), POLLIN, 0}, guard_.to_poll(), res_.listener_to_poll(), res_.to_poll()});
    tasks_.add_to(fds_);
    relay_.add_to(fds_);
    if (poll(fds_.data(), fds_.size(), timeout()) < 0) return;
    if (fds_[1].revents != 0) guard_.take();
    if (fds_[0].revents != 0) take_signals();
    if (fds_[3].revents != 0) take_res();
    if (fds_[2].revents != 0) res_.accept();
    if (tasks_.turn(fds_, now())) {
      if (order_.task_only() && tasks_.empty()) happened(event::Released{});
      finish_if_done();
    }
    relay_.turn(fds_, now());
    pass_time();
  }

  int timeout() const {
    std::optional<TimePoint> first = next_deadline(life_);
    const auto at_most = [&](std::optional<TimePoint> t) {
      if (t) first = first ? std::min(*first, *t) : *t;
    };
    at_most(meter_.due());
    at_most(clear_at_);
    at_most(mail_until_);
    at_most(tasks_.next_deadline());
    at_most(relay_.next_deadline());
    at_most(deadline_.due());
    if (!first) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }

  void pass_time() {
    if (meter_.due() && now() >= *meter_.due()) sample();
    if (clear_at_ && now() >= *clear_at_) clear();
    if (mail_until_ && now() >= *mail_until_) end_mail();
    if (deadline_.rings()) happened(event::DeadlinePassed{});
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
      if (pid == mail_) mail_ended(status);
      if (!order_.has_start() && tasks_.has(pid)) tell_usage();  // before its client hears that it is over
      tasks_.ended(pid, status, used, life_.reason, now());
    }
    if (ended) {
      end_us_ = wall_us();
      if (meter_.out_of_memory()) happened(meter_.sample(now()));  // the cause of the end: report it first
      happened(event::JobEnded{*ended});
    }
    if (clearing_since_) clear();
  }

  // ---- RES

  // A shepherd without a job serves one task, for the RES that started it. If that RES is killed first, no request will come.
  void take_res() {
    res_.take();
    if (order_.task_only() && !res_.connected() && tasks_.empty()) happened(event::Released{});
  }

  void take(const wire::ToShepherd& message) {
    if (message.has_signal()) happened(event::Ordered{message.signal()});
    if (message.has_release()) {
      if (meter_.begun()) tell_usage();  // the last usage
      happened(event::Released{});
    }
    if (message.has_settings()) meter_.set(message.settings(), now());
    if (message.has_task()) expect_task(message.task());
    if (message.has_ask()) sample();
    if (message.has_peek()) peek(message.peek());
    if (message.has_file() && order_.task_only()) {
      wire::FromShepherd answer;
      *answer.mutable_peeked() = pieces_.serve(message.file());
      res_.send(answer);
    }
  }

  void peek(const wire::PeekPart& asked) {
    wire::FromShepherd message;
    *message.mutable_peeked() = read_part(asked, files_);
    message.mutable_peeked()->set_over(life_.phase >= Phase::clearing);
    res_.send(message);
  }

  // ---- the job

  void start_job() {
    start_us_ = wall_us();
    auto plan = job_plan(order_, files_);
    if (!plan) return not_started(plan.error().text);
    StreamEnds ends;
    if (Stream* const client = tasks_.of_job()) {
      auto made = client->ends();
      if (!made) return not_started(made.error().text);
      ends = with_files(std::move(*made), files_);
      lead_to(*plan, *client, ends);
    } else {
      plan->descriptors = {{files_.input.get(), 0}, {files_.output.get(), 1}, {files_.errors.get(), 2}};
    }
    const auto started = io::spawn(open_files_.as_before(std::move(*plan)));
    if (const auto* error = std::get_if<io::SpawnError>(&started)) return not_executed(*error);
    job_ = std::get<pid_t>(started);
    files_.input.reset();
    meter_.begin(now());
    tasks_.job_started(job_);
    happened(event::JobStarted{});
  }

  void not_started(const std::string& why, int no_program = 0) {
    if (Stream* const client = tasks_.of_job()) client->not_started(why, 127);
    happened(event::JobNotStarted{why, files_.directory_missing, files_.input_missing, no_program});
  }

  void not_executed(const io::SpawnError& error) {
    const std::string why = text_of(error);
    if (!io::program_is_wrong(error)) return not_started(why);
    const std::string line = order_.host() + ": " + why + "\n";
    // It may be a FIFO without a reader: the shepherd must not wait for one.
    pollfd room{files_.errors.get(), POLLOUT, 0};
    if (poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) != 0) {
      [[maybe_unused]] const ssize_t told = write(files_.errors.get(), line.data(), line.size());
    }
    not_started(why, io::exit_code_of(error));
  }

  // ---- tasks

  void expect_task(const wire::ExpectTask& expected) {
    const auto port = takes_tasks() ? tasks_.expect(expected, now() + life_.rules.patience)
                                    : Result<std::uint16_t>(internal_error("the job is not running"));
    res_.send(place_message(expected.number(), port));
  }
  bool takes_tasks() const { return life_.phase == Phase::running || life_.phase == Phase::serving; }

  Result<io::SpawnPlan> plan_of(const wire::RunTask& task) {
    if (!order_.has_start() && !places_made_) {
      if (const auto made = make_places(order_, files_.places); !made) return made.error();
      places_made_ = true;
    }
    return open_files_.as_before(task_plan(order_, files_.places, task));
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

  void tell_usage() {
    meter_.tell_next();
    sample();
  }

  void sample() {
    const auto sampled = meter_.sample(now());
    if (meter_.take_telling(now())) res_.tell(meter_.usage());
    happened(sampled);
  }

  // Kills the remaining processes again and again, until all are reaped or kMostClearing is over.
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
      meter_.end();
      return happened(event::Emptied{});
    }
    io::signal_descendants(SIGKILL);
    // Only the guard, which may be root, can kill processes that changed their user.
    if (now() - *clearing_since_ > 5 * kClearPause) guard_.say(kFrameKill, "");
    clear_at_ = now() + kClearPause;
  }

  void take_hooks() {
    const auto result = hooks_.take_result();
    if (!result) return;
    if (life_.phase == Phase::post_exec)
      happened(event::PostEnded{*result});
    else if (life_.phase == Phase::copying)
      happened(event::CopiesEnded{});
    else
      happened(event::PreEnded{*result, failed_transfer(order_.start(), hooks_.failed(), *result)});
  }

  // ---- the end

  void end_mail() {
    if (mail_ > 0) kill(mail_, SIGKILL);
    mail_ended(SIGKILL);
  }
  // The mail program was reaped or given up: its pid may belong to another process from here on.
  void mail_ended(int status) {
    if (status != 0 && has_unmailed(files_)) keep_unmailed(order_, files_, "");
    mail_ = -1;
    mail_until_.reset();
    finish_if_done();
  }

  [[noreturn]] void leave() {
    // Orphans below us become our children, so without a child all processes are gone.
    siginfo_t nobody{};
    if (waitid(P_ALL, 0, &nobody, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD)
      io::signal_descendants(SIGKILL);
    remove_tmp_dir(order_, files_.places);
    res_.drain();
    _exit(0);
  }

  wire::JobOrder order_;
  OpenFiles open_files_;
  io::Descriptor signals_;
  JobLife life_;
  EventPump<Event> pump_;
  bool finished_ = false, done_ = false, places_made_ = false;

  CalendarAlarm deadline_{order_.start().submission().terminate_us()};  // -t
  JobFiles files_;
  int cgroup_;
  JobMeter meter_;
  GuardTalk guard_;
  ResTalk res_;
  pid_t job_ = -1;
  std::int64_t start_us_ = 0, end_us_ = 0;
  std::optional<TimePoint> clearing_since_, clear_at_, mail_until_;
  std::vector<pollfd> fds_;
  Tasks tasks_{{[this](const wire::RunTask& task) { return plan_of(task); }, [this] { return takes_tasks(); },
                [this] { meter_.begin(now()); }, [this] { happened(event::ClientCame{}); },
                [this] { lose_client(); }}};
  Hooks hooks_{[this] { return open_files_.as_before(hook_plan(order_, files_.places)); }};
  io::TaskRelay relay_;
  FilePieces pieces_;
  std::optional<EndTold> report_;  // of an output that was returned
  bool measured_ = false;          // the usage is that of the end
  pid_t mail_ = -1;
};

}  // namespace

void run_shepherd(ShepherdStart start) { Shepherd(std::move(start)).run(); }

}  // namespace rollcall::res
