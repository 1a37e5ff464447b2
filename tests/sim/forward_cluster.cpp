#include "tests/sim/forward_cluster.hpp"

#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/forward_messages.hpp"

namespace rollcall::sched {
namespace {

using What = wire::PeerMessage::WhatCase;

std::size_t cluster_of_host(const std::string& host) { return number_of(HostId(host).cluster()); }
std::string host_of(const std::string& cluster) { return HostId::whole_cluster(cluster).text(); }

// Above all numbers that its earlier lives gave to forwards.
std::uint64_t first_number(int life) {
  return std::uint64_t{1'000'000} * (static_cast<std::uint64_t>(life) + 1);
}

}  // namespace

std::string name_of(std::size_t cluster) { return "c" + std::to_string(cluster); }
std::size_t number_of(std::string_view cluster) { return static_cast<std::size_t>(cluster[1] - '0'); }

ForwardCluster::ForwardCluster(Outside& outside, std::size_t its_number, const ConfigView& config,
                               std::uint32_t seed, const WorldChances& chances, Plans plans)
    : number(its_number), world(config, seed, chances), outside_(outside), figures_(first_number(0)) {
  if (plans == Plans::with_cycles) {
    cycles_.emplace(config);
    world.plan_with(
        [this](book::Book& book, WallTime now, const auto& take) { cycles_->plan(book, now, take); });
  }
  world.watch([this](const Effect& effect, const book::Book&) {
    changed_since_check = true;
    if (const auto* save = std::get_if<effect::SaveJob>(&effect)) changed_.insert(save->key);
  });
  world.join(
      *this, [this] { committed(); }, [this] { died(); });
}

// ---------------------------------------------------------------- connections

peers::OwnIdentity ForwardCluster::identity() const {
  peers::OwnIdentity own;
  own.cluster = name_of(number);
  own.row.set_store(own.cluster + "/" + std::to_string(store_));
  own.row.set_term(world.term());
  own.row.set_run(std::to_string(runs_));
  return own;
}

bool ForwardCluster::accepts(const ForwardCluster& other) const {
  const auto known = known_.find(other.number);
  return !peers::refusal_of(peers::hello_of(other.identity()),
                            known == known_.end() ? nullptr : &known->second, identity());
}

bool ForwardCluster::must_store(const ForwardCluster& other) const {
  const auto known = known_.find(other.number);
  return known == known_.end() || !peers::same(known->second, other.identity().row);
}

void ForwardCluster::connected(const ForwardCluster& other) {
  known_[other.number] = other.identity().row;
  peers_.insert(other.number);
  figures_.forget(name_of(other.number));
  greeted_.erase(other.number);
  greets_.insert(other.number);
  gate_.serves(name_of(other.number));
}

void ForwardCluster::apart(std::size_t other) {
  peers_.erase(other);
  figures_.connected(name_of(other), false);
  greeted_.erase(other);
  greets_.erase(other);
  gate_.lost(name_of(other));
  answers_.erase(other);  // as ForwardIn::lost(): in the next connection the attempt is offered again
}

void ForwardCluster::notice_loss(std::size_t other) {
  apart(other);
  change(
      [&](book::Book& book, WallTime now) { return book.hosts().host_gone(host_of(name_of(other)), now); });
}

void ForwardCluster::greet(std::size_t other) {
  wire::PeerMessage message;
  auto& held = *message.mutable_held();
  const auto& forwards = world.book().forwards();
  for (const JobKey key : forwards.held_for(name_of(other))) {
    check_stored(key);
    auto said = forwards.said_of(key, world.now());
    const auto& record = world.book().jobs().find(key)->record;
    figures_.took_in(name_of(other), record.queue(), record.from().number());
    if (said && said->state)
      *held.add_running() = std::move(*said->state);
    else if (said)
      *held.add_over() = std::move(*said->over);
  }
  held.set_last(true);
  tell(other, std::move(message));
}

// ---------------------------------------------------------------- what it hears

void ForwardCluster::hear(std::size_t from, const wire::PeerMessage& message) {
  heard_since_check.insert(from);
  change([&](book::Book& book, WallTime now) { return apply(name_of(from), message, book, now); });
}

Effects ForwardCluster::apply(const std::string& from, const wire::PeerMessage& message, book::Book& book,
                              WallTime now) {
  const std::size_t sender = number_of(from);
  auto& forwards = book.forwards();
  switch (message.what_case()) {
    case What::kOffer:
      figures_.took_in(from, message.offer().queue(), message.offer().number());
      return answered(sender, forwards.offer(from, message.offer(), peers::crossing(message.offer().asked()),
                                             kForwardUser, now));
    case What::kSignal:
      return answered(sender, forwards.signal(from, message.signal(), now));
    case What::kRecall:
      return answered(sender, forwards.recall(from, message.recall(), now));
    case What::kAcknowledge:
      return forwards.acknowledge(from, message.acknowledge(), now);
    case What::kFigures:
      figures_.heard(from, message.figures());
      return {};
    default:
      return apply_told(from, message, book, now);
  }
}

// What an executing cluster says.
Effects ForwardCluster::apply_told(const std::string& from, const wire::PeerMessage& message,
                                   book::Book& book, WallTime now) {
  Effects effects;
  const auto told = [&](const HostReport& report) {
    auto more = book.hosts().host_told(host_of(from), report, now);
    effects.insert(effects.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  const auto state = [&](const wire::ForwardState& one) {
    const auto job = peers::believed(one.job());
    if (!job) return outside_.trouble(job.error().text);
    told(report::Elsewhere{peers::attempt_of(one.attempt()), *job});
  };
  const auto over = [&](const wire::ForwardOver& one) {
    const auto end = peers::believed(one);
    if (!end) return outside_.trouble(end.error().text);
    told(peers::over_of(*end));
    if (const auto post = peers::post_over_of(*end)) told(*post);
    figures_.forget_ended(book.jobs());
  };
  if (message.has_held()) {
    greeted_.insert(number_of(from));
    gate_.greeted(from);
    figures_.connected(from, true);
    told(peers::came_of(message.held()));
    for (const auto& one : message.held().running()) state(one);
    for (const auto& one : message.held().over()) over(one);
  }
  if (message.has_held()) figures_.forget_ended(book.jobs());
  if (message.has_state()) state(message.state());
  if (message.has_over()) over(message.over());
  return effects;
}

Effects ForwardCluster::answered(std::size_t to, book::ForwardedJobs::Answered answer) {
  if (answer.said.state)
    changed_.insert(key_of(answer.said.state->job().key()));
  else if (answer.said.over->has_job())
    changed_.insert(key_of(answer.said.over->job().key()));
  else
    answers_[to].push_back(std::move(*answer.said.over));
  return std::move(answer.effects);
}

// ---------------------------------------------------------------- what it says

void ForwardCluster::tell(std::size_t to, wire::PeerMessage message) {
  if (world.disk_full()) outside_.trouble(name_of(number) + " speaks while its disk is full");
  outside_.say(number, to, std::move(message));
}

// A begin alone is not stored: the host tells it again after a restart.
void ForwardCluster::check_stored(JobKey key) {
  const auto begun = [](wire::JobRecord record) {
    record.clear_starting();
    for (const auto clear :
         {&wire::JobRecord::clear_pend_s, &wire::JobRecord::clear_psusp_s, &wire::JobRecord::clear_run_s,
          &wire::JobRecord::clear_ususp_s, &wire::JobRecord::clear_ssusp_s, &wire::JobRecord::clear_unkwn_s})
      (record.*clear)();
    record.clear_status_us();
    return record.SerializeAsString();
  };
  const Job* job = world.book().jobs().find(key);
  const wire::JobRecord* stored = world.stored(key);
  if (!job || !stored || begun(*stored) != begun(job->record))
    outside_.trouble(name_of(number) + " tells of job " + text(key) + " what is not in its store");
}

void ForwardCluster::committed() {
  for (const std::size_t other : std::exchange(greets_, {})) greet(other);
  for (auto& [to, answers] : std::exchange(answers_, {}))
    for (auto& over : answers) {
      wire::PeerMessage message;
      *message.mutable_over() = std::move(over);
      tell(to, std::move(message));
    }
  const auto& forwards = world.book().forwards();
  for (const JobKey key : std::exchange(changed_, {})) {
    const std::string cluster = forwards.cluster_of(key);
    if (cluster.empty()) continue;
    auto said = forwards.said_of(key, world.now());
    if (!said) continue;
    check_stored(key);
    wire::PeerMessage message;
    if (said->state)
      *message.mutable_state() = std::move(*said->state);
    else
      *message.mutable_over() = std::move(*said->over);
    tell(number_of(cluster), std::move(message));
  }
  if (std::exchange(figures_due_, false) && cycles_) tell_figures();
}

// Its figures are told behind what it holds.
void ForwardCluster::tell_figures() {
  cycles_->look(world.book(), [this](cycle::Snapshot& snapshot) {
    for (const std::size_t other : peers_) {
      wire::PeerMessage message;
      *message.mutable_figures() = figures_.told(name_of(other), snapshot, world.book(), world.now());
      const auto wrong = ForwardFigures::broken(message.figures(), name_of(other), world.book());
      if (!wrong.empty()) outside_.trouble(name_of(number) + ": " + wrong);
      tell(other, std::move(message));
    }
  });
}

void ForwardCluster::say(const std::string& host, wire::PeerMessage message) {
  if (gate_.order(name_of(cluster_of_host(host)))) tell(cluster_of_host(host), std::move(message));
}
void ForwardCluster::start(const std::string& host, order::Start order) {
  if (gate_.offer(name_of(cluster_of_host(host)), order.attempt)) say(host, peers::offer_of(order));
}
void ForwardCluster::expect(const std::string&, const order::Expect&) {
  outside_.trouble("another cluster is to expect tasks");
}
void ForwardCluster::go(const std::string&, const Attempt&) {
  outside_.trouble("a go-ahead for another cluster");
}
void ForwardCluster::signal(const std::string& host, const order::Signal& order) {
  say(host, peers::signal_of(order));
}
void ForwardCluster::acknowledge(const std::string& host, const Attempt& attempt) {
  const Job* job = world.book().jobs().find(attempt.job);
  say(host, peers::acknowledge_of(attempt, job ? &job->record : nullptr));
}
void ForwardCluster::release(const std::string& host, const Attempt& attempt) {
  say(host, peers::recall_of(attempt));
}

// ---------------------------------------------------------------- what happens

void ForwardCluster::turn() {
  changed_since_check = true;
  world.turn();
}

void ForwardCluster::change(const BookWorld::Change& change) {
  changed_since_check = true;
  world.change(change);
}

Effects ForwardCluster::forward(book::Book& book, const Job& job, const conf::RemoteQueue& to, WallTime now) {
  const Attempt attempt{job.key(), job.record.attempt() + 1};
  const int slots = static_cast<int>(std::max(1U, job.asked->min_slots()));
  event::Dispatched event;
  event.placement.hosts.push_back({HostId::whole_cluster(to.cluster), slots});
  auto& forwarded = event.forwarded.emplace();
  forwarded.set_cluster(to.cluster);
  forwarded.set_queue(to.queue);
  forwarded.set_number(figures_.forwarded(attempt, to, slots));
  auto effects = book.hosts().dispatch(attempt.job, event, now);
  if (effects.empty()) figures_.forget_ended(book.jobs());
  return effects;
}

std::vector<conf::RemoteQueue> ForwardCluster::choice(const std::string& queue, int slots) const {
  std::vector<std::string> clusters;
  for (const std::size_t other : greeted_) clusters.push_back(name_of(other));
  return figures_.choice(queue, clusters, slots);
}

std::string ForwardCluster::wrong() const {
  if (!cycles_) return "";
  const auto slots = broken_slots(world.book());
  return slots.empty() ? figures_.broken(world.book()) : slots;
}

void ForwardCluster::back_up() {
  world.back_up();
  known_in_backup_ = known_;
  store_in_backup_ = store_;
}

void ForwardCluster::lose_store(BookWorld::NewStore with, bool same_ids) {
  const bool anew = with == BookWorld::NewStore::made_anew;
  store_ = anew ? ++stores_made_ : store_in_backup_;
  known_ = anew ? Known{} : known_in_backup_;
  world.lose_store(with, same_ids);
}

void ForwardCluster::died() {
  ++runs_;
  changed_since_check = true;
  changed_.clear();
  answers_.clear();
  greeted_.clear();
  greets_.clear();
  peers_.clear();
  gate_ = {};
  figures_ = ForwardFigures(first_number(runs_));
  outside_.died(number);
}

}  // namespace rollcall::sched
