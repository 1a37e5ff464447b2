// local_place: whether a directory is on a disk of this host, found without asking any file server: the kernel answers from what it
// has cached, or not at all. False is no claim: also where the kernel does not know, for memory disks, and for joined file systems.
#pragma once

#include <string>

namespace rollcall::io {

bool on_local_disk(const std::string& directory);

}  // namespace rollcall::io
