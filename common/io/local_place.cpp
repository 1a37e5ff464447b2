#include "common/io/local_place.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

bool on_local_disk(const std::string& directory) {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_CACHED;
  const Descriptor place(
      static_cast<int>(syscall(SYS_openat2, AT_FDCWD, directory.c_str(), &how, sizeof how)));
  struct statx info {};
  return place && statx(place.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &info) == 0 &&
         info.stx_dev_major != 0;  // 0: no block device
}

}  // namespace rollcall::io
