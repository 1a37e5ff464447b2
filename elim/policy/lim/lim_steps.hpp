// The parts of LIM's stepper, and what they share. Only lim*.cpp include this; the table is in lim.hpp.
#pragma once

#include <string>

#include "elim/policy/lim/lim.hpp"

namespace rollcall::lim {

// One call of step().
struct LimStep {
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
void dial(LimStep& step, const std::string& host);                             // unless one is under way
std::optional<HostIndex> forget_link(LimStep& step, ConnectionId connection);  // the host that reported on it
void close_link(LimStep& step, ConnectionId connection);                       // and forget it

// --- who is master (lim_search.cpp)
void start_search(LimStep& step, const std::string& behind = {});
void search_answered(LimStep& step, const event::PeerAnswered& answer);
void search_failed(LimStep& step, const event::DialFailed& failure);
void search_announced(LimStep& step, const std::string& host);
void search_tick(LimStep& step);

// --- following (lim_follow.cpp)
Duration breather(const LimStep& step);  // a link that ends sooner proves nothing
void follow(LimStep& step, ConnectionId connection, const std::string& host);
void register_anew(LimStep& step);
void send_report(LimStep& step);
void lose_master(LimStep& step, const std::string& why);  // its link is gone already, or is closed here
void master_renewed(LimStep& step, const event::PeerRenewed& renewed);
void orders_arrived(LimStep& step, const event::OrdersArrived& orders);
void follow_tick(LimStep& step);

// --- being master (lim_master.cpp)
void become_master(LimStep& step);
void step_down(LimStep& step, const std::string& why);
void peer_answered(LimStep& step, const event::PeerAnswered& answer);
void peer_failed(LimStep& step, const event::DialFailed& failure);
void peer_announced(LimStep& step, const std::string& host);
void host_registered(LimStep& step, const event::HostRegistered& registered);
void host_reported(LimStep& step, const event::HostReported& reported);
void host_link_ended(LimStep& step, HostIndex host);
void placement_made(LimStep& step, const event::PlacementMade& placement);
void master_tick(LimStep& step);

// --- elims of the cluster (lim_placement.cpp)
Mastership fresh_mastership(const LimRules& rules, TimePoint now);
void set_presence(LimStep& step, HostIndex host, Presence presence, bool presumed);
void place_elims(LimStep& step);                  // tells whoever is to report something else now
void send_orders(LimStep& step, HostIndex host);  // unless it has them
ReportTarget report_target(LimStep& step, HostIndex host);
void show_own_load(LimStep& step);  // in the table, where we are master

// --- this host (lim_own.cpp)
void load_sampled(LimStep& step, const event::LoadSampled& sample);
void elims_reported(LimStep& step, const wire::MelimReport& report);
void lock_asked(LimStep& step, const event::LockAsked& lock);
void unlock(LimStep& step);
void facts_found(LimStep& step, const event::FactsFound& found);
void order_melim(LimStep& step, std::vector<std::string> resources, bool master);
void judge_own_load(LimStep& step);    // busy, locked
void own_load_changed(LimStep& step);  // judges it, shows it, and tells the master what cannot wait

// --- new files (lim_reconfig.cpp)
void reconfigured(LimStep& step, const event::Reconfigured& event);

}  // namespace rollcall::lim
