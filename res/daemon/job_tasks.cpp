// Jobs: serves clients' requests for tasks in this host's jobs and for their output.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/host_list.hpp"
#include "common/io/random_bytes.hpp"
#include "res/daemon/job_here.hpp"

namespace rollcall::res {
namespace {

constexpr std::chrono::seconds kTaskPatience{5};  // for a job that mbatchd has not announced yet
constexpr std::chrono::milliseconds kTaskPause{50};
constexpr std::size_t kKeyBytes = 32;              // of a stream's key
constexpr std::size_t kMostForShepherd = 4 << 20;  // bytes that it has not read

// Says which name `host` has for a caller: MUNGE gives only the uid.
std::string called_here(const ResCaller& caller, const std::string& host) {
  if (!caller.name.empty()) return host + " calls you " + printable(caller.name);
  return host + " has no user with your number " + std::to_string(caller.uid);
}

bool listens(const io::FrameSocket& shepherd) { return shepherd && shepherd.unsent() <= kMostForShepherd; }

}  // namespace

// ---- clients

Jobs::JobPtr Jobs::find(const wire::JobAttempt& attempt) const {
  const auto found = jobs_.find(directory_name(attempt));
  return found == jobs_.end() ? nullptr : found->second;
}

// A client may not know its attempt: attempt 0 means the only or the newest one.
Jobs::JobPtr Jobs::find_for(const wire::JobAttempt& attempt) const {
  if (attempt.attempt() != 0) return find(attempt);
  JobPtr newest;
  for (const auto& [name, job] : jobs_)
    if (job->attempt.key().id() == attempt.key().id() &&
        job->attempt.key().index() == attempt.key().index() &&
        (!newest || job->attempt.attempt() > newest->attempt.attempt()))
      newest = job;
  return newest;
}

void Jobs::run_task(const wire::RunTask& task, const ResCaller& caller, TaskDone done) {
  find_and_run(task, caller, std::chrono::steady_clock::now() + kTaskPatience, std::move(done));
}

// Tries again later: a client may arrive before mbatchd's message that its job has tasks here.
void Jobs::ask_again(const wire::RunTask& task, const ResCaller& caller,
                     std::chrono::steady_clock::time_point until, TaskDone done) {
  auto timer = std::make_shared<boost::asio::steady_timer>(loop_, kTaskPause);
  timer->async_wait([this, timer, task, caller, until,
                     done = std::move(done)](const boost::system::error_code& error) mutable {
    if (!error) find_and_run(task, caller, until, std::move(done));
  });
}

void Jobs::find_and_run(const wire::RunTask& task, const ResCaller& caller,
                        std::chrono::steady_clock::time_point until, TaskDone done) {
  TaskAnswer answer;
  if (task.has_job()) {
    const auto job = find_for(task.job());
    // Wait while the order of a job that begins here is not durable yet: a task must not start it. Wait also until leftovers of
    // an earlier guard and shepherd are killed.
    const bool soon = !job || job->clearing || (job->first_host() && !job->alive && !job->over);
    if (soon && std::chrono::steady_clock::now() < until)
      return ask_again(task, caller, until, std::move(done));
    if (soon || job->over) {
      answer.no_job = true;
      answer.why_not = "no such job on " + configuration_->host;
      return done(answer);
    }
    if (!acts_for_job(caller, job->order.uid(), job->order.user())) {
      answer.not_allowed = true;
      answer.why_not = "the job is of user " + printable(job->order.user()) + ", and " +
                       called_here(caller, configuration_->host);
      return done(answer);
    }
    return begin_task(job, task, std::move(done));
  }
  run_outside(task, caller, std::move(done));
}

void Jobs::run_outside(const wire::RunTask& task, const ResCaller& caller, TaskDone done) {
  if (caller.name.empty()) {
    TaskAnswer answer;
    answer.not_allowed = true;
    answer.why_not = called_here(caller, configuration_->host);
    return done(answer);
  }
  // Take the share before the look-up: a user may ask for many tasks meanwhile.
  if (!task_shares_.take(caller.uid)) {
    TaskAnswer answer;
    answer.not_allowed = true;
    answer.why_not = "you have " + std::to_string(task_shares_.held(caller.uid)) + " tasks on " +
                     configuration_->host + " already, and each user may have " +
                     std::to_string(task_shares_.most()) + " outside of jobs (ROLLCALL_USER_TASKS)";
    return done(answer);
  }
  with_order({caller.name, caller.uid},
             [this, task, caller, done = std::move(done)](Result<wire::JobOrder> order) {
               TaskAnswer answer;
               if (order) {
                 order->set_task_only(true);
                 // A RES that restarted keeps its pid and may still hold its old tasks: skip their names.
                 std::string name;
                 do name = "task." + std::to_string(getpid()) + "." + std::to_string(next_number_++);
                 while (jobs_.contains(name));
                 if (const auto job = make(name, *order, answer.why_not)) {
                   job->share = caller.uid;
                   return begin_task(job, task, done);
                 }
               } else {
                 answer.why_not = order.error().text;
               }
               task_shares_.give(caller.uid);
               done(answer);
             });
}

void Jobs::begin_task(const JobPtr& job, const wire::RunTask& task, TaskDone done) {
  if (!job->alive) {
    // An earlier shepherd for tasks may have left these files here.
    for (const char* left : {"end", "post", "s"}) unlinkat(job->directory.get(), left, 0);
    fchmodat(job->directory.get(), "order", 0600, 0);
    if (!start_guard(job)) {
      TaskAnswer answer;
      answer.why_not = job->over ? job->over->why() : "cannot start a shepherd";
      if (job->order.task_only()) forget(job);
      return done(answer);
    }
  }
  // The shepherd runs as the user, and one of the user's file systems may block it for any time.
  if (job->socket.unsent() > kMostForShepherd) {
    TaskAnswer answer;
    answer.why_not = "the shepherd of the job on " + configuration_->host + " does not take what it is sent";
    return done(answer);
  }
  wire::ToShepherd message;
  auto& expect = *message.mutable_task();
  expect.set_number(next_number_++);
  *expect.mutable_task() = task;
  expect.set_key(io::random_bytes(kKeyBytes));
  job->tasks[expect.number()] = {expect.key(), std::move(done)};
  send(job, message);
}

bool Jobs::peek(const wire::Peek& asked, const ResCaller& caller, bool administrator, std::int64_t from,
                PeekDone done) {
  const auto job = find_for(asked.job());
  if (!job || !listens(job->socket) ||
      (!acts_for_job(caller, job->order.uid(), job->order.user()) && !administrator))
    return false;
  read_part(job, asked.errors(), from, std::move(done));
  return true;
}

void Jobs::read_part(const JobPtr& job, bool errors, std::int64_t from, PeekDone done) {
  wire::ToShepherd message;
  auto& part = *message.mutable_peek();
  part.set_number(next_number_++);
  part.set_errors(errors);
  part.set_from(from);
  job->peeks[part.number()] = std::move(done);
  send(job, message);
}

// For mbatchd, which has looked at who asks.
void Jobs::read(const wire::ToRes::ReadPiece& asked) {
  const auto tell = [this, number = asked.number()](const wire::PeekedPart& part, bool later) {
    FromRes told;
    auto& read = *told.mutable_read();
    read.set_number(number);
    read.mutable_piece()->set_data(part.data());
    read.mutable_piece()->set_over(part.over());
    read.mutable_piece()->set_why_not(part.why_not());
    read.mutable_piece()->set_later(later);
    handler_.tell(told);
  };
  const auto job = find(asked.job());
  if (!job || job->over) {
    wire::PeekedPart none;
    none.set_over(job != nullptr);
    if (!job) none.set_why_not("no such job is on " + configuration_->host);
    return tell(none, true);
  }
  if (!listens(job->socket)) {  // most likely it ends just now: over() answers then
    job->peeks[next_number_++] = [tell](const wire::PeekedPart& part) { tell(part, false); };
    return;
  }
  read_part(job, asked.asked().operation() == wire::PieceAsked::ERRORS, asked.asked().from(),
            [tell](const wire::PeekedPart& part) { tell(part, false); });
}

}  // namespace rollcall::res
