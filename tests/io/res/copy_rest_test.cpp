// A job's output, copied for its mail: whole, or with the reason why not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "common/io/descriptor.hpp"
#include "res/shepherd/job_files_here.hpp"

namespace rollcall::res {
namespace {

io::Descriptor unnamed() { return io::Descriptor(open("/tmp", O_TMPFILE | O_RDWR, 0600)); }

TEST(CopyRest, CopiesAllThatIsLeft) {
  const auto from = unnamed(), to = unnamed();
  ASSERT_TRUE(from && to);
  const std::string text(200'000, 'x');
  ASSERT_EQ(write(from.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  lseek(from.get(), 1000, SEEK_SET);
  EXPECT_TRUE(copy_rest(from.get(), to.get()));
  EXPECT_EQ(lseek(to.get(), 0, SEEK_END), 199'000);
}

TEST(CopyRest, SaysWhatCannotBeRead) {
  const io::Descriptor directory(open("/tmp", O_RDONLY));
  const auto to = unnamed();
  EXPECT_FALSE(copy_rest(directory.get(), to.get()));
  EXPECT_EQ(errno, EISDIR);
}

TEST(CopyRest, SaysWhatCannotBeWritten) {
  const auto from = unnamed();
  ASSERT_EQ(write(from.get(), "x", 1), 1);
  lseek(from.get(), 0, SEEK_SET);
  const io::Descriptor full(open("/dev/full", O_WRONLY));
  EXPECT_FALSE(copy_rest(from.get(), full.get()));
  EXPECT_EQ(errno, ENOSPC);
}

}  // namespace
}  // namespace rollcall::res
