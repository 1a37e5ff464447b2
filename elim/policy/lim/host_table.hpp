// HostTable: every host of the cluster as the master knows it: its facts, its load, and whether it is available.
//
// A value, owned by the master's LIM (Lim::table); only the stepper writes it. Laid out for 10,000 hosts of 40 indices: numbers
// and their report times are two flat arrays, words exist only for resources that have them, equal topologies share one text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/base/host_facts.hpp"
#include "common/base/load_vector.hpp"
#include "common/base/result.hpp"
#include "common/wire/load.pb.h"
#include "elim/policy/lim/host_status.hpp"
#include "elim/policy/lim/lim_rules.hpp"

namespace rollcall::lim {

enum class Presence {
  unheard,     // no report since this LIM became master
  up,          // registered
  unavailable  // its port refused, or it was silent for too long
};

struct HostEntry {
  struct Word {
    ResourceId id = 0;
    std::string text;
  };
  HostFacts facts;  // without the topology
  std::shared_ptr<const std::string> topology;
  std::string configuration;  // digest of the files it runs with
  bool registered = false;    // `facts` are the host's own; they are kept when it goes
  Presence presence = Presence::unheard;
  bool presumed = true;          // unheard: no dial has failed yet, so elims are not moved away from it
  std::uint64_t connection = 0;  // 0: none
  TimePoint heard;               // the last message of the host
  Condition condition;
  std::vector<wire::ElimState> elims;
  std::vector<Word> words;
  Raise raise;  // by lsplace
};

class HostTable {
 public:
  HostTable() = default;
  // Every host unheard, nothing known.
  HostTable(const std::vector<LimRules::Host>& hosts, ResourceId indices);

  std::size_t size() const { return entries_.size(); }
  ResourceId indices() const { return indices_; }
  HostEntry& operator[](HostIndex host) { return entries_[host]; }
  const HostEntry& operator[](HostIndex host) const { return entries_[host]; }

  // kUnknownLoad where not known.
  float number(HostIndex host, ResourceId id) const { return numbers_[place(host, id)]; }
  std::string_view word(HostIndex host, ResourceId id) const;  // "": not known
  // When the value, number or word, was last reported; none: never.
  std::optional<TimePoint> told(HostIndex host, ResourceId id) const;

  void set_number(HostIndex host, ResourceId id, float value, TimePoint told);
  void set_word(HostIndex host, ResourceId id, std::string text, TimePoint told);
  void refresh(HostIndex host, ResourceId id, TimePoint told);
  void lose(HostIndex host, ResourceId id);
  void set_facts(HostIndex host, HostFacts facts, std::string configuration);
  // Takes over a host's row from an older table; `renumbered` gives each resource's new number.
  void adopt(HostIndex host, HostTable& old, HostIndex old_host,
             const std::vector<std::optional<ResourceId>>& renumbered);

 private:
  static constexpr TimePoint kNever{Duration::min()};
  std::size_t place(HostIndex host, ResourceId id) const {
    return static_cast<std::size_t>(host) * indices_ + id;
  }
  ResourceId indices_ = 0;
  std::vector<HostEntry> entries_;
  std::vector<float> numbers_;
  std::vector<TimePoint> told_;
  std::unordered_map<std::string, std::weak_ptr<const std::string>> topologies_;
};

// The value of an instance that several hosts share. It belongs to the instance, not to the host that reports it, and stays when
// another host takes over its elims.
struct SharedValue {
  float number = kUnknownLoad;
  std::string word;
  std::optional<TimePoint> told;  // none: never
};

}  // namespace rollcall::lim
