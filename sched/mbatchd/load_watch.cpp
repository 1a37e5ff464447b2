#include "sched/mbatchd/load_watch.hpp"

#include <signal.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "common/io/lim_client.hpp"

namespace rollcall::mbatchd {
namespace {

using wire::Request;

// Four questions, for a LIM that does not know AskCluster.
Result<sched::LoadNews> ask_in_four(const io::LimClient& lim) {
  sched::FourAnswers news;
  const auto take = [&lim](const Request& request, wire::Reply& reply) -> Result<void> {
    auto answer = lim.ask_master(request);
    if (answer.error) return internal_error(answer.error->text);
    reply = std::move(answer.reply);
    return {};
  };
  Request hosts, effective, normalised, shared;
  hosts.mutable_hosts();
  effective.mutable_load()->set_queue(Request::AskLoad::EFFECTIVE);
  normalised.mutable_load()->set_queue(Request::AskLoad::NORMALISED);
  shared.mutable_shared()->set_dynamic(true);
  if (const auto asked = take(hosts, news.hosts); !asked) return asked.error();
  if (const auto asked = take(effective, news.effective); !asked) return asked.error();
  if (const auto asked = take(normalised, news.normalised); !asked) return asked.error();
  // A cluster may have none.
  (void)take(shared, news.shared);
  return sched::load_news_of(std::move(news));
}

// An older LIM refuses unknown questions.
bool knows_not(const io::Answer& answer) {
  return answer.error ? answer.error->kind == io::ClientError::Kind::refused &&
                            answer.error->refusal.why() == wire::Reply::Refusal::FAILED
                      : !answer.reply.has_cluster();
}

Result<sched::LoadNews> ask(const conf::ClusterFiles& files) {
  const io::LimClient lim(files);
  Request request;
  request.mutable_cluster();
  auto answer = lim.ask_master(request);
  if (knows_not(answer)) return ask_in_four(lim);
  if (answer.error) return internal_error(answer.error->text);
  return std::move(*answer.reply.mutable_cluster());
}

}  // namespace

struct LoadWatch::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::shared_ptr<const conf::ClusterFiles> files;
  Duration interval{};
  bool look_now = false;
  bool ending = false;
  boost::asio::io_context* loop = nullptr;
  Told told;  // called in the loop only, and only while not `ending`

  static void run(const std::shared_ptr<Shared>& self) {
    std::unique_lock lock(self->mutex);
    while (!self->ending) {
      self->look_now = false;
      const auto files = self->files;
      lock.unlock();
      auto news = ask(*files);
      lock.lock();
      if (self->ending) return;
      // The loop exists until its owner sets `ending`, which takes our mutex.
      boost::asio::post(*self->loop, [self, news = std::move(news)]() mutable {
        if (!self->ending) self->told(std::move(news));
      });
      self->changed.wait_for(lock, self->interval, [&self] { return self->look_now || self->ending; });
    }
  }
};

LoadWatch::LoadWatch(boost::asio::io_context& loop, Told told) : shared_(std::make_shared<Shared>()) {
  shared_->loop = &loop;
  shared_->told = std::move(told);
}

LoadWatch::~LoadWatch() {
  const std::lock_guard lock(shared_->mutex);
  shared_->ending = true;
  shared_->changed.notify_all();
}

void LoadWatch::watch(std::shared_ptr<const conf::ClusterFiles> files, Duration interval) {
  bool first = false;
  {
    const std::lock_guard lock(shared_->mutex);
    first = !shared_->files;
    shared_->files = std::move(files);
    shared_->interval = interval;
    shared_->look_now = true;
    shared_->changed.notify_all();
  }
  if (!first) return;
  // Signals are for the loop's thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([shared = shared_] { Shared::run(shared); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LoadWatch::look() {
  const std::lock_guard lock(shared_->mutex);
  shared_->look_now = true;
  shared_->changed.notify_all();
}

}  // namespace rollcall::mbatchd
