// Book: what mbatchd knows: every job, the states that badmin has set, and which hosts are connected.
//
// It applies what happens and answers with effects (events_and_effects.hpp); it touches nothing. The rules of a single job are in
// job_life.hpp. The Book decides who may do what, which jobs a request means and which jobs wait for others, and brings its jobs
// and those of a host that connects into agreement. Owned by mbatchd's one thread. An operation costs as much as it changes: an
// event of one job costs the same with a hundred thousand pending jobs.
//
// It has five parts over one memory, so that each part of mbatchd sees only what it needs (docs/decisions/0078):
//
//   jobs()      the jobs with their indices, to read        answers, waiting clients, the snapshot, lsb.events
//   commands()  what clients ask to change                  the requests of clients
//   hosts()     hosts and attempts: plan, reports, orders   scheduler, engine
//   forwards()  attempts of other clusters               the connections with their masters
//   rows()      to and from the store                       the commit of a turn
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sched/policy/book/client_commands.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/book/host_ledger.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/book/stored_rows.hpp"

namespace rollcall::sched::book {

class Book {
 public:
  Book();
  ~Book();
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  // Sets the configuration. To be called before anything else, and again when files change.
  Effects configure(ConfigView config, WallTime now);
  void set_term(std::uint64_t term);
  std::uint64_t term() const;

  // Does everything that is due. To be called at next_deadline(); earlier calls do no harm.
  Effects tick(WallTime now);
  std::optional<WallTime> next_deadline() const;

  JobTable& jobs() { return jobs_; }
  const JobTable& jobs() const { return jobs_; }
  ClientCommands& commands() { return commands_; }
  HostLedger& hosts() { return hosts_; }
  const HostLedger& hosts() const { return hosts_; }
  ForwardedJobs& forwards() { return forwards_; }
  const ForwardedJobs& forwards() const { return forwards_; }
  StoredRows& rows() { return rows_; }
  const StoredRows& rows() const { return rows_; }

  // "": all indices agree with the jobs and every record is valid; else what is wrong. Slow; for tests.
  std::string broken_invariant() const;

 private:
  std::unique_ptr<Memory> memory_;
  JobTable jobs_;
  ClientCommands commands_;
  HostLedger hosts_;
  ForwardedJobs forwards_;
  StoredRows rows_;
};

}  // namespace rollcall::sched::book
