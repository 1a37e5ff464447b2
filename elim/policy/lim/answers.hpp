// Answers: a LIM's answers to clients: functions from a question of load.proto and the state to Reply messages.
//
// Pure. The shell has checked before who may ask. A long answer comes in parts below the frame's limit. Each part is made when
// the one before has left, so an answer about 10,000 hosts holds one part in memory; a part describes hosts as they are then.
//
//   question             | any LIM | master
//   ---------------------+---------+---------------------------------------------------------------
//   identity, resources  | answers | answers
//   all others           | NOT_MASTER with the master's name | answers
//   hosts                | lshosts: every host in the order of the files; resreq only chooses
//   load                 | lsload: server hosts by resreq's order, else r15s:pg; lsplace with `place`
//   cluster              | mbatchd: all hosts, then the load of server hosts, then dynamic shared resources
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "elim/policy/lim/cluster_view.hpp"

namespace rollcall::lim {

inline constexpr std::size_t kPartBytes = 256 * 1024;  // a part is sent when it has so much

struct AboutUs {
  std::string version;
  std::string caller;  // the client's user as far as it is proved; "": unknown
};
wire::Reply identity_answer(const Lim& lim, const conf::ClusterFiles& files, const AboutUs& us);
wire::Reply resources_answer(const conf::ClusterFiles& files);
wire::Reply not_master_answer(const Lim& lim);
wire::Reply refusal(wire::Reply::Refusal::Why why, std::string text);

// On the master only, in parts. Unknown resource names are refused.
std::vector<wire::Reply> shared_answer(const ClusterView& view, const wire::Request::AskShared& ask);

// The hosts of an answer, in its order; or why it is refused.
struct Chosen {
  struct Host {
    HostIndex host = 0;
    std::uint32_t slots = 0;  // lsplace
  };
  std::vector<Host> hosts;
  std::optional<wire::Reply> refused;
};
Chosen choose(const ClusterView& view, const wire::Request::AskHosts& ask);
Chosen choose(const ClusterView& view, const wire::Request::AskLoad& ask);

// Makes the next part and moves `from` on; none after the part with `last`.
std::optional<wire::Reply> hosts_part(const ClusterView& view, const wire::Request::AskHosts& ask,
                                      const Chosen& chosen, std::size_t& from);
std::optional<wire::Reply> load_part(const ClusterView& view, const wire::Request::AskLoad& ask,
                                     const Chosen& chosen, std::size_t& from);

// How far the answer to AskCluster has come.
struct ClusterProgress {
  Chosen hosts, loads;  // all that there are
  std::size_t next_host = 0, next_load = 0;
  std::vector<wire::Reply> shareds;  // made when the hosts have left
  std::size_t next_shared = 0;
};
ClusterProgress begin_cluster_answer(const ClusterView& view);
std::optional<wire::Reply> cluster_part(const ClusterView& view, ClusterProgress& progress);

}  // namespace rollcall::lim
