// The daemons' log where its reader is slow or gone.
#include "common/io/log.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <unistd.h>

#include <string>

#include "common/io/descriptor.hpp"

namespace rollcall::io {
namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    from = Descriptor(ends[0]);
    to = Descriptor(ends[1]);
  }
  std::string read_some() const {
    std::string text(1 << 16, '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(from.get(), text.data(), text.size()), 0)));
    return text;
  }
  Descriptor from, to;
};

TEST(Log, WritesAnyTextAsOneLine) {
  const Pipe pipe;
  Log(pipe.to.get(), "lim", Level::info).error("found\nmore\x1b[31m\xc2\x9b" "0m");
  EXPECT_THAT(pipe.read_some(), ::testing::MatchesRegex("20.*lim.*: error: found more..31m.0m\n"));
}

// A log that waited here would wait for ever: the test would be ended by its time limit.
TEST(Log, DropsTheLineWhereItsPipeIsFull) {
  const Pipe pipe;
  const Log log(pipe.to.get(), "lim", Level::info);
  for (int i = 0; i < 2000; ++i) log.info(std::string(100, 'x'));
  EXPECT_GT(pipe.read_some().size(), 1U << 15);
  log.info("and then somebody does");
  EXPECT_THAT(pipe.read_some(), ::testing::HasSubstr("and then somebody does\n"));
}

TEST(Log, ALineIsNotLongerThanAPipeTakesAtOnce) {
  const Pipe pipe;
  Log(pipe.to.get(), "lim", Level::info).info(std::string(10'000, 'x'));
  const std::string text = pipe.read_some();
  EXPECT_EQ(text.size(), static_cast<std::size_t>(PIPE_BUF));
  EXPECT_TRUE(text.ends_with("x\n"));
}

}  // namespace
}  // namespace rollcall::io
