#include "common/io/at_once.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace rollcall::io {

void at_once(std::size_t count, std::size_t most, const std::function<void(std::size_t)>& work,
             const std::function<void(std::size_t)>& tell) {
  std::mutex mutex;
  std::condition_variable one_is_done;
  std::vector<bool> done(count);
  std::size_t next = 0;
  const auto run = [&] {
    for (std::unique_lock lock(mutex); next < count;) {
      const std::size_t mine = next++;
      lock.unlock();
      work(mine);
      lock.lock();
      done[mine] = true;
      one_is_done.notify_one();
    }
  };
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 0; i < std::min(count, most); ++i) threads.emplace_back(run);
  } catch (const std::system_error&) {  // no further thread can be had: the existing ones do all the work
    if (threads.empty()) run();
  }
  for (std::size_t told = 0; told < count; ++told) {
    {
      std::unique_lock lock(mutex);
      one_is_done.wait(lock, [&] { return done[told]; });
    }
    tell(told);
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace rollcall::io
