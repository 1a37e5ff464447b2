// HostClaims: looks up a host's addresses, and judges a daemon's claim to be on that host (common/base/host_claim.hpp).
//
// The addresses are those of LSF_ENVDIR/hosts and those of the resolver. The resolver is asked outside the loop, since it may
// hang, and its answers are cached for a while. A claim that the cached answer does not support causes a new look-up. If the
// resolver does not answer, a claim is `unknown`, unless LSF_ENVDIR/hosts has the host. One loop, one thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/host_claim.hpp"
#include "common/io/side_thread.hpp"

namespace rollcall::io {

class HostClaims {
 public:
  struct Verdict {
    HostClaim claim = HostClaim::unknown;
    std::vector<std::string> addresses;  // the addresses by which it was judged
  };
  using Told = std::function<void(const Verdict&)>;
  // All addresses of a name, as inet_ntop writes them; none: unknown. Runs in the thread.
  using Resolve = std::function<std::vector<std::string>(const std::string& name)>;

  explicit HostClaims(boost::asio::io_context& loop);
  HostClaims(boost::asio::io_context& loop, SideThread::Limits limits, Resolve resolve);  // for tests

  // `configured`: the addresses of LSF_ENVDIR/hosts (HostNames::addresses). The verdict comes once, in the loop, never before
  // this returns.
  void check(const std::string& host, const std::vector<std::string>& configured, const std::string& from,
             Told told);

 private:
  struct Known {
    std::vector<std::string> addresses;
    std::chrono::steady_clock::time_point asked_at;
  };

  boost::asio::io_context& loop_;
  Resolve resolve_;
  std::unordered_map<std::string, Known> known_;  // by host: as many as the cluster has
  SideThread thread_;
};

}  // namespace rollcall::io
