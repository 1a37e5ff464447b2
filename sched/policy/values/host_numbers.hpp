// HostNumbers: a table of host names: gives each host a small number, in the order in which hosts are added, and finds it again.
//
// A number is valid only in the table that gave it, and never changes there. The cycle has a table for the hosts of its rules
// (PlacementRules::hosts: in the order of lsf.cluster, made anew with the files). The Book has one for all hosts that it has heard
// of since its start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sched/policy/values/host_id.hpp"

namespace rollcall::sched {

using HostNumber = std::uint32_t;
inline constexpr HostNumber kNoHost = 0xffffffff;

class HostNumbers {
 public:
  HostNumber add(const HostId& host) {
    const auto [place, is_new] = numbers_.try_emplace(host, static_cast<HostNumber>(hosts_.size()));
    if (is_new) hosts_.push_back(host);
    return place->second;
  }
  std::optional<HostNumber> find(const HostId& host) const { return find(host.text()); }
  // `written`: as in the store, on the wire and from LIM.
  std::optional<HostNumber> find(std::string_view written) const {
    const auto found = numbers_.find(written);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }
  // The reference stays valid as long as the table.
  const HostId& operator[](HostNumber number) const { return hosts_[number]; }
  std::size_t size() const { return hosts_.size(); }
  bool empty() const { return hosts_.empty(); }
  auto begin() const { return hosts_.begin(); }  // by number
  auto end() const { return hosts_.end(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view written) const { return std::hash<std::string_view>()(written); }
    std::size_t operator()(const HostId& host) const { return (*this)(host.text()); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const HostId& a, const HostId& b) const { return a == b; }
    bool operator()(std::string_view a, const HostId& b) const { return a == b.text(); }
    bool operator()(const HostId& a, std::string_view b) const { return a.text() == b; }
  };
  std::deque<HostId> hosts_;
  std::unordered_map<HostId, HostNumber, Hash, Equal> numbers_;
};

}  // namespace rollcall::sched
