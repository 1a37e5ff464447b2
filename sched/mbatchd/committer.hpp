// Committer: the one commit of a turn, and what may leave only after it: orders, answers, lines of the event files.
//
// Owns the store, the event files, and what waits for the next commit (transaction.hpp). It decides nothing about jobs.
//
//   the store      | commit()
//   ---------------+-----------------------------------------------------------------------------------------------------
//   keeps          | commits, then everything leaves; changes that no client waits for are held briefly, to share a commit
//   fails          | submissions are withdrawn and refused; what else has changed waits, and so does everything that would
//                  | tell of it; a commit is tried with each turn and each second
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"
#include "sched/mbatchd/event_files.hpp"
#include "sched/mbatchd/transaction.hpp"
#include "sched/policy/book/stored_rows.hpp"

namespace rollcall::mbatchd {

class Committer {
 public:
  struct Handler {
    std::function<void(const sched::Effect&)> order;
    std::function<void(io::LinkId, const wire::BatchReply&)> reply;
    std::function<void(const std::set<sched::JobKey>&)> told;
    std::function<void(sched::JobKey)> withdrawn;
    std::function<void()> keeps_again;   // the store, after it had failed
    std::function<void()> files_behind;  // event files lack events of the store: catch_up() is due
  };
  using Steady = std::chrono::steady_clock;

  // `directory`: of the event files.
  Committer(sched::book::StoredRows& rows, std::unique_ptr<io::JobStore> store, const std::string& directory,
            io::Log& log, Handler handler)
      : store_(std::move(store)),
        files_(log, directory),
        log_(log),
        handler_(std::move(handler)),
        transaction_(rows) {}

  // Loads the store into a Book that has its files and its term. To be called before anything else. `takes`: takes a row of controls
  // that is not the Book's, and says so.
  Result<void> load(sched::book::StoredRows& rows, const sched::book::JobTable& jobs,
                    const std::function<bool(const io::StoredControl&)>& takes);

  io::JobStore& store() { return *store_; }
  const io::JobStore& store() const { return *store_; }
  EventFiles& files() { return files_; }

  // The submission with its payload, from the store or from the next commit. The last one is cached, since the elements of an array
  // come one after the other.
  io::StoreResult<std::shared_ptr<const wire::Submission>> whole(
      const std::shared_ptr<const wire::Submission>& asked);

  Transaction::Touched take(sched::Effects effects);
  // Leaves with the next commit.
  void reply(io::LinkId link, wire::BatchReply reply) { transaction_.reply(link, std::move(reply)); }
  void forget(io::LinkId link) { transaction_.forget(link); }

  // True: the next commit is not empty.
  bool to_save() const { return transaction_.to_save(); }
  bool failing() const { return failing_; }

  // `at_once`: commits without waiting for more. True: nothing is left to commit.
  bool commit(bool at_once);
  // The last one: what the files have now.
  void note_files();

  // How long until commit() is to be called again; none: nothing waits.
  std::optional<Duration> wait() const;

 private:
  bool may_wait() const;
  io::StoreResult<std::uint64_t> save(io::StoreBatch& batch);
  void refuse_submissions(io::StoreBatch batch, const io::StoreError& error);
  void leave(Done done);

  std::unique_ptr<io::JobStore> store_;
  EventFiles files_;
  io::Log& log_;
  Handler handler_;
  Transaction transaction_;
  std::shared_ptr<const wire::Submission> last_asked_;
  std::shared_ptr<const wire::Submission> last_whole_;
  bool failing_ = false;
  std::optional<Steady::time_point> unsaved_since_;
};

}  // namespace rollcall::mbatchd
