#include "sched/mbatchd/ticket_issuer.hpp"

#include <time.h>

#include "common/io/random_bytes.hpp"

namespace rollcall::mbatchd {
namespace {

// It counts the time during which this host slept.
Duration since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::duration_cast<Duration>(std::chrono::seconds(now.tv_sec) +
                                              std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace

void TicketIssuer::set_life(Duration life) {
  if (life < life_) tickets_.forget_all();
  life_ = life;
}

std::optional<io::Ticket> TicketIssuer::give(const sched::TicketHolder& holder) {
  sched::Tickets::Given random;
  const auto fresh = io::Ticket::of(io::random_bytes(io::Ticket::kBytes));
  if (!fresh) return std::nullopt;
  random.id = fresh->id;
  random.secret = fresh->secret;
  const auto given = tickets_.give(holder, random, life_, since_boot());
  if (!given) return std::nullopt;
  io::Ticket ticket;
  ticket.id = given->id;
  ticket.secret = given->secret;
  return ticket;
}

std::optional<io::cluster::Bytes32> TicketIssuer::secret(const io::TicketId& id, const std::string& address) {
  return tickets_.secret(id, address, since_boot());
}

bool TicketIssuer::spend(const io::TicketId& id, const io::cluster::Bytes32& nonce) {
  return tickets_.spend(id, nonce, since_boot());
}

}  // namespace rollcall::mbatchd
