// Replaces munge_library.cpp in static programs.
#include "common/io/munge_library.hpp"

namespace rollcall::io {

const MungeLibrary& munge_library() {
  static const MungeLibrary* const linked = new MungeLibrary{::munge_encode,
                                                             ::munge_decode,
                                                             ::munge_ctx_create,
                                                             ::munge_ctx_destroy,
                                                             ::munge_ctx_set,
                                                             ::munge_ctx_strerror,
                                                             {}};
  return *linked;
}

}  // namespace rollcall::io
