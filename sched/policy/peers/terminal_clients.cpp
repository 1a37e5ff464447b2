#include "sched/policy/peers/terminal_clients.hpp"

#include <algorithm>

namespace rollcall::sched::peers {

std::size_t TerminalClients::of(const std::string& cluster) const {
  return static_cast<std::size_t>(std::count_if(
      clients_.begin(), clients_.end(), [&](const auto& one) { return one.first.cluster == cluster; }));
}

bool TerminalClients::asks(const ClientOfTerminal& client, std::uint64_t link, const std::string& user) {
  const auto known = clients_.find(client);
  if (known == clients_.end() && of(client.cluster) >= kMostTerminals) return false;
  clients_[client] = {user, link, std::nullopt};
  return true;
}

void TerminalClients::link_ends(std::uint64_t link, TimePoint now) {
  for (auto& [client, state] : clients_)
    if (state.link == link && !state.away_until) state.away_until = now + kComesAgain;
}

void TerminalClients::end_answered(const ClientOfTerminal& client) { clients_.erase(client); }

void TerminalClients::cluster_lost(const std::string& cluster) {
  std::erase_if(clients_, [&](const auto& one) { return one.first.cluster == cluster; });
}

std::vector<TerminalClients::Gone> TerminalClients::due(TimePoint now) {
  std::vector<Gone> gone;
  for (auto one = clients_.begin(); one != clients_.end();) {
    if (one->second.away_until && now >= *one->second.away_until) {
      gone.push_back({one->first, one->second.user});
      one = clients_.erase(one);
    } else {
      ++one;
    }
  }
  return gone;
}

std::optional<TimePoint> TerminalClients::next() const {
  std::optional<TimePoint> first;
  for (const auto& [client, state] : clients_)
    if (state.away_until) first = first ? std::min(*first, *state.away_until) : *state.away_until;
  return first;
}

}  // namespace rollcall::sched::peers
