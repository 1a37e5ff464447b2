#include "common/io/munge_library.hpp"

#include <dlfcn.h>

namespace rollcall::io {
namespace {

template <class Function>
void find(void* handle, Function& function, const char* name, MungeLibrary& library) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) library.why = std::string("libmunge.so.2 has no ") + name;
}

MungeLibrary load() {
  MungeLibrary library;
  void* const handle = dlopen("libmunge.so.2", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    library.why = "libmunge.so.2 is not installed (Debian package libmunge2)";
    return library;
  }
  find(handle, library.encode, "munge_encode", library);
  find(handle, library.decode, "munge_decode", library);
  find(handle, library.create, "munge_ctx_create", library);
  find(handle, library.destroy, "munge_ctx_destroy", library);
  find(handle, library.set, "munge_ctx_set", library);
  find(handle, library.error_text, "munge_ctx_strerror", library);
  return library;
}

}  // namespace

const MungeLibrary& munge_library() {
  static const MungeLibrary* const loaded = new MungeLibrary(load());
  return *loaded;
}

}  // namespace rollcall::io
