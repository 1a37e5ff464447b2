#include "tests/sim/forward_world.hpp"

#include <algorithm>

namespace rollcall::sched {
namespace {

using NewStore = BookWorld::NewStore;

constexpr std::size_t kOffersKept = 20;

WorldChances chances_of(const Knobs& knobs) {
  WorldChances chances;
  chances.mbatchd_dies = knobs["deaths"];
  chances.link_breaks = knobs["host_links"];
  chances.commit_fails = knobs["failed_commits"];
  chances.shepherd_dies = knobs["shepherds"];
  chances.host_restarts = knobs["host_restarts"];
  chances.jobs_last = knobs["jobs_last"];
  chances.people = knobs["people"] != 0;
  return chances;
}

}  // namespace

Knobs forward_knobs() {
  return {{"seed", 1, 1},
          {"jobs", 12, 1},  // every fourth one is an array of three
          {"turns", 450},   // until nothing breaks any more
          {"clusters", 3, 2},
          {"faults", 1'000'000},  // how many may happen in all
          {"minutes_apart", 5},   // the clock of each cluster, from that of the one before
          // Of a hundred turns:
          {"breaks", 6},
          {"recalls", 5},
          {"repeats", 10},
          {"duplicates", 0},  // of any message
          {"look_ups", 20},   // of the user of an offer: it and what follows wait
          {"deaths", 1},
          {"host_links", 5},
          {"failed_commits", 3},
          {"shepherds", 0},
          {"jobs_last", 80},
          {"host_restarts", 0},
          {"cycles", 0},    // the scheduler plans, preempts and chooses among the other clusters' queues
          {"figures", 20},  // where it does
          {"dies_at", 0},   // the point at which a mbatchd may die, counted over all clusters
          // Of a thousand turns:
          {"full_disks", 5},  // for ten turns on average
          {"lost_stores", 0},
          {"write_offs", 0},  // of a cluster that is not connected, and comes back after all
          {"same_ids", 0},    // a lost store gives the numbers of lost jobs to other ones
          {"people", 0}};     // who kill, stop and requeue
}

ForwardWorld::ForwardWorld(const ConfigView& config, const Knobs& knobs)
    : knobs_(knobs),
      queues_(knobs["cycles"] != 0 ? std::vector<std::string>{"low", "middle", "high"}
                                   : std::vector<std::string>{"normal"}),
      random_(static_cast<std::uint32_t>(knobs["seed"])),
      faults_left_(knobs["faults"]),
      points_left_(knobs["dies_at"]) {
  const auto seed = static_cast<std::uint32_t>(knobs["seed"]) * 31;
  for (std::size_t i = 0; i < static_cast<std::size_t>(knobs["clusters"]); ++i) {
    clusters_.push_back(std::make_unique<ForwardCluster>(
        *this, i, config, seed + static_cast<std::uint32_t>(i), chances_of(knobs),
        knobs["cycles"] != 0 ? ForwardCluster::Plans::with_cycles : ForwardCluster::Plans::by_chance));
    BookWorld& world = clusters_.back()->world;
    world.set_clock_ahead(static_cast<std::int64_t>(i) * knobs["minutes_apart"] * 60'000'000);
    world.limit_faults(&faults_left_);
    world.die_at(&points_left_);
    world.pack_every(8);
    world.check_by_caller();
    clusters_.back()->back_up();
  }
  looks_.resize(clusters_.size());
}

ForwardWorld::~ForwardWorld() = default;

void ForwardWorld::trouble(const std::string& what) {
  if (trouble_.empty()) trouble_ = what;
}

bool ForwardWorld::fault(std::string_view knob, int of) {
  if (static_cast<int>(below(static_cast<std::size_t>(of))) >= knobs_[knob] || settling_ || faults_left_ == 0)
    return false;
  --faults_left_;
  return true;
}

// ---------------------------------------------------------------- the network

// Both sides decide with what they have on disk; what they accept is on disk before it serves.
void ForwardWorld::connect(std::size_t a, std::size_t b) {
  Connection& connection = connections_[pair(a, b)];
  ForwardCluster &one = *clusters_[a], &other = *clusters_[b];
  const auto untold = [&](const Loss& loss) { return pair(loss.at, loss.from) == pair(a, b); };
  if (connection.up || std::any_of(losses_.begin(), losses_.end(), untold)) return;
  if (one.world.disk_full() && one.must_store(other)) return;
  if (other.world.disk_full() && other.must_store(one)) return;
  for (auto* refuses : {&one, &other}) {
    ForwardCluster& refused = refuses == &one ? other : one;
    if (refuses->accepts(refused)) continue;
    ++seen_.refused;
    if (settling_ || below(20) == 0) refuses->forget(refused.number);  // its administrator's word
    return;
  }
  connection = {};
  connection.up = true;
  one.connected(other);
  other.connected(one);
  for (auto* greets : {&one, &other}) {
    const std::string back = name_of(greets == &one ? b : a);
    greets->change([&](book::Book& book, WallTime) { return book.forwards().is_back(back); });
  }
}

// Each side still reads some of what was under way, before it notices.
void ForwardWorld::hang_up(std::size_t a, std::size_t b) {
  const auto found = connections_.find(pair(a, b));
  if (found == connections_.end() || !found->second.up) return;
  Connection connection = std::exchange(found->second, {});
  for (const auto& [at, from] : {Pair{a, b}, Pair{b, a}}) {
    auto& unread = connection.to[at];
    unread.resize(below(unread.size() + 1));
    losses_.push_back({at, from, std::move(unread)});
    clusters_[at]->apart(from);
  }
}

void ForwardWorld::tell_losses() {
  for (Loss& loss : std::exchange(losses_, {})) {
    ForwardCluster& at = *clusters_[loss.at];
    const int deaths = at.world.deaths();
    for (const auto& message : loss.unread)
      if (at.world.deaths() == deaths) at.hear(loss.from, message);
    at.notice_loss(loss.from);
  }
}

void ForwardWorld::say(std::size_t from, std::size_t to, wire::PeerMessage message) {
  Connection& connection = connections_[pair(from, to)];
  if (!connection.up) return;
  if (message.has_offer()) {
    const auto& attempt = message.offer().attempt();
    const HomeJob job{from, key_of(attempt.key())};
    // The first offer may be refused and the second one accepted.
    if (!connection.offered.insert({job, attempt.attempt()}).second)
      trouble(name_of(from) + " offers job " + sched::text(job.second) + " twice in a connection");
  }
  connection.to[to].push_back(std::move(message));
}

void ForwardWorld::deliver(std::size_t from, std::size_t to) {
  auto& waiting = connections_[pair(from, to)].to[to];
  if (waiting.empty()) return;
  const wire::PeerMessage message = std::move(waiting.front());
  waiting.pop_front();
  if (message.has_offer()) offers_.push_back({from, to, message});
  if (offers_.size() > kOffersKept) offers_.pop_front();
  ForwardCluster& hears = *clusters_[to];
  const int deaths = hears.world.deaths();
  hears.hear(from, message, static_cast<int>(below(100)) < knobs_["look_ups"]);
  // One who has died hears nothing; of what it holds a peer tells once, and an offer that was refused may well be accepted.
  if (!fault("duplicates") || deaths != hears.world.deaths() || message.has_held()) return;
  if (message.has_offer() && !hears.world.book().forwards().knows(name_of(from), message.offer().attempt()))
    return;
  hears.hear(from, message);
}

// Only of an attempt that is known there: one that was refused may well be accepted the second time, and no peer offers it then.
void ForwardWorld::repeat_an_offer() {
  if (offers_.empty() || !fault("repeats")) return;
  const Offer& offer = offers_[below(offers_.size())];
  ForwardCluster& to = *clusters_[offer.to];
  if (!connections_[pair(offer.from, offer.to)].up || !to.greeted().contains(offer.from)) return;
  if (!to.world.book().forwards().knows(name_of(offer.from), offer.message.offer().attempt())) return;
  ++seen_.repeated;
  to.hear(offer.from, offer.message);
}

// A process that has died reads nothing more.
void ForwardWorld::died(std::size_t cluster) {
  for (std::size_t other = 0; other < clusters_.size(); ++other)
    if (other != cluster) hang_up(cluster, other);
  std::erase_if(losses_, [&](const Loss& loss) { return loss.at == cluster; });
}

// ---------------------------------------------------------------- what happens

void ForwardWorld::submit(std::size_t cluster, const wire::Submission& asked) {
  clusters_[cluster]->world.submit(asked);
}

void ForwardWorld::forward(std::size_t from) {
  ForwardCluster& cluster = *clusters_[from];
  const auto greeted = cluster.greeted();
  if (greeted.empty()) return;
  auto to = greeted.begin();
  std::advance(to, below(greeted.size()));
  const std::string name = name_of(*to);
  cluster.change([&](book::Book& book, WallTime now) -> Effects {
    for (const std::string& queue : queues_)
      for (const auto& [order, key] : book.jobs().pending_of(queue)) {
        const Job* job = book.jobs().find(key);
        if (job->status() != wire::STATUS_PEND || job->record.has_from() || below(2) == 0) continue;
        ++seen_.forwards;
        return cluster.forward(book, *job, {queue, best_for(cluster, queue, *job, name)}, now);
      }
    return {};
  });
}

// Mostly the one that choose() prefers; `any`: where it offers the job to none, and now and then.
std::string ForwardWorld::best_for(const ForwardCluster& cluster, const std::string& queue, const Job& job,
                                   const std::string& any) {
  if (knobs_["cycles"] == 0 || below(4) == 0) return any;
  const auto offers = cluster.choice(queue, static_cast<int>(std::max(1U, job.asked->min_slots())));
  return offers.empty() ? any : offers[0].cluster;
}

// As bmod asks for it: MAX_RSCHED_TIME passes by itself.
void ForwardWorld::recall(std::size_t at) {
  clusters_[at]->change([&](book::Book& book, WallTime now) -> Effects {
    for (const JobKey key : book.jobs().with_status(wire::STATUS_RUN))
      if (const auto& record = book.jobs().find(key)->record; is_elsewhere(record) && record.starting()) {
        wire::SwitchJobs request;
        set_key(*request.mutable_filter()->add_keys(), key);
        request.set_queue(record.queue());
        return book.commands().switch_jobs(request, kForwardUser, now).effects;
      }
    return {};
  });
}

void ForwardWorld::lose_a_store(std::size_t at) {
  ++seen_.stores_lost;
  const bool anew = below(2) == 0, same_ids = knobs_["same_ids"] != 0;
  note_given_up(at, anew);
  clusters_[at]->lose_store(anew ? NewStore::made_anew : NewStore::older_copy, same_ids);
  for (Loss& loss : losses_)  // begun_ is of what the others know now
    if (loss.from == at) loss.unread.clear();
  const Look before = std::exchange(looks_[at], {});
  // What the older copy holds runs again, whatever became of it.
  const auto& book = clusters_[at]->world.book();
  for (const JobKey key : clusters_[at]->world.jobs()) {
    const auto& record = book.jobs().find(key)->record;
    const HomeJob job = record.has_from()
                            ? HomeJob{number_of(record.from().cluster()), key_of(record.from().key())}
                            : HomeJob{at, key};
    given_up_.insert(job);
    begun_.erase(job);
  }
  for (const auto& [job, times] : before.runs)
    if (!given_up_.contains(job)) runs_in_lost_stores_[job] += times;
  if (same_ids) std::erase_if(given_up_, [&](const HomeJob& job) { return job.first == at; });
}

// The jobs that two clusters share, one of which loses its store. One that had begun in a store that is made anew does not run
// again: what both clusters had on disk says that it began.
void ForwardWorld::note_given_up(std::size_t lost, bool anew) {
  std::erase_if(begun_, [&](const HomeJob& job) { return job.first == lost; });
  for (const auto& cluster : clusters_)
    for (const JobKey key : cluster->world.jobs()) {
      const auto& record = cluster->world.book().jobs().find(key)->record;
      if (cluster->number == lost) {
        given_up_.insert({lost, key});
        continue;
      }
      const wire::JobRecord* stored = cluster->world.stored(key);
      if (is_elsewhere(record) && number_of(record.forwarded().cluster()) == lost) {
        given_up_.insert({cluster->number, key});
        if (anew && stored && is_elsewhere(*stored) && stored->started() && record.started())
          seen_.begun_in_them += begun_.insert({cluster->number, key}).second ? 1 : 0;
      }
    }
}

// An administrator gives up what `lost` has of this cluster. It comes back after all: these jobs may run twice, and count once.
void ForwardWorld::write_off(std::size_t at, std::size_t lost) {
  ForwardCluster& cluster = *clusters_[at];
  const auto untold = [&](const Loss& loss) { return pair(loss.at, loss.from) == pair(at, lost); };
  if (connections_[pair(at, lost)].up || std::any_of(losses_.begin(), losses_.end(), untold)) return;
  for (const JobKey key : cluster.world.jobs()) {
    const auto& record = cluster.world.book().jobs().find(key)->record;
    if (is_elsewhere(record) && number_of(record.forwarded().cluster()) == lost) {
      given_up_.insert({at, key});
      ++seen_.written_off;
    }
  }
  cluster.heard_since_check.insert(lost);
  cluster.change([&](book::Book& book, WallTime now) {
    return book.forwards().write_off(name_of(lost), {0, 0, "root", {}, true}, false, now).effects;
  });
}

void ForwardWorld::faults(std::size_t a, std::size_t b) {
  if (knobs_["write_offs"] != 0 && fault("write_offs", 1000)) write_off(a, b);
  if (fault("breaks")) hang_up(a, b);
  if (below(50) == 0) clusters_[a]->back_up();
  if (fault("lost_stores", 1000)) lose_a_store(a);
  BookWorld& world = clusters_[a]->world;
  if (fault("full_disks", 1000)) world.set_disk_full(true);
  if (world.disk_full() && (settling_ || below(10) == 0)) world.set_disk_full(false);
}

void ForwardWorld::turn() {
  const std::size_t a = below(clusters_.size());
  const std::size_t b = (a + 1 + below(clusters_.size() - 1)) % clusters_.size();
  faults(a, b);
  tell_losses();
  if (settling_ || below(4) == 0) connect(a, b);
  if (!settling_ && below(3) == 0) forward(a);
  if (fault("recalls")) recall(a);
  if (knobs_["cycles"] != 0 && static_cast<int>(below(100)) < knobs_["figures"]) clusters_[b]->figures_due();
  for (std::size_t i = below(4); i > 0; --i) deliver(a, b);
  repeat_an_offer();
  for (std::size_t i = below(4); i > 0; --i) deliver(b, a);
  clusters_[a]->turn();
  check();
}

bool ForwardWorld::settle(int turns) {
  settling_ = true;
  for (auto& cluster : clusters_) {
    cluster->world.set_disk_full(false);
    cluster->world.calm();
  }
  const auto over = [this](const auto& one) {
    if (!one->world.all_over()) return false;
    for (std::size_t other = 0; other < clusters_.size(); ++other)
      if (!one->world.book().forwards().held_for(name_of(other)).empty()) return false;
    return true;
  };
  for (; seen_.turns_to_settle < turns && trouble_.empty(); ++seen_.turns_to_settle) {
    for (auto& cluster : clusters_) cluster->world.help_to_end();
    turn();
    if (std::all_of(clusters_.begin(), clusters_.end(), over)) return true;
  }
  return false;
}

ForwardWorld::Seen ForwardWorld::seen() const {
  Seen seen = seen_;
  seen.faults = knobs_["faults"] - faults_left_;
  seen.points = knobs_["dies_at"] - points_left_;
  for (const auto& cluster : clusters_) {
    seen.deaths += cluster->world.deaths();
    for (const JobKey key : cluster->world.jobs()) {
      const auto& record = cluster->world.book().jobs().find(key)->record;
      for (const auto& one : record.returns()) seen.returns += one.times();
      seen.preemptions += static_cast<int>(record.preemptions());
      seen.abroad += record.has_from() ? static_cast<int>(record.preemptions()) : 0;
    }
  }
  return seen;
}

}  // namespace rollcall::sched
