#include "common/io/munge_asker.hpp"

#include <pwd.h>
#include <signal.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace rollcall::io {
namespace {

using std::chrono::steady_clock;

Result<KnownUser> ask_munge(const MungeAsker::Question& question) {
  const auto identity = munge_decode(question.credential, question.payload, question.socket);
  if (!identity) return identity.error();
  return KnownUser{identity->uid, identity->gid, user_name(identity->uid)};
}

// What loop and thread share. It outlives the asker where the thread hangs.
struct Desk {
  struct Item {
    std::uint64_t id;
    steady_clock::time_point until;
    MungeAsker::Question question;
  };
  using Answer = std::function<void(std::uint64_t, const Result<KnownUser>&)>;

  std::mutex mutex;
  std::condition_variable came;
  std::deque<Item> items;
  boost::asio::io_context* loop = nullptr;  // none: the asker has ended
  Answer answer;                            // called in the loop
  MungeAsker::LookUp look_up;
};

// Nobody waits any more for a question whose time is over: a munged that is back is not asked about it.
void work(const std::shared_ptr<Desk>& desk) {
  std::unique_lock lock(desk->mutex);
  for (;;) {
    desk->came.wait(lock, [&] { return desk->loop == nullptr || !desk->items.empty(); });
    if (desk->loop == nullptr) return;
    const auto item = std::move(desk->items.front());
    desk->items.pop_front();
    if (item.until <= steady_clock::now()) continue;
    lock.unlock();
    auto found = desk->look_up(item.question);
    lock.lock();
    if (desk->loop == nullptr) return;
    boost::asio::post(*desk->loop,
                      [answer = desk->answer, id = item.id, found = std::move(found)] { answer(id, found); });
  }
}

// Signals are the loop's.
void start_thread(const std::shared_ptr<Desk>& desk) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::error_code failed;
  try {
    std::thread([desk] { work(desk); }).detach();
  } catch (const std::system_error& error) {
    failed = error.code();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed) throw std::system_error(failed);
}

}  // namespace

std::string user_name(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16 * 1024> room;
  getpwuid_r(uid, &entry, room.data(), room.size(), &found);
  return found == nullptr ? "" : found->pw_name;
}

class MungeAsker::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(boost::asio::io_context& loop, Limits limits, LookUp look_up)
      : loop_(loop), timer_(loop), limits_(limits) {
    desk_->look_up = std::move(look_up);
    desk_->loop = &loop;
  }

  void ask(Question question, Told told) {
    if (waiting_.size() >= limits_.waiting)
      return refuse(std::move(told), "MUNGE: " + std::to_string(limits_.waiting) +
                                         " clients wait already for munged to say who they are");
    try {
      begin();
    } catch (const std::system_error& error) {
      return refuse(std::move(told), std::string("MUNGE: cannot be asked: ") + error.what());
    }
    const auto until = steady_clock::now() + limits_.patience;
    const std::uint64_t id = next_++;
    waiting_.emplace(id, Waiting{until, std::move(told)});
    if (waiting_.size() == 1) watch();
    const std::lock_guard lock(desk_->mutex);
    auto& items = desk_->items;  // while munged hangs nobody takes the old ones
    while (!items.empty() && items.front().until <= steady_clock::now()) items.pop_front();
    items.push_back({id, until, std::move(question)});
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
    Told told;
  };

  void begin() {
    if (begun_) return;
    desk_->answer = [weak = weak_from_this()](std::uint64_t id, const Result<KnownUser>& found) {
      if (const auto self = weak.lock()) self->tell(id, found);
    };
    start_thread(desk_);
    begun_ = true;
  }

  void refuse(Told told, const std::string& line) {
    boost::asio::post(loop_, [weak = weak_from_this(), told = std::move(told), line] {
      if (!weak.expired()) told(internal_error(line));
    });
  }

  void tell(std::uint64_t id, const Result<KnownUser>& found) {
    const auto waits = waiting_.find(id);
    if (waits == waiting_.end()) return;  // it was told that its time is over
    const Told told = std::move(waits->second.told);
    waiting_.erase(waits);
    told(found);
  }

  // All have the same patience: the first to come is the first whose time is over.
  void watch() {
    if (waiting_.empty()) return;
    timer_.expires_at(waiting_.begin()->second.until);
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (error || !self) return;
      self->give_up_on_the_late();
      self->watch();
    });
  }

  void give_up_on_the_late() {
    const auto seconds = std::chrono::duration<double>(limits_.patience).count();
    char text[60];
    std::snprintf(text, sizeof text, "MUNGE: munged did not answer within %g s", seconds);
    while (!waiting_.empty() && waiting_.begin()->second.until <= steady_clock::now())
      tell(waiting_.begin()->first, internal_error(text));
  }

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  Limits limits_;
  std::shared_ptr<Desk> desk_ = std::make_shared<Desk>();
  std::map<std::uint64_t, Waiting> waiting_;  // by age, since ids grow
  std::uint64_t next_ = 1;
  bool begun_ = false;
};

MungeAsker::MungeAsker(boost::asio::io_context& loop, Limits limits) : MungeAsker(loop, limits, ask_munge) {}
MungeAsker::MungeAsker(boost::asio::io_context& loop, Limits limits, LookUp look_up)
    : impl_(std::make_shared<Impl>(loop, limits, std::move(look_up))) {}
MungeAsker::~MungeAsker() { impl_->end(); }
void MungeAsker::ask(Question question, Told told) { impl_->ask(std::move(question), std::move(told)); }

}  // namespace rollcall::io
