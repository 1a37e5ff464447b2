#include "tests/sim/book_world.hpp"

#include <algorithm>

#include "sched/policy/values/order_router.hpp"

namespace rollcall::sched {
namespace {

using How = report::Over::How;
using State = report::Held::State;

const Identity kUser{1001, 100, "ann", {}, false};

}  // namespace

// An engine with some of the world's hosts.
class BookWorld::HalfEngine : public Engine {
 public:
  HalfEngine(BookWorld& world, bool second) : world_(world), second_(second) {}
  void start(const std::string& host, order::Start order) override {
    if (mine(host)) world_.start(host, std::move(order));
  }
  void expect(const std::string& host, const order::Expect& order) override {
    if (mine(host)) world_.expect(host, order);
  }
  void go(const std::string& host, const Attempt& attempt) override {
    if (mine(host)) world_.go(host, attempt);
  }
  void signal(const std::string& host, const order::Signal& order) override {
    if (mine(host)) world_.signal(host, order);
  }
  void acknowledge(const std::string& host, const Attempt& attempt) override {
    if (mine(host)) world_.acknowledge(host, attempt);
  }
  void release(const std::string& host, const Attempt& attempt) override {
    if (mine(host)) world_.release(host, attempt);
  }

 private:
  bool mine(const std::string& host) {
    if (of_second_engine(host) != second_) world_.fail("an order for " + host + " came to the other engine");
    return of_second_engine(host) == second_;
  }
  BookWorld& world_;
  bool second_;
};

class BookWorld::Router : public OrderRouter<Engine> {
 public:
  explicit Router(BookWorld& world) : first_(world, false), second_(world, true) {}

 protected:
  Engine* engine_of(const std::string& host) const override {
    return of_second_engine(host) ? &second_ : &first_;
  }

 private:
  mutable HalfEngine first_, second_;
};

class BookWorld::HereOrElsewhere : public OrderRouter<Engine> {
 public:
  HereOrElsewhere(Engine& here, Engine* elsewhere) : here_(here), elsewhere_(elsewhere) {}

 protected:
  Engine* engine_of(const std::string& host) const override {
    return HostId(host).ours() ? &here_ : elsewhere_;
  }

 private:
  Engine& here_;
  Engine* elsewhere_;
};

BookWorld::BookWorld(ConfigView config, std::uint32_t seed, WorldChances chances, WorldEngines engines)
    : config_(std::move(config)),
      router_(engines == WorldEngines::two ? std::make_unique<Router>(*this) : nullptr),
      random_(seed),
      chances_(chances) {
  for (const char* name : {"hostA", "hostB", "hostC"}) {
    hosts_.push_back({name});
    hosts_.back().knows_go = !chance(chances_.older_hosts);
  }
  start_mbatchd();
}

BookWorld::~BookWorld() = default;

Engine& BookWorld::engine() {
  if (router_) return *router_;
  return *this;
}

bool BookWorld::chance(int of_hundred) {
  if (static_cast<int>(random_() % 100) >= of_hundred) return false;
  if (!faults_left_) return true;
  if (*faults_left_ == 0) return false;
  --*faults_left_;
  return true;
}

bool BookWorld::dies() {
  const bool now = deaths_left_ && *deaths_left_ > 0 && --*deaths_left_ == 0;
  return chance(chances_.mbatchd_dies) || now;
}

// ---------------------------------------------------------------- mbatchd

void BookWorld::start_mbatchd() {
  book_ = std::make_unique<book::Book>();
  book_->configure(config_, now_);
  book_->set_term(++store_.term);  // committed before any host is talked to
  book_->rows().load_counters(store_.next_id, store_.next_submission);
  for (const auto& [number, asked] : store_.submissions) book_->rows().load_submission(number, asked);
  for (const auto& [key, record] : store_.jobs) book_->rows().load_job(record);
  book_->rows().loaded(now_);
  for (const auto& [key, record] : store_.jobs) {
    const Job* job = book_->jobs().find(key);
    if (!job || job->record.SerializeAsString() != record.SerializeAsString())
      fail("job " + text(key) + " is not what was saved");
  }
}

void BookWorld::die() {
  ++deaths_;
  waiting_.clear();
  unanswered_.clear();
  for (Host& host : hosts_) hang_up(host);
  start_mbatchd();
  died_();
}

const wire::JobRecord* BookWorld::stored(JobKey key) const {
  const auto found = store_.jobs.find(key);
  return found == store_.jobs.end() ? nullptr : &found->second;
}

void BookWorld::lose_store(NewStore with, bool same_ids) {
  ++deaths_;
  waiting_.clear();
  unanswered_.clear();
  for (Host& host : hosts_) {
    const bool knows_go = host.knows_go;
    host = {host.name};
    host.knows_go = knows_go;
  }
  const auto next_id = store_.next_id;
  store_ = with == NewStore::older_copy ? backup_ : Store{};
  if (!same_ids) store_.next_id = next_id;
  const auto gone = [this](JobKey key) { return !stored(key); };
  std::erase_if(runs_, [&](const auto& one) { return gone(one.first); });
  finishes_.clear();
  for (const auto& [key, record] : store_.jobs)
    if (finished(record.status())) finishes_[key] = 1;
  std::erase_if(acknowledged_, [&](std::int32_t id) {
    const auto first = store_.jobs.lower_bound({id, 0});
    return first == store_.jobs.end() || first->first.id != id;
  });
  started_.clear();  // attempts that the new store does not know of may be made again
  hosts_of_.clear();
  start_mbatchd();
  died_();
}

void BookWorld::join(Engine& elsewhere, std::function<void()> committed, std::function<void()> died) {
  elsewhere_ = &elsewhere;
  committed_ = std::move(committed);
  died_ = std::move(died);
}

void BookWorld::change(const Change& change) {
  take(change(*book_, now_));
  finish_turn();
}

// Asked when a go-ahead is decided: while it waits for a full disk, a host may restart and lose the order.
void BookWorld::check_go(const Attempt& attempt) {
  for (const Host& host : hosts_)
    if (hosts_of_[attempt].count(host.name) != 0 && host.knows_go && host.directories.count(attempt) == 0)
      fail("a go-ahead before " + host.name + " has the order of " + text(attempt));
}

void BookWorld::take(Effects effects) {
  for (const Effect& effect : effects) {
    if (const auto* go = std::get_if<effect::OrderGo>(&effect)) check_go({go->key, go->attempt});
    watch_(effect, *book_);
  }
  waiting_.insert(waiting_.end(), std::make_move_iterator(effects.begin()),
                  std::make_move_iterator(effects.end()));
}

void BookWorld::finish_turn() {
  if (checks_)
    if (auto broken = book_->broken_invariant(); !broken.empty()) fail(broken);
  if (dies()) return die();
  if (disk_full_ || chance(chances_.commit_fails)) return;  // all of it waits
  commit();
  if (dies()) return die();
  acknowledged_.insert(unanswered_.begin(), unanswered_.end());
  unanswered_.clear();
  const Effects effects = std::move(waiting_);
  waiting_.clear();
  for (const Effect& effect : effects) {
    if (dies()) return die();
    if (const auto* released = std::get_if<effect::OrderRelease>(&effect))
      if (started_.count(released->attempt) == 0) ++taken_back_;
    HereOrElsewhere engines(engine(), elsewhere_);
    book_->hosts().carry_out(effect, engines, [this](const auto& asked) {
      for (const auto row : wire::payload_rows(*asked))
        if (!store_.payloads.contains(row)) fail("an order needs a payload that is not in the store");
      return asked;
    });
  }
  committed_();
}

void BookWorld::commit() {
  for (const Effect& effect : waiting_) {
    if (const auto* save = std::get_if<effect::SaveJob>(&effect))
      if (const Job* job = book_->jobs().find(save->key)) store_.jobs[save->key] = job->record;
    if (const auto* save = std::get_if<effect::SaveSubmission>(&effect))
      if (const auto* kept = book_->jobs().submission(save->number))
        store_.submissions[save->number] = kept->asked;
    if (const auto* save = std::get_if<effect::SavePayload>(&effect))
      store_.payloads.insert(save->row.number);
    if (const auto* drop = std::get_if<effect::DropPayload>(&effect)) store_.payloads.erase(drop->number);
    if (const auto* gone = std::get_if<effect::RemoveJob>(&effect))
      store_.jobs.erase(key_of(gone->record.key()));
    if (const auto* recorded = std::get_if<effect::RecordEvent>(&effect))
      if (recorded->event.has_finish()) ++finishes_[key_of(recorded->event.key())];
  }
  store_.next_id = book_->rows().next_job_id();
  store_.next_submission = book_->rows().next_submission();
  if (++commits_ % pack_every_ == 0) book_->jobs().pack();
}

BookWorld::Host* BookWorld::reachable(const std::string& name) {
  const auto host =
      std::find_if(hosts_.begin(), hosts_.end(), [&name](const Host& h) { return h.name == name; });
  return host != hosts_.end() && host->greeted ? &*host : nullptr;
}

void BookWorld::send(const std::string& host, Order::Kind kind, const Attempt& attempt,
                     const wire::SentSignal& sent) {
  if (Host* reached = reachable(host)) reached->down.push_back({kind, attempt, store_.term, sent});
}
void BookWorld::start(const std::string& host, order::Start order) {
  if (order.hosts.empty() || order.hosts[0].name() != host) fail("a start for another host than the first");
  if (order.wait_for_go && reachable(host) && !reachable(host)->knows_go)
    fail("a start without go-ahead for a host that knows none");
  // As the Book has them: in a job on hosts of several clusters those of others lack their clusters' names.
  if (const Job* job = book_->jobs().find(order.attempt.job))
    for (const auto& on : job->record.hosts()) hosts_of_[order.attempt].insert(on.name());
  send(host, order.wait_for_go ? Order::Kind::prepare : Order::Kind::start, order.attempt);
}
void BookWorld::go(const std::string& host, const Attempt& attempt) { send(host, Order::Kind::go, attempt); }
void BookWorld::expect(const std::string& host, const order::Expect& order) {
  send(host, Order::Kind::expect, order.attempt);
}
void BookWorld::signal(const std::string& host, const order::Signal& order) {
  send(host, Order::Kind::signal, order.attempt, order.sent);
}
void BookWorld::acknowledge(const std::string& host, const Attempt& attempt) {
  send(host, Order::Kind::acknowledge, attempt);
}
void BookWorld::release(const std::string& host, const Attempt& attempt) {
  const Job* job = book_->jobs().find(attempt.job);
  if (Host* reached = reachable(host))
    reached->down.push_back(
        {Order::Kind::release, attempt, store_.term, {}, job != nullptr && is_part(job->record)});
}

void BookWorld::submit(const wire::Submission& asked) {
  wire::Submit request;
  *request.add_jobs() = asked;
  request.mutable_jobs(0)->add_environment("A=1");
  auto applied = book_->commands().submit(request, kUser, now_);
  const auto& accepted = applied.reply.submitted().jobs(0);
  if (accepted.has_refusal()) return fail("refused: " + accepted.refusal().text());
  unanswered_.push_back(accepted.id());
  take(std::move(applied.effects));
  finish_turn();
}

// A random number of jobs, on random hosts; parallel ones on two.
void BookWorld::plan() {
  if (planner_) return planner_(*book_, now_, [this](Effects effects) { take(std::move(effects)); });
  std::vector<JobKey> ready;
  for (const auto& [order, key] : book_->jobs().pending_of("normal"))
    if (book_->jobs().find(key)->status() == wire::STATUS_PEND &&
        (book_->jobs().dependency_state(*book_->jobs().find(key)) == jobs::DependencyState::none ||
         book_->jobs().dependency_state(*book_->jobs().find(key)) == jobs::DependencyState::satisfied))
      ready.push_back(key);
  for (const JobKey key : ready) {
    const std::size_t first = below(hosts_.size());
    if (!book_->hosts().connected(hosts_[first].name)) continue;
    event::Dispatched dispatched;
    for (std::uint32_t i = 0; i < std::max(1U, book_->jobs().find(key)->asked->min_slots()); ++i)
      dispatched.placement.hosts.push_back({HostId(hosts_[(first + i) % hosts_.size()].name), 1});
    take(book_->hosts().dispatch(key, dispatched, now_));
  }
}

void BookWorld::people() {
  if (acknowledged_.empty()) return;
  auto id = acknowledged_.begin();
  std::advance(id, below(acknowledged_.size()));
  const auto elements = book_->jobs().elements(*id);
  if (elements.empty()) return;
  const JobKey key = elements[below(elements.size())];
  if (below(8) == 0) {
    wire::MoveJob move;
    set_key(*move.mutable_key(), key);
    move.set_to_bottom(below(2) == 0);
    return take(book_->commands().move_job(move, kUser, now_).effects);
  }
  constexpr wire::SignalJobs::Action kActions[] = {
      wire::SignalJobs::KILL, wire::SignalJobs::STOP,    wire::SignalJobs::RESUME, wire::SignalJobs::RESUME,
      wire::SignalJobs::SEND, wire::SignalJobs::REQUEUE, wire::SignalJobs::REMOVE};
  wire::SignalJobs request;
  set_key(*request.mutable_filter()->add_keys(), key);
  request.set_action(kActions[below(std::size(kActions))]);
  request.set_signal(10);
  take(book_->commands().signal_jobs(request, kUser, now_).effects);
}

// ---------------------------------------------------------------- turns

void BookWorld::turn() {
  now_.us += 500'000 + static_cast<std::int64_t>(below(3'000'000));
  Host& host = hosts_[below(hosts_.size())];
  if (chance(chances_.link_breaks)) disconnect(host);
  if (chance(chances_.host_restarts)) restart(host);
  if (chance(chances_.freezes)) freeze(host);
  switch (below(8)) {
    case 0:
      if (host.frozen) thaw(host);
      connect(host);
      break;
    case 1:
      plan();
      break;
    case 2:
      if (chances_.people) people();
      break;
    case 3:
      live(host);
      break;
    case 4:
      take(book_->tick(now_));
      break;
    default:
      for (std::size_t i = below(4); i > 0; --i) hear(host);
      for (std::size_t i = below(4); i > 0; --i) tell(host);
      live(host);
  }
  finish_turn();
}

constexpr wire::JobStatus kUnfinished[] = {wire::STATUS_PEND,  wire::STATUS_RUN,   wire::STATUS_SSUSP,
                                           wire::STATUS_USUSP, wire::STATUS_UNKWN, wire::STATUS_ZOMBI,
                                           wire::STATUS_PSUSP};

std::vector<JobKey> BookWorld::jobs() const {
  std::vector<JobKey> all;
  const auto add = [&](wire::JobStatus status) {
    const auto& some = book_->jobs().with_status(status);
    all.insert(all.end(), some.begin(), some.end());
  };
  for (const auto status : kUnfinished) add(status);
  for (const auto status : {wire::STATUS_DONE, wire::STATUS_EXIT}) add(status);
  return all;
}

void BookWorld::calm(int jobs_last) {
  chances_ = {0, 0, 0, 0, 0, false};
  chances_.jobs_last = jobs_last;
  for (Host& host : hosts_) thaw(host);
}

void BookWorld::connect_hosts() {
  for (Host& host : hosts_) connect(host);
}

void BookWorld::help_to_end() {
  connect_hosts();
  // A stopped job would never end.
  for (const auto status : {wire::STATUS_USUSP, wire::STATUS_PSUSP}) {
    const std::set<JobKey> held = book_->jobs().with_status(status);
    for (const JobKey key : held) {
      wire::SignalJobs request;
      set_key(*request.mutable_filter()->add_keys(), key);
      request.set_action(wire::SignalJobs::RESUME);
      take(book_->commands().signal_jobs(request, kUser, now_).effects);
    }
  }
}

bool BookWorld::all_over() const {
  for (const auto status : kUnfinished)
    if (!book_->jobs().with_status(status).empty()) return false;
  return std::all_of(hosts_.begin(), hosts_.end(), [](const Host& h) { return h.directories.empty(); });
}

BookWorld::Host& BookWorld::host_named(const std::string& name) {
  return *std::find_if(hosts_.begin(), hosts_.end(), [&name](const Host& h) { return h.name == name; });
}
const BookWorld::Host& BookWorld::host_named(const std::string& name) const {
  return *std::find_if(hosts_.begin(), hosts_.end(), [&name](const Host& h) { return h.name == name; });
}

std::vector<Attempt> BookWorld::running(const std::string& host) const {
  std::vector<Attempt> all;
  for (const auto& [attempt, directory] : host_named(host).directories)
    if (directory.first && directory.running && !directory.over) all.push_back(attempt);
  return all;
}
std::size_t BookWorld::directories(const std::string& host) const {
  return host_named(host).directories.size();
}
bool BookWorld::holds(const std::string& host, const Attempt& attempt) const {
  return host_named(host).directories.contains(attempt);
}
bool BookWorld::stopped(const std::string& host, const Attempt& attempt) const {
  const auto& directories = host_named(host).directories;
  const auto found = directories.find(attempt);
  return found != directories.end() && found->second.stopped;
}
void BookWorld::end_there(const std::string& host, const Attempt& attempt, std::int32_t status) {
  Host& at = host_named(host);
  end(at, at.directories.at(attempt), How::ended, status);
}
void BookWorld::wipe(const std::string& host) {
  Host& at = host_named(host);
  disconnect(at);
  at.frozen = false;
  at.left.clear();
  at.directories.clear();
  at.blank = true;
  finish_turn();
}

bool BookWorld::settle(int turns) {
  calm();
  for (int i = 0; i < turns; ++i) {
    help_to_end();
    turn();
    if (all_over()) return true;
  }
  return false;
}

}  // namespace rollcall::sched
