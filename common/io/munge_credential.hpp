// munge_credential: proves a client's user by MUNGE for one connection.
//
// A credential says "user U made this over these bytes". The bytes are the hash of the handshake in which it is sent
// (cluster_channel.hpp), so it is worthless on any other connection. A one-user cluster needs none: there the key proves the user
// (ClusterChannel::Caller::owner). The library is loaded on first use, so programs run without it; then, and without munged, the
// error is one line that says so. Both calls ask this host's munged and wait: well under a millisecond, or seconds if it hangs.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace rollcall::io {

struct MungeIdentity {
  uid_t uid = 0;
  gid_t gid = 0;  // the primary group
};

// `socket` is munged's; empty: the library's own (ROLLCALL_MUNGE_SOCKET in lsf.conf names another one).
Result<std::string> munge_encode(std::string_view payload, const std::string& socket = {});

// The same for a client, which retries with a `pause` where munged does not answer: it may be restarting. The error comes after
// three tries, or at once if one try took long: libmunge itself waits some ten seconds for a munged that hangs.
Result<std::string> munge_encode_patiently(std::string_view payload, const std::string& socket,
                                           const std::function<void()>& pause);

// The error means that munged did not answer: the credential may be valid.
bool munged_is_away(const Error& error);

// The user who made the credential, if it is valid, fresh, of this realm, and over exactly these bytes. A credential can be
// decoded once: a second time it is refused as a replay.
Result<MungeIdentity> munge_decode(std::string_view credential, std::string_view payload,
                                   const std::string& socket = {});

}  // namespace rollcall::io
