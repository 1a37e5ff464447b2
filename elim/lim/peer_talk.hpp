// PeerTalk: the conversation between LIMs: converts messages to events of the stepper, and its effects to messages.
//
// Owns which link belongs to which dial and which peers have said hello; it judges only whether a message fits the conversation.
// A peer's claim to be on a host is believed if it calls from an address of that host. It keeps the promises at the top of
// lim_events_and_effects.hpp: every Dial has one outcome, hello comes first, one LinkEnded for each link.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/io/host_claims.hpp"
#include "common/io/links.hpp"
#include "common/io/log.hpp"
#include "elim/lim/configuration.hpp"
#include "elim/policy/lim/lim_events_and_effects.hpp"
#include "elim/policy/load/output_limits.hpp"

namespace rollcall::lim {

class PeerTalk {
 public:
  PeerTalk(boost::asio::io_context& loop, io::Links& links, const io::Log& log, std::string run,
           std::function<void(Event)> happened);

  // At the start, and with new files.
  void configure(std::shared_ptr<const Configuration> configuration);

  // --- calls of Links about links with daemons
  void opened(io::LinkId link, const io::LinkPeer& peer);
  Result<void> message(io::LinkId link, std::string_view payload);
  void ended(io::LinkId link, io::LinkEnd how, const std::string& why);

  // --- effects
  void dial(const std::string& host);
  void close(io::LinkId link);
  void welcome(const effect::Welcome& welcome);
  void send_register(io::LinkId link, const wire::ToLim::Register& registration);
  void send_report(io::LinkId link, const wire::ToLim::Report& report);
  void announce(io::LinkId link);
  void renew(io::LinkId link);
  void send_orders(io::LinkId link, const std::vector<std::string>& resources);

 private:
  struct Talk {
    bool dialled = false;
    bool met = false;      // hello or welcome has come: the stepper knows the link
    bool checked = false;  // hello has come; the address may still be being checked
    std::string host;      // official; of an accepted one: known after its hello
    std::string address;
    std::chrono::steady_clock::time_point until{};  // for the welcome
  };

  Result<void> from_dialler(io::LinkId link, Talk& talk, std::string_view payload);
  Result<void> from_dialled(io::LinkId link, Talk& talk, std::string_view payload);
  Result<void> hello(io::LinkId link, Talk& talk, const wire::ToLim::PeerHello& hello);
  void judge(io::LinkId link, const std::string& run, const io::HostClaims::Verdict& verdict);
  void accept(io::LinkId link, const std::string& run);
  void complain(const std::string& line);
  Result<void> welcomed(io::LinkId link, Talk& talk, const wire::FromLim::PeerWelcome& welcome);
  void fail_dial(io::LinkId link, bool refused);
  void await_welcomes();
  void send(io::LinkId link, const wire::ToLim& message);
  void send(io::LinkId link, const wire::FromLim& message);

  io::Links& links_;
  const io::Log& log_;
  std::string run_;
  std::function<void(Event)> happened_;
  std::shared_ptr<const Configuration> configuration_;
  std::unordered_map<io::LinkId, Talk> talks_;
  io::HostClaims claims_;
  std::set<std::string> unknown_;  // hosts with unknown addresses, each logged once
  // Any holder of the key can cause these log lines: their rate is limited.
  load::LineBudget complaints_{20, std::chrono::seconds(10)};
  boost::asio::steady_timer timer_;  // for overdue welcomes
  bool watching_ = false;
};

}  // namespace rollcall::lim
