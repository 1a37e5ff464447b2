// Queries: answers requests that change nothing: about jobs, queues, hosts and history. It hands clients that wait for a job to
// Waiters.
//
// A question is answered after the commit of the turn in which it came; the parts of its answer are made one at a time between
// later turns (common/io/answer_pump.hpp), so that no question delays a turn. It owns the questions of the present turn.
// sched/policy/answers/answers.hpp makes the answers.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/io/job_store.hpp"
#include "sched/mbatchd/clients.hpp"
#include "sched/mbatchd/configuration.hpp"
#include "sched/mbatchd/waiters.hpp"
#include "sched/policy/answers/answers.hpp"
#include "sched/policy/answers/snapshot_keeper.hpp"
#include "sched/policy/book/host_ledger.hpp"
#include "sched/policy/book/job_table.hpp"

namespace rollcall::mbatchd {

// What is known of other clusters, as AnswerView has it.
struct RemoteAnswers {
  std::function<sched::answers::RemoteLook(sched::JobKey)> queues;
  std::function<wire::BatchReply::ClusterRows()> clusters;
  std::function<std::vector<sched::lease::LeaseReport>()> leases = {};
  std::function<const sched::BorrowedLoad*(const sched::HostId&)> borrowed = {};
  std::function<std::vector<sched::lease::AwaitedLease>()> awaited = {};
};

class Queries {
 public:
  Queries(const sched::book::JobTable& jobs, const sched::book::HostLedger& hosts,
          const sched::answers::SnapshotKeeper& keeper, io::JobStore& store, sched::book::ReadWhole whole,
          RemoteAnswers remote, io::Links& links, Clients& clients)
      : jobs_(jobs),
        hosts_(hosts),
        keeper_(keeper),
        store_(store),
        whole_(std::move(whole)),
        remote_(std::move(remote)),
        links_(links),
        clients_(clients) {}

  void configure(std::shared_ptr<const Configuration> configuration) {
    configuration_ = std::move(configuration);
  }

  // The client's next request is read when this one is answered.
  void ask(io::LinkId link, const sched::Identity& who, const wire::BatchRequest& request);
  bool empty() const { return asked_.empty(); }
  void answer_all(Waiters& waiters);

  // Why a job pends; the key reason first. Worked out once in a cycle for all jobs that want the same thing.
  std::vector<wire::BatchReply::Reason> reasons(sched::JobKey key);
  // A cycle is over: jobs may pend for other reasons.
  void planned() { reasons_.reset(); }

 private:
  struct Asked {
    io::LinkId link = 0;
    sched::Identity who;
    wire::BatchRequest request;
  };
  void answer(const Asked& asked, Waiters& waiters);
  void answer_view(const Asked& asked);

  const sched::book::JobTable& jobs_;
  const sched::book::HostLedger& hosts_;
  const sched::answers::SnapshotKeeper& keeper_;
  io::JobStore& store_;
  const sched::book::ReadWhole whole_;
  const RemoteAnswers remote_;
  io::Links& links_;
  Clients& clients_;
  std::shared_ptr<const Configuration> configuration_;
  std::vector<Asked> asked_;
  std::unique_ptr<sched::cycle::PendingReasons> reasons_;  // of the last cycle, as far as they were asked for
};

}  // namespace rollcall::mbatchd
