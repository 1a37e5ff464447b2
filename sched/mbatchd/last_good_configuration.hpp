// LastGoodConfiguration: the files with which mbatchd last ran, as they then were, in one file beside the store. Functions.
//
// An mbatchd that is started while an edit is half done runs with them, since jobs run and clients ask. They are used only if the
// present files have errors, and not if mbatchd is to run on another host. docs/decisions/0039.
#pragma once

#include <optional>
#include <string>

#include "common/io/log.hpp"
#include "sched/mbatchd/configuration.hpp"

namespace rollcall::mbatchd {

// Saves them in `directory` (LSB_SHAREDIR/CLUSTER). A failure is logged.
void keep_configuration(const std::string& directory, const std::string& packed, const io::Log& log);

// What was kept, with Configuration::instead_of set. The store is looked for where lsf.conf says, as far as that can be read.
// None: nothing was kept, others may write there, or it does not do any more.
std::optional<LoadedConfiguration> kept_configuration(const std::optional<std::string>& env_dir,
                                                      const LoadedConfiguration& refused);

}  // namespace rollcall::mbatchd
