// LoadWatch: asks the master LIM what hosts there are and how loaded they are, every few seconds.
//
// Owns one thread, since a question may wait for a host that is away; the answers come as values into the loop. What they
// mean for jobs is elsewhere (sched/policy/answers/snapshot_keeper.hpp). After its end nothing is heard; a thread that still waits is
// left to itself and touches nothing of ours any more.
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
