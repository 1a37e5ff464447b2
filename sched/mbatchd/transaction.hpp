// Transaction: what one turn of mbatchd's loop has to save, and what may be done only when it is saved.
//
// It collects effects and replies; batch() is all that the store's one commit has to save. committed() gives the orders, replies
// and waiters back, in sequence. After a failed commit everything stays for the next one, except submissions: they are withdrawn,
// as if their jobs had never been there, and clients that wait for another answer get "not done yet". It decides nothing about
// jobs and sends nothing.
//
// state x event   | effects       | committed            | failed
//   clean         | -> dirty      | -                    | -
//   dirty         | dirty         | clean; all comes out | dirty; submissions are out; replies come out, refused
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/io/job_store.hpp"
#include "common/io/links.hpp"
#include "sched/policy/book/stored_rows.hpp"

namespace rollcall::mbatchd {

// An answer that waits for the commit.
struct WaitingReply {
  io::LinkId link = 0;
  wire::BatchReply reply;
};

// What comes out after a commit.
struct Done {
  std::vector<sched::Effect> orders;  // Order* only
  std::vector<WaitingReply> replies;
  std::set<sched::JobKey> told;        // TellWaiters
  std::vector<wire::JobEvent> events;  // for the event files
};

class Transaction {
 public:
  explicit Transaction(sched::book::StoredRows& rows) : rows_(rows) {}

  // What the snapshot must hear of at once.
  struct Touched {
    std::set<sched::JobKey> jobs;
    std::vector<wire::ControlState> controls;
    bool schedule = false;
  };
  Touched take(sched::Effects effects);
  void reply(io::LinkId link, wire::BatchReply reply);
  // The link has gone: nobody waits for it.
  void forget(io::LinkId link);

  bool to_save() const;
  bool empty() const { return !to_save() && orders_.empty() && replies_.empty() && told_.empty(); }
  // One that the store does not have yet; none: it has it, or there is none.
  const io::StoredPayload* payload(std::uint64_t row) const;
  // Something waits for the commit: an order, an answer. Else it may be put together with what comes next.
  bool urgent() const { return !orders_.empty() || !replies_.empty(); }
  // The events are in the batch then, until one of these gets it back.
  io::StoreBatch batch();
  Done committed(io::StoreBatch batch);

  // The store has not taken it again, and there is nothing to withdraw.
  void keep(io::StoreBatch batch);

  // Withdraws what was submitted since the last commit. All replies, refused with this, may leave. Gives what the snapshot must
  // hear of.
  struct Withdrawn {
    std::vector<WaitingReply> replies;
    std::vector<sched::JobKey> jobs;
  };
  Withdrawn failed(io::StoreBatch batch, const io::StoreError& error);

 private:
  sched::book::StoredRows& rows_;
  std::set<sched::JobKey> jobs_;
  std::set<std::uint64_t> submissions_;
  std::map<std::uint64_t, std::shared_ptr<const io::StoredPayload>> payloads_;
  std::vector<std::uint64_t> dropped_payloads_;
  std::vector<wire::JobRecord> removed_;
  std::vector<wire::ControlState> controls_;
  std::vector<wire::JobEvent> events_;
  std::set<std::string> tokens_;
  std::optional<std::int64_t> forget_tokens_before_;
  bool counters_ = false;
  std::vector<sched::Effect> orders_;
  std::vector<WaitingReply> replies_;
  std::set<sched::JobKey> told_;
};

// The row of a control: none where everything is as the files say.
io::StoredControl row_of(const wire::ControlState& state);

}  // namespace rollcall::mbatchd
