// Tasks: the processes of a shepherd that have a client: an interactive job itself, and the tasks of blaunch and lsrun. It owns
// their streams and knows their pids; the shepherd reaps them.
//
// A task whose client is lost gets HUP and TERM, and KILL one second later, with all its descendants. Processes that are no longer
// descendants end with the job.
#pragma once

#include <poll.h>
#include <sys/resource.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "common/io/spawn.hpp"
#include "common/wire/res.pb.h"
#include "res/shepherd/job_files_here.hpp"
#include "res/shepherd/stream.hpp"

namespace rollcall::res {

// The client of an interactive job.
struct ExpectedClient {
  bool terminal = false;
  bool elsewhere = false;  // in another cluster
};

class Tasks {
 public:
  struct Handler {
    // The plan of a task, without its descriptors and its terminal; the error is one line: why it cannot start.
    std::function<Result<io::SpawnPlan>(const wire::RunTask&)> plan;
    std::function<bool()> may_start;
    std::function<void()> started;
    std::function<void()> client_came, client_lost;  // of the job itself
  };
  explicit Tasks(Handler handler) : handler_(std::move(handler)) {}

  // Where the client of the job is expected until `until`, and with which key; "": one that is made here.
  Result<wire::StreamPlace> expect_client(std::string key, const ExpectedClient& client, TimePoint until);
  // The port where the client of the task is.
  Result<std::uint16_t> expect(const wire::ExpectTask& task, TimePoint until);

  // The job's own stream; none where it has none.
  Stream* of_job();
  void job_started(pid_t pid);

  void add_to(std::vector<pollfd>& fds);
  // True: a stream has ended for good.
  bool turn(const std::vector<pollfd>& fds, TimePoint now);
  std::optional<TimePoint> next_deadline() const;
  // The job is over: clients that have not connected are no longer awaited.
  void nothing_starts(TimePoint now);
  void ended(pid_t pid, int status, const rusage& used, int term_reason, TimePoint now);
  bool empty() const { return tasks_.empty() && remnants_.empty(); }
  bool has(pid_t pid) const;

 private:
  struct Task {
    std::unique_ptr<Stream> stream;
    wire::RunTask asked;
    pid_t pid = -1;
    bool of_job = false;
  };
  // The descendants of a task when its client was lost: its first process may end by HUP and leave processes that ignore it.
  struct Remnant {
    std::vector<pid_t> processes;
    TimePoint kill_at;
  };
  void begin(Task& task);
  void lose_client(Task& task, TimePoint now);
  bool kill_remnants(TimePoint now);
  bool drop_done();
  void end(const Task& task, int signo) const;

  Handler handler_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<Remnant> remnants_;
};

std::string text_of(const io::SpawnError& error);
// What -i, -o and -e of an interactive job have opened takes the place of its client's ends.
StreamEnds with_files(StreamEnds ends, const JobFiles& files);
// For a process with a client: its descriptors, its terminal, TERM.
void lead_to(io::SpawnPlan& plan, const Stream& stream, const StreamEnds& ends);

}  // namespace rollcall::res
