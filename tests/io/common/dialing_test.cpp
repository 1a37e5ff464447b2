// Dialling a host whose name server hangs.
#include "common/io/dialing.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <semaphore>

#include "common/io/host_lookup.hpp"
#include "common/io/links.hpp"
#include "common/io/side_thread.hpp"

namespace rollcall::io {
namespace {

using std::chrono::milliseconds;

std::binary_semaphore asked{0}, answer{0};

}  // namespace

// In place of the C library's.
Result<std::vector<HostAddress>> look_up(const std::string& host, int) {
  if (host != "hangs") return internal_error("Name or service not known");
  asked.release();
  answer.acquire();
  return internal_error("too late");
}

namespace {

constexpr auto kDeadline = std::chrono::seconds(60);

TEST(Dialing, HangingNameServerCountsAsSilenceAndDelaysNoOther) {
  std::optional<Dialled> result;
  {
    boost::asio::io_context loop;
    SideThread names(loop, {.waiting = 4, .patience = milliseconds(50)});
    dial(loop, names, "hangs", 1, milliseconds(50), [&](Dialled dialled) { result = std::move(dialled); });
    const auto until = std::chrono::steady_clock::now() + kDeadline;
    while (!result && std::chrono::steady_clock::now() < until) loop.run_one_for(milliseconds(20));
    asked.acquire();  // it does hang
  }                   // and this thread does not wait for it
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->socket);
  EXPECT_FALSE(result->refused);
  answer.release();
}

TEST(Dialing, UnknownNameCountsAsSilence) {
  boost::asio::io_context loop;
  SideThread names(loop, {.waiting = 4, .patience = kDeadline});
  std::optional<Dialled> result;
  dial(loop, names, "nobody", 1, milliseconds(50), [&](Dialled dialled) { result = std::move(dialled); });
  while (!result && loop.run_one_for(kDeadline) > 0) continue;
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->refused);
  EXPECT_EQ(result->why, "Name or service not known");
}

TEST(Dialing, LinksThatEndDuringALookupReportNothing) {
  bool told = false;
  {
    boost::asio::io_context loop;
    Links links(loop, ClusterKey{}, {},
                {{}, {}, [&](LinkId, LinkEnd, const std::string&) { told = true; }, {}});
    links.dial("hangs", 1);
    asked.acquire();
    links.shut_down();
    loop.run_for(milliseconds(20));
  }
  EXPECT_FALSE(told);
  answer.release();
}

}  // namespace
}  // namespace rollcall::io
