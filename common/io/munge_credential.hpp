// munge_credential: who a client is, said by MUNGE for one connection.
//
// A credential says "user U made this over these bytes"; the bytes are the hash of the handshake it is sent in
// (cluster_channel.hpp), so it is worth nothing on any other connection. Not needed where a cluster has one user: there
// the key speaks (ClusterChannel::Caller::owner). The library is looked for when it is first asked for, so programs run
// where there is none; then, and where no munged runs, the error is one line that says so.
// Both calls talk to the munged of this host and wait for it: well under a millisecond, or some seconds where it hangs.
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

// The same for a client, which tries again, with a `pause` in between, where munged does not answer: it may be starting anew. An error
// comes after three tries, or at once where one try took long: libmunge itself waits some ten seconds for a munged that hangs.
Result<std::string> munge_encode_patiently(std::string_view payload, const std::string& socket,
                                           const std::function<void()>& pause);

// The error says that munged did not answer: the credential may be good.
bool munged_is_away(const Error& error);

// Who made the credential, where it is good, new, of this realm, and over exactly these bytes. A credential can be
// decoded once: a second time it is a replay, and refused.
Result<MungeIdentity> munge_decode(std::string_view credential, std::string_view payload,
                                   const std::string& socket = {});

}  // namespace rollcall::io
