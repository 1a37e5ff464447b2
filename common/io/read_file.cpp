#include "common/io/read_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io/descriptor.hpp"

namespace rollcall::io {
namespace {

using boost::system::error_code;

class NoRegularFile final : public boost::system::error_category {
  const char* name() const noexcept override { return "rollcall.file"; }
  std::string message(int) const override { return "found no regular file, expected one"; }
};

error_code failure() { return {errno, boost::system::system_category()}; }

boost::system::result<std::string> whole_of(const Descriptor& file) {
  std::string content;
  char buffer[4096];
  ssize_t size = 0;
  while ((size = read(file.get(), buffer, sizeof buffer)) > 0 && content.size() <= kMostRead)
    content.append(buffer, static_cast<std::size_t>(size));
  if (size > 0) errno = EFBIG;
  if (size != 0) return failure();
  return content;
}

}  // namespace

boost::system::result<std::string> read_file(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return failure();
  return whole_of(file);
}

boost::system::result<std::string> read_regular_file(const std::string& path) {
  static const NoRegularFile no_regular_file;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file && errno == ENXIO) return error_code(1, no_regular_file);  // a socket
  struct stat facts;
  if (!file || fstat(file.get(), &facts) != 0) return failure();
  if (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) return error_code(1, no_regular_file);
  return whole_of(file);
}

}  // namespace rollcall::io
