#include "res/policy/lease_orders.hpp"

namespace rollcall::res {
namespace {

LeaseGrant number_of(const wire::LeaseGrant& grant) { return {grant.term(), grant.counter()}; }

std::string number_text(const LeaseGrant& number) {
  return std::to_string(number.term) + "." + std::to_string(number.counter);
}

wire::LeaseGrant message_of(std::uint64_t lease, const LeaseGrant& number) {
  wire::LeaseGrant message;
  message.set_lease(lease);
  message.set_term(number.term);
  message.set_counter(number.counter);
  return message;
}

}  // namespace

GrantCheck check_grants(const LeaseGrants& grants, LeaseNumbers& numbers) {
  GrantCheck check;
  LeaseNumbers raised = numbers;
  for (const auto& grant : grants) {
    bool changed = false;
    const auto answer = raised.start(grant.lease(), number_of(grant), changed);
    check.changed = check.changed || changed;
    if (answer == LeaseNumbers::Answer::accepted) continue;
    check.changed = false;
    const LeaseGrant known = numbers.newest(grant.lease());
    check.newest = message_of(grant.lease(), known);
    check.why = "the start is under grant " + number_text(number_of(grant)) + " of lease " +
                std::to_string(grant.lease()) + ", and this host " +
                (answer == LeaseNumbers::Answer::older ? "has seen grant " + number_text(known)
                                                       : "has not been told the number of the lease");
    return check;
  }
  numbers = std::move(raised);
  return check;
}

Naming name_grants(const wire::ToRes::NameGrants& order, const std::set<std::uint64_t>& in_use,
                   LeaseNumbers& numbers) {
  Naming naming;
  LeaseNumbers changed = numbers;
  for (const std::uint64_t lease : order.over())
    if (!in_use.contains(lease)) naming.changed = changed.forget(lease) || naming.changed;
  for (const auto& grant : order.newest()) {
    naming.changed = changed.named(grant.lease(), number_of(grant)) || naming.changed;
    if (!changed.known().contains(grant.lease()))
      return {false, "more than " + std::to_string(kMostLeases) + " leases of one host"};
  }
  numbers = std::move(changed);
  return naming;
}

void put_grants(const LeaseNumbers& numbers, LeaseGrants& to) {
  for (const auto& [lease, number] : numbers.known()) *to.Add() = message_of(lease, number);
}

}  // namespace rollcall::res
