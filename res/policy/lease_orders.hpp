// lease_orders: mbatchd's orders about leases, against the numbers that RES has. Functions; RES writes the numbers that they change to
// disk before it obeys. docs/decisions/0097.
#pragma once

#include <set>
#include <string>

#include "common/wire/res.pb.h"
#include "res/policy/lease_numbers.hpp"

namespace rollcall::res {

using LeaseGrants = google::protobuf::RepeatedPtrField<wire::LeaseGrant>;

// May a start take slots under these grants? Larger numbers are kept in `numbers` where all grants hold; else it is as it was.
struct GrantCheck {
  bool changed = false;
  std::string why;          // "": it may
  wire::LeaseGrant newest;  // what is known of the lease in whose way it is
};
GrantCheck check_grants(const LeaseGrants& grants, LeaseNumbers& numbers);

// NameGrants. `in_use`: leases that jobs here have; those are not forgotten.
struct Naming {
  bool changed = false;
  std::string why_not;  // more leases than RES keeps
};
Naming name_grants(const wire::ToRes::NameGrants& order, const std::set<std::uint64_t>& in_use,
                   LeaseNumbers& numbers);

void put_grants(const LeaseNumbers& numbers, LeaseGrants& to);

}  // namespace rollcall::res
