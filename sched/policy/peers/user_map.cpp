#include "sched/policy/peers/user_map.hpp"

#include <algorithm>

#include "sched/policy/peers/crossing.hpp"

namespace rollcall::sched::peers {
namespace {

constexpr int kMostAccounts = 100;  // that one offer proposes

using Direction = conf::UserMapping::Direction;

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::vector<std::string> proposed(const UserMap& map, const std::string& cluster, const std::string& user) {
  std::vector<std::string> accounts;
  const std::string place = "@" + cluster;
  for (const conf::UserMapping& row : map.rows) {
    if (row.direction != Direction::export_jobs || !map.names(row.local, user)) continue;
    for (const std::string& remote : row.remote) {
      if (!remote.ends_with(place)) continue;
      const std::string account = remote.substr(0, remote.size() - place.size());
      if (accounts.size() < kMostAccounts && !has(accounts, account)) accounts.push_back(account);
    }
  }
  return accounts;
}

void propose(const std::vector<std::string>& accounts, wire::ForwardOffer& offer) {
  if (accounts.empty()) return;
  offer.set_user(offer.asked().user());
  offer.mutable_asked()->clear_user();
  for (const std::string& account : accounts) offer.add_run_as(account);
}

Result<Claim> claim_of(const wire::ForwardOffer& offer) {
  Claim claim;
  claim.user = offer.run_as_size() == 0 ? offer.asked().user() : offer.user();
  if (!is_name(claim.user)) return internal_error("found a user's name that no user can have");
  if (offer.run_as_size() > kMostAccounts)
    return internal_error("found " + std::to_string(offer.run_as_size()) +
                          " accounts for one user, expected at most " + std::to_string(kMostAccounts));
  for (const auto& account : offer.run_as()) {
    if (!is_name(account)) return internal_error("found an account's name that no user can have");
    claim.accounts.push_back(account);
  }
  return claim;
}

Result<std::string> accepted(const UserMap& map, const std::string& cluster, const Claim& claim) {
  const std::string remote = claim.user + "@" + cluster;
  const std::vector<std::string> by_name{claim.user};
  const auto& accounts = claim.accounts.empty() ? by_name : claim.accounts;
  std::vector<const conf::UserMapping*> rows;
  for (const conf::UserMapping& row : map.rows)
    if (row.direction == Direction::import_jobs && has(row.remote, remote)) rows.push_back(&row);
  const bool mapped = !rows.empty();
  for (const std::string& account : accounts) {
    if (!mapped && account == claim.user) return account;
    for (const conf::UserMapping* row : rows)
      if (map.names(row->local, account)) return account;
  }
  if (!mapped)
    return internal_error("user " + remote +
                          " has no row in UserMap of lsb.users here (DIRECTION import), and " + cluster +
                          " proposes other accounts than that of the same name");
  return internal_error("UserMap of lsb.users here (DIRECTION import) accepts no account that " + cluster +
                        " proposes for user " + remote + " (" + accounts.front() +
                        (accounts.size() > 1 ? ", ..." : "") + ")");
}

}  // namespace rollcall::sched::peers
