// Translates the orders and reports of sched/policy/values/engine.hpp to and from the messages of RES (common/wire/res.proto).
// Pure. Only ResEngine uses it.
#pragma once

#include <optional>
#include <vector>

#include "common/wire/res.pb.h"
#include "sched/policy/lease/host_grants.hpp"
#include "sched/policy/values/engine.hpp"

namespace rollcall::mbatchd {

wire::ToRes to_res(sched::order::Start order);
wire::ToRes to_res(const sched::order::Expect& order);
wire::ToRes to_res(const sched::order::Signal& order);
// NameGrants.
wire::ToRes to_res(const sched::lease::GrantQuestion& question);
// Of a start, or of tasks that may come.
void put_grants(const sched::lease::GrantNumbers& grants, wire::ToRes& order);
sched::lease::GrantsOnHost grants_of(const wire::FromRes::GrantsHeld& told);
wire::ToRes go(const std::vector<sched::Attempt>& attempts);
wire::ToRes acknowledgement(const sched::Attempt& attempt);
void put_span(wire::JobSpan span, wire::ToRes& order);
// tell: RES says when nothing of it is left.
wire::ToRes release(const sched::Attempt& attempt, bool tell = false);
wire::ToRes reading(const sched::Attempt& attempt, std::uint64_t number, const wire::PieceAsked& asked);

// None: Refused, which says nothing of a job, or something newer than this mbatchd.
std::optional<sched::HostReport> report_of(const wire::FromRes& told);

}  // namespace rollcall::mbatchd
