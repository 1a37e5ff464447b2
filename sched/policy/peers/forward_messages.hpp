// forward_messages: the engine's orders as messages to another cluster, and what that cluster says as reports to the Book. Pure
// functions. What they get is checked (crossing.hpp).
#pragma once

#include <optional>
#include <string>

#include "common/wire/peer.pb.h"
#include "sched/policy/values/engine.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::peers {

Attempt attempt_of(const wire::ForwardAttempt& attempt);
wire::ForwardAttempt attempt_of(const Attempt& attempt);

wire::PeerMessage offer_of(const order::Start& order);
wire::PeerMessage signal_of(const order::Signal& order);
// Of an end that is stored. `record`: the job as it is stored; null: it is forgotten. While its post-execution is open, the other cluster
// keeps the attempt and tells the end of that too.
wire::PeerMessage acknowledge_of(const Attempt& attempt, const wire::JobRecord* record);
wire::PeerMessage recall_of(const Attempt& attempt);

// ForwardAttempt.made of an attempt of ours that has hosts.
std::uint64_t made_of(const wire::JobRecord& record);
// What is told is of an attempt that a store of ours made which is gone: ours of that name is another one.
bool is_another(const Job* job, const wire::ForwardAttempt& told);
// What is told is not of the attempt that the job now is: acknowledged or ended by the name that was told, since an order of ours without
// a time would be for the last attempt of that name. Never so of what an older release tells.
bool is_stale(const Job* job, const wire::ForwardAttempt& told);
// Ends such an attempt, or acknowledges its end.
wire::PeerMessage end_of_stranger(const wire::ForwardState& state);
// Fields that this release does not know leave names of attempts and of resources: those are kept, in memory and in the store, and
// nobody counts what is unknown in them.
void keep_known(wire::PeerMessage& message);
wire::PeerMessage end_of_stranger(const wire::ForwardOver& over);

report::Over over_of(const wire::ForwardOver& told);
// The end of the job's post-execution, which follows over_of(); none: it still runs, there is none, or the release is older.
std::optional<report::PostOver> post_over_of(const wire::ForwardOver& told);
// What a cluster holds when it connects. Attempts without a number are left out.
report::HostCame came_of(const wire::ForwardHeld& held);

}  // namespace rollcall::sched::peers
