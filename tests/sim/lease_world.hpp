// LeaseWorld: one provider, one or two consumers and the RES of the provider's hosts with leases between them, and a network that loses,
// repeats and reorders messages. Each may be restarted, the provider before or after what it decided is on disk; two masters of it may run
// at once. Each of two consumers may be cut off and may lose its store, alone. After every step no host may run more jobs than it has slots,
// those of the provider and of all consumers together. With licences every other job of any side holds an instance of a shared resource of
// all hosts, and no more of them may run than there are instances. Where an elim reports the number, it tells what is free on the licence
// server, a while ago, and a job checks its licence out some time after it has begun. Owned by a test; all randomness comes from the seed.
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
#include "tests/sim/lease_faults.hpp"

namespace rollcall::sched::lease {

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
  std::size_t consumer = 0;  // that says or hears it, by its place
  std::uint64_t lease = 0;
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
  LeaseWorld(std::uint64_t seed, Fault fault, Lends lends, Licences licences = Licences::none);

  // One random thing happens.
  void step();
  static constexpr int kSlots = 5;  // of both hosts, where there is one consumer
  static constexpr int kAdded = 3;  // SLOTS of PER_HOST

  // Faults stop; all messages arrive until nothing changes, and all jobs end. The policies export all slots to one consumer, to two what is
  // drawn. `withdrawn`: they go.
  void quiet(bool withdrawn);
  // After that, of shared leases: MC_RECLAIM_DELAY is over once.
  void reclaim_idle();

  std::string broken;  // what was violated first; "": nothing
  int started = 0;     // jobs of the consumers that ran
  int moved = 0;       // slots that came back to the provider
  int holders = 0;     // of `started`: jobs with a licence
  int asked_anew = 0;  // attempts that the consumers had when they were restarted
  int passed_on = 0;   // slots that a consumer got of a host on which another one had had some
  int lent_licences() const;
  bool gone() const;
  // After quiet(): whether all sides know the same leases.
  bool agree() const;
  // After quiet(): what keeps a lease with so many slots from having ended as it should, on either side; "": nothing. One consumer.
  std::string wrong_end(int slots) const;
  // After quiet(): the same of all leases, and what differs from the distribution of the policies.
  std::string wrong_shares() const;
  // After reclaim_idle(), of shared leases: `before` is slots_of_leases() before it.
  std::string wrong_reclaim(const std::map<std::uint64_t, int>& before) const;
  std::map<std::uint64_t, int> slots_of_leases() const;  // that the consumers have
  std::string text() const;                              // how it stands, for failures

 private:
  using Kind = WorldMessage::Kind;
  static constexpr int kAttemptsOfConsumer = 1'000'000;

  struct Attempt {
    std::uint64_t lease = 0;
    std::string host;
    GrantNumber number;
    bool accepted = false;  // at the consumer: it was answered
    bool over = false;      // at the provider
  };
  struct ProviderDisk {
    std::map<std::uint64_t, LeaseOfPolicy> leases;
    std::map<int, Attempt> attempts;    // of the consumers
    std::map<int, std::string> locals;  // jobs of the provider on slots that it lends
    std::set<int> refused;
  };
  // The last offer of this master to a lease.
  struct LastOffer {
    std::vector<LeasedHost> hosts;
    std::vector<LeasedResource> resources;
    friend bool operator==(const LastOffer&, const LastOffer&) = default;
  };
  struct Master {
    ProviderDisk disk;  // what it believes is on disk
    std::uint64_t term = 1;
    std::map<std::pair<std::uint64_t, std::string>, GrantNumber> fenced;  // by lease and host
    std::set<std::string> heard;  // hosts whose RES has said in this term what it holds
    std::map<std::uint64_t, LastOffer> offered;
    bool exists = true, is_old = false;
  };
  struct Export {
    Offer offer;
    std::vector<LeasedResource> resources;
  };
  struct Exports {
    std::vector<Export> all;
    std::map<std::uint64_t, std::optional<std::size_t>>
        of;  // of each lease its place in `all`; none: it is withdrawn
  };
  struct ConsumerSide {
    std::string cluster;
    std::size_t place = 0;
    std::map<std::uint64_t, ConsumerLease> leases;  // in memory alone
    std::map<int, Attempt> attempts;
    std::uint64_t term = 0;
    int next = 1;
    bool cut_off = false;

    int uses(std::uint64_t lease, const std::string& host) const;
  };
  struct Res {
    res::LeaseNumbers numbers;
    std::set<int> running, locals, seen;
    std::uint64_t term = 0;
  };

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  bool one_in(int n) { return pick(n) == 0; }
  bool several() const { return consumers_.size() > 1; }
  bool shared() const {
    return lends_ == Lends::shared || lends_ == Lends::shared_hosts || lends_ == Lends::shared_slots;
  }
  // PER_HOST adds slots to the provider's own.
  bool adds_slots() const { return lends_ == Lends::slots_per_host || lends_ == Lends::shared_slots; }
  std::string some_host();
  // Of leases by number: a step may add or end some.
  template <typename Lease>
  static std::vector<std::uint64_t> numbers(const std::map<std::uint64_t, Lease>& leases) {
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, lease] : leases) numbers.push_back(number);
    return numbers;
  }
  ConsumerSide& some_consumer();
  ConsumerSide& consumer_of(int attempt);

  void begin();
  void settle();
  void something_happens(int what);
  void say(WorldMessage message);
  void deliver(bool reliable);
  void handle(WorldMessage message);

  // Licences.
  static bool holds(int job) { return job % 2 != 0; }
  std::vector<std::string> host_names() const;
  std::vector<LeasedResource> lends(int instances) const;
  int licences_used(const Master& master, std::optional<std::uint64_t> lease = {}) const;
  ResourceInstance licence_instance(const Master& master) const;
  ResourcesNow licences_now(const Master& master, const LeaseOfPolicy& of) const;
  int licences_free(const Master& master) const;
  int told_free() const;
  std::set<std::pair<std::string, int>> running_holders()
      const;  // a host, and a job there; one of the provider is negative
  void check_out_or_tell();
  bool all_heard(const Master& master) const;
  // An attempt of the consumer: it holds none, or one of the lease's is free.
  bool may_hold(const Master& master, const LeaseOfPolicy& of, int attempt) const;
  bool consumer_may_hold(const ConsumerSide& consumer, const ConsumerLease& lease, int attempt) const;
  void kill_holders(Master& master, std::uint64_t lease, int instances);
  void check_licences();

  // What is exported.
  ExportPolicy whole_policy() const;
  std::vector<Consumer> drawn_distribution();
  ExportPolicy drawn_policy(int amount, std::vector<Consumer> consumers);
  std::vector<ExportPolicy> drawn_policies();
  std::vector<ExportPolicy> drawn_shared_slots(const std::vector<Consumer>& consumers, bool one);
  void change_policy(bool withdrawn);
  std::vector<ChosenBefore> chosen_before(const std::vector<const LeaseOfPolicy*>& leases,
                                          const std::vector<std::optional<std::size_t>>& of) const;
  Exports exports_now() const;
  void export_all();
  void export_known(std::uint64_t number, const Export* to);
  void make_lease(const Export& to);
  bool export_to(std::uint64_t number, const Export& to);
  void divide();
  void divide(std::uint64_t number);

  // The provider.
  std::vector<const LeaseOfPolicy*> all_leases(const Master& master) const;
  std::map<std::string, OwnHost> own_hosts(const Master& master) const;
  Attempts attempts_of(const Master& master) const;
  HostsNow now_of(const Master& master, const LeaseOfPolicy& of) const;
  bool own_slot_is_free(const std::string& host) const;
  bool decide(Master& master, std::uint64_t number, const ProviderEvent& event);
  void decide_all(Master& master, const ProviderEvent& event);
  void carry_out(Master& master, std::uint64_t number, const ProviderEffects& effects);
  void kill(Master& master, std::uint64_t lease, const effect::Kill& kill);
  void tell(const Master& master, std::uint64_t number);
  void note_growth(const ProviderLease& before, const ProviderLease& now);
  void say_of_attempt(const Master& master, Kind kind, int attempt);
  void order_start(const Master& master, int attempt, const GrantNumber& number);
  void commit_leases(const Master& master);
  void commit_jobs(const Master& master);
  void restart_provider(bool old_one_lives);
  void provider_hears(Master& master, const WorldMessage& message);
  void asked_of(Master& master, const WorldMessage& message);
  void answered(Master& master, const WorldMessage& message);
  void ended(Master& master, const WorldMessage& message);
  bool ends_jobs_of_a_second_master(Master& master, const WorldMessage& message);
  void start_asked(Master& master, const WorldMessage& message);
  void start_local();
  void provider_tick(Master& master);

  // A consumer.
  JobsNow jobs_now(const ConsumerSide& consumer, std::uint64_t lease) const;
  void consumer_decides(ConsumerSide& consumer, std::uint64_t lease, const ConsumerEvent& event);
  void consumer_hears(ConsumerSide& consumer, const WorldMessage& message);
  void place(ConsumerSide& consumer);
  void want_all(ConsumerSide& consumer);
  void answer_all(ConsumerSide& consumer);
  void answer(const ConsumerSide& consumer, const ConsumerLease& lease);
  void consumer_tick(ConsumerSide& consumer);
  void restart_consumer(ConsumerSide& consumer);

  // RES.
  void res_hears(Res& res, const WorldMessage& message);
  void res_runs(Res& res, const WorldMessage& message);
  void res_ended(const Res& res, const WorldMessage& order, int attempt);
  bool is_of_old_master(std::uint64_t term) const { return old_.exists && term == old_.term; }
  bool any_job_runs() const;
  void end_a_job();
  void res_tick(const std::string& host);
  void all_res_tick();

  void check();
  int most_slots(const std::string& host) const { return slots_.at(host) + (adds_slots() ? kAdded : 0); }
  void check_slots();
  void check_jobs(const std::string& host, int run, int slots);
  void check_lent_slots();
  std::string wrong_lease(const ProviderLease& lease) const;
  std::string job_left_over() const;
  int exported_to(const std::string& consumer) const;
  std::string wrong_policy(const ExportPolicy& policy) const;
  std::string wrong_licences() const;

  std::mt19937_64 random_;
  Fault fault_;
  Lends lends_;
  Licences licences_;
  std::set<std::pair<std::string, int>> checked_out_;  // of running_holders()
  int reported_ = kLicences;                           // what the elim has told last
  bool unreliable_ = true;
  std::map<std::string, int> slots_;  // of each host that the provider lends or has itself
  // Of two consumers: the policies in force, and their DISTRIBUTION of licences.
  std::vector<ExportPolicy> policies_;
  std::vector<conf::SharedResourceExport> licence_policies_;
  std::uint64_t next_lease_ = 5;
  ProviderDisk provider_disk_;
  Master real_, old_;
  std::vector<ConsumerSide> consumers_;
  std::map<std::string, Res> res_;
  std::vector<WorldMessage> bag_;
  int next_local_ = 1;
  std::map<std::string, std::set<std::string>> had_;  // by host: the consumers that have had slots of it
};

}  // namespace rollcall::sched::lease
