// Reports: a host's load as it goes over one connection, said once and then only what changed. Two values, one for each
// end; the form is wire::ToLim::Report.
//
// Each connection has a dictionary: names of indices are said once and numbered from 0. Register starts it anew at both
// ends. A value is told when it changed (host_status.hpp says what that is), compared with what was told last, so that a
// slow drift is told too. The first report has everything, with the age of each value; an empty one says "alive".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/load_vector.hpp"
#include "common/base/result.hpp"
#include "common/wire/load.pb.h"
#include "elim/policy/lim/host_status.hpp"
#include "elim/policy/lim/host_table.hpp"

namespace rollcall::lim {

// What a host knows of its own load.
struct OwnLoad {
  LoadVector load;  // `told` of an unknown value means nothing
  Condition condition;
  std::vector<wire::ElimState> elims;
};

// The end that reports.
class ReportWriter {
 public:
  // Nothing has been told yet: the next report has everything.
  void start_anew();
  // True where the peer's idea of the condition is not ours: busy or locked has changed, which does not wait.
  bool urgent(const OwnLoad& own) const { return told_condition_ != own.condition; }
  // What is to be told now; it counts as told.
  wire::ToLim::Report next(const OwnLoad& own, const IndexTable& indices, TimePoint now);

 private:
  std::uint32_t number(ResourceId id, const IndexTable& indices, wire::ToLim::Report& report);
  void add_changes(const OwnLoad& own, const IndexTable& indices, TimePoint now, wire::ToLim::Report& report);
  void add_value(ResourceId id, const LoadValue& value, const IndexTable& indices, TimePoint now,
                 wire::ToLim::Report& report);

  bool first_ = true;
  std::vector<std::optional<std::uint32_t>> numbers_;  // by resource: its place in the dictionary
  std::uint32_t size_ = 0;                             // of the dictionary
  std::vector<LoadValue> told_;
  std::optional<Condition> told_condition_;
  std::string told_elims_;
};

// The end that hears: number -> resource; none: a name that our files do not have, whose values are passed over.
using Dictionary = std::vector<std::optional<ResourceId>>;

// Where a report goes: the host's row, and for shared resources the instances whose elims run on it. What it says of
// other shared resources is passed over: another host reports those.
struct ReportTarget {
  HostIndex host = 0;
  HostTable& table;
  const LimRules& rules;
  const std::vector<bool>& is_shared;      // by resource
  const std::vector<std::uint32_t>& held;  // places in ResourceMap::shared
  std::vector<SharedValue>& shared;        // by place in ResourceMap::shared
};
// The error says what is wrong with it; the row may be half written then, and the connection is to be closed.
Result<void> apply(const wire::ToLim::Report& report, Dictionary& dictionary, const ReportTarget& target,
                   TimePoint now);

// One's own load, without a connection between: for the master's own host.
void apply(const OwnLoad& own, const ReportTarget& target);

}  // namespace rollcall::lim
