// within: does work that may hang for another's sake (a file of a dead file server) in a thread, and waits for it up to a limit.
// It cannot end the work: a hanging system call cannot be ended. The thread stays behind with what the work owns until the
// process ends; so the work must own all that it uses, and the caller should end soon.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace rollcall::io {

// None where the limit has passed, or no thread can be started.
template <class Value>
std::optional<Value> within(std::chrono::milliseconds limit, std::function<Value()> work) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable done;
    std::optional<Value> value;
  };
  const auto shared = std::make_shared<Shared>();
  // Signals are for the caller's threads: one that it reads by a descriptor must not end the process here.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto restore = [&before] { pthread_sigmask(SIG_SETMASK, &before, nullptr); };
  try {
    std::thread([shared, work = std::move(work)] {
      Value value = work();
      const std::lock_guard lock(shared->mutex);
      shared->value.emplace(std::move(value));
      shared->done.notify_one();
    }).detach();
  } catch (const std::system_error&) {
    restore();
    return std::nullopt;
  }
  restore();
  std::unique_lock lock(shared->mutex);
  shared->done.wait_for(lock, limit, [&] { return shared->value.has_value(); });
  return std::exchange(shared->value, std::nullopt);
}

}  // namespace rollcall::io
