// Jobs: the jobs of this host as RES has them: their directories, their shepherds, and what mbatchd must still be told.
//
// It carries out mbatchd's orders, each once, whatever is repeated: what was done is found in the job's directory. It
// decides nothing about a job: that is its shepherd's (res/policy/job_life.hpp). When RES starts it finds the jobs again.
//
// state (of a job here) x event        -> next
//   none      StartJob                   -> here: order on disk, guard started
//   none      ExpectJob                  -> expected: no process yet
//   expected  a task comes               -> here (a shepherd for tasks alone)
//   here      its guard ends             -> over: `end` is read and told until it is acknowledged
//   over      Acknowledge                -> none, the directory goes (after the post-execution, where one follows)
//   expected, here (of another host's job)  ReleaseJob -> none
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "common/io/frame_socket.hpp"
#include "common/io/log.hpp"
#include "res/daemon/configuration.hpp"
#include "res/daemon/identities.hpp"
#include "res/daemon/job_directories.hpp"

namespace rollcall::res {

class Jobs {
 public:
  struct Handler {
    std::function<void(const wire::FromRes&)> tell;  // mbatchd, where it is there now
  };
  Jobs(boost::asio::io_context& loop, JobDirectories directories, const sigset_t& mask,
       const rlimit& open_files, io::Log& log, Handler handler);
  ~Jobs();

  void configure(std::shared_ptr<const Configuration> configuration);
  // Those of a RES before us.
  void adopt();

  // ---- mbatchd
  void order(const wire::ToRes& order);
  wire::FromRes::ResHello hello() const;  // without host, run and version
  void tell_all();                        // after Welcome: what it may not have heard

  // ---- clients
  struct TaskAnswer {
    wire::StreamPlace place;
    std::string why_not;  // "" : see `place`
    bool not_allowed = false, no_job = false;
  };
  using TaskDone = std::function<void(const TaskAnswer&)>;
  void run_task(const wire::RunTask& task, uid_t caller, TaskDone done);
  using PeekDone = std::function<void(const wire::PeekedPart&)>;
  // False where no such job runs here, or it is not the caller's.
  bool peek(const wire::Peek& asked, uid_t caller, bool administrator, std::int64_t from, PeekDone done);

  void child_ended(pid_t pid);
  std::size_t count() const { return jobs_.size(); }

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;

  void start(const wire::ToRes::StartJob& start);
  void expect(const wire::ToRes::ExpectJob& expect);
  void signal(const wire::ToRes::SignalJob& signal);
  void acknowledge(const wire::JobAttempt& attempt);
  void release(const wire::JobAttempt& attempt);

  Result<wire::JobOrder> base_order(uid_t uid) const;
  JobPtr make(const std::string& name, const wire::JobOrder& order, std::string& why);
  void start_soon(const JobPtr& job);
  void start_all();
  bool start_guard(const JobPtr& job);
  void adopt_one(const std::string& name);
  void adopt_lost(const wire::JobAttempt& attempt);
  void connect(const JobPtr& job, io::Descriptor socket);
  void await(const JobPtr& job);
  void from_shepherd(const JobPtr& job, const wire::FromShepherd& message);
  void send(const JobPtr& job, const wire::ToShepherd& message);
  void write_later(const JobPtr& job);
  void lost(const JobPtr& job);
  void look(const JobPtr& job);
  void over(const JobPtr& job);
  void forget(const JobPtr& job);
  void tell_job(const JobPtr& job);
  using Until = std::chrono::steady_clock::time_point;
  void find_and_run(const wire::RunTask& task, uid_t caller, Until until, TaskDone done);
  void ask_again(const wire::RunTask& task, uid_t caller, Until until, TaskDone done);
  void begin_task(const JobPtr& job, const wire::RunTask& task, TaskDone done);
  JobPtr find(const wire::JobAttempt& attempt) const;
  JobPtr find_for(const wire::JobAttempt& attempt) const;

  boost::asio::io_context& loop_;
  JobDirectories directories_;
  sigset_t mask_;
  rlimit open_files_;
  io::Log& log_;
  Handler handler_;
  std::shared_ptr<const Configuration> configuration_;
  mutable Identities identities_;
  std::string boot_;
  std::string shepherd_;
  wire::ToRes::Welcome settings_;
  std::map<std::string, JobPtr> jobs_;  // by the name of its directory
  std::vector<JobPtr> starting_;        // their orders are not durable yet
  std::uint64_t next_number_ = 1;
};

}  // namespace rollcall::res
