// local_place: whether a directory is on a local disk, without asking any file server: the kernel answers from its cache. False
// also where the kernel does not know, for memory disks, and for union file systems.
#pragma once

#include <string>

namespace rollcall::io {

bool on_local_disk(const std::string& directory);

}  // namespace rollcall::io
