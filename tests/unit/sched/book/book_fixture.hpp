// A Book with a small site's files, and short ways to say what happens: for the tests of sched_book.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sched/policy/book/book.hpp"
#include "tests/support/site_view.hpp"

namespace rollcall::sched::book {

// Words of nearly every test of the Book.
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Act = wire::SignalJobs;
using How = report::Over::How;

// `normal`: more lines of that queue.
inline ConfigView site_files(const std::string& params = "", const std::string& normal = "") {
  conf::MemoryFiles files;
  files.files = {
      {"/c/lsf.conf", "LSF_LOGDIR=/l\nLSB_SHAREDIR=/s\n"},
      {"/c/lsf.shared",
       "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin HostType\nTYPENAME\nX86_64\nEnd HostType\n"},
      {"/c/lsf.cluster.lab",
       "Begin Host\nHOSTNAME type\nhostA X86_64\nhostB X86_64\nhostC X86_64\nEnd Host\n"},
      {"/c/lsbatch/lab/configdir/lsb.params",
       "Begin Parameters\nDEFAULT_QUEUE = normal\nMAX_PREEXEC_RETRY = 3\n" + params + "End Parameters\n"},
      {"/c/lsbatch/lab/configdir/lsb.hosts",
       "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\nbig (hostB hostC)\nEnd HostGroup\n"},
      {"/c/lsbatch/lab/configdir/lsb.users",
       "Begin UserGroup\nGROUP_NAME GROUP_MEMBER\ndev (ann bob)\nEnd UserGroup\n"},
      {"/c/lsbatch/lab/configdir/lsb.queues",
       "Begin Queue\nQUEUE_NAME = normal\nPRIORITY = 30\nREQUEUE_EXIT_VALUES = 77 EXCLUDE(78)\nRUNLIMIT = 10 "
       "60\n"
       "RES_REQ = select[mem > 10]\nMEMLIMIT = 5000\n" +
           normal +
           "End Queue\n"
           "Begin Queue\nQUEUE_NAME = special\nUSERS = dev\nADMINISTRATORS = eve\nPROCLIMIT = 2 4 "
           "8\nINTERACTIVE "
           "= NO\n"
           "EXCLUSIVE = Y\nEnd Queue\n"
           "Begin Queue\nQUEUE_NAME = talk\nINTERACTIVE = ONLY\nPRE_EXEC = /bin/true\nJOB_STARTER = "
           "nice\nEnd "
           "Queue\n"}};
  return site_view(files);
}

inline const Identity kAnn{1001, 100, "ann", {}, false};
inline const Identity kBob{1002, 100, "bob", {}, false};
inline const Identity kEve{1003, 100, "eve", {}, false};  // administrates queue special
inline const Identity kRoot{0, 0, "root", {}, true};

inline wire::Submission plain_job(const std::string& command = "sleep 1") {
  wire::Submission asked;
  asked.set_command(command);
  asked.set_from_host("hostA");
  asked.set_from_type("X86_64");
  asked.set_cwd("/home");
  return asked;
}
inline wire::Submission array_job(int last) {
  wire::Submission asked = plain_job();
  asked.set_job_name("arr");
  auto& range = *asked.add_indices();
  range.set_first(1);
  range.set_last(last);
  range.set_step(1);
  return asked;
}

inline event::Dispatched on_hosts(const std::vector<std::string>& names) {
  event::Dispatched plan;
  for (const auto& name : names) plan.placement.hosts.push_back({HostId(name), 1});
  return plan;
}

// Effects that are more than a note: what is saved, ordered and recorded, one line each.
inline std::vector<std::string> lines(const Effects& effects) {
  std::vector<std::string> result;
  for (const Effect& effect : effects)
    if (!std::holds_alternative<effect::TellWaiters>(effect) &&
        !std::holds_alternative<effect::ScheduleSoon>(effect))
      result.push_back(text(effect));
  return result;
}
inline std::vector<std::string> orders(const Effects& effects) {
  std::vector<std::string> result;
  for (const std::string& line : lines(effects))
    if (line.starts_with("Order")) result.push_back(line);
  return result;
}
inline bool schedules(const Effects& effects) {
  return std::any_of(effects.begin(), effects.end(),
                     [](const Effect& e) { return std::holds_alternative<effect::ScheduleSoon>(e); });
}

// The rows that a store has of payloads.
struct PayloadRows {
  std::map<std::uint64_t, std::string> bodies;

  void take(const Effects& effects) {
    for (const Effect& effect : effects) {
      if (const auto* save = std::get_if<effect::SavePayload>(&effect))
        bodies[save->row.number] = save->row.body;
      if (const auto* drop = std::get_if<effect::DropPayload>(&effect)) bodies.erase(drop->number);
    }
  }
  std::shared_ptr<const wire::Submission> whole(const std::shared_ptr<const wire::Submission>& asked) const {
    auto whole = std::make_shared<wire::Submission>(*asked);
    for (const auto row : wire::payload_rows(*asked))
      if (!bodies.contains(row) || !wire::put_payload(*whole, bodies.at(row))) return nullptr;
    return whole;
  }
};

class BookTest : public testing::Test {
 protected:
  BookTest() { start(); }
  ~BookTest() override { EXPECT_EQ(book->broken_invariant(), ""); }

  void start(const std::string& params = "") {
    book = std::make_unique<Book>();
    book->configure(site_files(params), now);
    book->set_term(1);
    book->rows().loaded(now);
  }

  wire::BatchReply::Accepted submitted(const wire::Submission& asked, const Identity& who = kAnn) {
    wire::Submit request;
    *request.add_jobs() = asked;
    auto applied = book->commands().submit(request, who, now);
    effects = std::move(applied.effects);
    return applied.reply.submitted().jobs(0);
  }
  std::int32_t submit(const wire::Submission& asked, const Identity& who = kAnn) {
    const auto accepted = submitted(asked, who);
    EXPECT_FALSE(accepted.has_refusal()) << accepted.refusal().text();
    return accepted.id();
  }
  std::string refused(const wire::Submission& asked, const Identity& who = kAnn) {
    return submitted(asked, who).refusal().text();
  }

  void tells(const std::string& host, const HostReport& report) {
    effects = book->hosts().host_told(host, report, now);
  }
  void hello(const std::string& host, std::vector<report::Held> held = {}) {
    tells(host, report::HostCame{std::move(held)});
  }
  void dispatch(JobKey key, std::vector<std::string> hosts = {"hostA"}) {
    effects = book->hosts().dispatch(key, on_hosts(hosts), now);
  }
  Attempt attempt(JobKey key) const { return {key, job(key).record.attempt()}; }
  void runs(JobKey key, int pid = 100) {
    report::Running told;
    told.attempt = attempt(key);
    told.pid = pid;
    tells(job(key).record.hosts(0).name(), told);
  }
  report::Over end_of(JobKey key, int status, report::Over::How how = report::Over::How::ended) const {
    report::Over told;
    told.attempt = attempt(key);
    told.how = how;
    told.exit_status = status;
    told.end_us = now.us;
    return told;
  }
  void ends(JobKey key, int status, report::Over::How how = report::Over::How::ended) {
    tells(job(key).record.hosts(0).name(), end_of(key, status, how));
  }

  // The lines of a bkill, bstop, ...; "! " before those that go to standard error.
  std::vector<std::string> signal(wire::SignalJobs request, const Identity& who = kAnn) {
    return answer(book->commands().signal_jobs(request, who, now));
  }
  std::vector<std::string> ask(JobKey key, wire::SignalJobs::Action action, const Identity& who = kAnn,
                               int number = 0) {
    wire::SignalJobs request;
    set_key(*request.mutable_filter()->add_keys(), key);
    request.set_action(action);
    request.set_signal(number);
    return signal(request, who);
  }
  std::vector<std::string> answer(Applied applied) {
    effects = std::move(applied.effects);
    std::vector<std::string> said;
    if (applied.reply.has_refusal()) said.push_back("!! " + applied.reply.refusal().text());
    for (const auto& line : applied.reply.outcomes().outcomes())
      said.push_back((line.failed() ? "! " : "") + line.text());
    return said;
  }

  const Job& job(JobKey key) const {
    const Job* found = book->jobs().find(key);
    EXPECT_NE(found, nullptr) << text(key);
    static const Job none;
    return found ? *found : none;
  }
  wire::JobStatus status(JobKey key) const { return job(key).status(); }

  WallTime now = wall_seconds(1'000'000);
  std::unique_ptr<Book> book;
  Effects effects;
};

}  // namespace rollcall::sched::book
