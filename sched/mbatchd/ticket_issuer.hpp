// TicketIssuer: gives tickets to clients and recognises them, by the rules of sched/policy/values/tickets.hpp with this host's
// clock and the kernel's random numbers. Tickets are in mbatchd's memory only: another mbatchd, or this one after a restart,
// knows none of them.
#pragma once

#include <optional>
#include <string>

#include "common/io/ticket.hpp"
#include "sched/policy/values/tickets.hpp"

namespace rollcall::mbatchd {

class TicketIssuer : public io::TicketDesk {
 public:
  // How long a ticket is good; 0: none is given, and none that was given is good.
  void set_life(Duration life);
  // None: tickets are off.
  std::optional<io::Ticket> give(const sched::TicketHolder& holder);
  const sched::TicketHolder* holder(const io::TicketId& id) const { return tickets_.holder(id); }

  std::optional<io::cluster::Bytes32> secret(const io::TicketId& id, const std::string& address) override;
  bool spend(const io::TicketId& id, const io::cluster::Bytes32& nonce) override;

 private:
  sched::Tickets tickets_;
  Duration life_{};
};

}  // namespace rollcall::mbatchd
