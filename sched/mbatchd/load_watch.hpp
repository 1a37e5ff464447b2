// LoadWatch: asks the master LIM for the hosts and their load, every few seconds.
//
// Owns one thread, since a question may wait for a host that is away; the answers come as values into the loop.
// sched/policy/answers/snapshot_keeper.hpp applies them. After its end no answer comes; a thread that still waits then ends by
// itself and touches nothing of mbatchd.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"
#include "sched/policy/values/load_news.hpp"

namespace boost::asio {
class io_context;
}
namespace rollcall::conf {
struct ClusterFiles;
}

namespace rollcall::mbatchd {

class LoadWatch {
 public:
  using Told = std::function<void(Result<sched::LoadNews>)>;  // the error is one line

  // `told` is called in the loop, once for each look.
  LoadWatch(boost::asio::io_context& loop, Told told);
  ~LoadWatch();

  // Looks at once, then every `interval` with these files.
  void watch(std::shared_ptr<const conf::ClusterFiles> files, Duration interval);
  // One more look now.
  void look();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace rollcall::mbatchd
