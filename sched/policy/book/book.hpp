// Book: what mbatchd knows: every job, the states that badmin has set, and which hosts are connected.
//
// It applies what happens and answers with effects (events_and_effects.hpp); it touches nothing. A job's own rules are
// job_life.hpp's; who may do what, which jobs a request means, what hangs on what, and how hosts and the Book come to agree
// again are here. Owned by mbatchd's one thread. No operation costs more than what it changes: a hundred thousand pending
// jobs are no load for an event of one.
//
// It is made of four parts over one memory, so that each part of mbatchd has what it needs and no more; whoever owns the Book
// hands them out (docs/decisions/0078):
//
//   jobs()      the jobs with their indices, to read        answers, waiting clients, the snapshot, lsb.events
//   commands()  what clients ask to change                  the requests of clients
//   hosts()     hosts and attempts: plan, reports, orders   scheduler, engine
//   rows()      to and from the store                       the commit of a turn
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sched/policy/book/client_commands.hpp"
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

  // The files in force: before anything else, and again when they change.
  Effects configure(ConfigView config, WallTime now);
  void set_term(std::uint64_t term);
  std::uint64_t term() const;

  // Everything whose time has come. Call it at next_deadline(), or when you like.
  Effects tick(WallTime now);
  std::optional<WallTime> next_deadline() const;

  JobTable& jobs() { return jobs_; }
  const JobTable& jobs() const { return jobs_; }
  ClientCommands& commands() { return commands_; }
  HostLedger& hosts() { return hosts_; }
  const HostLedger& hosts() const { return hosts_; }
  StoredRows& rows() { return rows_; }
  const StoredRows& rows() const { return rows_; }

  // "" where all indices agree with the jobs and every record is sound. Slow; for tests.
  std::string broken_invariant() const;

 private:
  std::unique_ptr<Memory> memory_;
  JobTable jobs_;
  ClientCommands commands_;
  HostLedger hosts_;
  StoredRows rows_;
};

}  // namespace rollcall::sched::book
