// system_names: what the system's name services know, for ckconfig. Asked through getent(1): the commands may be static programs.
#pragma once

#include "common/conf/lsb/system_names.hpp"

namespace rollcall::io {

conf::SystemNames system_names();

}  // namespace rollcall::io
