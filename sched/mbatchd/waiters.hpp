// Waiters: the clients that wait for a job (bsub -K, -I) or for a condition (bwait), without limit of time.
//
// Owns the table of clients and what each waits for. It looks into the Book when it is told that jobs have changed, and sends
// answers; the last answer ends the wait, as does the end of the connection.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "common/io/links.hpp"
#include "sched/policy/book/job_table.hpp"

namespace rollcall::mbatchd {

class Waiters {
 public:
  struct Handler {
    std::function<void(io::LinkId, const wire::BatchReply&)> reply;
    // Why a job pends; the key reason first.
    std::function<std::vector<wire::BatchReply::Reason>(sched::JobKey)> reasons;
    // The bsub of an interactive job whose process does not run yet has ended before it was told of the job's stream, and did not
    // connect again.
    std::function<void(const sched::Job&)> abandoned = {};
  };
  Waiters(const sched::book::JobTable& table, Handler handler)
      : table_(table), handler_(std::move(handler)) {}

  // An interactive job came by this link: whoever submitted it is about to wait for it.
  void submitted(io::LinkId link, sched::JobKey key);
  // Both answer at once if there is something to report.
  void await(io::LinkId link, const wire::AwaitJob& asked, const sched::Identity& who);
  void await(io::LinkId link, const wire::AwaitCondition& asked, const sched::Identity& who, WallTime now);
  void ended(io::LinkId link);
  // To be called before ended() if the client's process closed the link or was killed. True: it has a deadline to connect again.
  bool left(io::LinkId link, WallTime now);

  // These jobs have changed, and the change is committed.
  void changed(const std::set<sched::JobKey>& jobs);
  // A cycle is over: jobs may pend for other reasons.
  void planned();
  void tick(WallTime now);
  std::optional<WallTime> next_deadline() const;

 private:
  struct JobWaiter {
    sched::JobKey key;
    bool reasons = false;
    std::string told;  // the last part that was sent
  };
  struct ConditionWaiter {
    std::string written;
    sched::jobs::Dependency condition;  // names bound to jobs when it was asked for
    std::optional<WallTime> until;
  };
  bool tell(io::LinkId link, JobWaiter& waiter);  // true: that was the last answer
  bool tell(io::LinkId link, const ConditionWaiter& waiter);
  using LinksById = std::unordered_map<std::int32_t, std::set<io::LinkId>>;
  static void note(LinksById& index, std::int32_t id, io::LinkId link) { index[id].insert(link); }
  static void forget(LinksById& index, std::int32_t id, io::LinkId link);
  void forget_condition(io::LinkId link);
  void changed_conditions(const std::set<sched::JobKey>& jobs);
  const sched::Job* shown(sched::JobKey key) const;
  bool over(sched::JobKey key) const;

  bool interactive_before_start(sched::JobKey key) const;

  const sched::book::JobTable& table_;
  Handler handler_;
  std::map<io::LinkId, JobWaiter> jobs_;
  std::map<io::LinkId, sched::JobKey> submitted_;  // and not waited for yet
  LinksById by_id_;
  std::map<io::LinkId, ConditionWaiter> conditions_;
  LinksById conditions_by_id_;  // of every job that a condition names
  // Interactive jobs whose bsub may be dead, and when it counts as dead.
  std::map<sched::JobKey, WallTime> left_;
};

}  // namespace rollcall::mbatchd
