#include "elim/policy/lim/lim_events_and_effects.hpp"

namespace rollcall::lim {
namespace {

std::string n(std::uint64_t number) { return std::to_string(number); }
std::string on(ConnectionId connection) { return " " + n(connection); }
std::string role(bool master, const std::string& name) {
  if (master) return " master";
  return name.empty() ? " knows no master" : " follows " + name;
}
std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += " " + word;
  return all.empty() ? " nothing" : all;
}
// Which of its repeated fields a report has, for the text form.
std::string contents(const wire::ToLim::Report& report) {
  std::string all;
  const auto part = [&](int count, const char* what) {
    if (count > 0) all += " " + n(static_cast<std::uint64_t>(count)) + " " + what;
  };
  part(report.names_size(), "names");
  part(report.index_size(), "values");
  part(report.words_size(), "words");
  part(report.refreshed_size(), "refreshed");
  part(report.lost_size(), "lost");
  part(report.elims_size(), "elims");
  if (report.has_condition()) {
    const wire::Condition& c = report.condition();
    all += std::string(" condition") + (c.locked_by_administrator() ? " lockU" : "") +
           (c.locked_by_window() ? " lockW" : "") + (c.beyond_size() > 0 ? " busy" : "") +
           (c.res_down() ? " no RES" : "");
  }
  return all.empty() ? " alive" : all;
}
const char* severity(effect::Note::Severity severity) {
  switch (severity) {
    case effect::Note::Severity::debug:
      return "debug";
    case effect::Note::Severity::info:
      return "info";
    case effect::Note::Severity::warning:
      return "warning";
  }
  return "info";
}

struct EventText {
  std::string operator()(const event::Started&) const { return "Started"; }
  std::string operator()(const event::PeerAccepted& e) const {
    return "PeerAccepted" + on(e.connection) + " " + e.host;
  }
  std::string operator()(const event::PeerAnswered& e) const {
    return "PeerAnswered" + on(e.connection) + " " + e.host + role(e.master, e.master_name);
  }
  std::string operator()(const event::DialFailed& e) const {
    return "DialFailed " + e.host + (e.refused ? " refused" : " silent");
  }
  std::string operator()(const event::LinkEnded& e) const { return "LinkEnded" + on(e.connection); }
  std::string operator()(const event::HostRegistered& e) const {
    return "HostRegistered" + on(e.connection) + " " + e.facts.name;
  }
  std::string operator()(const event::HostReported& e) const {
    return "HostReported" + on(e.connection) + contents(e.report);
  }
  std::string operator()(const event::MasterAnnounced& e) const {
    return "MasterAnnounced" + on(e.connection);
  }
  std::string operator()(const event::RenewAsked& e) const { return "RenewAsked" + on(e.connection); }
  std::string operator()(const event::PeerRenewed& e) const {
    return "PeerRenewed" + on(e.connection) + role(e.master, e.master_name);
  }
  std::string operator()(const event::OrdersArrived& e) const {
    return "OrdersArrived" + on(e.connection) + joined(e.resources);
  }
  std::string operator()(const event::LoadSampled&) const { return "LoadSampled"; }
  std::string operator()(const event::ElimsReported& e) const {
    return "ElimsReported " + n(static_cast<std::uint64_t>(e.report.values_size())) + " values";
  }
  std::string operator()(const event::MelimLost& e) const { return "MelimLost: " + e.how; }
  std::string operator()(const event::LockAsked& e) const {
    return "LockAsked" + (e.seconds == 0 ? std::string(" for ever") : " " + n(e.seconds) + " s");
  }
  std::string operator()(const event::UnlockAsked&) const { return "UnlockAsked"; }
  std::string operator()(const event::FactsFound&) const { return "FactsFound"; }
  std::string operator()(const event::Reconfigured&) const { return "Reconfigured"; }
  std::string operator()(const event::PlacementMade& e) const {
    std::string all = "PlacementMade";
    for (const auto& chosen : e.hosts) all += " " + chosen.host + "*" + n(chosen.slots);
    return all;
  }
  std::string operator()(const event::Tick&) const { return "Tick"; }
};

struct EffectText {
  std::string operator()(const effect::Dial& e) const { return "Dial " + e.host; }
  std::string operator()(const effect::CloseLink& e) const { return "CloseLink" + on(e.connection); }
  std::string operator()(const effect::Welcome& e) const {
    return "Welcome" + on(e.connection) + role(e.master, e.master_name);
  }
  std::string operator()(const effect::SendRegister& e) const { return "SendRegister" + on(e.connection); }
  std::string operator()(const effect::SendReport& e) const {
    return "SendReport" + on(e.connection) + contents(e.report);
  }
  std::string operator()(const effect::SendAnnounce& e) const { return "SendAnnounce" + on(e.connection); }
  std::string operator()(const effect::SendRenew& e) const { return "SendRenew" + on(e.connection); }
  std::string operator()(const effect::SendOrders& e) const {
    return "SendOrders" + on(e.connection) + joined(e.resources);
  }
  std::string operator()(const effect::OrderMelim& e) const {
    return "OrderMelim" + joined(e.resources) + (e.master ? " master" : "");
  }
  std::string operator()(const effect::Note& e) const {
    return std::string("Note ") + severity(e.severity) + " " + e.text;
  }
};

}  // namespace

std::string text(const Event& event) { return std::visit(EventText{}, event); }
std::string text(const Effect& effect) { return std::visit(EffectText{}, effect); }

}  // namespace rollcall::lim
