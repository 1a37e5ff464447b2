// Jobs: starts the guards and shepherds of this host's jobs, reads from them, finds them again, and handles their ends.
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/io/durable_file.hpp"
#include "res/daemon/job_here.hpp"
#include "res/daemon/orphans.hpp"
#include "res/policy/job_files.hpp"
#include "res/policy/span_file.hpp"

namespace rollcall::res {

using boost::asio::posix::stream_descriptor;

// ---- shepherds

bool Jobs::start_guard(const JobPtr& job) {
  io::Descriptor lock = lock_job(job->directory.get());
  int ends[2];
  if (!lock || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    job->over = own_end(job->attempt, FromRes::JobOver::NOT_STARTED,
                        std::string("cannot begin the job: ") + std::strerror(errno));
    never_begins(job->directory.get(), *job->over);
    return false;
  }
  io::Descriptor ours(ends[0]);
  const io::Descriptor theirs(ends[1]);
  const auto program = io::open_trusted_program(configuration_->trust, shepherd_);
  if (!program) return does_not_start(job, program.error().text);
  io::SpawnPlan plan;
  plan.program = program->get();
  plan.argv = {shepherd_, job->order.task_only() ? "task" : job_text(job->attempt.key())};
  plan.environment = {"PATH=/bin:/usr/bin"};
  plan.mask = mask_;
  plan.own_session = true;
  plan.open_files = open_files_;
  plan.directory = directories_.path(job->name);
  plan.descriptors = {{lock.get(), 3}, {theirs.get(), 4}};
  auto started = io::Child::start(loop_, plan, nullptr);  // the job's directory tells how it ended
  if (const auto* error = std::get_if<io::SpawnError>(&started))
    return does_not_start(job, std::string("cannot ") + io::stage_text(error->stage) + " " + error->path +
                                   ": " + std::strerror(error->error));
  job->guard = std::get<io::Child>(std::move(started));
  job->alive = true;
  job->cleared = false;
  connect(job, std::move(ours));
  return true;
}

bool Jobs::does_not_start(const JobPtr& job, const std::string& why) {
  job->over = own_end(job->attempt, FromRes::JobOver::NOT_STARTED, why);
  log_.error("job " + job_text(job->attempt.key()) + ": " + why);
  never_begins(job->directory.get(), *job->over);
  return false;
}

void Jobs::connect(const JobPtr& job, io::Descriptor socket) {
  job->drop_socket();
  job->socket = io::FrameSocket(std::move(socket));
  job->watch.emplace(loop_, job->socket.fd());
  for (const auto& bytes : std::exchange(job->unsent, {}))
    if (job->socket.send(bytes)) write_later(job);
  await(job);
}

void Jobs::await(const JobPtr& job) {
  job->watch->async_wait(stream_descriptor::wait_read, [this, weak = std::weak_ptr(job)](
                                                           const boost::system::error_code& error) {
    const auto held = weak.lock();
    if (error || !held || !held->watch) return;
    const bool up = held->socket.receive([&](std::string_view bytes) -> Result<void> {
      wire::FromShepherd message;
      if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return internal_error("found a message that cannot be read, expected FromShepherd");
      from_shepherd(held, message);
      return {};
    });
    if (!up) return lost(held);
    if (held->watch) await(held);
  });
}

void Jobs::send(const JobPtr& job, const wire::ToShepherd& message) {
  // A shepherd that is gone needs no message: its end is on disk. Messages wait for one that is alive but not connected yet, and
  // for one that has not begun because its order is still being noted.
  const bool to_come = job->alive || (job->first_host() && !job->guard && !job->over);
  if (!job->socket && to_come && job->unsent.size() < kMostUnsent)
    job->unsent.push_back(message.SerializeAsString());
  if (job->socket && job->socket.send(message.SerializeAsString())) write_later(job);
}

void Jobs::write_later(const JobPtr& job) {
  if (!job->socket.wants_to_write() || job->writing) return;
  job->writing = true;
  job->watch->async_wait(stream_descriptor::wait_write,
                         [this, weak = std::weak_ptr(job)](const boost::system::error_code& error) {
                           const auto held = weak.lock();
                           if (error || !held || !held->socket) return;
                           held->writing = false;
                           if (held->socket.flush()) write_later(held);
                         });
}

// The shepherd runs as the user, so its messages count for its own job alone.
void Jobs::from_shepherd(const JobPtr& job, const wire::FromShepherd& message) {
  if (message.has_place()) {
    const auto task = job->tasks.find(message.place().number());
    if (task == job->tasks.end()) return;
    TaskAnswer answer;
    answer.why_not = message.place().why_not();
    answer.place.set_host(configuration_->host);
    answer.place.set_port(message.place().port());
    answer.place.set_key(task->second.first);
    const auto done = std::move(task->second.second);
    job->tasks.erase(task);
    return done(answer);
  }
  if (message.has_peeked()) {
    const auto peek = job->peeks.find(message.peeked().number());
    if (peek == job->peeks.end()) return;
    const auto done = std::move(peek->second);
    job->peeks.erase(peek);
    return done(message.peeked());
  }
  if (!message.has_told()) return;
  FromRes told = message.told();
  switch (told.message_case()) {
    case FromRes::kReady:
      *told.mutable_ready()->mutable_job() = job->attempt;
      told.mutable_ready()->mutable_stream()->set_host(configuration_->host);
      job->ready = told;
      break;
    case FromRes::kRunning:
      *told.mutable_running()->mutable_job() = job->attempt;
      job->running = told;
      break;
    case FromRes::kUsage:
      *told.mutable_usage()->mutable_job() = job->attempt;
      job->used = told;
      break;
    case FromRes::kStopped:
      *told.mutable_stopped()->mutable_job() = job->attempt;
      job->stopped = told;
      break;
    case FromRes::kResumed:
      *told.mutable_resumed()->mutable_job() = job->attempt;
      job->stopped.reset();
      break;
    case FromRes::kOver:
      return look(job);  // the end is on disk
    default:
      return;
  }
  handler_.tell(told);
}

void Jobs::lost(const JobPtr& job) {
  job->drop_socket();
  job->pause = kFirstLook;
  look(job);
}

// Reads what the guard has written. Waits until the guard is gone: it may be killing processes that a killed shepherd left.
void Jobs::look(const JobPtr& job) {
  const auto kept = read_kept(job->directory.get());
  if (kept.post) job->post = kept.post;
  if (kept.over && !job->over) {
    job->over = kept.over;
    *job->over->mutable_job() = job->attempt;
    if (!kept.over->why().empty())
      log_.notice("job " + job_text(job->attempt.key()) + ": " + kept.over->why());
    if (job->post) *job->post->mutable_job() = job->attempt;
  }
  if (job->socket && job->over && !job->over_told) {  // the post-execution or the mail still runs
    job->over_told = true;
    return tell_job(job);
  }
  if (job->socket) return;
  const io::Descriptor lock = lock_job(job->directory.get());
  if (!lock) {
    // A shepherd that has just begun may not listen yet: try again later.
    if (auto socket = kept.over ? io::Descriptor() : connect_shepherd(job->directory.get()))
      return connect(job, std::move(socket));
    job->timer.expires_after(job->pause);
    job->pause = std::min(job->pause * 2, kLastLook);
    job->timer.async_wait([this, weak = std::weak_ptr(job)](const boost::system::error_code& error) {
      const auto held = weak.lock();
      if (!error && held && !held->socket) look(held);
    });
    return;
  }
  // The guard may have written between our first reading and its end.
  if (!kept.over || (kept.over->post_follows() && !kept.post)) {
    const auto again = read_kept(job->directory.get());
    if (again.over) job->over = again.over;
    if (again.post) job->post = again.post;
  }
  over(job);
}

// Guard and shepherd were killed together: kills the processes that they left, then the job is over. Until then no task may
// begin in the job's directory, since we know the job's processes by this directory.
void Jobs::clear_away(const JobPtr& job) {
  job->clearing = true;
  sweeper_.ask([path = directories_.path(job->name), uid = job->order.uid(),
                cgroups = cgroups_] { end_what_is_left(path, uid, cgroups); },
               [this, weak = std::weak_ptr(job)](io::SideThread::End) {
                 const auto held = weak.lock();
                 if (!held) return;
                 held->clearing = false;
                 held->cleared = true;
                 over(held);
               });
}

// Ends the job: neither its guard nor its shepherd runs.
void Jobs::over(const JobPtr& job) {
  job->alive = false;
  if (job->clearing) return;
  if (!job->over && !job->cleared) return clear_away(job);
  for (auto& [number, task] : job->tasks) {
    TaskAnswer answer;
    answer.why_not = "the shepherd of the job on " + configuration_->host + " has ended";
    task.second(answer);
  }
  job->tasks.clear();
  for (auto& [number, done] : job->peeks) {
    wire::PeekedPart part;
    part.set_over(true);
    done(part);
  }
  job->peeks.clear();
  if (!job->first_host()) {
    if (job->released || job->order.task_only() || job->unknown_there) return forget(job);
    job->over.reset();  // the job stays expected here: further tasks may come
    job->post.reset();
    return;
  }
  if (job->unknown_there) return forget(job);
  if (!job->over) {
    job->over = own_end(job->attempt, FromRes::JobOver::SHEPHERD_LOST,
                        "guard and shepherd of the job were killed on " + configuration_->host);
    keep_over(job->directory.get(), *job->over);
  }
  *job->over->mutable_job() = job->attempt;
  if (job->over->post_follows() && !job->post) {
    FromRes::PostOver post;
    post.set_failed(true);
    job->post = post;
  }
  if (job->post) *job->post->mutable_job() = job->attempt;
  if (job->over_acknowledged && !job->post) return forget(job);
  tell_job(job);
}

void Jobs::forget(const JobPtr& job) {
  const JobPtr keep = job;
  keep->timer.cancel();
  keep->unread_timer.cancel();
  keep->drop_socket();
  jobs_.erase(keep->name);
  if (span_of(keep->order)) spans_.remove(keep->name);
  if (keep->released && keep->tells_gone) tell_gone(keep->attempt);
  if (keep->first_host() && !keep->prepared) directories_.note_over(keep->attempt);
  if (keep->share) task_shares_.give(*std::exchange(keep->share, std::nullopt));
  remove_later(keep->name);
  forgotten();
}

// Frees the name at once and removes the contents later: the user may have left a million files.
void Jobs::remove_later(const std::string& name) {
  if (std::string aside = directories_.set_aside(name); !aside.empty()) removals_.add(std::move(aside));
}

// Writes one line for all directories that were found together: a user may leave many.
void Jobs::left_behind(const std::vector<LeftDirectory>& left) {
  const auto& first = left.front();
  std::string line = directories_.path(first.name) + " stays: user " + std::to_string(first.user) +
                     " could not remove what is in it: " + first.found;
  if (left.size() > 1) line += "; " + std::to_string(left.size() - 1) + " more like it";
  log_.error(line + ". Look at what it holds, then remove it as root");
  left_ = directories_.left();
  last_left_ = first.name + " of user " + std::to_string(first.user) + ": " + first.found;
  tell_left();
}

void Jobs::tell_left() {
  FromRes told;
  auto& left = *told.mutable_left_behind();
  left.set_directories(static_cast<std::uint32_t>(left_));
  left.set_place(directories_.path(std::string(kLeftPrefix)) + "*");
  left.set_last(last_left_);
  handler_.tell(told);
}

// Counts the left directories again: an administrator may have removed some.
void Jobs::beat() {
  end_idle_keepers();
  directories_.beat();
  if (left_ == 0) return;
  const std::size_t left = directories_.left();
  if (left == left_) return;
  left_ = left;
  last_left_.clear();
  tell_left();
}

// ---- a RES before us

void Jobs::adopt() {
  for (const auto& name : directories_.set_aside_before()) remove_later(name);
  for (const auto& name : directories_.names()) adopt_one(name);
  for (const auto& attempt : directories_.noted_before())
    if (!jobs_.contains(directory_name(attempt))) adopt_lost(attempt);
  left_ = directories_.left();
  if (left_ > 0)
    log_.warning(std::to_string(left_) +
                 " directories of earlier jobs stay until an administrator removes them: " +
                 directories_.path(std::string(kLeftPrefix)) + "*");
  if (!jobs_.empty()) log_.notice("found " + std::to_string(jobs_.size()) + " jobs of this host again");
}

void Jobs::adopt_one(const std::string& name) {
  auto job = std::make_shared<Job>(loop_);
  job->name = name;
  job->directory = directories_.open_job(name);
  if (!job->directory) return;
  bool begun = false;
  auto order = read_order(job->directory.get(), begun);
  if (!order) {
    if (adopt_prepared(job)) return;
    log_.warning(name + ": it has no order that can be read: it is removed");
    return remove_later(name);
  }
  const auto kept = read_kept(job->directory.get());
  job->order = std::move(*order);
  job->attempt = job->order.has_start() ? job->order.start().job() : job->order.expect().job();
  jobs_[name] = job;
  keep_span(*job);
  if (job->order.task_only() && task_shares_.take(job->order.uid())) job->share = job->order.uid();
  {
    const io::Descriptor lock = lock_job(job->directory.get());
    if (!lock) {
      job->alive = true;
      job->over = kept.over;  // if set, the post-execution or the mail still runs
      job->post = kept.post;
      job->over_told = job->over.has_value();
      if (auto socket = connect_shepherd(job->directory.get())) return connect(job, std::move(socket));
      return lost(job);  // only its guard is left, or the shepherd is just beginning: wait
    }
  }
  // The job may have ended since the first reading. The lock is free now, so what is on disk is final.
  if (!job->first_host() || read_kept(job->directory.get()).over) return look(job);
  read_order(job->directory.get(), begun);
  if (job->order.boot() != boot_) {
    job->over = own_end(job->attempt, FromRes::JobOver::HOST_RESTARTED,
                        configuration_->host + " went down under the job");
    keep_over(job->directory.get(), *job->over);
    return over(job);
  }
  if (begun) return over(job);
  start_soon(job);
}

// Takes over a prepared job without its go-ahead. If the host went down since, mbatchd orders the job again, because a go-ahead
// may have been lost.
bool Jobs::adopt_prepared(const JobPtr& job) {
  auto order = read_prepared(job->directory.get());
  if (!order || order->boot() != boot_) return false;
  job->prepared = true;
  job->order = std::move(*order);
  job->attempt = job->order.start().job();
  jobs_[job->name] = job;
  keep_span(*job);
  log_.info(job->name + ": it was prepared and waits for mbatchd's word to start");
  return true;
}

// The job may have started, and the host went down before the job's directory was on disk.
void Jobs::adopt_lost(const wire::JobAttempt& attempt) {
  auto job = std::make_shared<Job>(loop_);
  job->name = directory_name(attempt);
  job->attempt = attempt;
  *job->order.mutable_start()->mutable_job() = attempt;
  job->over =
      own_end(attempt, FromRes::JobOver::HOST_RESTARTED, configuration_->host + " went down under the job");
  jobs_[job->name] = job;
}

}  // namespace rollcall::res
