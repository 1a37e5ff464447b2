#include "tests/sim/book_world.hpp"

#include <algorithm>

namespace rollcall::sched {
namespace {

using wire::FromRes;
using wire::ToRes;

const Identity kUser{1001, 100, "ann", {}, false};

}  // namespace

BookWorld::BookWorld(ConfigView config, std::uint32_t seed, WorldChances chances)
    : config_(std::move(config)), random_(seed), chances_(chances) {
  for (const char* name : {"hostA", "hostB", "hostC"}) hosts_.push_back({name});
  start_mbatchd();
}

// ---------------------------------------------------------------- mbatchd

void BookWorld::start_mbatchd() {
  book_ = std::make_unique<Book>();
  book_->configure(config_, now_);
  book_->set_term(++store_.term);  // committed before any host is talked to
  book_->load_counters(store_.next_id, store_.next_submission);
  for (const auto& [number, asked] : store_.submissions) book_->load_submission(number, asked);
  for (const auto& [key, record] : store_.jobs) book_->load_job(record);
  book_->loaded(now_);
  for (const auto& [key, record] : store_.jobs) {
    const Job* job = book_->find(key);
    if (!job || job->record.SerializeAsString() != record.SerializeAsString())
      fail("job " + text(key) + " is not what was saved");
  }
}

void BookWorld::die() {
  ++deaths_;
  waiting_.clear();
  unanswered_.clear();
  for (Host& host : hosts_) {
    host.connected = false;
    host.greeted = false;
    host.up.clear();
    host.down.clear();
  }
  start_mbatchd();
}

void BookWorld::take(Effects effects) {
  waiting_.insert(waiting_.end(), std::make_move_iterator(effects.begin()),
                  std::make_move_iterator(effects.end()));
}

void BookWorld::finish_turn() {
  if (auto broken = book_->broken_invariant(); !broken.empty()) fail(broken);
  if (chance(chances_.mbatchd_dies)) return die();
  if (chance(chances_.commit_fails)) return;  // the disk is full: all of it waits
  commit();
  if (chance(chances_.mbatchd_dies)) return die();
  acknowledged_.insert(unanswered_.begin(), unanswered_.end());
  unanswered_.clear();
  const Effects effects = std::move(waiting_);
  waiting_.clear();
  for (const Effect& effect : effects) {
    if (chance(chances_.mbatchd_dies)) return die();
    send(effect);
  }
}

void BookWorld::commit() {
  for (const Effect& effect : waiting_) {
    if (const auto* save = std::get_if<effect::SaveJob>(&effect))
      if (const Job* job = book_->find(save->key)) store_.jobs[save->key] = job->record;
    if (const auto* save = std::get_if<effect::SaveSubmission>(&effect))
      if (const auto* kept = book_->submission(save->number)) store_.submissions[save->number] = kept->asked;
    if (const auto* gone = std::get_if<effect::RemoveJob>(&effect))
      store_.jobs.erase(key_of(gone->record.key()));
  }
  store_.next_id = book_->next_job_id();
  store_.next_submission = book_->next_submission();
}

BookWorld::Host* BookWorld::reachable(const std::string& name) {
  const auto host =
      std::find_if(hosts_.begin(), hosts_.end(), [&name](const Host& h) { return h.name == name; });
  return host != hosts_.end() && host->greeted ? &*host : nullptr;
}

void BookWorld::send(const Effect& effect) {
  ToRes order;
  order.set_term(store_.term);
  std::string to;
  if (const auto* start = std::get_if<effect::OrderStart>(&effect)) {
    to = start->host;
    auto told = book_->start_order(*start);
    if (!told) return;
    *order.mutable_start() = std::move(*told);
  } else if (const auto* expect = std::get_if<effect::OrderExpect>(&effect)) {
    to = expect->host;
    auto told = book_->expect_order(*expect);
    if (!told) return;
    *order.mutable_expect() = std::move(*told);
  } else if (const auto* signal = std::get_if<effect::OrderSignal>(&effect)) {
    to = signal->host;
    *order.mutable_signal() = signal->signal;
  } else if (const auto* acknowledge = std::get_if<effect::OrderAcknowledge>(&effect)) {
    to = acknowledge->host;
    *order.mutable_acknowledge()->mutable_job() = acknowledge->attempt;
  } else if (const auto* release = std::get_if<effect::OrderRelease>(&effect)) {
    to = release->host;
    *order.mutable_release()->mutable_job() = release->attempt;
  } else {
    return;
  }
  if (Host* host = reachable(to)) host->down.push_back(std::move(order));
}

void BookWorld::submit(const wire::Submission& asked) {
  wire::Submit request;
  *request.add_jobs() = asked;
  auto applied = book_->submit(request, kUser, now_);
  const auto& accepted = applied.reply.submitted().jobs(0);
  if (accepted.has_refusal()) return fail("refused: " + accepted.refusal().text());
  unanswered_.push_back(accepted.id());
  take(std::move(applied.effects));
  finish_turn();
}

// As many as will, on hosts by chance; parallel ones on two.
void BookWorld::plan() {
  std::vector<JobKey> ready;
  for (const auto& [order, key] : book_->pending_of("normal"))
    if (book_->find(key)->status() == wire::STATUS_PEND &&
        (book_->dependency_state(*book_->find(key)) == DependencyState::none ||
         book_->dependency_state(*book_->find(key)) == DependencyState::satisfied))
      ready.push_back(key);
  for (const JobKey key : ready) {
    const std::size_t first = below(hosts_.size());
    if (!book_->connected(hosts_[first].name)) continue;
    event::Dispatched dispatched;
    for (std::uint32_t i = 0; i < std::max(1U, book_->find(key)->asked->min_slots()); ++i) {
      wire::ExecHost host;
      host.set_name(hosts_[(first + i) % hosts_.size()].name);
      host.set_slots(1);
      dispatched.hosts.push_back(host);
    }
    take(book_->dispatch(key, dispatched, now_));
  }
}

void BookWorld::people() {
  if (acknowledged_.empty()) return;
  auto id = acknowledged_.begin();
  std::advance(id, below(acknowledged_.size()));
  const auto elements = book_->elements(*id);
  if (elements.empty()) return;
  const JobKey key = elements[below(elements.size())];
  if (below(8) == 0) {
    wire::MoveJob move;
    set_key(*move.mutable_key(), key);
    move.set_to_bottom(below(2) == 0);
    return take(book_->move_job(move, kUser, now_).effects);
  }
  constexpr wire::SignalJobs::Action kActions[] = {
      wire::SignalJobs::KILL, wire::SignalJobs::STOP,    wire::SignalJobs::RESUME, wire::SignalJobs::RESUME,
      wire::SignalJobs::SEND, wire::SignalJobs::REQUEUE, wire::SignalJobs::REMOVE};
  wire::SignalJobs request;
  set_key(*request.mutable_filter()->add_keys(), key);
  request.set_action(kActions[below(std::size(kActions))]);
  request.set_signal(10);
  take(book_->signal_jobs(request, kUser, now_).effects);
}

// ---------------------------------------------------------------- hosts

std::string BookWorld::name_of(const wire::JobAttempt& attempt) {
  return text(key_of(attempt.key())) + "." + std::to_string(attempt.attempt());
}

void BookWorld::connect(Host& host) {
  if (host.connected) return;
  host.connected = true;
  FromRes message;
  auto& hello = *message.mutable_hello();
  hello.set_host(host.name);
  for (const auto& [name, directory] : host.directories) {
    auto& held = *hello.add_jobs();
    *held.mutable_job() = directory.attempt;
    held.set_first_host(directory.first);
    held.set_state(!directory.first    ? FromRes::Held::EXPECTED
                   : directory.over    ? FromRes::Held::OVER
                   : directory.stopped ? FromRes::Held::STOPPED
                   : directory.running ? FromRes::Held::RUNNING
                                       : FromRes::Held::STARTING);
  }
  host.up.push_back(std::move(message));
  for (const auto& [name, directory] : host.directories) retell(host, directory);
}

void BookWorld::retell(Host& host, const Directory& directory) {
  if (!host.connected || !directory.first) return;
  FromRes message;
  if (directory.running) {
    auto& running = *message.mutable_running();
    *running.mutable_job() = directory.attempt;
    running.set_pid(77);
    host.up.push_back(message);
  }
  if (directory.stopped && !directory.over) {
    *message.mutable_stopped()->mutable_job() = directory.attempt;
    host.up.push_back(message);
  }
  if (!directory.over) return;
  *message.mutable_over() = *directory.over;
  host.up.push_back(message);
}

void BookWorld::disconnect(Host& host) {
  if (!host.connected) return;
  host.connected = false;
  host.greeted = false;
  host.up.clear();
  host.down.clear();
  take(book_->res_lost(host.name, now_));
}

void BookWorld::hear(Host& host) {
  if (host.down.empty()) return;
  const ToRes order = host.down.front();
  host.down.pop_front();
  if (order.term() < host.term) return fail("an order of an older mbatchd came through");
  host.term = order.term();
  const auto find = [&host](const wire::JobAttempt& attempt) {
    const auto found = host.directories.find(name_of(attempt));
    return found == host.directories.end() ? nullptr : &found->second;
  };
  switch (order.order_case()) {
    case ToRes::kStart:
      if (!find(order.start().job()))
        host.directories[name_of(order.start().job())] = {order.start().job(), true};
      return;
    case ToRes::kExpect:
      if (!find(order.expect().job()))
        host.directories[name_of(order.expect().job())] = {order.expect().job(), false};
      return;
    case ToRes::kSignal: {
      Directory* directory = find(order.signal().job());
      if (!directory) {
        FromRes message;
        *message.mutable_over()->mutable_job() = order.signal().job();
        message.mutable_over()->set_how(FromRes::JobOver::NEVER_SEEN);
        host.up.push_back(std::move(message));
        return;
      }
      if (directory->over) return retell(host, *directory);
      if (order.signal().number() <= directory->last_number) return;
      directory->last_number = order.signal().number();
      switch (order.signal().action()) {
        case ToRes::SignalJob::TERMINATE:
          directory->killed = true;
          break;
        case ToRes::SignalJob::SUSPEND:
          directory->stopped = true;
          break;
        case ToRes::SignalJob::RESUME:
          directory->stopped = false;
          break;
        case ToRes::SignalJob::SEND:
          if (order.signal().signal() == 9) directory->killed = true;
          break;
        default:
          break;
      }
      return;
    }
    case ToRes::kAcknowledge: {
      Directory* directory = find(order.acknowledge().job());
      if (directory && !directory->over)
        return fail("what runs was acknowledged: " + name_of(directory->attempt));
      if (directory) host.directories.erase(name_of(order.acknowledge().job()));
      return;
    }
    case ToRes::kRelease:
      if (const Directory* directory = find(order.release().job()); directory && !directory->first)
        host.directories.erase(name_of(order.release().job()));
      return;
    default:
      return;
  }
}

void BookWorld::tell(Host& host) {
  if (host.up.empty()) return;
  const FromRes message = host.up.front();
  host.up.pop_front();
  if (message.has_hello()) host.greeted = true;
  take(book_->res_said(host.name, message, now_));
}

void BookWorld::end(Host& host, Directory& directory, FromRes::JobOver::How how, std::int32_t status) {
  auto& over = directory.over.emplace();
  *over.mutable_job() = directory.attempt;
  over.set_how(how);
  over.set_exit_status(status);
  over.set_end_us(now_.us);
  retell(host, directory);
}

void BookWorld::live(Host& host) {
  std::vector<Directory*> alive;
  for (auto& [name, directory] : host.directories)
    if (directory.first && !directory.over) alive.push_back(&directory);
  if (alive.empty()) return;
  Directory& directory = *alive[below(alive.size())];
  const JobKey key = key_of(directory.attempt.key());
  if (directory.killed)
    return end(host, directory, directory.running ? FromRes::JobOver::ENDED : FromRes::JobOver::NOT_STARTED,
               137 << 8);
  if (directory.running && chance(chances_.shepherd_dies))
    return end(host, directory, FromRes::JobOver::SHEPHERD_LOST, 0);
  if (directory.stopped) return;
  if (!directory.running) {
    directory.running = true;
    ++runs_[key];
    if (!started_.insert({key, directory.attempt.attempt()}).second)
      fail("started twice: " + name_of(directory.attempt));
    return retell(host, directory);
  }
  end(host, directory, FromRes::JobOver::ENDED, code_of(key));
}

void BookWorld::restart(Host& host) {
  disconnect(host);
  for (auto& [name, directory] : host.directories)
    if (directory.first && !directory.over) end(host, directory, FromRes::JobOver::HOST_RESTARTED, 0);
}

// ---------------------------------------------------------------- turns

void BookWorld::turn() {
  now_.us += 500'000 + static_cast<std::int64_t>(below(3'000'000));
  Host& host = hosts_[below(hosts_.size())];
  if (chance(chances_.link_breaks)) disconnect(host);
  if (chance(chances_.host_restarts)) restart(host);
  switch (below(8)) {
    case 0:
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

bool BookWorld::settle(int turns) {
  chances_ = {0, 0, 0, 0, 0, false};
  const auto over = [this] {
    for (const auto status : {wire::STATUS_PEND, wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_USUSP,
                              wire::STATUS_UNKWN, wire::STATUS_ZOMBI})
      if (!book_->with_status(status).empty()) return false;
    return std::all_of(hosts_.begin(), hosts_.end(), [](const Host& h) { return h.directories.empty(); });
  };
  for (int i = 0; i < turns; ++i) {
    for (Host& host : hosts_) connect(host);
    // Nothing that somebody stopped would ever end.
    for (const auto status : {wire::STATUS_USUSP, wire::STATUS_PSUSP}) {
      const std::set<JobKey> held = book_->with_status(status);
      for (const JobKey key : held) {
        wire::SignalJobs request;
        set_key(*request.mutable_filter()->add_keys(), key);
        request.set_action(wire::SignalJobs::RESUME);
        take(book_->signal_jobs(request, kUser, now_).effects);
      }
    }
    turn();
    if (over()) return true;
  }
  return false;
}

}  // namespace rollcall::sched
