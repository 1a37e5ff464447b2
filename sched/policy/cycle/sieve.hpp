// Sieve: what a select expression asks of numbers, in the form that an index of hosts can answer: a host that does not pass it
// does not fit the select; one that passes may.
//
// Made once for a select (compiled_demand.hpp), asked once in a cycle (host_index.hpp). It keeps only comparisons of an
// expression with a number, "mem > 500", "mem + tmp >= 2000", between && || and !, and of these only those that reservations of a
// cycle cannot make true: so what does not pass at its begin does not pass later in it. Everything else lets every host pass.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/resreq/evaluate.hpp"
#include "sched/policy/cycle/placement_rules.hpp"

namespace rollcall::sched::cycle {

// A number of each host: a resource, or an expression of several. Equal texts are equal measures.
struct Measure {
  std::string text;
  resreq::BoundSelect value;
};

struct Sieve {
  enum class Kind { enough, little, all, any };
  Kind kind = Kind::all;
  // enough, little: passes where the measure has a large (a small) value.
  Measure measure;
  resreq::BoundSelect comparison;  // asked of a host that has that value as every number
  bool negated = false;      // passes where the comparison does not hold: also where the value is not known
  std::vector<Sieve> parts;  // all, any
};

// None: every host passes.
std::optional<Sieve> sieve_of(const resreq::ExpressionPointer& select, const resreq::BindContext& context,
                              const PlacementRules& rules);

}  // namespace rollcall::sched::cycle
