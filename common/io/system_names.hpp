// system_names: the users and hosts that the name services know, for ckconfig. Asked through getent(1): the commands may be
// static programs.
#pragma once

#include "common/conf/lsb/system_names.hpp"

namespace rollcall::io {

conf::SystemNames system_names();

}  // namespace rollcall::io
