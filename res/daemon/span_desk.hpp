// SpanDesk: knows the processes of jobs on hosts of several clusters, which call RES with a ticket made of their job's key.
//
// Owns which job of this host has which ticket. What such a caller may do (tasks of its own job, nothing else) is Clients'. A call that is
// recorded and repeated starts nothing: the key of a task's stream is sealed for the real caller. So of nonces only the last ones are kept.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/io/ticket.hpp"

namespace rollcall::res {

class SpanDesk : public io::TicketDesk {
 public:
  // `job`: the name of its directory. False: the key is malformed, or another job here has it.
  bool add(std::string_view key, const std::string& job);
  void remove(const std::string& job);
  // "" : of no job.
  std::string job_of(const io::TicketId& id) const;

  std::optional<io::cluster::Bytes32> secret(const io::TicketId& id, const std::string& address) override;
  bool spend(const io::TicketId& id, const io::cluster::Bytes32& nonce) override;

 private:
  struct Known {
    io::cluster::Bytes32 secret{};
    std::string job;
  };
  std::map<io::TicketId, Known> tickets_;
  std::set<std::pair<io::TicketId, io::cluster::Bytes32>> spent_;
  std::deque<std::pair<io::TicketId, io::cluster::Bytes32>> order_;  // of spent_, the oldest first
};

}  // namespace rollcall::res
