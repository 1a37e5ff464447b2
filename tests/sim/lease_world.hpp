// LeaseWorld: one provider, one consumer and the RES of two hosts with one lease between them, and a network that loses, repeats and
// reorders messages. Each may be restarted, the provider before or after what it decided is on disk; two masters of it may run at once.
// After every step no host may run more jobs than the lease has slots there. With licences every other job of either side holds an instance
// of a shared resource of both hosts, and no more of them may run than there are instances. Where an elim reports the number, it tells what is
// free on the licence server, a while ago, and a job checks its licence out some time after it has begun. Owned by a test; all randomness
// comes from the seed.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "res/policy/lease_numbers.hpp"
#include "sched/policy/lease/lease_life.hpp"
#include "sched/policy/lease/lease_terms.hpp"
#include "sched/policy/lease/reclaim.hpp"

namespace rollcall::sched::lease {

// A mistake that is made on purpose: the world finds it, or another layer makes it harmless (lease_sim_test.cpp).
enum class Fault {
  none,
  acknowledges_with_unanswered_starts,
  acknowledges_without_uses,
  grant_is_not_stored,
  accepted_start_is_not_stored,
  slots_are_freed_without_settling,
  jobs_of_a_second_master_are_not_heard_of,
  start_beyond_the_grant_is_passed,
  res_takes_an_older_number,
  slots_are_used_before_res_has_reported,
  start_is_passed_before_res_has_reported,
  free_slots_are_not_counted,
  local_start_is_not_stored,
  term_is_not_raised_at_a_restart,
  killed_jobs_count_as_over,
  used_slots_are_not_counted,
  report_of_an_older_term_is_believed,
  res_obeys_an_older_term,
  res_runs_an_ended_attempt_again,
  res_reports_no_jobs,
  res_tells_an_end_that_has_not_come,
  local_jobs_are_not_counted,
  // of licences
  start_beyond_the_instances_is_passed,
  local_instances_are_not_counted,
  lent_instances_are_not_counted,
  reservations_are_taken_as_checked_out,      // of an elim's value
  instances_are_used_before_res_has_reported  // found too rarely for a test
};

// The number of licences: none, of a static resource, or what an elim reports.
enum class Licences { none, fixed, reported };

struct WorldMessage {
  enum class Kind {
    // consumer to provider
    start,
    ask,
    answer,
    // provider to consumer
    stands,
    accepted,
    refused,
    over,
    unlisted,  // the lease is not known any more
    // provider to RES
    run,
    run_local,
    fence,
    kill,
    // RES to provider
    fenced,
    holds,
    ended
  };
  Kind kind{};
  std::string host;
  int attempt = 0;
  GrantNumber number;
  std::uint64_t term = 0;  // of the provider's master that says it
  bool wants = false;
  Phase phase{};
  std::vector<LeasedHost> hosts;
  std::vector<LeasedResource> resources;
  std::map<std::string, int> uses;
  std::set<int> attempts;
  bool to_old_master = false;
};

class LeaseWorld {
 public:
  static constexpr int kLicences = 2;
  LeaseWorld(std::uint64_t seed, Fault fault, bool shared, Licences licences = Licences::none)
      : random_(seed), fault_(fault), shared_(shared), licences_(licences) {
    begin();
  }

  // One random thing happens.
  void step();
  static constexpr int kSlots = 5;  // of both hosts

  // Faults stop; all messages arrive until nothing changes, and all jobs end. The policy exports all slots. `withdrawn`: it goes.
  void quiet(bool withdrawn);
  // After that, of a shared lease: MC_RECLAIM_DELAY is over once.
  void reclaim_idle();

  std::string broken;  // what was violated first; "": nothing
  int started = 0;     // jobs of the consumer that ran
  int moved = 0;       // slots that came back to the provider
  int holders = 0;     // of `started`: jobs with a licence
  int asked_anew = 0;  // attempts that the consumer had when it was restarted
  int lent_licences() const;
  bool gone() const { return !real_.disk.lease && !consumer_disk_.lease; }
  Phase provider_phase() const { return real_.disk.lease ? real_.disk.lease->phase : Phase::returned; }
  Phase consumer_phase() const {
    return consumer_disk_.lease ? consumer_disk_.lease->phase : Phase::returned;
  }
  bool agree() const;
  // After quiet(): what keeps a lease with so many slots from having ended as it should, on either side; "": nothing.
  std::string wrong_end(int slots) const;
  std::string text() const;  // how it stands, for failures

 private:
  using Kind = WorldMessage::Kind;
  static constexpr std::uint64_t kLease = 5;

  struct Attempt {
    std::string host;
    GrantNumber number;
    bool accepted = false;  // at the consumer: it was answered
    bool over = false;      // at the provider
  };
  struct ProviderDisk {
    std::optional<ProviderLease> lease;
    std::map<int, Attempt> attempts;    // of the consumer
    std::map<int, std::string> locals;  // jobs of the provider on slots of the lease
    std::set<int> refused;
    bool forgotten = false;
  };
  struct Master {
    ProviderDisk disk;  // what it believes is on disk
    std::uint64_t term = 1;
    std::map<std::string, GrantNumber> fenced;
    std::set<std::string> heard;  // hosts whose RES has said in this term what it holds
    bool exists = true, is_old = false;
  };
  struct ConsumerDisk {
    std::optional<ConsumerLease> lease;  // in memory alone
    std::map<int, Attempt> attempts;
    std::uint64_t term = 0;
    int next = 1;
  };
  struct Res {
    res::LeaseNumbers numbers;
    std::set<int> running, locals, seen;
    std::uint64_t term = 0;
  };

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  bool one_in(int n) { return pick(n) == 0; }
  std::string some_host() { return pick(2) ? "a" : "b"; }

  void begin();
  void settle();
  void say(WorldMessage message);
  void deliver(bool reliable);
  void handle(WorldMessage message);

  // Licences.
  static bool holds(int job) { return job % 2 != 0; }
  std::vector<LeasedResource> lends(int instances) const;
  int licences_used(const Master& master) const;
  int licences_free(const Master& master) const;
  int told_free() const;
  std::set<std::pair<std::string, int>> running_holders()
      const;  // a host, and a job there; one of the provider is negative
  void check_out_or_tell();
  ResourcesNow resources_now_of(const Master& master) const;
  bool all_heard(const Master& master) const;
  // An attempt of the consumer: it holds none, or one of the lease's is free.
  bool may_hold(const Master& master, int attempt) const;
  bool consumer_may_hold(int attempt) const;
  void kill_holders(Master& master, int instances);
  void check_licences();

  // The provider.
  HostsNow now_of(const Master& master) const;
  void decide(Master& master, const ProviderEvent& event);
  void carry_out(Master& master, const ProviderEffects& effects);
  void tell(const Master& master);
  void commit(Master& master, const ProviderDisk& before);
  void restart_provider(bool old_one_lives);
  void provider_hears(Master& master, const WorldMessage& message);
  bool ends_jobs_of_a_second_master(Master& master, const WorldMessage& message);
  void start_asked(Master& master, const WorldMessage& message);
  void start_local();
  void divide();
  void change_policy(bool withdrawn);
  void provider_tick(Master& master);

  // The consumer.
  JobsNow jobs_now() const;
  void consumer_decides(const ConsumerEvent& event);
  void consumer_hears(const WorldMessage& message);
  void place();
  void answer();
  void consumer_tick();
  void restart_consumer();

  // RES.
  void res_hears(Res& res, const WorldMessage& message);
  void end_a_job();
  void res_tick(const std::string& host);

  void check();

  std::mt19937_64 random_;
  Fault fault_;
  bool shared_;
  Licences licences_;
  std::set<std::pair<std::string, int>> checked_out_;  // of running_holders()
  int reported_ = kLicences;                           // what the elim has told last
  bool unreliable_ = true;
  std::map<std::string, int> slots_{{"a", 2}, {"b", 3}};  // of the lease on each host
  std::map<std::string, int> policy_;                     // that the policy exports now
  ProviderDisk provider_disk_;
  Master real_, old_;
  ConsumerDisk consumer_disk_;
  std::map<std::string, Res> res_;
  std::vector<WorldMessage> bag_;
  int next_local_ = 1;
};

}  // namespace rollcall::sched::lease
