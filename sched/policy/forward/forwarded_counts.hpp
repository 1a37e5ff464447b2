// ForwardedCounts: the figures of one remote queue between its updates: the newest update, and on top of it the jobs that we have
// forwarded and that it does not contain yet. A value with invariants; mbatchd of the submission cluster has one for each queue.
//
// Each forward of a job has a number, which goes along with the offer. An update names the highest number that it accounts for: the
// other cluster has taken in or refused every forward up to it, in order. Updates may be lost, repeated and late.
//
//   event     | newest update                              | forwards on top of it
//   ----------+--------------------------------------------+-------------------------------------------------
//   forwarded |                                            | one more
//   restored  |                                            | one more, if it is not in the newest update
//   gone      |                                            | that one no longer, if it was still on top
//   came back | without its slots, if it contained them    | that one no longer, if it was still on top
//   updated   | this one, if it is newer and can be true   | those with numbers above the one that it names
//
// A forward that was neither gone nor accounted for stays counted: a job whose offer is on its way is not forgotten. A job that is
// gone after an update contained it is counted until the next update.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>

#include "sched/policy/forward/remote_queue.hpp"

namespace rollcall::sched::forward {

// Where an update stands among all of one queue: the connection, counted by the receiver, and the sender's number in it.
struct UpdateOrder {
  std::uint64_t connection = 0, number = 0;
  friend auto operator<=>(const UpdateOrder&, const UpdateOrder&) = default;
};

struct Update {
  UpdateOrder order;
  std::uint64_t accounts_for = 0;  // the highest forward; 0: none
  Figures figures;
};

class ForwardedCounts {
 public:
  // first: the number of the next forward, above every number that was used before a restart.
  explicit ForwardedCounts(std::uint64_t first = 1) : next_(first) {}

  // slots: what the remote queue will count as pending. Gives the forward's number.
  std::uint64_t forwarded(int slots);
  // A forward that was made before a restart and is not gone. One that is known changes nothing.
  void restored(std::uint64_t forward, int slots);
  // The job was refused or is over. Unknown numbers are ignored.
  void gone(std::uint64_t forward);
  // The job waited there until now, and is back. An update that contains it no longer holds.
  void came_back(std::uint64_t forward);

  enum class Outcome { taken, outdated, invalid };
  // invalid: it accounts for a forward that was never made, or has a negative number. Such an update changes nothing.
  Outcome updated(const Update& update);

  // none: no update has come.
  std::optional<Figures> figures() const;

 private:
  void count_unaccounted();

  std::uint64_t next_;
  std::map<std::uint64_t, int> there_;  // slots of all forwards that are not gone, by number
  std::optional<Update> newest_;
  int jobs_ = 0;  // of there_, above newest_->accounts_for
  std::int64_t slots_ = 0;
};

}  // namespace rollcall::sched::forward
