#include "tests/sim/forward_world.hpp"

#include <algorithm>

#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/forward_messages.hpp"

namespace rollcall::sched {
namespace {

using What = wire::PeerMessage::WhatCase;

const Identity kUser{1001, 100, "ann", {}, false};

std::string name_of(std::size_t cluster) { return "c" + std::to_string(cluster); }
std::size_t number_of(std::string_view name) { return static_cast<std::size_t>(name[1] - '0'); }
std::size_t cluster_of_host(const std::string& host) { return number_of(HostId(host).cluster()); }

}  // namespace

// One of the clusters, and its engine for the others.
class ForwardWorld::Cluster : public Engine {
 public:
  Cluster(ForwardWorld& all, std::size_t number, const ConfigView& config, std::uint32_t seed,
          const WorldChances& chances)
      : number_(number), world(config, seed, chances), all_(all) {
    world.watch([this](const Effect& effect, const book::Book&) {
      if (const auto* save = std::get_if<effect::SaveJob>(&effect)) changed_.insert(save->key);
    });
    world.join(
        *this, [this] { committed(); }, [this] { died(); });
  }

  // What this cluster holds of the other's is said first.
  void greet(std::size_t other) {
    greeted_.erase(other);
    wire::PeerMessage message;
    auto& held = *message.mutable_held();
    const auto& forwards = world.book().forwards();
    for (const JobKey key : forwards.held_for(name_of(other)))
      if (auto said = forwards.said_of(key, world.now()); said && said->state)
        *held.add_running() = std::move(*said->state);
      else if (said)
        *held.add_over() = std::move(*said->over);
    held.set_last(true);
    all_.say(number_, other, std::move(message));
  }

  void start(const std::string& host, order::Start order) override { say(host, peers::offer_of(order)); }
  void expect(const std::string&, const order::Expect&) override {
    all_.fail("another cluster is to expect tasks");
  }
  void go(const std::string&, const Attempt&) override { all_.fail("a go-ahead for another cluster"); }
  void signal(const std::string& host, const order::Signal& order) override {
    say(host, peers::signal_of(order));
  }
  void acknowledge(const std::string& host, const Attempt& attempt) override {
    say(host, peers::acknowledge_of(attempt));
  }
  void release(const std::string& host, const Attempt& attempt) override {
    say(host, peers::recall_of(attempt));
  }

  // Behind the next commit.
  void answer(std::size_t to, wire::ForwardOver over) { answers_.emplace_back(to, std::move(over)); }
  void tell(JobKey key) { changed_.insert(key); }

  const std::size_t number_;
  BookWorld world;
  std::set<std::size_t> greeted_;  // those that have said what they hold

 private:
  void say(const std::string& host, wire::PeerMessage message) {
    if (greeted_.contains(cluster_of_host(host)))
      all_.say(number_, cluster_of_host(host), std::move(message));
  }
  void committed() {
    for (auto& [to, over] : std::exchange(answers_, {})) {
      wire::PeerMessage message;
      *message.mutable_over() = std::move(over);
      all_.say(number_, to, std::move(message));
    }
    const auto& forwards = world.book().forwards();
    for (const JobKey key : std::exchange(changed_, {})) {
      const std::string cluster = forwards.cluster_of(key);
      if (cluster.empty()) continue;
      auto said = forwards.said_of(key, world.now());
      if (!said) continue;
      wire::PeerMessage message;
      if (said->state)
        *message.mutable_state() = std::move(*said->state);
      else
        *message.mutable_over() = std::move(*said->over);
      all_.say(number_, number_of(cluster), std::move(message));
    }
  }
  void died() {
    changed_.clear();
    answers_.clear();
    greeted_.clear();
    for (std::size_t other = 0; other < all_.clusters_.size(); ++other)
      if (other != number_) all_.hang_up(number_, other);
  }

  ForwardWorld& all_;
  std::set<JobKey> changed_;
  std::vector<std::pair<std::size_t, wire::ForwardOver>> answers_;
};

ForwardWorld::ForwardWorld(const ConfigView& config, std::uint32_t seed, ForwardChances chances, int clusters)
    : random_(seed), chances_(chances) {
  for (int i = 0; i < clusters; ++i) {
    clusters_.push_back(std::make_unique<Cluster>(
        *this, clusters_.size(), config, seed * 31 + static_cast<std::uint32_t>(i), chances.cluster));
    clusters_.back()->world.set_clock_ahead(i * 300'000'000LL);
  }
}

ForwardWorld::~ForwardWorld() = default;

const BookWorld& ForwardWorld::cluster(std::size_t number) const { return clusters_[number]->world; }

// ---------------------------------------------------------------- the network

void ForwardWorld::connect(std::size_t a, std::size_t b) {
  Connection& connection = connections_[pair(a, b)];
  if (connection.up || a == b) return;
  connection = {};
  connection.up = true;
  clusters_[a]->greet(b);
  clusters_[b]->greet(a);
}

// What is under way is lost.
void ForwardWorld::hang_up(std::size_t a, std::size_t b) {
  const auto found = connections_.find(pair(a, b));
  if (found == connections_.end() || !found->second.up) return;
  found->second = {};
  for (const auto& [at, from] : {Pair{a, b}, Pair{b, a}})
    if (clusters_[at]->greeted_.erase(from) != 0) lost_.emplace_back(at, from);
}

void ForwardWorld::say(std::size_t from, std::size_t to, wire::PeerMessage message) {
  Connection& connection = connections_[pair(from, to)];
  if (connection.up) connection.to[to].push_back(std::move(message));
}

void ForwardWorld::deliver(std::size_t from, std::size_t to) {
  auto& waiting = connections_[pair(from, to)].to[to];
  if (waiting.empty()) return;
  const wire::PeerMessage message = std::move(waiting.front());
  waiting.pop_front();
  hear(*clusters_[to], name_of(from), message);
}

void ForwardWorld::hear(Cluster& at, const std::string& from, const wire::PeerMessage& message) {
  const std::size_t sender = number_of(from);
  const std::string host = HostId::whole_cluster(from).text();
  const auto answered = [&](book::ForwardedJobs::Answered answer, const wire::ForwardAttempt&) {
    if (answer.said.state)
      at.tell(key_of(answer.said.state->job().key()));
    else if (answer.said.over->has_job())
      at.tell(key_of(answer.said.over->job().key()));
    else
      at.answer(sender, *answer.said.over);
    return std::move(answer.effects);
  };
  at.world.change([&](book::Book& book, WallTime now) -> Effects {
    Effects effects;
    const auto told = [&](const HostReport& report) {
      auto more = book.hosts().host_told(host, report, now);
      effects.insert(effects.end(), std::make_move_iterator(more.begin()),
                     std::make_move_iterator(more.end()));
    };
    const auto state = [&](const wire::ForwardState& one) {
      const auto job = peers::believed(one.job());
      if (!job) return fail(job.error().text);
      told(report::Elsewhere{peers::attempt_of(one.attempt()), *job});
    };
    const auto over = [&](const wire::ForwardOver& one) {
      const auto end = peers::believed(one);
      if (!end) return fail(end.error().text);
      told(peers::over_of(*end));
    };
    switch (message.what_case()) {
      case What::kHeld:
        at.greeted_.insert(sender);
        told(peers::came_of(message.held()));
        for (const auto& one : message.held().running()) state(one);
        for (const auto& one : message.held().over()) over(one);
        return effects;
      case What::kState:
        return state(message.state()), effects;
      case What::kOver:
        return over(message.over()), effects;
      case What::kOffer:
        return answered(book.forwards().offer(from, message.offer(), peers::crossing(message.offer().asked()),
                                              kUser, now),
                        message.offer().attempt());
      case What::kSignal:
        return answered(book.forwards().signal(from, message.signal(), now), message.signal().attempt());
      case What::kRecall:
        return answered(book.forwards().recall(from, message.recall(), now), message.recall().attempt());
      default:
        return book.forwards().acknowledge(from, message.acknowledge(), now);
    }
  });
}

// ---------------------------------------------------------------- turns

void ForwardWorld::submit(std::size_t cluster, const wire::Submission& asked) {
  clusters_[cluster]->world.submit(asked);
}

void ForwardWorld::forward(std::size_t from) {
  Cluster& cluster = *clusters_[from];
  if (cluster.greeted_.empty()) return;
  auto to = cluster.greeted_.begin();
  std::advance(to, below(cluster.greeted_.size()));
  const std::string name = name_of(*to);
  cluster.world.change([&](book::Book& book, WallTime now) -> Effects {
    for (const auto& [order, key] : book.jobs().pending_of("normal")) {
      const Job* job = book.jobs().find(key);
      if (job->status() != wire::STATUS_PEND || job->record.has_from() || below(2) == 0) continue;
      event::Dispatched event;
      event.placement.hosts.push_back({HostId::whole_cluster(name), 1});
      auto& forwarded = event.forwarded.emplace();
      forwarded.set_cluster(name);
      forwarded.set_queue("normal");
      forwarded.set_number(static_cast<std::uint64_t>(++forwards_));
      return book.hosts().dispatch(key, event, now);
    }
    return {};
  });
}

// As bmod asks for it: MAX_RSCHED_TIME passes by itself.
void ForwardWorld::recall(std::size_t at) {
  clusters_[at]->world.change([&](book::Book& book, WallTime now) -> Effects {
    for (const JobKey key : book.jobs().with_status(wire::STATUS_RUN))
      if (const auto& record = book.jobs().find(key)->record; is_elsewhere(record) && record.starting()) {
        wire::SwitchJobs request;
        set_key(*request.mutable_filter()->add_keys(), key);
        request.set_queue("normal");
        return book.commands().switch_jobs(request, kUser, now).effects;
      }
    return {};
  });
}

void ForwardWorld::turn() {
  const std::size_t a = below(clusters_.size());
  const std::size_t b = (a + 1 + below(clusters_.size() - 1)) % clusters_.size();
  if (!settling_ && chance(chances_.connection_breaks)) hang_up(a, b);
  for (const auto& [at, from] : std::exchange(lost_, {}))
    clusters_[at]->world.change([&, from = from](book::Book& book, WallTime now) {
      return book.hosts().host_gone(HostId::whole_cluster(name_of(from)).text(), now);
    });
  if (settling_ || below(4) == 0) connect(a, b);
  if (!settling_ && below(3) == 0) forward(a);
  if (!settling_ && chance(chances_.recalls)) recall(a);
  for (std::size_t i = below(4); i > 0; --i) deliver(a, b);
  for (std::size_t i = below(4); i > 0; --i) deliver(b, a);
  clusters_[a]->world.turn();
  check();
}

bool ForwardWorld::settle(int turns) {
  settling_ = true;
  for (auto& cluster : clusters_) cluster->world.calm();
  for (int i = 0; i < turns; ++i) {
    for (auto& cluster : clusters_) cluster->world.help_to_end();
    turn();
    const bool over = std::all_of(clusters_.begin(), clusters_.end(), [this](const auto& one) {
      if (!one->world.all_over()) return false;
      for (std::size_t other = 0; other < clusters_.size(); ++other)
        if (!one->world.book().forwards().held_for(name_of(other)).empty()) return false;
      return true;
    });
    if (over) return true;
  }
  return false;
}

// ---------------------------------------------------------------- what must always hold

int ForwardWorld::runs(std::size_t cluster, JobKey key) const {
  int runs = clusters_[cluster]->world.runs(key);
  for (const auto& other : clusters_)
    for (const JobKey there : other->world.jobs())
      if (const auto& record = other->world.book().jobs().find(there)->record;
          record.has_from() && record.from().cluster() == name_of(cluster) &&
          key_of(record.from().key()) == key)
        runs += other->world.runs(there);
  return runs;
}

std::int32_t ForwardWorld::code_of(std::size_t cluster, JobKey key) const {
  const auto& forwarded = clusters_[cluster]->world.book().jobs().find(key)->record.forwarded();
  return BookWorld::code_of(forwarded.has_there() ? key_of(forwarded.there().key()) : key);
}

int ForwardWorld::returns() const {
  int returns = 0;
  for (const auto& cluster : clusters_)
    for (const JobKey key : cluster->world.jobs())
      for (const auto& one : cluster->world.book().jobs().find(key)->record.returns()) returns += one.times();
  return returns;
}

// Of the attempts of one job at most one lives.
void ForwardWorld::check() {
  std::map<std::pair<std::string, JobKey>, int> alive;
  for (const auto& cluster : clusters_) {
    if (!cluster->world.trouble().empty()) fail(name_of(cluster->number_) + ": " + cluster->world.trouble());
    for (const JobKey key : cluster->world.jobs()) {
      const auto& record = cluster->world.book().jobs().find(key)->record;
      if (record.has_from() && !finished(record.status()) &&
          ++alive[{record.from().cluster(), key_of(record.from().key())}] > 1)
        fail("job " + text(key_of(record.from().key())) + " of " + record.from().cluster() + " lives twice");
    }
  }
}

}  // namespace rollcall::sched
