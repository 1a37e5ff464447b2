#include "tests/sim/lim_world.hpp"

#include "common/wire/host_facts.hpp"

namespace rollcall::lim::sim {

using std::chrono::milliseconds;

World::World(WorldSettings settings) : settings_(std::move(settings)), random_(settings_.seed) {
  hosts_.resize(settings_.nodes);
}

Node World::node_of(const std::string& name) const { return *settings_.rules.find(name); }

void World::at(TimePoint when, std::function<void()> what) { queue_.push({when, order_++, std::move(what)}); }
Duration World::delay() { return milliseconds(1 + random_() % 20); }
TimePoint World::local(Node node) const { return {now_.since_start - hosts_[node].stood_still}; }

void World::log(const std::string& line) {
  if (!settings_.trace) return;
  trace_ +=
      std::to_string(std::chrono::duration_cast<milliseconds>(now_.since_start).count()) + " " + line + "\n";
}

void World::run_for(Duration time) {
  const TimePoint end = now_ + time;
  while (!queue_.empty() && queue_.top().at <= end && broken_.empty()) {
    Happening next = queue_.top();
    queue_.pop();
    now_ = next.at;
    next.what();
  }
  now_ = end;
}

// ---------------------------------------------------------------- hosts

void World::start(Node node) {
  Host& host = hosts_[node];
  if (!host.powered || host.lim) return;
  auto rules = std::make_shared<LimRules>(settings_.rules);
  rules->host = name(node);
  host.lim.emplace(std::move(rules));
  host.stopped = false;
  host.tick_at.reset();
  const int run = ++host.run;
  log(name(node) + " starts");
  HostFacts facts;
  facts.name = name(node);
  facts.ncpus = static_cast<int>(node) + 1;
  tell(node, event::FactsFound{facts});
  tell(node, event::Started{});
  sample(node, run);
}

void World::sample(Node node, int run) {
  Host& host = hosts_[node];
  if (!host.lim || host.run != run) return;
  if (!host.stopped) {
    event::LoadSampled load;
    load.values.fill(1);
    load.values[r1m] = static_cast<float>(node);
    load.values[mem] = static_cast<float>(1000 + random_() % 100);
    tell(node, load);
  }
  at(now_ + milliseconds(1500 + random_() % 1000), [this, node, run] { sample(node, run); });
}

void World::kill(Node node) {
  Host& host = hosts_[node];
  if (!host.lim) return;
  log(name(node) + " is killed");
  host.lim.reset();
  host.stopped = false;
  host.waiting.clear();
  ++host.run;
  drop_ends(node, host.powered);
}

void World::power_off(Node node) {
  if (!hosts_[node].powered) return;
  log(name(node) + " is switched off");
  hosts_[node].powered = false;
  kill(node);
}

void World::power_on(Node node) { hosts_[node].powered = true; }

void World::stop(Node node) {
  if (!living(node)) return;
  log(name(node) + " is stopped");
  hosts_[node].stopped = true;
  hosts_[node].stopped_at = now_;
}

void World::cont(Node node) {
  Host& host = hosts_[node];
  if (!host.stopped) return;
  log(name(node) + " continues");
  host.stopped = false;
  host.stood_still += now_ - host.stopped_at;
  host.tick_at.reset();
  auto waiting = std::exchange(host.waiting, {});
  for (auto& what : waiting) what();
  if (host.lim) tell(node, event::Tick{});
}

void World::reconfigure(LimRules rules) {
  log("new files");
  settings_.rules = std::move(rules);
  for (Node node = 0; node < hosts_.size(); ++node) {
    if (!hosts_[node].lim) continue;
    at(now_ + delay() * 10, [this, node, run = hosts_[node].run] {
      if (hosts_[node].run != run) return;
      auto what = [this, node] {
        auto own = std::make_shared<LimRules>(settings_.rules);  // the files as they are now
        own->host = name(node);
        tell(node, event::Reconfigured{own});
      };
      if (hosts_[node].stopped)
        hosts_[node].waiting.push_back(what);
      else
        what();
    });
  }
}

void World::split(std::vector<int> part_of_node) {
  for (Node node = 0; node < hosts_.size(); ++node) hosts_[node].part = part_of_node[node];
  std::string parts;
  for (const int part : part_of_node) parts += " " + std::to_string(part);
  log("the network is split:" + parts);
  unstick();
}

// ---------------------------------------------------------------- the stepper

void World::tell(Node node, const Event& event) {
  Host& host = hosts_[node];
  if (!host.lim || !broken_.empty()) return;
  if (settings_.trace) log(name(node) + " < " + text(event));
  const Effects effects = step(*host.lim, event, local(node));
  if (const std::string broken = broken_invariant(*host.lim); !broken.empty())
    broken_ = name(node) + " after " + text(event) + ": " + broken;
  const auto deadline = next_deadline(*host.lim);
  if (deadline && *deadline <= local(node))
    broken_ = name(node) + " after " + text(event) + ": does not let time pass";
  for (const Effect& effect : effects) carry_out(node, effect);
  plan_tick(node);
}

void World::plan_tick(Node node) {
  Host& host = hosts_[node];
  if (!host.lim || host.stopped) return;
  const auto deadline = next_deadline(*host.lim);
  if (!deadline) return;
  const TimePoint when = *deadline + host.stood_still;
  if (host.tick_at && *host.tick_at <= when) return;
  host.tick_at = when;
  at(when, [this, node, when, run = host.run] {
    Host& again = hosts_[node];
    if (again.run != run || again.tick_at != when) return;
    again.tick_at.reset();
    if (again.lim && !again.stopped) tell(node, event::Tick{});
  });
}

void World::carry_out(Node node, const Effect& effect) {
  if (settings_.trace) log(name(node) + "   > " + text(effect));
  if (const auto* e = std::get_if<effect::Dial>(&effect)) return dial(node, e->host);
  if (const auto* e = std::get_if<effect::CloseLink>(&effect)) return close(node, e->connection);
  if (const auto* e = std::get_if<effect::Welcome>(&effect)) {
    const std::size_t link = link_of_.at(e->connection);
    return send(e->connection,
                [this, link, w = *e, host = name(node), run = hosts_[node].run](ConnectionId id) -> Event {
                  if (std::exchange(links_[link].answered, true))
                    return event::PeerRenewed{id, w.master, w.master_name};
                  return event::PeerAnswered{id, host, std::to_string(run), w.master, w.master_name};
                });
  }
  if (const auto* e = std::get_if<effect::SendRegister>(&effect)) {
    auto message = registration(*hosts_[node].lim);
    return send(e->connection, [message](ConnectionId id) -> Event {
      return event::HostRegistered{id, wire::from_wire(message.facts()), message.configuration()};
    });
  }
  if (const auto* e = std::get_if<effect::SendReport>(&effect))
    return send(e->connection, [report = e->report](ConnectionId id) -> Event {
      return event::HostReported{id, report};
    });
  if (const auto* e = std::get_if<effect::SendAnnounce>(&effect))
    return send(e->connection, [](ConnectionId id) -> Event { return event::MasterAnnounced{id}; });
  if (const auto* e = std::get_if<effect::SendRenew>(&effect))
    return send(e->connection, [](ConnectionId id) -> Event { return event::RenewAsked{id}; });
  if (const auto* e = std::get_if<effect::SendOrders>(&effect)) {
    ++commotion_;
    return send(e->connection, [names = e->resources](ConnectionId id) -> Event {
      return event::OrdersArrived{id, names};
    });
  }
  if (std::holds_alternative<effect::OrderMelim>(effect)) ++commotion_;
}

// ---------------------------------------------------------------- connections

void World::dial(Node node, const std::string& host) {
  at(now_ + delay(),
     [this, node, run = hosts_[node].run, to = node_of(host)] { dial_arrives(node, run, to); });
}

void World::dial_failed(Node node, int run, Node host, bool refused, Duration after) {
  at(now_ + after, [this, node, run, host, refused] {
    if (hosts_[node].run != run) return;
    auto what = [this, node, host, refused] { tell(node, event::DialFailed{name(host), refused}); };
    if (hosts_[node].stopped)
      hosts_[node].waiting.push_back(what);
    else
      what();
  });
}

void World::dial_arrives(Node from, int run, Node to) {
  if (hosts_[from].run != run) return;
  if (!reaches(from, to) || !powered(to) || stopped(to))
    return dial_failed(from, run, to, false, settings_.probe_timeout);
  if (!running(to)) return dial_failed(from, run, to, true, delay());
  const std::size_t index = links_.size();
  Link link{{from, to}, {++next_id_, ++next_id_}};
  link.patience = milliseconds(500 + random_() % 20000);
  link_of_[link.id[0]] = link_of_[link.id[1]] = index;
  links_.push_back(std::move(link));
  at(now_ + settings_.probe_timeout, [this, index, from, run, to] {
    Link& waited = links_[index];
    if (waited.answered || !waited.open[0] || hosts_[from].run != run) return;
    waited.answered = true;
    close(from, waited.id[0]);
    dial_failed(from, run, to, false, Duration{0});
  });
  tell(to, event::PeerAccepted{links_[index].id[1], name(from), std::to_string(run)});
}

void World::send(ConnectionId id, std::function<Event(ConnectionId)> event) {
  const std::size_t link = link_of_.at(id);
  const int to = 1 - end_of(link, id);
  if (!links_[link].open[1 - to]) {
    broken_ = "sends on connection " + std::to_string(id) + ", which it has closed";
    return;
  }
  const Node node = links_[link].node[to];
  send_over(link, to,
            [this, link, node, to, event = std::move(event)] { tell(node, event(links_[link].id[to])); });
}

void World::send_over(std::size_t link, int to, std::function<void()> deliver) {
  Link& l = links_[link];
  l.last[to] = std::max(l.last[to] + Duration{1}, now_ + delay());
  l.sent[to].push_back(std::move(deliver));
  at(l.last[to], [this, link, to] { arrive(link, to); });
}

// The first of what is on its way to that end.
void World::arrive(std::size_t link, int to) {
  Link& l = links_[link];
  const Node node = l.node[to];
  const int from = 1 - to;
  if (!reaches(node, l.node[from]) || !powered(node)) {
    if (l.stuck[to]++ == 0)
      at(now_ + l.patience, [this, link, to] {
        if (links_[link].stuck[to] > 0) end_seen(link, 1 - to);
      });
    return;
  }
  const auto deliver = std::move(l.sent[to].front());
  l.sent[to].pop_front();
  if (!l.open[to]) {  // nobody there any more: a reset goes back
    at(now_ + delay(), [this, link, from] {
      if (reaches(links_[link].node[0], links_[link].node[1])) end_seen(link, from);
    });
    return;
  }
  if (!hosts_[node].stopped) return deliver();
  hosts_[node].waiting.push_back([this, link, to, deliver] {
    if (links_[link].open[to]) deliver();
  });
}

// Bytes sent during the silence arrive after all.
void World::unstick() {
  for (std::size_t link = 0; link < links_.size(); ++link)
    for (int to = 0; to < 2; ++to)
      for (std::size_t left = std::exchange(links_[link].stuck[to], 0); left > 0; --left)
        at(now_ + delay(), [this, link, to] { arrive(link, to); });
}

// That end learns that the connection is gone.
void World::end_seen(std::size_t link, int end) {
  Link& l = links_[link];
  if (!l.open[end]) return;
  const Node node = l.node[end];
  if (hosts_[node].stopped) {
    hosts_[node].waiting.push_back([this, link, end] { end_seen(link, end); });
    return;
  }
  l.open[end] = false;
  if (end == 0 && !l.answered) {
    l.answered = true;
    return tell(node, event::DialFailed{name(l.node[1]), false});
  }
  tell(node, event::LinkEnded{l.id[end]});
}

void World::close(Node node, ConnectionId id) {
  const std::size_t link = link_of_.at(id);
  const int end = end_of(link, id);
  if (!links_[link].open[end]) {
    broken_ = name(node) + " closes connection " + std::to_string(id) + ", which is closed";
    return;
  }
  links_[link].open[end] = false;
  send_over(link, 1 - end, [this, link, end] { end_seen(link, 1 - end); });
}

void World::drop_ends(Node node, bool tell_peers) {
  for (std::size_t link = 0; link < links_.size(); ++link) {
    for (int end = 0; end < 2; ++end) {
      if (links_[link].node[end] != node || !links_[link].open[end]) continue;
      links_[link].open[end] = false;
      if (tell_peers) send_over(link, 1 - end, [this, link, end] { end_seen(link, 1 - end); });
    }
  }
}

}  // namespace rollcall::lim::sim
