#include "common/io/munge_credential.hpp"

#include <sodium.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>

#include "common/io/munge_library.hpp"

namespace rollcall::io {
namespace {

// A credential over 32 bytes has about 200; MUNGE's own limit is far higher.
constexpr std::size_t kMostCredentialBytes = 4096;

constexpr int kTries = 3;
constexpr std::chrono::seconds kQuick{2};

constexpr const char* kAway = "MUNGE: munged does not answer: ";

Error failed(const std::string& why) { return internal_error("MUNGE: " + why); }

using Context = std::unique_ptr<munge_ctx, void (*)(munge_ctx_t)>;

Result<Context> context(const std::string& socket) {
  if (!munge_library().why.empty()) return failed(munge_library().why);
  Context made(munge_library().create(), munge_library().destroy);
  if (!made) return failed("no memory");
  if (!socket.empty() && munge_library().set(made.get(), MUNGE_OPT_SOCKET, socket.c_str()) != EMUNGE_SUCCESS)
    return failed("cannot use the socket " + socket);
  return made;
}

// The library's own message, which names the socket if munged did not answer.
Error failed(const Context& context, const char* what, munge_err_t error) {
  const char* const text = munge_library().error_text(context.get());
  const std::string said = text != nullptr ? text : "error " + std::to_string(error);
  if (error == EMUNGE_SOCKET) return internal_error(kAway + said);
  return failed(std::string(what) + ": " + said);
}

using Owned = std::unique_ptr<char, void (*)(void*)>;  // what libmunge allocated

}  // namespace

Result<std::string> munge_encode(std::string_view payload, const std::string& socket) {
  auto made = context(socket);
  if (!made) return made.error();
  char* credential = nullptr;
  const munge_err_t error =
      munge_library().encode(&credential, made->get(), payload.data(), static_cast<int>(payload.size()));
  const Owned owned(credential, std::free);
  if (error != EMUNGE_SUCCESS || credential == nullptr) return failed(*made, "no credential", error);
  return std::string(credential);
}

bool munged_is_away(const Error& error) { return error.text.starts_with(kAway); }

Result<std::string> munge_encode_patiently(std::string_view payload, const std::string& socket,
                                           const std::function<void()>& pause) {
  for (int tried = 1;; ++tried) {
    const auto begun = std::chrono::steady_clock::now();
    auto credential = munge_encode(payload, socket);
    const bool slow = std::chrono::steady_clock::now() - begun > kQuick;
    if (credential || tried == kTries || slow || !munged_is_away(credential.error())) return credential;
    pause();
  }
}

Result<MungeIdentity> munge_decode(std::string_view credential, std::string_view payload,
                                   const std::string& socket) {
  // The library takes a C string: text after a NUL must not go unseen.
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
      munge_library().decode(std::string(credential).c_str(), made->get(), &bytes, &size, &who.uid, &who.gid);
  const Owned owned(static_cast<char*>(bytes), std::free);
  // Some errors (expired, replayed) come with a user too: only success counts.
  if (error != EMUNGE_SUCCESS) return failed(*made, "the credential is refused", error);
  const bool same = size >= 0 && static_cast<std::size_t>(size) == payload.size() &&
                    (size == 0 || sodium_memcmp(bytes, payload.data(), payload.size()) == 0);
  if (!same) return failed("the credential is of another connection");
  return who;
}

}  // namespace rollcall::io
