// DaemonEnd: why a daemon's loop is over, for its main(): it was told to end, or it begins anew. A value.
#pragma once

namespace rollcall::io {

enum class DaemonEnd { stopped, restart };

}  // namespace rollcall::io
