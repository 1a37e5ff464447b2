#include "common/io/munge_credential.hpp"

#include <dlfcn.h>
#include <munge.h>
#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace rollcall::io {
namespace {

// A credential over 32 bytes has about 200; MUNGE's own limit is far higher.
constexpr std::size_t kMostCredentialBytes = 4096;

// The six functions of libmunge that we call. All or none of them are there.
struct Library {
  decltype(&::munge_encode) encode = nullptr;
  decltype(&::munge_decode) decode = nullptr;
  decltype(&::munge_ctx_create) create = nullptr;
  decltype(&::munge_ctx_destroy) destroy = nullptr;
  decltype(&::munge_ctx_set) set = nullptr;
  decltype(&::munge_ctx_strerror) error_text = nullptr;
  std::string why;  // it could not be loaded; empty: it was
};

template <class Function>
void find(void* handle, Function& function, const char* name, Library& library) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) library.why = std::string("libmunge.so.2 has no ") + name;
}

Library load() {
  Library library;
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

// Never taken away: a thread that waits for munged may be the last to use it, after main() has ended.
const Library& library() {
  static const Library* const loaded = new Library(load());
  return *loaded;
}

Error failed(const std::string& why) { return internal_error("MUNGE: " + why); }

using Context = std::unique_ptr<munge_ctx, void (*)(munge_ctx_t)>;

Result<Context> context(const std::string& socket) {
  if (!library().why.empty()) return failed(library().why);
  Context made(library().create(), library().destroy);
  if (!made) return failed("no memory");
  if (!socket.empty() && library().set(made.get(), MUNGE_OPT_SOCKET, socket.c_str()) != EMUNGE_SUCCESS)
    return failed("cannot use the socket " + socket);
  return made;
}

// The library's own words, which name the socket where munged did not answer.
Error failed(const Context& context, const char* what, munge_err_t error) {
  const char* const text = library().error_text(context.get());
  const std::string said = text != nullptr ? text : "error " + std::to_string(error);
  if (error == EMUNGE_SOCKET) return failed("munged does not answer: " + said);
  return failed(std::string(what) + ": " + said);
}

using Owned = std::unique_ptr<char, void (*)(void*)>;  // what libmunge allocated

}  // namespace

Result<std::string> munge_encode(std::string_view payload, const std::string& socket) {
  auto made = context(socket);
  if (!made) return made.error();
  char* credential = nullptr;
  const munge_err_t error =
      library().encode(&credential, made->get(), payload.data(), static_cast<int>(payload.size()));
  const Owned owned(credential, std::free);
  if (error != EMUNGE_SUCCESS || credential == nullptr) return failed(*made, "no credential", error);
  return std::string(credential);
}

Result<MungeIdentity> munge_decode(std::string_view credential, std::string_view payload,
                                   const std::string& socket) {
  // The library takes a C string: nothing may hide behind a zero.
  const auto printable = [](char c) { return c > ' ' && c <= '~'; };
  if (credential.size() > kMostCredentialBytes)
    return failed("a credential of " + std::to_string(credential.size()) + " bytes, expected at most " +
                  std::to_string(kMostCredentialBytes));
  if (credential.empty() || !std::all_of(credential.begin(), credential.end(), printable))
    return failed("found bytes that are no credential");
  auto made = context(socket);
  if (!made) return made.error();
  void* bytes = nullptr;
  int size = 0;
  MungeIdentity who;
  const munge_err_t error =
      library().decode(std::string(credential).c_str(), made->get(), &bytes, &size, &who.uid, &who.gid);
  const Owned owned(static_cast<char*>(bytes), std::free);
  // Some errors (expired, replayed) come with the user all the same: only success counts.
  if (error != EMUNGE_SUCCESS) return failed(*made, "the credential is refused", error);
  const bool same = size >= 0 && static_cast<std::size_t>(size) == payload.size() &&
                    (size == 0 || sodium_memcmp(bytes, payload.data(), payload.size()) == 0);
  if (!same) return failed("the credential is of another connection");
  return who;
}

}  // namespace rollcall::io
