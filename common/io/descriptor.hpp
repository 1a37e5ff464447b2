// Descriptor: owns one file descriptor, and keeps it away from 0, 1 and 2.
//
// A program may be started with its standard streams closed. The next open descriptor would get such a number, and lines for
// stderr would go into it.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace rollcall::io {

class Descriptor {
 public:
  Descriptor() = default;
  // Takes ownership of `fd` (-1: none). A descriptor that had to be moved is close-on-exec.
  explicit Descriptor(int fd) : fd_(fd) {
    if (fd_ < 0 || fd_ > STDERR_FILENO) return;
    fd_ = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace rollcall::io
