// BookWorld: the Book of a mbatchd, its store, and several hosts, in memory: daemons that die and connections that break at
// instants drawn from a seed. It is an engine of its own: what one promises (sched/policy/values/engine.hpp) these hosts keep. An
// order is durable before it is done, each attempt starts at most once, an end is told until it is acknowledged.
//
// Two engines instead of one: hostA and hostC belong to the first, hostB to the second, and an OrderRouter stands before them. An
// engine that gets an order for a host of the other one is trouble. The instants are drawn alike, so both worlds of a seed may be
// compared.
//
// It is not a test: book_sim_test.cpp says what must hold. Owned by the test.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sched/policy/book/book.hpp"

namespace rollcall::sched {

struct WorldChances {  // of a hundred, at each turn
  int mbatchd_dies = 3;
  int link_breaks = 5;
  int commit_fails = 3;
  int shepherd_dies = 0;
  int host_restarts = 0;
  bool people = false;  // bkill, bstop, bresume, brequeue, btop at random
  int freezes = 0;      // of RES, with its connection; it thaws as often as it is looked at
  int refuses = 0;      // an order that a host cannot take
  int older_hosts = 0;  // hosts that know no go-ahead, drawn once
  int jobs_last = 0;    // a job that could end runs on
};

enum class WorldEngines { one, two };

class BookWorld : Engine {
 public:
  BookWorld(ConfigView config, std::uint32_t seed, WorldChances chances,
            WorldEngines engines = WorldEngines::one);
  ~BookWorld();

  void submit(const wire::Submission& asked);  // acknowledged after the commit, or never
  void turn();                                 // one thing happens somewhere
  // Gets every effect before it is carried out, with the Book that decided it.
  using Watch = std::function<void(const Effect&, const book::Book&)>;
  void watch(Watch watch) { watch_ = std::move(watch); }
  // Decides what starts, stops and goes on, in place of chance. It hands the effects of each change to the third.
  using Planner = std::function<void(book::Book&, WallTime, const std::function<void(Effects)>&)>;
  void plan_with(Planner planner) { planner_ = std::move(planner); }
  // Of a world that is one of several (ForwardWorld): `elsewhere` gets the orders for other clusters. `committed` is called when a
  // turn is on disk and its orders have left, `died` when its mbatchd has lost all connections and is up again.
  void join(Engine& elsewhere, std::function<void()> committed, std::function<void()> died);
  // A change that comes from outside, as a turn of its own.
  using Change = std::function<Effects(book::Book&, WallTime)>;
  void change(const Change& change);
  void set_clock_ahead(std::int64_t us) { now_.us += us; }
  // At most `*left` faults happen from now on; each one takes one away.
  void limit_faults(int* left) { faults_left_ = left; }
  // mbatchd dies at the `*left`-th point from now on at which it may: before a commit, behind it, and before each order that follows.
  void die_at(int* left) { deaths_left_ = left; }
  // Every turn fails to commit while it is full.
  void set_disk_full(bool full) { disk_full_ = full; }
  bool disk_full() const { return disk_full_; }
  // Packs after every n-th commit, which saves most of the time of a long world.
  void pack_every(int commits) { pack_every_ = commits; }
  // Leaves the look at the Book's indices after each change to the caller.
  void check_by_caller() { checks_ = false; }
  void back_up() { backup_ = store_; }
  enum class NewStore { older_copy, made_anew };
  // mbatchd comes back with the last back_up() or an empty store, and its hosts without their jobs. `same_ids`: job numbers that were
  // given since are given again.
  void lose_store(NewStore with, bool same_ids);
  // What is on disk of a job; nullptr: nothing.
  const wire::JobRecord* stored(JobKey key) const;
  std::uint64_t term() const { return store_.term; }
  // JOB_FINISH records of the job that are on disk.
  int finishes(JobKey key) const { return finishes_.count(key) ? finishes_.at(key) : 0; }
  WallTime now() const { return now_; }
  std::vector<JobKey> jobs() const;
  // Parts of settle(): nothing breaks any more; hosts connect; stopped jobs are resumed, too; every job is over and every host clean.
  void calm(int jobs_last = 0);
  void connect_hosts();
  void help_to_end();
  bool all_over() const;
  // The second engine fails for good: its hosts are lost, and whatever is ordered there.
  void fail_second_engine();
  static bool of_second_engine(const std::string& host) { return host == "hostB"; }
  bool settle(int turns);  // nothing breaks any more; true: every job is over and every host is clean
  // Of a world whose hosts have parts of jobs with hosts elsewhere (PartWorld).
  std::vector<Attempt> running(const std::string& host) const;  // as their first host
  std::size_t directories(const std::string& host) const;       // attempts that may have processes there
  bool holds(const std::string& host, const Attempt& attempt) const;  // likewise
  bool stopped(const std::string& host, const Attempt& attempt) const;
  // Gets each signal that a host obeys for the first time.
  using Obeyed =
      std::function<void(const std::string& host, const Attempt& attempt, const wire::SentSignal& sent)>;
  void watch_signals(Obeyed obeyed) { obeyed_ = std::move(obeyed); }
  void end_there(const std::string& host, const Attempt& attempt, std::int32_t status);
  void wipe(const std::string& host);  // all that it has on disk is gone, and so are its processes

  const book::Book& book() const { return *book_; }
  book::Book& book() { return *book_; }
  // Jobs whose submission was acknowledged.
  const std::set<std::int32_t>& acknowledged() const { return acknowledged_; }
  int runs(JobKey key) const { return runs_.count(key) ? runs_.at(key) : 0; }
  int deaths() const { return deaths_; }
  int taken_back() const { return taken_back_; }           // starts that were given to nobody in the end
  const std::string& trouble() const { return trouble_; }  // "" or the first thing that must never be
  static std::int32_t code_of(JobKey key) { return ((key.id * 7 + key.index) % 3) << 8; }

 private:
  struct Directory {  // of an attempt, on the host's disk
    Attempt attempt;
    bool first = false;
    bool prepared = false;  // its order is there, and no go-ahead has come
    bool running = false, stopped = false, killed = false;
    bool clearing = false;  // of a part that is released: its processes end
    std::uint64_t last_number = 0;
    std::optional<report::Over> over;
  };
  struct Order {
    enum class Kind { start, prepare, expect, go, signal, acknowledge, release };
    Kind kind = Kind::start;
    Attempt attempt;
    std::uint64_t term = 0;
    wire::SentSignal sent;
    bool tells_gone = false;  // a release of a part
  };
  struct Host {
    std::string name;
    bool connected = false;
    bool greeted = false;  // mbatchd has read its hello: orders may go there
    std::deque<Order> down;
    std::deque<HostReport> up;
    std::map<Attempt, Directory> directories;
    std::uint64_t term = 0;
    bool knows_go = true;
    // Stopped by SIGSTOP: it reads nothing and says nothing. mbatchd may have closed the connection meanwhile: what it had
    // sent before is read after the thaw all the same.
    bool frozen = false;
    std::deque<Order> left;
    bool blank = false;  // its disk is new, and it has not said so
  };
  struct Store {
    std::set<std::uint64_t> payloads;  // rows
    std::map<std::uint64_t, std::shared_ptr<const wire::Submission>> submissions;
    std::map<JobKey, wire::JobRecord> jobs;
    std::int32_t next_id = 1;
    std::uint64_t next_submission = 1, term = 0;
  };

  class HalfEngine;
  class Router;
  class HereOrElsewhere;
  Engine& engine();

  bool chance(int of_hundred);  // of a fault
  bool dies();
  std::size_t below(std::size_t n) { return random_() % n; }
  void fail(const std::string& what) {
    if (trouble_.empty()) trouble_ = what;
  }

  // mbatchd
  void start_mbatchd();
  void die();
  void take(Effects effects);
  void check_go(const Attempt& attempt);
  void finish_turn();  // commit, then orders; either may be where it dies
  void commit();
  Host* reachable(const std::string& name);
  Host& host_named(const std::string& name);
  const Host& host_named(const std::string& name) const;
  void send(const std::string& host, Order::Kind kind, const Attempt& attempt,
            const wire::SentSignal& sent = {});
  void start(const std::string& host, order::Start order) override;
  void expect(const std::string& host, const order::Expect& order) override;
  void go(const std::string& host, const Attempt& attempt) override;
  void signal(const std::string& host, const order::Signal& order) override;
  void acknowledge(const std::string& host, const Attempt& attempt) override;
  void release(const std::string& host, const Attempt& attempt) override;
  void plan();
  void people();

  // hosts
  void connect(Host& host);
  void disconnect(Host& host);
  void hang_up(Host& host);
  void say(Host& host, HostReport report);
  void freeze(Host& host);
  void thaw(Host& host);
  void hear(Host& host);  // the host reads one order
  void obey(Host& host, const Order& order);
  void take_order(Host& host, const Order& order, Directory* directory);
  void tell(Host& host);  // mbatchd reads one message
  void live(Host& host);  // a job of the host gets on
  void restart(Host& host);
  void retell(Host& host, const Directory& directory);
  void be_told(Host& host, Directory& directory, const wire::SentSignal& sent);
  void end(Host& host, Directory& directory, report::Over::How how, std::int32_t status);

  ConfigView config_;
  std::unique_ptr<Router> router_;  // none: one engine
  bool second_engine_works_ = true;
  Engine* elsewhere_ = nullptr;
  std::function<void()> committed_ = [] {}, died_ = [] {};
  Planner planner_;  // none: by chance
  Watch watch_ = [](const Effect&, const book::Book&) {};
  Obeyed obeyed_ = [](const std::string&, const Attempt&, const wire::SentSignal&) {};
  std::mt19937 random_;
  WorldChances chances_;
  WallTime now_ = wall_seconds(1'000'000);
  std::unique_ptr<book::Book> book_;
  Store store_, backup_;
  bool disk_full_ = false, checks_ = true;
  int* faults_left_ = nullptr;  // none: as many as are drawn
  int* deaths_left_ = nullptr;
  int pack_every_ = 1, commits_ = 0;
  Effects waiting_;                       // of turns that are not committed, then not carried out
  std::vector<std::int32_t> unanswered_;  // submitted in them
  std::vector<Host> hosts_;
  std::map<JobKey, int> runs_, finishes_;
  std::map<Attempt, std::set<std::string>> hosts_of_;
  std::set<Attempt> started_;
  std::set<std::int32_t> acknowledged_;
  int deaths_ = 0, taken_back_ = 0;
  std::string trouble_;
};

}  // namespace rollcall::sched
