// QueueTable: remote queues, laid out for many choices. A value with an invariant: its rows say what its queues say.
//
// A choice reads a few numbers of each queue. In the queues themselves these lie apart, behind lists of names of their own; with
// 1,000 queues most of a choice was waiting for memory. The rows have the numbers side by side and the names as bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sched/policy/forward/remote_queue.hpp"

namespace rollcall::sched::forward {

class QueueTable {
 public:
  // What choose() reads of each queue. Without an update (`told` false) only `offered`, `returned` and `refused` mean anything.
  struct Row {
    Slots slots;
    int job_room = 0, slot_room = 0;  // without limit: the greatest int
    int priority = 1;
    int lowest_preemptable = 0;  // none: the greatest int
    bool offered = false;        // its cluster is connected, and not closed to offers
    bool told = false;
    bool returned = false;       // the job came back from it
    bool refused = false;        // it takes no job of the user
    bool several_types = false;  // of hosts
    bool has_values = false;     // its cluster compares values of resources
  };

  // Not explicit: a list of queues is a table for one choice.
  QueueTable(std::vector<RemoteQueue> queues);  // NOLINT(google-explicit-constructor)

  std::span<const RemoteQueue> queues() const { return queues_; }
  std::span<const Row> rows() const { return rows_; }

  // A job was forwarded since: the queue, if it is one of these, has other figures.
  void update(const conf::RemoteQueue& name, const std::optional<Figures>& figures);
  // The job that is decided came back from that queue, or its user's jobs are refused there, if it is one of these. Until
  // clear_job(): for the next job.
  void set_returns(const conf::RemoteQueue& name, Returns returns);
  void set_refused(const conf::RemoteQueue& name, std::string why);
  void clear_job();

  // Types and Booleans that a job asks for, as bits; looked up once for all queues.
  class Asked {
   public:
    Asked(const QueueTable& table, const ForwardJob& job);
    bool met_by(std::size_t queue) const;  // the queue has all of them
    // Only where they are not met: the first type that the queue lacks, else the first Boolean.
    struct Lacking {
      bool is_type;
      std::uint32_t which;
    };
    Lacking lacking_in(std::size_t queue) const;

   private:
    bool has(std::size_t queue, std::size_t name) const;

    const QueueTable& table_;
    std::vector<std::size_t> types_,
        booleans_;                     // numbers of names; one that no queue has: the number of all names
    std::vector<std::uint64_t> bits_;  // of a queue that has all
    bool unknown_ = false;             // no queue has one of them
  };

 private:
  using Names = std::map<std::string, std::size_t, std::less<>>;  // to their numbers: the bits of queues
  static Row row_of(const RemoteQueue& queue);
  std::optional<std::size_t> place_of(const conf::RemoteQueue& name) const;
  void number_names(const std::vector<std::string>& names, Names& known);
  void set_bits(std::size_t queue, const std::vector<std::string>& names, const Names& known);
  std::size_t number_of(const Names& known, const std::string& name) const;

  std::vector<RemoteQueue> queues_;
  std::vector<Row> rows_;
  std::vector<std::size_t> of_job_;  // of set_returns() and set_refused()
  Names types_, booleans_;
  std::size_t names_ = 0;            // types and Booleans
  std::size_t words_ = 0;            // of bits for one queue
  std::vector<std::uint64_t> bits_;  // words_ for each queue
};

}  // namespace rollcall::sched::forward
