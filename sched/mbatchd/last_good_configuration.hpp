// LastGoodConfiguration: the files with which mbatchd last ran, as they then were, in one file beside the store. Functions.
//
// A mbatchd that is started while somebody's edit is half done goes on with them: jobs run, and somebody has to answer. They are
// only looked for where the files as they are have errors, never in place of good ones, and not where mbatchd is to run on
// another host. docs/decisions/0039.
#pragma once

#include <optional>
#include <string>

#include "common/io/log.hpp"
#include "sched/mbatchd/configuration.hpp"

namespace rollcall::mbatchd {

// Into `directory` (LSB_SHAREDIR/CLUSTER); where that cannot be done the log has a line.
void keep_configuration(const std::string& directory, const std::string& packed, const io::Log& log);

// What was kept, with Configuration::instead_of set. The store is looked for where lsf.conf says, as far as that can be read.
// None: nothing was kept, others may write there, or it does not do any more.
std::optional<LoadedConfiguration> kept_configuration(const std::optional<std::string>& env_dir,
                                                      const LoadedConfiguration& refused);

}  // namespace rollcall::mbatchd
