#include "common/io/side_thread.hpp"

#include <signal.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace rollcall::io {
namespace {

using std::chrono::steady_clock;

// Shared by loop and thread. It outlives the SideThread where the work hangs.
struct Desk {
  struct Item {
    std::uint64_t id;
    steady_clock::time_point until;
    std::function<void()> work;
  };

  std::mutex mutex;
  std::condition_variable came;
  std::deque<Item> items;
  boost::asio::io_context* loop = nullptr;  // none: the SideThread has ended
  std::function<void(std::uint64_t, bool done)>
      finished;  // called in the loop; false: not enough memory for the work
};

// Work whose time is over is skipped. Results that come late are dropped by the loop.
void run(const std::shared_ptr<Desk>& desk) {
  std::unique_lock lock(desk->mutex);
  for (;;) {
    desk->came.wait(lock, [&] { return desk->loop == nullptr || !desk->items.empty(); });
    if (desk->loop == nullptr) return;
    auto item = std::move(desk->items.front());
    desk->items.pop_front();
    if (item.until <= steady_clock::now()) continue;
    lock.unlock();
    bool done = true;
    try {
      item.work();
    } catch (const std::bad_alloc&) {
      done = false;
    }
    item.work = nullptr;  // freed before the result is reported
    lock.lock();
    if (desk->loop == nullptr) return;
    boost::asio::post(*desk->loop, [finished = desk->finished, id = item.id, done] { finished(id, done); });
  }
}

// Signals are for the loop's thread.
bool start_thread(const std::shared_ptr<Desk>& desk) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    std::thread([desk] { run(desk); }).detach();
  } catch (const std::system_error&) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace

class SideThread::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(boost::asio::io_context& loop, Limits limits) : loop_(loop), timer_(loop), limits_(limits) {
    desk_->loop = &loop;
  }

  void ask(std::function<void()> work, std::function<void(End)> done) {
    if (waiting_.size() >= limits_.waiting || !begin()) return refuse(std::move(done));
    const auto until = steady_clock::now() + limits_.patience;
    const std::uint64_t id = next_++;
    waiting_.emplace(id, Waiting{until, std::move(done)});
    if (waiting_.size() == 1) watch();
    const std::lock_guard lock(desk_->mutex);
    auto& items = desk_->items;  // while the thread hangs, overdue items must be removed here
    while (!items.empty() && items.front().until <= steady_clock::now()) items.pop_front();
    items.push_back({id, until, std::move(work)});
    desk_->came.notify_one();
  }

  void end() {
    const std::lock_guard lock(desk_->mutex);
    desk_->loop = nullptr;
    desk_->items.clear();
    desk_->came.notify_one();
    waiting_.clear();
    timer_.cancel();
  }

 private:
  struct Waiting {
    steady_clock::time_point until;
    std::function<void(End)> done;
  };

  bool begin() {
    if (begun_) return true;
    desk_->finished = [weak = weak_from_this()](std::uint64_t id, bool done) {
      if (const auto self = weak.lock()) self->tell(id, done ? End::finished : End::crowded);
    };
    return begun_ = start_thread(desk_);
  }

  void refuse(std::function<void(End)> done) {
    boost::asio::post(loop_, [weak = weak_from_this(), done = std::move(done)] {
      if (!weak.expired()) done(End::crowded);
    });
  }

  void tell(std::uint64_t id, End end) {
    const auto waits = waiting_.find(id);
    if (waits == waiting_.end()) return;  // already reported as late
    const auto done = std::move(waits->second.done);
    waiting_.erase(waits);
    done(end);
  }

  // All items have the same patience, so the first to come is the first to expire.
  void watch() {
    if (waiting_.empty()) return;
    timer_.expires_at(waiting_.begin()->second.until);
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (error || !self) return;
      while (!self->waiting_.empty() && self->waiting_.begin()->second.until <= steady_clock::now())
        self->tell(self->waiting_.begin()->first, End::late);
      self->watch();
    });
  }

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  Limits limits_;
  std::shared_ptr<Desk> desk_ = std::make_shared<Desk>();
  std::map<std::uint64_t, Waiting> waiting_;  // by age, since ids grow
  std::uint64_t next_ = 1;
  bool begun_ = false;
};

SideThread::SideThread(boost::asio::io_context& loop, Limits limits)
    : impl_(std::make_shared<Impl>(loop, limits)) {}
SideThread::~SideThread() { impl_->end(); }
void SideThread::ask(std::function<void()> work, std::function<void(End)> done) {
  impl_->ask(std::move(work), std::move(done));
}

}  // namespace rollcall::io
