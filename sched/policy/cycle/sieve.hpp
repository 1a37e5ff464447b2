// Sieve: the numeric comparisons of a select expression, in a form that a sorted index of hosts can answer. A host that fails the
// sieve does not match the select; a host that passes may match.
//
// Made once for a select (compiled_demand.hpp), asked once in a cycle (host_index.hpp). It keeps comparisons of an expression with
// a number ("mem > 500", "mem + tmp >= 2000") and && || ! between them. Of these it keeps only those which reservations cannot make
// true, so that a host which fails at the begin of a cycle fails until its end. All other parts let every host pass.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/resreq/evaluate.hpp"
#include "sched/policy/cycle/placement_rules.hpp"

namespace rollcall::sched::cycle {

// A number of each host: a resource, or an expression of several. Measures with equal texts are equal.
struct Measure {
  std::string text;
  resreq::BoundSelect value;
};

struct Sieve {
  enum class Kind { enough, little, all, any };
  Kind kind = Kind::all;
  // `enough`, `little`: a host passes if the measure's value is large (small).
  Measure measure;
  resreq::BoundSelect comparison;  // evaluated for a host that has the measure's value as every number
  bool negated = false;            // passes where the comparison does not hold, or the value is unknown
  std::vector<Sieve> parts;        // all, any
};

// None: every host passes.
std::optional<Sieve> sieve_of(const resreq::ExpressionPointer& select, const resreq::BindContext& context,
                              const PlacementRules& rules);

}  // namespace rollcall::sched::cycle
