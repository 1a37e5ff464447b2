// PartWorld: two clusters and jobs on hosts of both: west starts them on hostA of its own and borrows hostB and hostC of east, a slot of
// each. Each is a BookWorld with its store and hosts; between them are LeaseIn as it is in mbatchd, and a provider that accepts a part
// where a slot is free, under a lease that stays as it is (LeaseWorld has leases that change). East takes parts back as a policy would.
//
// Masters die and are cut off from each other; hosts disconnect, restart, or lose their disks. When the tasks of a part die, its job ends
// with their exit code. After each turn no slot of east has two attempts. A host of east obeys each signal of a job once, in the order
// in which it was given, and in the end has obeyed all. Owned by a test; all randomness comes from the seed.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "common/io/log.hpp"
#include "sched/mbatchd/configuration.hpp"
#include "sched/mbatchd/lease_in.hpp"
#include "sched/policy/answers/snapshot_keeper.hpp"
#include "tests/sim/book_world.hpp"

namespace rollcall::sched {

class PartWorld {
 public:
  // `files`: of both clusters. people: users kill, stop and requeue jobs of west.
  PartWorld(std::shared_ptr<const mbatchd::Configuration> files, std::uint32_t seed, bool people);
  ~PartWorld();

  void submit(const wire::Submission& asked) { west_.submit(asked); }
  void turn();
  // Nothing breaks any more. True: every job and part is over, and its end acknowledged.
  bool settle(int turns);
  const std::string& trouble() const { return trouble_; }  // "" or the first thing that must never be

  struct Seen {  // that there was something to look at
    int parts = 0, cuts = 0, recalls = 0, killed = 0, held = 0, wiped = 0, deaths = 0;
    int signals = 0,
        late_signals = 0;  // that a host of east has obeyed; that were given while the clusters were cut off
  };
  Seen seen() const;

 private:
  class Consumer;  // west's engine of borrowed hosts: LeaseIn, which is made anew with each mbatchd
  struct Provider {
    std::map<JobKey, std::string> told;  // in this connection
    std::vector<SaidOfAttempt> answers;
    bool greets = false;
  };

  std::size_t below(std::size_t n) { return random_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  void fail(const std::string& what);
  void take_turns();

  // ---- the network
  void connect();
  void cut();
  void west_notices();
  void deliver_to_east();
  void deliver_to_west();

  // ---- west
  void west_starts();
  void west_change(const std::function<void()>& what);
  void told(const std::string& host, const HostReport& report);
  void order_again();
  std::optional<wire::JobSpan> span_of(const Attempt& attempt) const;
  void plan(book::Book& book, WallTime now, const std::function<void(Effects)>& take);

  // ---- east
  Effects east_hears(book::Book& book, const wire::PeerMessage& message, WallTime now);
  Effects answered(book::ForwardedJobs::Answered answer);
  std::optional<SaidOfAttempt> no_room(const book::Book& book, const wire::ForwardOffer& offer) const;
  void east_tells();
  void greet();
  void recall();
  void end_jobs_whose_tasks_died();

  // ---- signals: part_world_signals.cpp
  struct Given {  // by west
    Attempt attempt;
    std::uint64_t number = 0;
    friend auto operator<=>(const Given&, const Given&) = default;
  };
  void give_signal();
  Effects obey(book::Book& book, const wire::ForwardSignal& signal, WallTime now);
  void obeyed(const std::string& host, const Attempt& part, std::uint64_t number);
  void forget_uncommitted();
  std::optional<Attempt> part_of(const Attempt& attempt) const;
  std::string missing_signal() const;
  std::string missing_signal(const std::string& host, const Attempt& part, const Job& job) const;
  bool a_part_runs() const;
  void settle_signals(int turns);

  void check();
  void check_end();

  std::shared_ptr<const mbatchd::Configuration> files_;
  std::mt19937 random_;
  io::Log log_{-1, "sim", io::Level::error};
  BookWorld west_, east_;
  std::unique_ptr<Consumer> consumer_;
  Provider provider_;
  int west_dies_in_ = 0, east_dies_in_ = 0;  // points
  bool connected_ = false;
  bool unnoticed_ = false;  // west takes the connection for open
  std::deque<wire::PeerMessage> to_east_, to_west_;
  // Of the change of west that is being made; none: it makes none.
  book::Book* changing_ = nullptr;
  WallTime changing_at_{};
  Effects effects_;
  std::deque<std::pair<std::string, HostReport>> soon_;
  std::set<std::pair<std::string, Attempt>>
      unnamed_;  // parts that wait until all hosts of the job can be named
  std::map<std::pair<Attempt, std::uint64_t>, Given> causes_;  // of a signal of a part, by east's number
  std::map<std::pair<std::string, Attempt>, std::vector<std::uint64_t>> obeyed_;  // west's numbers
  std::set<Given> given_in_a_cut_;
  std::set<Attempt> killed_;  // of west: tasks of theirs died with a part that was taken back
  Seen seen_;
  std::string trouble_;
};

}  // namespace rollcall::sched
