// HostClaim: whether a daemon that says it is on a host may be believed, by the address that it calls from. A function.
//
// Whoever holds the cluster's key is a daemon of the cluster; this keeps one host's daemon from speaking for another host. A
// host with several addresses is believed at each that its name is known by; the ways to tell the cluster of more of them
// are lines of LSF_ENVDIR/hosts, lsf.conf(5).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall {

enum class HostClaim {
  good,
  foreign,  // the host has addresses, and this is none of them
  unknown,  // nobody knows an address of the host: nothing can be said
};

// Addresses as inet_ntop writes them; an IPv6 address may have a "%zone", which says nothing about whose it is.
HostClaim judge_claim(std::string_view from, const std::vector<std::string>& addresses);

// "10.1.0.3 and 10.2.0.3" for messages; "none" where there is none.
std::string addresses_text(const std::vector<std::string>& addresses);

}  // namespace rollcall
