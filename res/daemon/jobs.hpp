// Jobs: the jobs of this host in RES: their directories, their shepherds, and the reports that mbatchd has not acknowledged.
//
// It carries out each order of mbatchd once, however often it is repeated: the job's directory records what was done. The shepherd
// (res/policy/job_life.hpp) decides about a job. When RES starts it finds the jobs again.
//
// state (of a job here) x event        -> next
//   none      StartJob, ExpectJob        -> coming, while the user database is asked who the user is; what else is ordered
//                                           of the job meanwhile is carried out behind it
//   coming    the user is known          -> prepared: order on disk, told; or expected: the same, no process yet. A StartJob
//                                           that does not wait: here at once
//   prepared  GoJobs                     -> here: guard started, told
//   prepared  ReleaseJob                 -> none: the start was taken back
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
#include <vector>

#include "common/base/user_shares.hpp"
#include "common/io/frame_socket.hpp"
#include "common/io/log.hpp"
#include "common/io/side_thread.hpp"
#include "res/daemon/configuration.hpp"
#include "res/daemon/identities.hpp"
#include "res/daemon/job_directories.hpp"
#include "res/daemon/removals.hpp"
#include "res/daemon/span_desk.hpp"
#include "res/policy/accounts.hpp"
#include "res/policy/res_rights.hpp"

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
  // From here on each job gets a cgroup, if cgroups can be made and are wanted.
  void make_cgroups();
  // Finds the jobs of an earlier RES.
  void adopt();

  // ---- mbatchd
  // Error: the term of this mbatchd cannot be saved, so none of its orders can be carried out.
  Result<void> order(const wire::ToRes& order);
  wire::FromRes::ResHello hello() const;  // without host, run and version
  void tell_all();                        // after Welcome: what it may not have heard

  // ---- an administrator, if the mbatchd that knows these jobs is lost for good
  // Ends all jobs that an mbatchd has ordered, without reports. After the last one the term is 0 and no lease is known, as on a new
  // disk: any mbatchd is then accepted. A RES that ends meanwhile keeps the term; the order must then be repeated.
  void forget_all();
  bool forgetting() const { return forgetting_; }
  // One line, for people.
  std::string what_forgetting_loses() const;

  // ---- clients
  struct TaskAnswer {
    wire::StreamPlace place;
    std::string why_not;  // "" : see `place`
    bool not_allowed = false, no_job = false;
  };
  using TaskDone = std::function<void(const TaskAnswer&)>;
  void run_task(const wire::RunTask& task, const ResCaller& caller, TaskDone done);
  using PeekDone = std::function<void(const wire::PeekedPart&)>;
  // False: no such job runs here, or it is not the caller's.
  bool peek(const wire::Peek& asked, const ResCaller& caller, bool administrator, std::int64_t from,
            PeekDone done);

  // Recognizes processes of jobs on hosts of several clusters.
  SpanDesk& spans() { return spans_; }
  // The job of a ticket of spans(), and whose it is; none: it is not here any more.
  struct SpanJob {
    wire::JobAttempt attempt;
    ResCaller user;
  };
  std::optional<SpanJob> span_job(const io::TicketId& ticket) const;

  std::size_t count() const { return jobs_.size(); }
  void beat();
  // RES ends for good; the jobs go on.
  void leave();

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;
  // A job whose user is being looked up.
  struct Coming {
    wire::FromRes::Held held;
    bool waits_for_go = false;        // or another host's job: not held before it is on disk
    std::vector<wire::ToRes> orders;  // of it, since then
  };

  void refuse(const wire::ToRes& order, std::string why);
  void carry_out(const wire::ToRes& order);
  bool waits_for_its_start(const wire::ToRes& order);
  using Grants = google::protobuf::RepeatedPtrField<wire::LeaseGrant>;
  bool grants_hold(const wire::JobAttempt& attempt, const Grants& grants, bool waits_for_go);
  void name_grants(const wire::ToRes::NameGrants& order);
  std::vector<wire::FromRes::Held> held_under_grants() const;
  static wire::FromRes::Held held_of(const Job& job);
  void start(const wire::ToRes::StartJob& start);
  void start_as(const wire::ToRes::StartJob& start, Result<wire::JobOrder> order);
  void expect(const wire::ToRes::ExpectJob& expect);
  void expect_as(const wire::ToRes::ExpectJob& expect, Result<wire::JobOrder> order);
  void came(const std::string& name);
  void go_ahead(const wire::ToRes& order);
  void go(const wire::JobAttempt& attempt);
  void begin(const JobPtr& job);
  void prepared(const wire::JobAttempt& attempt);
  void not_prepared(const wire::JobAttempt& attempt, const std::string& why);
  void signal(const wire::ToRes::SignalJob& signal);
  void acknowledge(const wire::JobAttempt& attempt);
  void release(const wire::ToRes::ReleaseJob& release);
  void tell_gone(const wire::JobAttempt& attempt);
  // False: another job here has its key.
  bool keep_span(const Job& job);
  void read(const wire::ToRes::ReadPiece& asked);
  void file(const wire::ToRes::FilePiece& asked);
  void keeper_came(const std::string& user, Result<wire::JobOrder> order);
  void file_part(const JobPtr& keeper, const wire::ToRes::FilePiece& asked);
  void no_file(const wire::ToRes::FilePiece& asked, std::string why, bool later);
  void end_idle_keepers();
  void read_part(const JobPtr& job, bool errors, std::int64_t from, PeekDone done);

  // At once where the user is known here.
  void with_order(const AccountFacts& asked, std::function<void(Result<wire::JobOrder>)> done);
  wire::JobOrder order_of(const Identity& identity) const;
  std::string mail_program_for(uid_t user) const;
  void add_host_words(wire::JobOrder& order) const;
  JobPtr make(const std::string& name, const wire::JobOrder& order, std::string& why);
  bool adopt_prepared(const JobPtr& job);
  void start_soon(const JobPtr& job);
  void start_all();
  bool start_guard(const JobPtr& job);
  bool does_not_start(const JobPtr& job, const std::string& why);  // gives false
  void adopt_one(const std::string& name);
  void adopt_lost(const wire::JobAttempt& attempt);
  void connect(const JobPtr& job, io::Descriptor socket);
  void await(const JobPtr& job);
  void from_shepherd(const JobPtr& job, const wire::FromShepherd& message);
  void send(const JobPtr& job, const wire::ToShepherd& message);
  void write_later(const JobPtr& job);
  void lost(const JobPtr& job);
  void see_that_it_is_read(const JobPtr& job);
  void look_for_unread(const JobPtr& job, std::chrono::seconds pause);
  void kill_below_guard(const Job& job);
  void look(const JobPtr& job);
  void over(const JobPtr& job);
  void clear_away(const JobPtr& job);
  void forget(const JobPtr& job);
  void forgotten();
  void remove_later(const std::string& name);
  void left_behind(const std::vector<LeftDirectory>& left);
  void tell_left();
  void tell_job(const JobPtr& job);
  using Until = std::chrono::steady_clock::time_point;
  void find_and_run(const wire::RunTask& task, const ResCaller& caller, Until until, TaskDone done);
  void ask_again(const wire::RunTask& task, const ResCaller& caller, Until until, TaskDone done);
  void begin_task(const JobPtr& job, const wire::RunTask& task, TaskDone done);
  void run_outside(const wire::RunTask& task, const ResCaller& caller, TaskDone done);
  JobPtr find(const wire::JobAttempt& attempt) const;
  JobPtr find_for(const wire::JobAttempt& attempt) const;

  boost::asio::io_context& loop_;
  JobDirectories directories_;
  sigset_t mask_;
  rlimit open_files_;
  io::Log& log_;
  Handler handler_;
  std::shared_ptr<const Configuration> configuration_;
  Identities identities_;
  std::map<std::string, Coming> coming_;  // by the name of the directory they will have
  UserShares task_shares_{0};             // tasks of no job
  // A shepherd without a job, for files of a user whose jobs run in other clusters; by the user's name. It ends when it is idle.
  struct Keeper {
    std::weak_ptr<Job> job;
    std::vector<wire::ToRes::FilePiece> waiting;  // for the look-up of the user
    bool comes = false;
    std::chrono::steady_clock::time_point used;
  };
  std::map<std::string, Keeper> keepers_;
  std::string boot_;
  std::string shepherd_;
  wire::ToRes::Welcome settings_;
  std::map<std::string, JobPtr> jobs_;  // by the name of its directory
  SpanDesk spans_;
  std::vector<JobPtr> starting_;  // their orders are not durable yet
  wire::FromRes prepared_;        // of this turn of the loop
  std::uint64_t next_number_ = 1;
  std::string cgroups_;  // the folder of jobs' cgroups; "" : there is none
  io::Descriptor cgroups_held_;
  // Work that may take long: removing directories that users have filled, ending processes that are left.
  Removals removals_;
  bool forgetting_ = false;  // forget_all() goes on
  std::size_t left_ = 0;     // directories that could not be removed
  std::string last_left_;    // the last of them, for people; "": of a RES before us
  io::SideThread sweeper_;
};

}  // namespace rollcall::res
