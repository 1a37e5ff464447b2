#include "pam/job.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdio>

#include "common/base/event_pump.hpp"
#include "common/io/child.hpp"
#include "common/io/descriptor_limit.hpp"
#include "common/io/job_cgroup.hpp"
#include "common/io/key_file.hpp"
#include "common/io/process_tree.hpp"
#include "common/io/random_bytes.hpp"
#include "pam/conversation.hpp"
#include "pam/output.hpp"
#include "pam/policy/command_rewrite.hpp"
#include "pam/policy/connections.hpp"
#include "pam/policy/launch_plot.hpp"
#include "pam/policy/report.hpp"
#include "pam/signals.hpp"
#include "pam/starters.hpp"

namespace rollcall::pam {
namespace {

constexpr Duration kTick = std::chrono::seconds(1);
constexpr rlim_t kOwnDescriptors = 50;

Duration monotonic_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

std::int64_t wall_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

// 32 random hexadecimal digits: another user cannot guess the name and take it first.
std::string relay_name() {
  std::string name;
  for (const char byte : io::random_bytes(16))
    for (const int half : {static_cast<unsigned char>(byte) >> 4, byte & 15})
      name += "0123456789abcdef"[half];
  return name;
}

class Job {
 public:
  Job(const Settings& settings, const io::Key& key, ReportFile report, ReportFile plot)
      : settings_(settings),
        report_(std::move(report)),
        plot_(std::move(plot)),
        clock_(monotonic_now(), kTick),
        roll_(settings.rules),
        starters_(loop_, key,
                  {[this](ConnectionId c, const wire::FromStarter& m) { heard(c, m); },
                   [this](ConnectionId c, bool cut) { link_ended(c, cut); },
                   [this](const std::string& line) { say(line); }}),
        signal_input_(loop_, signals_.descriptor()),
        timer_(loop_),
        output_(settings.options.verbose) {}

  ~Job() { signal_input_.release(); }

  Result<int> run() {
    const auto port = starters_.listen();
    if (!port) return port.error();
    Callback callback = settings_.callback;
    callback.port = *port;
    if (settings_.host_relay) callback.relay = relay_name();
    const auto plan = rewrite(settings_.options, callback, settings_.facts);
    if (!plan) return plan.error();

    descriptor_limit_ = io::raise_descriptor_limit();
    warn_of_descriptors();
    if (!plan->note.empty()) note(plan->note);
    note("tasks expected: " + settings_.expected.rule);
    start_launcher(*plan);
    await_signals();
    await_time();
    loop_.run();
    const bool ended_badly =
        roll_.verdict || roll_.parent_lost || (roll_.launcher_status && roll_.launcher_status->by_signal());
    if (ended_badly) end_what_is_left();
    // The keeper of the job's cgroup may have been killed with the rest.
    if (ended_badly || roll_.lost > 0) io::end_abandoned_jobs();
    close_report();
    return exit_code_;
  }

 private:
  // ---- the roll

  void happened(Event event) {
    const bool stepped = pump_.happened(std::move(event), [this](const Event& next) {
      const Effects effects = step(roll_, next, clock_.now(monotonic_now()));
      for (const auto& effect : effects) std::visit([this](const auto& e) { carry_out(e); }, effect);
    });
    if (!stepped) return;
    if (roll_.phase != Phase::launching) output_.end_progress();
    const auto next = next_deadline(roll_);
    if (next && *next < armed_for_) await_time();
  }

  void carry_out(const effect::Welcome& e) {
    tid_of_.set(e.connection, e.tid);
    starters_.send(e.connection, message_of(e));
  }
  void carry_out(const effect::Refuse& e) { starters_.close(e.connection); }
  void carry_out(const effect::DeliverSignal& e) { send(message_of(e), e.only); }
  void carry_out(const effect::EndTasks& e) { send(message_of(e), e.only); }
  void carry_out(const effect::EndOrphans& e) {
    if (e.by)
      send(message_of(e), e.by);
    else
      io::end_abandoned_jobs();
  }
  void carry_out(const effect::SignalLauncher& e) {
    if (!e.only_if_caught || catches(*roll_.launcher_pid, e.signo)) launcher_.signal(e.signo);
  }
  void carry_out(const effect::KillLauncherTree&) {
    // Repeated until no process is left: a tree may fork while it is killed.
    for (int round = 0; round < 100 && io::signal_descendants(SIGKILL) > 0; ++round) io::reap_others(loop_);
  }
  void carry_out(const effect::StopSelf&) {
    starters_.write_held();
    stop_self();
  }
  void carry_out(const effect::Say& e) { say(e.text); }
  void carry_out(const effect::Note& e) { note(e.text); }
  void carry_out(const effect::Finish& e) {
    exit_code_ = e.exit_code;
    note("ends with " + std::to_string(e.exit_code) + ": " + e.why);
    loop_.stop();
  }

  void send(const wire::FromPam& message, std::optional<Tid> only) {
    if (only) {
      starters_.send(roll_.tasks[*only].connection, message);
      return;
    }
    std::vector<ConnectionId> connections;
    for (const auto& task : roll_.tasks)
      if (task.state == TaskState::running) connections.push_back(task.connection);
    starters_.send_all(std::move(connections), message);
  }

  // ---- the launcher

  void start_launcher(const LaunchPlan& plan) {
    io::SpawnPlan spawn_plan;
    spawn_plan.argv = plan.argv;
    spawn_plan.environment = launcher_environment(plan);
    spawn_plan.mask = signals_.mask_at_start();
    spawn_plan.ignore_sigchld = signals_.sigchld_was_ignored();
    spawn_plan.parent_death_signal = SIGTERM;
    spawn_plan.open_files = descriptor_limit_;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const std::int64_t asked_us = wall_us();  // before the first task can start
    auto started = io::Child::start(loop_, spawn_plan, [this](int status) {
      happened(event::LauncherEnded{ExitStatus::from_wait(status)});
    });
    if (auto* child = std::get_if<io::Child>(&started)) {
      launcher_ = std::move(*child);
      happened(event::LauncherStarted{launcher_.pid(), asked_us});
    } else {
      const auto& error = std::get<io::SpawnError>(started);
      happened(event::LauncherNotStarted{{io::stage_text(error.stage), error.error, error.path},
                                         io::exit_code_of(error)});
    }
  }

  // Variables of the rank of a task that pam itself may be: its own tasks must not inherit them.
  static bool is_rank(const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    return name == "OMPI_COMM_WORLD_RANK" || name == "PMIX_RANK" || name == "PMI_RANK" ||
           name == "SLURM_PROCID";
  }

  static std::vector<std::string> launcher_environment(const LaunchPlan& plan) {
    auto added = plan.environment;
    // As in LSF's pam: who starts the tasks, and how many words of TaskStarter are in the command.
    added.emplace_back("PM_SOURCE", "pam");
    added.emplace_back("LSF_TSOPT_NUM", std::to_string(plan.inserted));
    if (getenv("BINARY_TYPE_HPC") == nullptr) added.emplace_back("BINARY_TYPE_HPC", "");
    std::vector<std::string> words;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string word = *entry;
      if (is_rank(word)) continue;
      const bool replaced = std::any_of(added.begin(), added.end(),
                                        [&](const auto& one) { return word.starts_with(one.first + "="); });
      if (!replaced) words.push_back(word);
    }
    for (const auto& [name, value] : added) words.push_back(name + "=" + value);
    return words;
  }

  // A job that did not end by itself leaves no process of its launcher here. (One that did may have: an ssh master
  // connection that others use is not ours to end.)
  void end_what_is_left() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    constexpr timespec kPause{0, 20'000'000};
    const Duration start = monotonic_now();
    for (int signo = SIGTERM; io::signal_descendants(signo) > 0;) {
      sigtimedwait(&child, nullptr, &kPause);
      io::reap_all(loop_);
      const Duration waited = monotonic_now() - start;
      if (waited > kQuickKill) signo = SIGKILL;
      if (waited > 2 * kQuickKill) return;  // of another user, or it does not die
    }
    io::reap_all(loop_);
  }

  // ---- the TaskStarters

  void heard(ConnectionId connection, const wire::FromStarter& message) {
    const auto known = tid_of_.find(connection);
    switch (message.message_case()) {
      case wire::FromStarter::kRegistration:
        if (!known) registered(connection, message.registration());
        return;
      case wire::FromStarter::kTaskEnded:
        if (known) happened(task_ended_of(message.task_ended(), *known));
        return;
      case wire::FromStarter::kParentLost:
        if (known) happened(parent_lost_of(message.parent_lost(), *known));
        return;
      case wire::FromStarter::kStarterLost:
        if (known) happened(event::StarterLost{*known, message.starter_lost().pid(), wall_us()});
        return;
      case wire::FromStarter::MESSAGE_NOT_SET:
        return;  // of a newer TaskStarter
    }
  }

  void registered(ConnectionId connection, const wire::Register& message) {
    if (message.resumed() && message.has_tid() && !message.has_failed()) {
      happened(task_resumed_of(message, connection));
      return;
    }
    auto registration = registration_of(message);
    if (registration) {
      happened(event::TaskRegistered{connection, std::move(*registration), message.no_cgroup(), wall_us()});
    } else {
      say("refused a TaskStarter: " + registration.error().text);
      starters_.close(connection);
    }
  }

  void link_ended(ConnectionId connection, bool cut) {
    const auto known = tid_of_.find(connection);
    if (!known) return;
    const Tid tid = *known;
    tid_of_.erase(connection);
    if (roll_.tasks[tid].connection == connection) happened(event::LinkEnded{tid, cut, wall_us()});
  }

  // ---- time and signals

  void await_signals() {
    signal_input_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const auto& error) {
      if (error) return;
      signals_.read_all([this](const signalfd_siginfo& info) {
        const int signo = static_cast<int>(info.ssi_signo);
        if (signo == SIGCHLD)
          io::reap_others(loop_);  // processes below the launcher that became our children
        else
          happened(event::SignalArrived{signo, info.ssi_code == SI_KERNEL});
      });
      await_signals();
    });
  }

  // At least once a tick, so that the clock can tell a stop of ours from time that passed.
  void await_time() {
    const auto next = next_deadline(roll_);
    const TimePoint now = clock_.now(monotonic_now());
    armed_for_ = next ? std::clamp(*next, now, now + kTick) : now + kTick;
    timer_.expires_after(armed_for_ - now);
    timer_.async_wait([this](const auto& error) {
      if (error) return;
      if (const std::size_t wait = starters_.waiting(); wait != roll_.waiting)
        happened(event::StartersWait{wait});
      happened(event::Tick{});
      starters_.expire(clock_.now(monotonic_now()));
      show_progress();
      output_.flush();
      await_time();
    });
  }

  void show_progress() {
    const TimePoint now = clock_.now(monotonic_now());
    if (roll_.phase == Phase::launching && now.since_start >= kTick)
      output_.progress(progress_line(roll_, now));
  }

  // ---- what the user sees

  void say(const std::string& line) { output_.say(line); }
  void note(const std::string& line) { output_.note(line); }

  // Where hosts have relays, what is wanted depends on how many hosts there are, which is not known yet.
  void warn_of_descriptors() {
    if (settings_.config.host_relay) return;
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const auto wanted = static_cast<rlim_t>(settings_.rules.expected.value_or(0)) + kOwnDescriptors;
    if (limit.rlim_cur < wanted)
      say("the hard limit of descriptors is " + std::to_string(limit.rlim_cur) + ", " +
          std::to_string(wanted) + " are wanted: some tasks may have to wait to register");
  }

  void close_report() {
    if (roll_.registered() > 0) note(usage_line(roll_.tasks.used()));
    output_.tables(roll_, settings_.options);
    const auto written = report_.write(
        [this](const TextSink& sink) { json_report(roll_, settings_.options.command, exit_code_, sink); });
    if (!written) say(written.error().text);
    const auto plotted = plot_.write([this](const TextSink& sink) {
      launch_plot(roll_, command_text(settings_.options), wall_us(), sink);
    });
    if (!plotted) say(plotted.error().text);
  }

  const Settings& settings_;
  ReportFile report_;
  ReportFile plot_;
  boost::asio::io_context loop_{1};
  JobClock clock_;
  Signals signals_;
  Roll roll_;
  EventPump<Event> pump_;
  TimePoint armed_for_{Duration::max()};  // when the timer rings; before it is armed: never
  io::Child launcher_;
  Starters starters_;
  ConnectionTids tid_of_;
  boost::asio::posix::stream_descriptor signal_input_;
  boost::asio::steady_timer timer_;
  Output output_;
  rlimit descriptor_limit_{};
  int exit_code_ = 1;
};

}  // namespace

Result<int> run_job(const Settings& settings) {
  const auto key = io::load_or_create_key(settings.key_file);
  if (!key) return key.error();
  auto report = ReportFile::open(settings.options.report_file, "the report");
  if (!report) return report.error();
  auto plot = ReportFile::open(settings.options.plot_file, "the plot");
  if (!plot) return plot.error();
  Job job(settings, *key, std::move(*report), std::move(*plot));
  return job.run();
}

}  // namespace rollcall::pam
