#include "common/io/random_bytes.hpp"

#include <sys/random.h>
#include <sys/types.h>

namespace rollcall::io {

std::string random_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = getrandom(bytes.data() + done, size - done, 0);
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace rollcall::io
