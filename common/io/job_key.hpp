// job_key: the keys of a job on hosts of several clusters, and what is made of them (docs/decisions/0106). Functions, with libsodium.
//
// Each is 32 bytes, and made one way from the secret of the cluster that starts the job, so none need be stored. All its processes and the
// daemons on all its hosts have the job's key. With the task key of a cluster RES there starts tasks as the job's user: hosts of a provider
// have that of their own cluster alone.
#pragma once

#include <string>
#include <string_view>

#include "common/io/cluster_key.hpp"
#include "common/io/ticket.hpp"

namespace rollcall::io {

inline constexpr std::size_t kJobKeyBytes = 32;

// `attempt`: words that name one attempt of one job for ever.
std::string job_key(const ClusterKey& own, std::string_view attempt);
// `cluster`: where the tasks are; "": ours.
std::string job_task_key(const ClusterKey& own, std::string_view attempt, std::string_view cluster);
// 32 hexadecimal digits that only holders of the key can know before the relay listens.
std::string job_relay(std::string_view key);
// With it RES takes a caller for a process of the job. `task_key` has kJobKeyBytes.
Ticket job_ticket(std::string_view task_key);

}  // namespace rollcall::io
