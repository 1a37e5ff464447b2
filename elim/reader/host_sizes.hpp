// host_sizes: what LoadSampler and detect_facts share: the defaults of a HostSource, and the size of /tmp.
#pragma once

#include <optional>

#include "elim/reader/files_below.hpp"
#include "elim/reader/host_reader.hpp"

namespace rollcall::load {

HostSource with_defaults(HostSource source);
std::optional<FileSystemSize> size_of_tmp(const HostSource& source, const FilesBelow& files);

}  // namespace rollcall::load
