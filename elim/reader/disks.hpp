// Disks: the whole local disks of this host, by their kernel names. A function.
#pragma once

#include <string>
#include <vector>

#include "elim/reader/files_below.hpp"

namespace rollcall::load {

// Block devices with hardware behind them: no partitions, loops, RAM disks, CD drives, and neither RAID nor LVM, whose
// traffic is their disks'. Sorted.
std::vector<std::string> local_disks(const FilesBelow& files);

}  // namespace rollcall::load
