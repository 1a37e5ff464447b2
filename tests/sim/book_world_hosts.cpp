// BookWorld: the hosts, as mbatchd sees them.
#include <algorithm>

#include "tests/sim/book_world.hpp"

namespace rollcall::sched {
namespace {

using How = report::Over::How;
using State = report::Held::State;

}  // namespace

void BookWorld::connect(Host& host) {
  if (host.connected || host.frozen || (of_second_engine(host.name) && !second_engine_works_)) return;
  host.connected = true;
  report::HostCame came;
  came.knows_go = host.knows_go;
  came.blank = std::exchange(host.blank, false);
  for (const auto& [attempt, directory] : host.directories)
    came.jobs.push_back({attempt,
                         !directory.first     ? State::expected
                         : directory.prepared ? State::prepared
                         : directory.over     ? State::over
                         : directory.stopped  ? State::stopped
                         : directory.running  ? State::running
                                              : State::starting,
                         directory.first});
  host.up.push_back(std::move(came));
  for (const auto& [attempt, directory] : host.directories) retell(host, directory);
}

void BookWorld::retell(Host& host, const Directory& directory) {
  if (!host.connected || !directory.first) return;
  if (directory.running) host.up.push_back(report::Running{directory.attempt, 77, 0, 0, {}, {}, {}});
  if (directory.stopped && !directory.over) host.up.push_back(report::Stopped{directory.attempt});
  if (directory.over) host.up.push_back(*directory.over);
}

// Orders sent before the break are read, or lost, by chance; a frozen host reads them when it thaws.
void BookWorld::hang_up(Host& host) {
  host.connected = false;
  host.greeted = false;
  host.up.clear();
  for (const Order& order : std::exchange(host.down, {})) {
    if (host.frozen)
      host.left.push_back(order);
    else if (below(2) == 0)
      obey(host, order);
    else
      return;
  }
}

void BookWorld::disconnect(Host& host) {
  if (!host.connected) return;
  hang_up(host);
  take(book_->hosts().host_gone(host.name, now_));
}

void BookWorld::fail_second_engine() {
  second_engine_works_ = false;
  for (Host& host : hosts_)
    if (of_second_engine(host.name)) disconnect(host);
}

void BookWorld::freeze(Host& host) { host.frozen = true; }

// Reports on a connection that is closed by now are lost.
void BookWorld::thaw(Host& host) {
  host.frozen = false;
  for (const Order& order : std::exchange(host.left, {})) {
    const bool connected = std::exchange(host.connected, false);
    const auto up = std::exchange(host.up, {});
    obey(host, order);
    host.connected = connected;
    host.up = up;
  }
}

void BookWorld::hear(Host& host) {
  if (host.down.empty() || host.frozen) return;
  const Order order = host.down.front();
  host.down.pop_front();
  obey(host, order);
}

void BookWorld::take_order(Host& host, const Order& order, Directory* directory) {
  using Kind = Order::Kind;
  const bool first = order.kind != Kind::expect;
  if (!directory && host.knows_go && order.kind != Kind::start && chance(chances_.refuses)) {
    say(host, report::NotPrepared{order.attempt, "no space left on device"});
    return;
  }
  if (!directory) {
    directory = &(host.directories[order.attempt] = {order.attempt, first});
    directory->prepared = order.kind == Kind::prepare;
  }
  if (order.kind == Kind::start) directory->prepared = false;
  if (host.knows_go && order.kind != Kind::start && (!first || directory->prepared))
    say(host, report::Prepared{{order.attempt}});
}

void BookWorld::obey(Host& host, const Order& order) {
  if (order.term < host.term) return fail("an order of an older mbatchd came through");
  host.term = order.term;
  const auto found = host.directories.find(order.attempt);
  Directory* directory = found == host.directories.end() ? nullptr : &found->second;
  switch (order.kind) {
    case Order::Kind::start:
    case Order::Kind::prepare:
    case Order::Kind::expect:
      return take_order(host, order, directory);
    case Order::Kind::go:
      if (!directory) return say(host, report::Over{order.attempt, How::never_seen});
      if (directory->prepared) say(host, report::Begun{{order.attempt}});
      directory->prepared = false;
      return;
    case Order::Kind::signal:
      if (directory) return be_told(host, *directory, order.sent);
      return say(host, report::Over{order.attempt, How::never_seen});
    case Order::Kind::acknowledge:
      if (!directory) return;
      if (!directory->over && !directory->prepared)
        return fail("what runs was acknowledged: " + text(order.attempt));
      host.directories.erase(found);
      return;
    case Order::Kind::release:
      if (directory && !directory->first && order.tells_gone) {
        directory->clearing = true;
        return;
      }
      if (directory && (!directory->first || directory->prepared)) host.directories.erase(found);
      if (order.tells_gone) say(host, report::Gone{{order.attempt}});
  }
}

void BookWorld::be_told(Host& host, Directory& directory, const wire::SentSignal& sent) {
  if (directory.over) return retell(host, directory);
  if (sent.number() <= directory.last_number) return;
  directory.last_number = sent.number();
  obeyed_(host.name, directory.attempt, sent);
  switch (sent.action()) {
    case wire::SentSignal::TERMINATE:
      directory.killed = true;
      break;
    case wire::SentSignal::SUSPEND:
      directory.stopped = true;
      break;
    case wire::SentSignal::RESUME:
      directory.stopped = false;
      break;
    case wire::SentSignal::SEND:
      if (sent.signal() == 9) directory.killed = true;
      break;
    default:
      break;
  }
}

void BookWorld::say(Host& host, HostReport report) {
  if (host.connected) host.up.push_back(std::move(report));
}

void BookWorld::tell(Host& host) {
  if (host.up.empty()) return;
  const HostReport report = host.up.front();
  host.up.pop_front();
  if (std::holds_alternative<report::HostCame>(report)) host.greeted = true;
  take(book_->hosts().host_told(host.name, report, now_));
}

void BookWorld::end(Host& host, Directory& directory, How how, std::int32_t status) {
  auto& over = directory.over.emplace();
  over.attempt = directory.attempt;
  over.how = how;
  over.exit_status = status;
  over.end_us = now_.us;
  retell(host, directory);
}

void BookWorld::live(Host& host) {
  const auto cleared = std::find_if(host.directories.begin(), host.directories.end(),
                                    [](const auto& one) { return one.second.clearing; });
  if (cleared != host.directories.end() && !host.frozen && below(3) == 0) {
    say(host, report::Gone{{cleared->first}});
    host.directories.erase(cleared);
  }
  std::vector<Directory*> alive;
  for (auto& [name, directory] : host.directories)
    if (directory.first && !directory.over && !directory.prepared) alive.push_back(&directory);
  if (alive.empty() || host.frozen) return;
  Directory& directory = *alive[below(alive.size())];
  const JobKey key = directory.attempt.job;
  if (directory.killed)
    return end(host, directory, directory.running ? How::ended : How::not_started, 137 << 8);
  if (directory.running && chance(chances_.shepherd_dies))
    return end(host, directory, How::supervisor_lost, 0);
  if (directory.stopped) return;
  if (!directory.running) {
    directory.running = true;
    ++runs_[key];
    if (!started_.insert(directory.attempt).second) fail("started twice: " + text(directory.attempt));
    return retell(host, directory);
  }
  if (chances_.jobs_last != 0 && static_cast<int>(below(100)) < chances_.jobs_last) return;
  end(host, directory, How::ended, code_of(key));
}

void BookWorld::restart(Host& host) {
  disconnect(host);
  host.frozen = false;
  host.left.clear();
  // Orders that were only prepared are gone.
  std::erase_if(host.directories, [](const auto& one) { return one.second.prepared; });
  for (auto& [name, directory] : host.directories)
    if (directory.first && !directory.over) end(host, directory, How::host_restarted, 0);
}

}  // namespace rollcall::sched
