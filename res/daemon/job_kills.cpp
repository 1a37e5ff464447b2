// Jobs: carries out orders to kill that a job's shepherd does not read.
//
// The shepherd runs as the job's user. A file system that hangs, or an act of the job, may keep it from reading. Then bkill
// would not end the job. So RES checks whether the shepherd has read the order. If not, RES kills all processes below the job's
// guard. The guard runs as RES's user, and writes how the job ended.
#include <linux/sockios.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/io/process_tree.hpp"
#include "res/daemon/job_here.hpp"

namespace rollcall::res {
namespace {

constexpr std::chrono::seconds kTimeToRead{5};
// A shepherd that reads may have unread messages at one look, but not at kLooks in a row.
constexpr std::chrono::seconds kLookPause{1};
constexpr int kLooks = 5;

bool has_unread(const io::FrameSocket& socket) {
  int bytes = 0;
  return socket.unsent() > 0 || (ioctl(socket.fd(), SIOCOUTQ, &bytes) == 0 && bytes > 0);
}

// The pid of the process that created the other end of the socket: the guard, where RES has connected to a job of an earlier RES.
// For a socket pair that is RES itself, and the result is -1.
pid_t listener_of(const io::FrameSocket& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known = getsockopt(socket.fd(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  return known && peer.pid != getpid() ? peer.pid : -1;
}

}  // namespace

bool is_kill(const wire::ToRes::SignalJob& signal) {
  return signal.action() == wire::ToRes::SignalJob::TERMINATE || signal.signal() == SIGKILL;
}

void Jobs::see_that_it_is_read(const JobPtr& job) {
  if (job->unread_looks > 0) return;
  job->unread_looks = 1;
  look_for_unread(job, kTimeToRead);
}

void Jobs::look_for_unread(const JobPtr& job, std::chrono::seconds pause) {
  job->unread_timer.expires_after(pause);
  job->unread_timer.async_wait([this, weak = std::weak_ptr(job)](const boost::system::error_code& error) {
    const auto held = weak.lock();
    if (error || !held) return;
    if (!held->alive || !held->socket || !has_unread(held->socket)) {
      held->unread_looks = 0;
      return;
    }
    if (held->unread_looks++ < kLooks) return look_for_unread(held, kLookPause);
    held->unread_looks = 0;
    kill_below_guard(*held);
  });
}

void Jobs::kill_below_guard(const Job& job) {
  const pid_t guard = job.guard ? job.guard.pid() : listener_of(job.socket);
  // The guard holds its lock as long as it lives: if it is held, the pid is still the guard's.
  if (guard <= 0 || lock_job(job.directory.get())) return;
  log_.warning("job " + job_text(job.attempt.key()) +
               ": its shepherd does not take the order to kill: RES kills " + "all that is below its guard");
  io::signal_if_below(guard, SIGKILL, io::descendants_of(guard));
}

}  // namespace rollcall::res
