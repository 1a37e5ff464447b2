// SideThread: work beside a daemon's loop.
#include "common/io/side_thread.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <new>
#include <vector>

namespace rollcall::io {
namespace {

using End = SideThread::End;

TEST(SideThread, WorkWithoutMemoryEndsNoDaemonAndTheNextIsDone) {
  boost::asio::io_context loop;
  SideThread thread(loop, {.waiting = 4, .patience = std::chrono::seconds(30)});
  std::vector<End> ends;
  const auto told = [&](End end) {
    ends.push_back(end);
    if (ends.size() == 2) loop.stop();
  };
  bool done = false;
  thread.ask([] { throw std::bad_alloc(); }, told);
  thread.ask([&done] { done = true; }, told);
  loop.run_for(std::chrono::seconds(20));
  EXPECT_EQ(ends, (std::vector<End>{End::crowded, End::finished}));
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace rollcall::io
