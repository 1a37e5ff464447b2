// user_map: as whom a job runs in another cluster (UserMap of lsb.users). Pure.
//
// The submission cluster proposes accounts of the other cluster (rows with DIRECTION export), the execution cluster accepts some of them
// (rows with import). The first proposed account that is accepted is taken. A user without a row is proposed, and accepted, by name.
//
//   rows for the user there | proposed (export)  | then the job runs as
//   ------------------------+--------------------+---------------------------------------------------
//   none                    | none               | the user of the same name
//   none                    | some               | the user of the same name, if that is proposed; else refused
//   import                  | none               | the user of the same name, if a row names it; else refused
//   import                  | some               | the first proposed one that a row names; else refused
//
// The names come from the other cluster, so they are checked as a stranger's. Whether the account exists, and that it is neither root nor an
// administrator, is asked where the job is accepted. LSF MultiCluster's guide, "User account mapping"; docs/decisions/0092.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/conf/lsb/lsb_users.hpp"
#include "common/wire/peer.pb.h"

namespace rollcall::sched::peers {

struct UserMap {
  const std::vector<conf::UserMapping>& rows;  // of this cluster
  // Whether words of LOCAL (users and groups of lsb.users) name a user.
  std::function<bool(const std::vector<std::string>& words, const std::string& user)> names;
};

// A user of another cluster, and the accounts that it proposes, in order; none: the one of the same name.
struct Claim {
  std::string user;
  std::vector<std::string> accounts;
};

// The accounts of `cluster` that the export rows propose for a user of this one, in order, each once; empty: by name.
std::vector<std::string> proposed(const UserMap& map, const std::string& cluster, const std::string& user);
// Writes the proposal into the offer. A release that does not know UserMap refuses such an offer.
void propose(const std::vector<std::string>& accounts, wire::ForwardOffer& offer);

// What an offer claims. An error: no user can have such a name.
Result<Claim> claim_of(const wire::ForwardOffer& offer);
// The account of this cluster. An error: why there is none.
Result<std::string> accepted(const UserMap& map, const std::string& cluster, const Claim& claim);

}  // namespace rollcall::sched::peers
