// DaemonEnd: how a daemon's loop ended, for its main(): stopped as ordered, or to restart. A value.
#pragma once

namespace rollcall::io {

enum class DaemonEnd { stopped, restart };

}  // namespace rollcall::io
