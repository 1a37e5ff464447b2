#include "res/daemon/span_desk.hpp"

#include "common/io/job_key.hpp"

namespace rollcall::res {
namespace {

constexpr std::size_t kMostNonces = 100'000;

}  // namespace

bool SpanDesk::add(std::string_view key, const std::string& job) {
  if (key.size() != io::kJobKeyBytes) return false;
  const io::Ticket ticket = io::job_ticket(key);
  const auto [known, fresh] = tickets_.try_emplace(ticket.id, Known{ticket.secret, job});
  return fresh || known->second.job == job;
}

void SpanDesk::remove(const std::string& job) {
  std::erase_if(tickets_, [&](const auto& one) { return one.second.job == job; });
}

std::string SpanDesk::job_of(const io::TicketId& id) const {
  const auto known = tickets_.find(id);
  return known == tickets_.end() ? "" : known->second.job;
}

std::optional<io::cluster::Bytes32> SpanDesk::secret(const io::TicketId& id, const std::string&) {
  const auto known = tickets_.find(id);
  if (known == tickets_.end()) return std::nullopt;
  return known->second.secret;
}

bool SpanDesk::spend(const io::TicketId& id, const io::cluster::Bytes32& nonce) {
  if (!spent_.insert({id, nonce}).second) return false;
  order_.emplace_back(id, nonce);
  if (order_.size() > kMostNonces) {
    spent_.erase(order_.front());
    order_.pop_front();
  }
  return true;
}

}  // namespace rollcall::res
