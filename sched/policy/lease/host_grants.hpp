// HostGrants: what the RES of one host has said of leases since it connected to this mbatchd: the number of each lease on its disk, and
// whether it runs jobs under a grant that the Book does not know; and what it is to be told next. A value of the provider, which
// LeaseFences has for each host. docs/decisions/0097.
//
//   happens                                          | becomes
//   -------------------------------------------------+----------------------------------------------------------------
//   came                                             | not heard; every lease of the host is to be named. With jobs that the Book does
//                                                    | not know: unknown_jobs, and it is asked though it has no lease
//   a lease gets slots of the host                   | it is to be named
//   wants (effect::Fence)                            | its present number is to be named
//   answered: the Book knows all attempts            | heard, no unknown_jobs; the numbers are on disk
//   answered: some are unknown, or nothing is kept   | not heard; asked again later. The Book has those attempts killed. Strangers,
//                                                    | where some are unknown
//   RES is of a release that keeps no numbers        | heard; no number is on disk
//   gone                                             | no number is on disk, no unknown_jobs
//
// A lease that has no slots here any more, and whose number RES has, is named as over.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sched/policy/lease/lease_values.hpp"
#include "sched/policy/values/engine.hpp"

namespace rollcall::sched::lease {

using GrantNumbers = std::map<std::uint64_t, GrantNumber>;  // by lease

struct GrantQuestion {
  std::uint64_t number = 0;
  GrantNumbers newest;
  std::vector<std::uint64_t> over;
};
// The answer of RES.
struct GrantsOnHost {
  struct Held {
    Attempt attempt;
    std::vector<std::uint64_t> leases;
    bool over = false;  // its end follows
  };
  std::uint64_t question = 0;
  GrantNumbers newest;
  std::vector<Held> jobs;  // with a grant
  std::string why_not;     // the numbers are not on disk; "": they are
};

class HostGrants {
 public:
  // `unknown_jobs`: its RES says that it has jobs under grants, and the Book does not know all of them.
  void came(bool unknown_jobs);
  void gone();
  void keeps_no_numbers();
  void wants(std::uint64_t lease) { wanted_.insert(lease); }
  // Another question is due after a while, though nothing has changed.
  bool asks_again() const { return connected_ && again_; }
  void ask_again() { all_ = connected_; }

  // `leases`: those with slots of the host, and their present numbers. None: RES has been told all of it.
  std::optional<GrantQuestion> next_question(const GrantNumbers& leases);
  // `knows`: the attempt is one of the Book's, and not over. False: the answer is of an earlier connection, and ignored.
  bool answered(const GrantsOnHost& answer, const std::function<bool(const Attempt&)>& knows);

  // No slot of the host is granted, and no start passed, before.
  bool heard() const { return heard_; }
  // No job of the provider starts before they are over: they may have its slots.
  bool unknown_jobs() const { return unknown_jobs_; }
  // {}: unknown.
  GrantNumber on_disk(std::uint64_t lease) const;

 private:
  bool connected_ = false, heard_ = false;
  bool all_ = false, again_ = false, unknown_jobs_ = false;
  std::uint64_t asked_ = 0, first_ = 0;  // questions; the first one of this connection
  GrantNumbers named_, on_disk_;
  std::set<std::uint64_t> wanted_, told_over_;
};

}  // namespace rollcall::sched::lease
