// peer_identity: whether the mbatchd that says hello has the store that this cluster knows of it. Pure.
//
// A store that was made anew, or put back to an older state, has lost jobs that both clusters agreed on. Its cluster is refused until
// an administrator here says that they are lost (badmin hforget @CLUSTER).
//
//   the hello's store  | term          | run        | then
//   -------------------+---------------+------------+---------------------------------------------
//   none known         | any           | any        | accepted, and remembered
//   the known one      | larger        | any        | accepted, and remembered: mbatchd has started again
//   the known one      | the known one | the known  | accepted: the connection was cut
//   the known one      | the known one | another    | refused: two openings of one term, so one is of an older copy
//   the known one      | smaller       | any        | refused: an older state
//   another            | any           | any        | refused: a store made anew
//   our own            | any           | any        | refused: a copy of ours
// docs/decisions/0089.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/wire/peer.pb.h"

namespace rollcall::sched::peers {

inline constexpr std::size_t kIdentityBytes = 16;  // of a store, and of a run

// This cluster, as it says hello.
struct OwnIdentity {
  std::string cluster;
  wire::PeerRow row;
  std::string version;
};
wire::PeerHello hello_of(const OwnIdentity& own);

// A hello as a stranger's: the sizes, and that it names the cluster which its key has proved. The error is one line.
Result<void> check_hello(const wire::PeerHello& hello, const std::string& proved);

// Why the peer is refused, one line that says what to do; none: it is accepted. `known`: nullptr where nothing is known of it.
std::optional<std::string> refusal_of(const wire::PeerHello& hello, const wire::PeerRow* known,
                                      const OwnIdentity& own);

// What a peer says for people, fit for a log and a terminal: at most 200 printable bytes.
std::string plain_words(std::string_view said);

wire::PeerRow row_of(const wire::PeerHello& hello);
bool same(const wire::PeerRow& a, const wire::PeerRow& b);

}  // namespace rollcall::sched::peers
