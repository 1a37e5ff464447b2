// MelimChild where there is no melim to start.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>

#include "common/io/descriptor.hpp"
#include "elim/lim/melim_child.hpp"

namespace rollcall::lim {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(MelimChild, RetriesAFailedStartAtGrowingIntervals) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const io::Descriptor said(ends[0]), told(ends[1]);
  const io::Log log(told.get(), "lim", io::Level::error);
  boost::asio::io_context loop;
  MelimProgram program;
  program.path = "/nonexistent/melim";
  MelimPauses pauses;
  pauses.least = milliseconds(10);
  MelimChild child(loop, program, pauses, log, {[](const auto&) {}, [](const auto&) {}, [] {}});
  wire::MelimOrders orders;
  orders.add_resources("scratch");
  const auto start = steady_clock::now();
  child.order(orders);
  // Tried at 0, 10, 30, 70, 150 and 310 ms at the earliest.
  for (int tries = 1; tries < 6; ++tries)
    ASSERT_EQ(loop.run_one_for(std::chrono::seconds(30)), 1U)
        << "try " << tries << " is to be followed by another";
  EXPECT_GE(steady_clock::now() - start, milliseconds(310));
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(said.get(), text.data(), text.size()), 0)));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6) << text;
  EXPECT_NE(text.find("/nonexistent/melim: No such file or directory"), std::string::npos) << text;
}

}  // namespace
}  // namespace rollcall::lim
