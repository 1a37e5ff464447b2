// mbatchd with an engine that has nothing of RES: each server host "runs" its jobs in a file beside the store. For
// tests/io/sched/mbatchd_engine_test.cpp: what the interface of an engine has must be enough for every command about a job.
//
// A job whose command is a number ends at once with that exit code; any other runs until a signal ends it.
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "common/io/daemon_start.hpp"
#include "common/io/sqlite_job_store.hpp"
#include "sched/mbatchd/configuration_views.hpp"
#include "sched/mbatchd/daemon.hpp"

namespace {

using namespace rollcall;
using mbatchd::EngineSetup;
namespace report = sched::report;
using sched::Attempt;

class FileEngine : public mbatchd::Engine {
 public:
  explicit FileEngine(EngineSetup setup) : setup_(std::move(setup)) {}

  void configure(std::shared_ptr<const mbatchd::Configuration> configuration) override {
    if (!path_.empty()) return;
    path_ = configuration->directory + "/held";
    read();
    // Not from within a call of the daemon.
    boost::asio::post(setup_.loop, [this, hosts = mbatchd::servers_of(*configuration)] {
      for (const auto& host : hosts) come(host);
    });
  }
  bool reaches(const std::string& host) const override { return here_.count(host) != 0; }
  bool restart(const std::string&, bool) override { return false; }

  void start(const std::string& host, sched::order::Start order) override {
    if (!reaches(host) || held_.count(order.attempt) != 0) return;
    Held held{host, false, false, 0};
    const std::string& command = order.asked->command();
    if (command.find_first_not_of("0123456789") == std::string::npos)
      held = {host, false, true, std::stoi(command) << 8};
    held_[order.attempt] = held;
    write();
    tell(host, report::Running{order.attempt, 4711, 4711, order.asked->uid(), order.asked->user(), "/", "/"});
    if (held.over) tell_end(order.attempt);
  }
  void expect(const std::string&, const sched::order::Expect&) override {}
  void go(const std::string&, const Attempt&) override {}
  void signal(const std::string& host, const sched::order::Signal& order) override {
    const auto found = held_.find(order.attempt);
    if (found == held_.end())
      return tell(host,
                  report::Over{order.attempt, report::Over::How::never_seen, 0, 0, 0, {}, false, false, {}});
    Held& held = found->second;
    if (held.over) return;
    using Sent = wire::SentSignal;
    const int signo = order.sent.signal();
    const auto action = order.sent.action();
    if (action == Sent::SUSPEND || action == Sent::RESUME) held.stopped = action == Sent::SUSPEND;
    held.over = action == Sent::TERMINATE || (action == Sent::SEND && (signo == SIGKILL || signo == SIGTERM));
    if (held.over) held.status = 143 << 8;
    write();
    if (held.over) tell_end(order.attempt);
  }
  void acknowledge(const std::string&, const Attempt& attempt) override {
    held_.erase(attempt);
    write();
  }
  void release(const std::string&, const Attempt&) override {}

  // No daemon of a host has business here.
  void opened(io::LinkId link, const io::LinkPeer&) override { setup_.links.close(link); }
  bool has(io::LinkId) const override { return false; }
  Result<void> message(io::LinkId, std::string_view) override {
    return internal_error("found a daemon's message, expected none");
  }
  void ended(io::LinkId, const std::string&) override {}

 private:
  struct Held {
    std::string host;
    bool stopped = false, over = false;
    int status = 0;
  };

  void tell(const std::string& host, sched::HostReport what) {
    boost::asio::post(setup_.loop, [this, host, what = std::move(what)] { setup_.told(host, what); });
  }
  void tell_end(const Attempt& attempt) {
    report::Over over;
    over.attempt = attempt;
    over.exit_status = held_.at(attempt).status;
    over.end_us = 1;
    tell(held_.at(attempt).host, over);
  }
  void come(const std::string& host) {
    using State = report::Held::State;
    here_.insert(host);
    report::HostCame came;
    for (const auto& [attempt, held] : held_)
      if (held.host == host)
        came.jobs.push_back({attempt,
                             held.over      ? State::over
                             : held.stopped ? State::stopped
                                            : State::running,
                             true});
    setup_.told(host, came);
    for (const auto& job : came.jobs)
      if (job.state == State::over) tell_end(job.attempt);
  }

  void read() {
    std::ifstream in(path_);
    Attempt attempt;
    Held held;
    while (in >> attempt.job.id >> attempt.job.index >> attempt.number >> held.host >> held.stopped >>
           held.over >> held.status)
      held_[attempt] = held;
  }
  void write() const {
    std::ofstream out(path_, std::ios::trunc);
    for (const auto& [attempt, held] : held_)
      out << attempt.job.id << ' ' << attempt.job.index << ' ' << attempt.number << ' ' << held.host << ' '
          << held.stopped << ' ' << held.over << ' ' << held.status << '\n';
  }

  EngineSetup setup_;
  std::string path_;
  std::map<Attempt, Held> held_;
  std::set<std::string> here_;
};

int run(const io::DaemonOptions& options, const io::DaemonProgram&, io::Starter& starter) {
  io::Log log(STDERR_FILENO, "mbatchd", io::Level::debug);
  const auto loaded = mbatchd::load_configuration(options.env_dir);
  if (!loaded.configuration) return starter.tell(loaded.errors.front()), 1;
  const auto end =
      mbatchd::run_daemon({options.env_dir, loaded.configuration, {}},
                          {[](EngineSetup setup) { return std::make_unique<FileEngine>(std::move(setup)); },
                           io::open_sqlite_job_store},
                          log, [&starter] { starter.tell("ready"); });
  if (!end) return starter.tell(end.error().text), 1;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return io::daemon_main({"mbatchd", "", "mbatchd of a test"}, argc, argv, run);
}
