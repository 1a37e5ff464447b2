#include "tests/sim/forward_cluster.hpp"

#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/forward_messages.hpp"

namespace rollcall::sched {
namespace {

using What = wire::PeerMessage::WhatCase;

std::size_t cluster_of_host(const std::string& host) { return number_of(HostId(host).cluster()); }
std::string host_of(const std::string& cluster) { return HostId::whole_cluster(cluster).text(); }

// What is held is told in parts of one job each.
constexpr peers::InboundLimits kSmallParts{
    .waiting = 10'000, .waiting_bytes = std::size_t{64} << 20, .full_part = 1};

// Above all numbers that its earlier lives gave to forwards.
std::uint64_t first_number(int life) {
  return std::uint64_t{1'000'000} * (static_cast<std::uint64_t>(life) + 1);
}

}  // namespace

std::string name_of(std::size_t cluster) { return "c" + std::to_string(cluster); }
std::size_t number_of(std::string_view cluster) { return static_cast<std::size_t>(cluster[1] - '0'); }

ForwardCluster::ForwardCluster(Outside& outside, std::size_t its_number, const ConfigView& config,
                               std::uint32_t seed, const WorldChances& chances, Plans plans)
    : number(its_number),
      world(config, seed, chances),
      outside_(outside),
      out_(first_number(0)),
      in_(kSmallParts) {
  if (plans == Plans::with_cycles) {
    cycles_.emplace(config);
    world.plan_with(
        [this](book::Book& book, WallTime now, const auto& take) { cycles_->plan(book, now, take); });
  }
  world.watch([this](const Effect& effect, const book::Book&) {
    changed_since_check = true;
    if (const auto* save = std::get_if<effect::SaveJob>(&effect)) in_.changed({save->key});
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
  in_.serves(name_of(other.number));
  out_.serves(name_of(other.number));
}

void ForwardCluster::apart(std::size_t other) {
  out_.lost(name_of(other));
  in_.lost(name_of(other));
}

std::set<std::size_t> ForwardCluster::greeted() const {
  std::set<std::size_t> all;
  for (const std::string& other : in_.connected())
    if (out_.greeted(other)) all.insert(number_of(other));
  return all;
}

void ForwardCluster::notice_loss(std::size_t other) {
  apart(other);
  change(
      [&](book::Book& book, WallTime now) { return book.hosts().host_gone(host_of(name_of(other)), now); });
}

// ---------------------------------------------------------------- what it hears

void ForwardCluster::hear(std::size_t from, const wire::PeerMessage& message, bool looks_up) {
  const std::string cluster = name_of(from);
  if (const auto waits = in_.heard(cluster, message); !waits) outside_.trouble(waits.error().text);
  if (looks_up && message.has_offer() && !look_ups_.contains(cluster) && in_.next(cluster))
    look_ups_[cluster] = in_.looks_up(cluster);
  work(cluster);
}

void ForwardCluster::work(const std::string& from) {
  while (in_.next(from)) {
    const wire::PeerMessage message = *in_.next(from);
    in_.taken(from);
    heard_since_check.insert(number_of(from));
    change([&](book::Book& book, WallTime now) { return apply(from, message, book, now); });
  }
}

// What an executing cluster says is for the Book, and nothing of it is a lie.
class ForwardCluster::BookPort : public peers::OutboundForwards::Port {
 public:
  BookPort(ForwardCluster& of, book::Book& book, Effects& effects, WallTime now)
      : cluster_(of), book_(book), effects_(effects), now_(now) {}
  const Job* find(JobKey job) const override { return book_.jobs().find(job); }
  std::vector<JobKey> jobs_on(const std::string& host) const override {
    const auto& jobs = book_.jobs().on_host(host);
    return {jobs.begin(), jobs.end()};
  }
  bool sends_to(const conf::RemoteQueue&) const override { return true; }
  void told(const std::string& host, const HostReport& report) override {
    auto more = book_.hosts().host_told(host, report, now_);
    effects_.insert(effects_.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  }
  void over(const conf::RemoteQueue&, const Attempt& attempt, const wire::ForwardOver& over) override {
    if (over.how() == wire::ForwardOver::WITHDRAWN) cluster_.figures_.came_back(attempt, book_);
  }
  void answers_again(const std::string& cluster) override {
    cluster_.outside_.trouble(cluster + " has left too many offers without an answer");
  }
  void log(const std::string& line) override { cluster_.outside_.trouble(line); }

 private:
  ForwardCluster& cluster_;
  book::Book& book_;
  Effects& effects_;
  const WallTime now_;
};

Effects ForwardCluster::apply(const std::string& from, const wire::PeerMessage& message, book::Book& book,
                              WallTime now) {
  auto& forwards = book.forwards();
  switch (message.what_case()) {
    case What::kOffer:
      in_.offered(from, message.offer().queue(), message.offer().number());
      return answered(from, forwards.offer(from, message.offer(), peers::crossing(message.offer().asked()),
                                           kForwardUser, now));
    case What::kSignal:
      return answered(from, forwards.signal(from, message.signal(), now));
    case What::kRecall:
      return answered(from, forwards.recall(from, message.recall(), now));
    case What::kAcknowledge:
      return forwards.acknowledge(from, message.acknowledge(), now);
    default:
      break;
  }
  Effects effects;
  BookPort port(*this, book, effects, now);
  if (const auto heard = out_.heard(from, message, {}, port); !heard) outside_.trouble(heard.error().text);
  // Of stores that are gone: nothing in ours follows from it.
  for (auto& [to, end] : out_.take_ends_of_strangers()) outside_.say(number, number_of(to), std::move(end));
  if (message.has_figures()) figures_.heard(from, message.figures());
  return effects;
}

Effects ForwardCluster::answered(const std::string& to, book::ForwardedJobs::Answered answer) {
  in_.answered(to, answer.said);
  return std::move(answer.effects);
}

// ---------------------------------------------------------------- what it says

void ForwardCluster::tell(std::size_t to, wire::PeerMessage message) {
  if (world.disk_full()) outside_.trouble(name_of(number) + " speaks while its disk is full");
  outside_.say(number, to, std::move(message));
}

// A begin alone is not stored: the host tells it again after a restart.
void ForwardCluster::check_stored(JobKey key) const {
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

// The Book's facts, of which all that is told must be on disk.
struct ForwardCluster::HeldJobs : peers::InboundForwards::Jobs {
  explicit HeldJobs(const ForwardCluster& of) : cluster(of) {}
  std::vector<JobKey> held_for(const std::string& of) const override { return forwards().held_for(of); }
  std::optional<SaidOfAttempt> said_of(JobKey job) const override {
    auto said = forwards().said_of(job, cluster.world.now());
    if (said) cluster.check_stored(job);
    return said;
  }
  const Job* find(JobKey job) const override { return cluster.world.book().jobs().find(job); }
  std::string why(JobKey) const override { return "a reason"; }
  const book::ForwardedJobs& forwards() const { return cluster.world.book().forwards(); }
  const ForwardCluster& cluster;
};

void ForwardCluster::committed() {
  in_.flush(HeldJobs(*this), [this](const std::string& cluster, wire::PeerMessage message) {
    tell(number_of(cluster), std::move(message));
  });
  if (std::exchange(figures_due_, false) && cycles_) tell_figures();
}

// Its figures are told behind what it holds.
void ForwardCluster::tell_figures() {
  cycles_->look(world.book(), [this](cycle::Snapshot& snapshot) {
    for (const std::string& other : in_.greeted()) {
      wire::PeerMessage message;
      *message.mutable_figures() = ForwardFigures::told(other, in_, snapshot, world.book(), world.now());
      const auto wrong = ForwardFigures::broken(message.figures(), other, world.book());
      if (!wrong.empty()) outside_.trouble(name_of(number) + ": " + wrong);
      tell(number_of(other), std::move(message));
    }
  });
}

void ForwardCluster::say(const std::string& host, wire::PeerMessage message) {
  if (out_.order(name_of(cluster_of_host(host)))) tell(cluster_of_host(host), std::move(message));
}
void ForwardCluster::start(const std::string& host, order::Start order) {
  if (out_.offer(name_of(cluster_of_host(host)), order.attempt)) say(host, peers::offer_of(order));
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
  for (const auto& [cluster, connection] : std::exchange(look_ups_, {}))
    if (in_.looked_up(cluster, connection)) work(cluster);
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
  forwarded.set_number(out_.forwarded(attempt, to, slots));
  auto effects = book.hosts().dispatch(attempt.job, event, now);
  if (effects.empty()) out_.left(attempt);
  return effects;
}

std::vector<conf::RemoteQueue> ForwardCluster::choice(const std::string& queue, int slots) const {
  std::vector<std::string> clusters;
  for (const std::size_t other : greeted()) clusters.push_back(name_of(other));
  return ForwardFigures::choice(out_.queues(), queue, clusters, slots);
}

std::string ForwardCluster::wrong() const {
  if (!cycles_) return "";
  const auto slots = broken_slots(world.book());
  return slots.empty() ? figures_.broken(out_, world.book()) : slots;
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
  out_ = peers::OutboundForwards(first_number(runs_));
  in_ = peers::InboundForwards(kSmallParts);
  look_ups_.clear();
  figures_ = {};
  outside_.died(number);
}

}  // namespace rollcall::sched
