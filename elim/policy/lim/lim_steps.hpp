// The parts of LIM's stepper, and what they share. Only lim*.cpp include this; the table is in lim.hpp.
#pragma once

#include <string>

#include "elim/policy/lim/lim.hpp"

namespace rollcall::lim {

// One call of step().
struct Turn {
  Lim& lim;
  TimePoint now;
  Effects out{};

  const LimRules& rules() const { return *lim.rules; }
  Rank own_rank() const { return rules().rank(rules().host); }
  bool candidate() const { return own_rank() < rules().candidates.size(); }
  void say(std::string text, effect::Note::Severity severity = effect::Note::Severity::info) {
    out.emplace_back(effect::Note{severity, std::move(text)});
  }
  void warn(std::string text) { say(std::move(text), effect::Note::Severity::warning); }
};

// --- connections (lim.cpp)
void dial(Turn& turn, const std::string& host);                             // unless one is under way
std::optional<HostIndex> forget_link(Turn& turn, ConnectionId connection);  // the host that reported on it
void close_link(Turn& turn, ConnectionId connection);                       // and forget it

// --- who is master (lim_search.cpp)
void start_search(Turn& turn, const std::string& behind = {});
void search_answered(Turn& turn, const event::PeerAnswered& answer);
void search_failed(Turn& turn, const event::DialFailed& failure);
void search_announced(Turn& turn, const std::string& host);
void search_tick(Turn& turn);

// --- following (lim_follow.cpp)
Duration breather(const Turn& turn);  // for a link that is younger nothing is concluded from its end
void follow(Turn& turn, ConnectionId connection, const std::string& host);
void register_anew(Turn& turn);
void send_report(Turn& turn);
void lose_master(Turn& turn, const std::string& why);  // its link is gone already, or is closed here
void master_renewed(Turn& turn, const event::PeerRenewed& renewed);
void orders_arrived(Turn& turn, const event::OrdersArrived& orders);
void follow_tick(Turn& turn);

// --- being master (lim_master.cpp)
void become_master(Turn& turn);
void step_down(Turn& turn, const std::string& why);
void peer_answered(Turn& turn, const event::PeerAnswered& answer);
void peer_failed(Turn& turn, const event::DialFailed& failure);
void peer_announced(Turn& turn, const std::string& host);
void host_registered(Turn& turn, const event::HostRegistered& registered);
void host_reported(Turn& turn, const event::HostReported& reported);
void host_link_ended(Turn& turn, HostIndex host);
void placement_made(Turn& turn, const event::PlacementMade& placement);
void master_tick(Turn& turn);

// --- elims of the cluster (lim_placement.cpp)
Mastership fresh_mastership(const LimRules& rules, TimePoint now);
void set_presence(Turn& turn, HostIndex host, Presence presence, bool presumed);
void place_elims(Turn& turn);                  // tells whoever is to report something else now
void send_orders(Turn& turn, HostIndex host);  // unless it has them
ReportTarget report_target(Turn& turn, HostIndex host);
void show_own_load(Turn& turn);  // in the table, where we are master

// --- this host (lim_own.cpp)
void load_sampled(Turn& turn, const event::LoadSampled& sample);
void elims_reported(Turn& turn, const wire::MelimReport& report);
void lock_asked(Turn& turn, const event::LockAsked& lock);
void unlock(Turn& turn);
void facts_found(Turn& turn, const event::FactsFound& found);
void order_melim(Turn& turn, std::vector<std::string> resources, bool master);
void judge_own_load(Turn& turn);    // busy, locked
void own_load_changed(Turn& turn);  // judges it, shows it, and tells the master what cannot wait

// --- new files (lim_reconfig.cpp)
void reconfigured(Turn& turn, const event::Reconfigured& event);

}  // namespace rollcall::lim
