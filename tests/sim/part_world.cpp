#include "tests/sim/part_world.hpp"

#include <algorithm>

#include "sched/policy/peers/forward_messages.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched {
namespace {

constexpr std::uint64_t kLease = 5;
constexpr std::size_t kMostPoints = 1500;  // at which a mbatchd may die, until it does
constexpr const char* kBorrowed[] = {"hostB", "hostC"};
const Identity kUser{1001, 100, "ann", {}, false};

WorldChances chances(bool people) {
  WorldChances chances;
  chances.people = people;
  chances.mbatchd_dies = 0;  // at drawn points: a part needs some turns to begin
  chances.shepherd_dies = 1;
  chances.jobs_last = 95;
  chances.freezes = 5;
  return chances;
}

}  // namespace

class PartWorld::Consumer : public Engine {
 public:
  std::optional<answers::SnapshotKeeper> keeper;
  std::unique_ptr<mbatchd::LeaseIn> in;

  void start(const std::string& host, order::Start order) override { in->start(host, std::move(order)); }
  void expect(const std::string& host, const order::Expect& order) override { in->expect(host, order); }
  void go(const std::string& host, const Attempt& attempt) override { in->go(host, attempt); }
  void signal(const std::string& host, const order::Signal& order) override { in->signal(host, order); }
  void acknowledge(const std::string& host, const Attempt& attempt) override {
    in->acknowledge(host, attempt);
  }
  void release(const std::string& host, const Attempt& attempt) override { in->release(host, attempt); }
};

PartWorld::PartWorld(std::shared_ptr<const mbatchd::Configuration> files, std::uint32_t seed, bool people)
    : files_(std::move(files)),
      random_(seed),
      west_(files_->files, seed * 2, chances(people)),
      east_(files_->files, seed * 2 + 1, chances(false)),
      consumer_(std::make_unique<Consumer>()) {
  west_starts();
  west_.join(
      *consumer_, [this] { consumer_->in->flush(); },
      [this] {
        cut();
        unnoticed_ = false;
        soon_.clear();
        unnamed_.clear();
        west_starts();
      });
  west_.plan_with([this](book::Book& book, WallTime now, const auto& take) { plan(book, now, take); });
  west_.watch([this](const Effect& effect, const book::Book&) {
    if (const auto* save = std::get_if<effect::SaveJob>(&effect)) consumer_->in->touched({save->key});
    if (const auto* recorded = std::get_if<effect::RecordEvent>(&effect))
      seen_.held +=
          recorded->event.status().status() == wire::STATUS_UNKWN && !recorded->event.status().why().empty();
  });
  west_.die_at(&west_dies_in_);
  east_.die_at(&east_dies_in_);
  east_.join(
      *consumer_, [this] { east_tells(); },
      [this] {
        cut();
        forget_uncommitted();
      });
  east_.watch_signals([this](const std::string& host, const Attempt& part, const wire::SentSignal& sent) {
    obeyed(host, part, sent.number());
  });
  east_.plan_with([](book::Book&, WallTime, const auto&) {});
}

PartWorld::~PartWorld() = default;

void PartWorld::fail(const std::string& what) {
  if (trouble_.empty()) trouble_ = what;
}

PartWorld::Seen PartWorld::seen() const {
  Seen seen = seen_;
  seen.deaths = west_.deaths() + east_.deaths();
  return seen;
}

// ---------------------------------------------------------------- the network

void PartWorld::connect() {
  if (connected_ || unnoticed_) return;
  connected_ = true;
  provider_ = {};
  provider_.greets = true;
  west_change([this] { consumer_->in->serves("east"); });
  if (connected_) east_.change([](book::Book&, WallTime) { return Effects{}; });
}

void PartWorld::cut() {
  if (!std::exchange(connected_, false)) return;
  ++seen_.cuts;
  unnoticed_ = true;
  to_east_.clear();
  to_west_.clear();
  provider_ = {};
}

void PartWorld::west_notices() {
  if (std::exchange(unnoticed_, false)) west_change([this] { consumer_->in->lost("east"); });
}

void PartWorld::deliver_to_east() {
  if (to_east_.empty()) return;
  const wire::PeerMessage message = to_east_.front();
  to_east_.pop_front();
  east_.change([&](book::Book& book, WallTime now) { return east_hears(book, message, now); });
}

void PartWorld::deliver_to_west() {
  if (to_west_.empty()) return;
  const wire::PeerMessage message = to_west_.front();
  to_west_.pop_front();
  west_change([&] {
    if (const auto heard = consumer_->in->heard("east", message); !heard) fail(heard.error().text);
  });
}

// ---------------------------------------------------------------- west

void PartWorld::west_starts() {
  auto& book = west_.book();
  consumer_->in.reset();
  consumer_->keeper.emplace(book.jobs(), book.hosts());
  consumer_->keeper->configure(files_->rules);
  consumer_->in = std::make_unique<mbatchd::LeaseIn>(
      book.jobs(), book.hosts(), *consumer_->keeper, log_,
      mbatchd::LeaseIn::Handler{
          [this](const std::string&, wire::PeerMessage message) {
            if (connected_) to_east_.push_back(std::move(message));
            return connected_;
          },
          [this](const std::string& host, const HostReport& report) { told(host, report); },
          [this](const std::string& host, const HostReport& report) { soon_.emplace_back(host, report); },
          [this](const std::string& host) {
            auto effects = changing_->hosts().host_gone(host, changing_at_);
            effects_.insert(effects_.end(), effects.begin(), effects.end());
          },
          [] {}, [] {}, [this](const Attempt& attempt) { return span_of(attempt); },
          [this](const std::string& host, const Attempt& attempt) { unnamed_.emplace(host, attempt); },
          [this] { order_again(); }});
  consumer_->in->configure(files_);
}

void PartWorld::west_change(const std::function<void()>& what) {
  west_.change([&](book::Book& book, WallTime now) {
    changing_ = &book;
    changing_at_ = now;
    what();
    consumer_->in->settle();
    changing_ = nullptr;
    return std::exchange(effects_, {});
  });
}

void PartWorld::told(const std::string& host, const HostReport& report) {
  if (!changing_) return void(soon_.emplace_back(host, report));
  auto effects = changing_->hosts().host_told(host, report, changing_at_);
  effects_.insert(effects_.end(), effects.begin(), effects.end());
}

// More hosts can be named.
void PartWorld::order_again() {
  for (const auto& [host, attempt] : std::exchange(unnamed_, {})) {
    const Job* job = west_.book().jobs().find(attempt.job);
    if (job && placed(job->status()) && job->record.attempt() == attempt.number)
      effects_.push_back(effect::OrderExpect{attempt.job, host, attempt.number});
  }
}

std::optional<wire::JobSpan> PartWorld::span_of(const Attempt& attempt) const {
  const Job* job = west_.book().jobs().find(attempt.job);
  if (!job || job->record.attempt() != attempt.number) return std::nullopt;
  wire::JobSpan span;
  for (const auto& host : job->record.hosts()) {
    auto& place = *span.add_places();
    const HostId id(host.name());
    place.set_host(std::string(id.host()));
    place.set_cluster(std::string(id.cluster()));
    if (id.ours() ? west_.book().hosts().connected(host.name())
                  : consumer_->in->place_of(host.name()).has_value())
      place.add_addresses("10.0.0.1");
  }
  return span;
}

// Each job that pends gets hostA and one borrowed slot or two.
void PartWorld::plan(book::Book& book, WallTime now, const std::function<void(Effects)>& take) {
  std::vector<JobKey> ready;
  for (const auto& [order, key] : book.jobs().pending_of("normal"))
    if (book.jobs().find(key)->status() == wire::STATUS_PEND) ready.push_back(key);
  const auto& snapshot = consumer_->keeper->snapshot();
  for (const JobKey key : ready) {
    if (!book.hosts().connected("hostA")) return;
    std::vector<std::string> hosts{"hostA"};
    for (const char* name : kBorrowed) {
      const std::string host = std::string(name) + "@east";
      const auto number = snapshot.rules().host(host);
      if (!number || snapshot.host(*number).unreachable || hosts.size() > 1 + below(2)) continue;
      if (snapshot.slots(*number).value_or(0) > static_cast<int>(book.jobs().on_host(host).size()))
        hosts.push_back(host);
    }
    if (hosts.size() > 1) take(book.hosts().dispatch(key, book::on_hosts(hosts), now));
  }
}

// ---------------------------------------------------------------- east

std::optional<SaidOfAttempt> PartWorld::no_room(const book::Book& book,
                                                const wire::ForwardOffer& offer) const {
  for (const auto& on : offer.part()) {
    // Another mbatchd may have had parts there until RES has said what it holds.
    if (book.hosts().connected(on.host()) && book.jobs().on_host(on.host()).empty()) continue;
    return SaidOfAttempt{std::nullopt, book::stale(offer.attempt(), "the lease has changed")};
  }
  return std::nullopt;
}

Effects PartWorld::answered(book::ForwardedJobs::Answered answer) {
  provider_.answers.push_back(std::move(answer.said));
  return std::move(answer.effects);
}

Effects PartWorld::east_hears(book::Book& book, const wire::PeerMessage& message, WallTime now) {
  auto& forwards = book.forwards();
  if (message.has_offer()) {
    const auto& offer = message.offer();
    if (!forwards.knows("west", offer.attempt())) {
      if (auto refused = no_room(book, offer))
        return provider_.answers.push_back(std::move(*refused)), Effects{};
      ++seen_.parts;
    }
    auto asked = book::plain_job();
    asked.set_user("ann");
    return answered(forwards.start_on_lent_slots("west", offer, asked, kUser, now));
  }
  if (message.has_signal()) return obey(book, message.signal(), now);
  if (message.has_recall()) return answered(forwards.recall("west", message.recall(), now));
  if (message.has_acknowledge()) return forwards.acknowledge("west", message.acknowledge(), now);
  return {};
}

void PartWorld::greet() {
  wire::PeerMessage stands, leases, loads, held;
  auto& lease = *stands.mutable_lease_stands();
  lease.set_lease(kLease);
  lease.set_state(wire::LeaseStands::ACTIVE);
  lease.mutable_number()->set_term(1);
  lease.mutable_number()->set_counter(1);
  leases.mutable_leases_told()->add_leases(kLease);
  for (const char* name : kBorrowed) {
    auto& host = *lease.add_hosts();
    host.set_host(name);
    host.set_slots(1);
    auto& load = *loads.mutable_lease_loads()->add_hosts();
    load.mutable_facts()->set_name(name);
    load.add_addresses("10.0.0.2");
    load.set_port(6883);
  }
  held.mutable_held()->set_last(true);
  auto& forwards = east_.book().forwards();
  for (const JobKey key : forwards.held_for("west")) {
    const auto said = forwards.said_of(key, east_.now());
    if (said && said->state) *held.mutable_held()->add_running() = *said->state;
    if (said && said->over) *held.mutable_held()->add_over() = *said->over;
  }
  for (auto* message : {&stands, &leases, &loads, &held}) to_west_.push_back(std::move(*message));
}

// Behind a commit: what has changed.
void PartWorld::east_tells() {
  const auto answers = std::exchange(provider_.answers, {});
  if (!connected_) return;
  const auto say = [this](const SaidOfAttempt& said) {
    wire::PeerMessage message;
    if (said.state) *message.mutable_state() = *said.state;
    if (said.over) *message.mutable_over() = *said.over;
    to_west_.push_back(std::move(message));
  };
  if (std::exchange(provider_.greets, false)) greet();
  for (const auto& answer : answers) say(answer);
  auto& forwards = east_.book().forwards();
  for (const JobKey key : forwards.held_for("west")) {
    const auto said = forwards.said_of(key, east_.now());
    if (!said) continue;
    std::string text = said->state ? said->state->SerializeAsString() : said->over->SerializeAsString();
    if (std::exchange(provider_.told[key], text) != text) say(*said);
  }
}

// A policy takes the slots of a part back: west is asked for it. Where it is known to be cut off, the part is ended.
void PartWorld::recall() {
  std::vector<JobKey> parts, asked;
  for (const auto status : {wire::STATUS_RUN, wire::STATUS_USUSP})
    for (const JobKey key : east_.book().jobs().with_status(status))
      (east_.book().jobs().find(key)->record.from().withdrawn() ? asked : parts).push_back(key);
  if (parts.empty() || (!asked.empty() && !connected_ && !unnoticed_)) parts = std::move(asked);
  if (parts.empty()) return;
  const JobKey key = parts[below(parts.size())];
  using Recall = book::ForwardedJobs::Recall;
  const auto* job = east_.book().jobs().find(key);
  const bool ends = job->record.from().withdrawn();
  if (ends && (connected_ || unnoticed_)) return;
  ++seen_.recalls;
  east_.change([&](book::Book& book, WallTime now) {
    return book.forwards().recall_lent(key, "no longer exported", now, ends ? Recall::ends : Recall::asks);
  });
}

void PartWorld::end_jobs_whose_tasks_died() {
  for (const Attempt& attempt : west_.running("hostA")) {
    const auto part = part_of(attempt);
    const Job* there = part ? east_.book().jobs().find(part->job) : nullptr;
    if (!there || !there->record.from().withdrawn() ||
        (!there->record.from().releasing() && !finished(there->status())))
      continue;
    const auto& hosts = there->record.hosts();
    if (std::all_of(hosts.begin(), hosts.end(),
                    [&](const auto& on) { return east_.holds(on.name(), *part); }))
      continue;
    ++seen_.killed;
    killed_.insert(attempt);
    west_.end_there("hostA", attempt, 137 << 8);
  }
}

// ---------------------------------------------------------------- turns

void PartWorld::turn() {
  for (int* points : {&west_dies_in_, &east_dies_in_})
    if (*points == 0) *points = 1 + static_cast<int>(below(kMostPoints));
  switch (below(12)) {
    case 0:
      if (one_in(6)) connect();
      break;
    case 1:
      if (one_in(20)) cut();
      break;
    case 2:
      west_notices();
      break;
    case 3:
      if (one_in(4)) recall();
      break;
    case 4:
      if (!soon_.empty()) {
        const auto [host, report] = soon_.front();
        soon_.pop_front();
        west_change([&, host = host, report = report] { told(host, report); });
      }
      break;
    case 5:
      if (one_in(50)) {
        const char* host = kBorrowed[below(2)];
        east_.wipe(host);
        std::erase_if(obeyed_, [&](const auto& one) { return one.first.first == host; });
        ++seen_.wiped;
      }
      break;
    case 6:
    case 7:
      for (std::size_t i = below(4); i > 0; --i) deliver_to_east();
      break;
    case 8:
    case 9:
      for (std::size_t i = below(4); i > 0; --i) deliver_to_west();
      break;
    default:
      break;
  }
  if (one_in(2)) give_signal();
  if (!unnamed_.empty()) west_change([this] { order_again(); });
  (one_in(2) ? west_ : east_).turn();
  end_jobs_whose_tasks_died();
  check();
}

// One turn of each cluster, when nothing breaks any more.
void PartWorld::take_turns() {
  west_notices();
  connect();
  while (!soon_.empty() || !to_east_.empty() || !to_west_.empty()) {
    if (!soon_.empty()) {
      const auto [host, report] = soon_.front();
      soon_.pop_front();
      west_change([&, host = host, report = report] { told(host, report); });
    }
    deliver_to_east();
    deliver_to_west();
  }
  if (!unnamed_.empty()) west_change([this] { order_again(); });
  west_.turn();
  east_.turn();
  end_jobs_whose_tasks_died();
  check();
}

bool PartWorld::settle(int turns) {
  west_dies_in_ = east_dies_in_ = 0;
  settle_signals(turns);
  west_.calm();
  east_.calm();
  for (int i = 0; i < turns && trouble_.empty(); ++i) {
    west_.help_to_end();
    east_.help_to_end();
    take_turns();
    if (west_.all_over() && east_.all_over() && east_.book().forwards().held_for("west").empty() &&
        to_east_.empty() && to_west_.empty()) {
      check_end();
      return true;
    }
  }
  return false;
}

void PartWorld::check() {
  for (const BookWorld* world : {&west_, &east_})
    if (!world->trouble().empty()) fail(world->trouble());
  for (const char* host : kBorrowed)
    if (east_.directories(host) > 1)
      fail(std::string(host) + " of east has " + std::to_string(east_.directories(host)) +
           " attempts on one slot");
}

// A job whose tasks died with a recalled part has not failed.
void PartWorld::check_end() {
  for (const JobKey key : west_.jobs()) {
    const wire::JobRecord& record = west_.book().jobs().find(key)->record;
    if (record.status() == wire::STATUS_EXIT && killed_.contains({key, record.attempt()}) &&
        !record.kill_asked())
      fail("job " + text(key) + " has failed with its recalled part");
  }
  for (const char* host : kBorrowed) {
    const auto number = consumer_->keeper->snapshot().rules().host(std::string(host) + "@east");
    if (number && consumer_->keeper->snapshot().slots(*number) != 1)
      fail(std::string("west counts a slot of ") + host + " as used, and no part is left");
  }
}

}  // namespace rollcall::sched
