// Reports: a host's load as sent over one connection: all of it once, then changes only. A writer and a reader; the form is
// wire::ToLim::Report.
//
// Each connection has a dictionary: names of indices are sent once and numbered from 0. Register starts it anew at both ends. A
// value is sent when it differs from the value sent last (host_status.hpp has the rule), so that a slow drift is reported too.
// The first report has everything, with the age of each value; an empty one says "alive".
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

// A host's own load.
struct OwnLoad {
  LoadVector load;  // `told` of an unknown value means nothing
  Condition condition;
  std::vector<wire::ElimState> elims;
};

// The sending end.
class ReportWriter {
 public:
  // The next report has everything.
  void start_anew();
  // True when busy or locked differs from what the peer knows; that is reported at once.
  bool urgent(const OwnLoad& own) const { return told_condition_ != own.condition; }
  // The report of what has changed; it counts as sent.
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

// The receiving end: number -> resource; none: a name that our files do not have, whose values are ignored.
using Dictionary = std::vector<std::optional<ResourceId>>;

// Where a report goes: the host's row, and the shared instances whose elims run on it. Values of other shared instances are
// ignored: another host reports those.
struct ReportTarget {
  HostIndex host = 0;
  HostTable& table;
  const LimRules& rules;
  const std::vector<bool>& is_shared;      // by resource
  const std::vector<std::uint32_t>& held;  // places in ResourceMap::shared
  std::vector<SharedValue>& shared;        // by place in ResourceMap::shared
};
// An error says what is invalid; the row may be half written then, and the connection must be closed.
Result<void> apply(const wire::ToLim::Report& report, Dictionary& dictionary, const ReportTarget& target,
                   TimePoint now);

// The same for the master's own host, without a connection.
void apply(const OwnLoad& own, const ReportTarget& target);

}  // namespace rollcall::lim
