// HostClaims: asks what addresses a host has, and judges a daemon's claim to be on it (common/base/host_claim.hpp).
//
// Addresses are those that LSF_ENVDIR/hosts gives, and those of the resolver, which is asked outside of the loop (it may
// hang) and whose answers are kept for a while. A claim that the kept answer does not bear out is asked about anew. A
// resolver that does not answer makes a claim `unknown`, unless LSF_ENVDIR/hosts says where the host is. One loop, one
// thread.
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
    std::vector<std::string> addresses;  // that it was judged by
  };
  using Told = std::function<void(const Verdict&)>;
  // All addresses of a name, as inet_ntop writes them; none: it is not known. Runs in the thread.
  using Resolve = std::function<std::vector<std::string>(const std::string& name)>;

  explicit HostClaims(boost::asio::io_context& loop);
  HostClaims(boost::asio::io_context& loop, SideThread::Limits limits, Resolve resolve);  // for tests

  // `configured`: the addresses of LSF_ENVDIR/hosts (HostNames::addresses). Told once, in the loop, never before this
  // returns.
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
