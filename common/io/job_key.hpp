// job_key: what is made of the key of a job on hosts of several clusters (docs/decisions/0106). Functions, with libsodium.
//
// The key is 32 bytes. Its holder belongs to the job: the processes of the job on all its hosts, and the daemons that order them there.
#pragma once

#include <string>
#include <string_view>

#include "common/io/cluster_key.hpp"
#include "common/io/ticket.hpp"

namespace rollcall::io {

inline constexpr std::size_t kJobKeyBytes = 32;

// `attempt`: words that name one attempt of one job for ever. Made one way from the cluster's secret, so it need not be stored.
std::string job_key(const ClusterKey& cluster, std::string_view attempt);
// 32 hexadecimal digits that only holders of the key can know before the relay listens.
std::string job_relay(std::string_view key);
// With it RES takes a caller for a process of the job. `key` has kJobKeyBytes.
Ticket job_ticket(std::string_view key);

}  // namespace rollcall::io
