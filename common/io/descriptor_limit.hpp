// descriptor_limit: the limit of open descriptors of this process. One inline function.
#pragma once

#include <sys/resource.h>

namespace rollcall::io {

// Raises the soft limit to the hard one. Returns the old limit, for the programs that this one starts.
inline rlimit raise_descriptor_limit() {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit raised{before.rlim_max, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
  return before;
}

}  // namespace rollcall::io
