#include "common/io/read_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

namespace rollcall::io {

boost::system::result<std::string> read_file(const std::string& path) {
  const auto failed = [] { return boost::system::error_code(errno, boost::system::system_category()); };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed();
  std::string content;
  char buffer[4096];
  ssize_t size = 0;
  while ((size = read(fd, buffer, sizeof buffer)) > 0 && content.size() <= kMostRead)
    content.append(buffer, static_cast<std::size_t>(size));
  if (size > 0) errno = EFBIG;
  const auto error = failed();
  close(fd);
  if (size != 0) return error;
  return content;
}

}  // namespace rollcall::io
