#include "elim/reader/disks.hpp"

#include "elim/policy/load/proc_texts.hpp"

namespace rollcall::load {

std::vector<std::string> local_disks(const FilesBelow& files) {
  std::vector<std::string> disks;
  for (auto& name : files.names("sys/block")) {
    const auto folder = "sys/block/" + name;
    if (!may_be_disk(name) || !files.exists(folder + "/device")) continue;
    // A path of a multipath NVMe disk; the disk itself is listed too.
    if (files.text(folder + "/hidden").value_or("").starts_with("1")) continue;
    disks.push_back(std::move(name));
  }
  return disks;
}

}  // namespace rollcall::load
