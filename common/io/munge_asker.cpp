#include "common/io/munge_asker.hpp"

#include <pwd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "common/base/fair_queue.hpp"

namespace rollcall::io {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kWithMunged =
    8;  // questions given to the thread at once, so that it need not wait for the loop

Result<KnownUser> ask_munge(const MungeAsker::Question& question) {
  const auto identity = munge_decode(question.credential, question.payload, question.socket);
  if (!identity) return identity.error();
  return KnownUser{identity->uid, identity->gid, user_name(identity->uid)};
}

NotKnown overloaded(const std::string& what) { return {true, "overloaded: " + what + "; try again later"}; }

NotKnown unanswered(Duration patience) {
  char text[60];
  std::snprintf(text, sizeof text, "MUNGE: munged did not answer within %g s",
                std::chrono::duration<double>(patience).count());
  return {true, text};
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
      : loop_(loop),
        limits_(limits),
        look_up_(std::move(look_up)),
        thread_(std::in_place, loop, SideThread::Limits{kWithMunged, limits.patience}),
        timer_(loop) {}

  void ask(Question question, Told told) {
    const std::string asker = question.asker;
    if (const std::size_t own = line_.waiting(asker); own >= limits_.each)
      return refuse(std::move(told), std::to_string(own) + " requests of " + asker +
                                         " wait already for munged to say who they are");
    if (const std::size_t all = line_.size() + with_munged_; all >= limits_.waiting)
      return refuse(std::move(told),
                    std::to_string(all) + " clients wait already for munged to say who they are");
    line_.push(asker, {std::move(question), std::move(told), steady_clock::now() + limits_.line});
    feed();
    watch();
  }

  void end() {
    thread_.reset();
    timer_.cancel();
  }

 private:
  struct Waiting {
    Question question;
    Told told;
    steady_clock::time_point until;
  };

  void refuse(Told told, const std::string& what) {
    boost::asio::post(loop_, [weak = weak_from_this(), told = std::move(told), error = overloaded(what)] {
      if (const auto self = weak.lock(); self && self->thread_) told(error);
    });
  }

  void feed() {
    while (thread_ && with_munged_ < kWithMunged) {
      auto next = line_.pop();
      if (!next) return;
      hand_over(std::move(*next));
    }
  }

  void hand_over(Waiting next) {
    ++with_munged_;
    const auto answer = std::make_shared<std::optional<Result<KnownUser>>>();
    thread_->ask(
        [answer, look_up = look_up_, question = std::move(next.question)] { *answer = look_up(question); },
        [weak = weak_from_this(), answer, told = std::move(next.told)](SideThread::End end) {
          const auto self = weak.lock();
          if (!self) return;
          --self->with_munged_;
          self->feed();
          told(self->answer_of(end, *answer));
        });
  }

  Answer answer_of(SideThread::End end, const std::optional<Result<KnownUser>>& answer) const {
    if (end == SideThread::End::late) return unanswered(limits_.patience);
    if (end == SideThread::End::crowded || !answer)
      return overloaded("the system gives no thread or no memory");
    if (!*answer) return NotKnown{munged_is_away(answer->error()), answer->error().text};
    return **answer;
  }

  // All questions have the same limit, so the heads are the oldest; a coarse timer is enough.
  void watch() {
    if (watching_ || line_.empty()) return;
    watching_ = true;
    timer_.expires_after(limits_.line / 8);
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (error || !self) return;
      self->watching_ = false;
      self->expire();
      self->watch();
    });
  }

  void expire() {
    const auto now = steady_clock::now();
    const auto over = line_.take_out([now](const Waiting& waiting) { return waiting.until <= now; });
    for (const auto& waiting : over) {
      if (!thread_) return;  // the callback has ended us
      waiting.told(overloaded("munged has not come to this request in time"));
    }
  }

  boost::asio::io_context& loop_;
  Limits limits_;
  LookUp look_up_;
  FairQueue<Waiting> line_;
  std::size_t with_munged_ = 0;
  std::optional<SideThread> thread_;  // none: the MungeAsker has ended
  boost::asio::steady_timer timer_;
  bool watching_ = false;
};

MungeAsker::MungeAsker(boost::asio::io_context& loop, Limits limits) : MungeAsker(loop, limits, ask_munge) {}
MungeAsker::MungeAsker(boost::asio::io_context& loop, Limits limits, LookUp look_up)
    : impl_(std::make_shared<Impl>(loop, limits, std::move(look_up))) {}
MungeAsker::~MungeAsker() { impl_->end(); }
void MungeAsker::ask(Question question, Told told) { impl_->ask(std::move(question), std::move(told)); }

}  // namespace rollcall::io
