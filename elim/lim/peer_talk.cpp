#include "elim/lim/peer_talk.hpp"

#include <boost/asio/io_context.hpp>
#include <tuple>
#include <vector>

#include "common/wire/host_facts.hpp"

namespace rollcall::lim {
namespace {

using std::chrono::steady_clock;

std::string text_of(const google::protobuf::RepeatedPtrField<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

PeerTalk::PeerTalk(boost::asio::io_context& loop, io::Links& links, const io::Log& log, std::string run,
                   std::function<void(Event)> happened)
    : links_(links),
      log_(log),
      run_(std::move(run)),
      happened_(std::move(happened)),
      claims_(loop),
      timer_(loop) {}

void PeerTalk::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
}

// ---- calls of Links

void PeerTalk::opened(io::LinkId link, const io::LinkPeer& peer) {
  Talk& talk = talks_[link];
  talk.dialled = peer.dialled;
  talk.address = peer.address;
  if (!peer.dialled) return;  // a peer that dialled says hello first
  wire::ToLim message;
  message.mutable_peer()->set_host(configuration_->host);
  message.mutable_peer()->set_run(run_);
  send(link, message);
}

Result<void> PeerTalk::message(io::LinkId link, std::string_view payload) {
  const auto found = talks_.find(link);
  if (found == talks_.end()) return {};
  return found->second.dialled ? from_dialled(link, found->second, payload)
                               : from_dialler(link, found->second, payload);
}

void PeerTalk::ended(io::LinkId link, io::LinkEnd how, const std::string& why) {
  const auto found = talks_.find(link);
  if (found == talks_.end()) return;
  if (log_.writes(io::Level::debug))
    log_.debug("link " + std::to_string(link) + " with " + found->second.host + " ended: " + why);
  if (found->second.dialled && !found->second.met) return fail_dial(link, how == io::LinkEnd::refused);
  const bool met = found->second.met;
  talks_.erase(found);
  if (met) happened_(event::LinkEnded{link});
}

Result<void> PeerTalk::from_dialler(io::LinkId link, Talk& talk, std::string_view payload) {
  wire::ToLim message;
  if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
    return internal_error("found a message that cannot be read, expected ToLim");
  if (message.has_peer()) return hello(link, talk, message.peer());
  if (!talk.met) return internal_error("found a message before its hello");
  switch (message.message_case()) {
    case wire::ToLim::kRegistration: {
      if (auto fits = wire::check_size(message.registration().facts()); !fits) return fits;
      auto facts = wire::from_wire(message.registration().facts());
      facts.name = talk.host;  // the proved name counts, not the message's
      happened_(event::HostRegistered{link, std::move(facts), message.registration().configuration()});
      return {};
    }
    case wire::ToLim::kReport:
      happened_(event::HostReported{link, std::move(*message.mutable_report())});
      return {};
    case wire::ToLim::kAnnounce:
      happened_(event::MasterAnnounced{link});
      return {};
    case wire::ToLim::kRenew:
      happened_(event::RenewAsked{link});
      return {};
    default:
      return {};  // a message of a newer LIM: ignored
  }
}

Result<void> PeerTalk::hello(io::LinkId link, Talk& talk, const wire::ToLim::PeerHello& hello) {
  if (talk.checked) return internal_error("found a second hello");
  const auto host = configuration_->files.names.official(hello.host());
  if (!host)
    return internal_error("found a LIM of host " + hello.host() + ", which lsf.cluster does not have");
  if (*host == configuration_->host)
    return internal_error("found another LIM that says it is on " + *host + ", as we are");
  talk.host = *host;
  talk.checked = true;
  if (!configuration_->files.settings.check_addresses)
    accept(link, hello.run());
  else
    claims_.check(*host, configuration_->files.names.addresses(*host), talk.address,
                  [this, link, run = hello.run()](const auto& verdict) { judge(link, run, verdict); });
  return {};
}

void PeerTalk::judge(io::LinkId link, const std::string& run, const io::HostClaims::Verdict& verdict) {
  const auto found = talks_.find(link);
  if (found == talks_.end()) return;
  const auto& [host, address] = std::tie(found->second.host, found->second.address);
  if (verdict.claim == HostClaim::foreign) {
    complain("refused a LIM at " + address + " that says it is on " + host + ": found the addresses " +
             addresses_text(verdict.addresses) +
             " for it; further ones belong into LSF_ENVDIR/hosts (ROLLCALL_CHECK_ADDRESSES in lsf.conf(5))");
    talks_.erase(found);
    return links_.close(link);
  }
  if (verdict.claim == HostClaim::unknown && unknown_.insert(host).second)
    log_.warning("nobody knows an address of " + host + ": a LIM at " + address +
                 " that says it is on it is believed");
  accept(link, run);
}

void PeerTalk::accept(io::LinkId link, const std::string& run) {
  Talk& talk = talks_[link];
  talk.met = true;
  happened_(event::PeerAccepted{link, talk.host, run});
}

// One mistake of the site may cause many refusals at once: limits their log lines.
void PeerTalk::complain(const std::string& line) {
  if (!complaints_.take({steady_clock::now().time_since_epoch()})) return;
  const auto missing = complaints_.left_out();
  log_.warning(line + (missing == 0 ? "" : " (and " + std::to_string(missing) + " lines like it before)"));
}

Result<void> PeerTalk::from_dialled(io::LinkId link, Talk& talk, std::string_view payload) {
  wire::FromLim message;
  if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
    return internal_error("found a message that cannot be read, expected FromLim");
  if (message.has_welcome()) return welcomed(link, talk, message.welcome());
  if (!talk.met) return internal_error("found a message before its welcome");
  if (message.has_orders()) {
    log_.debug(talk.host + " orders: " + text_of(message.orders().resources()));
    const auto& names = message.orders().resources();
    happened_(event::OrdersArrived{link, {names.begin(), names.end()}});
  }
  return {};
}

Result<void> PeerTalk::welcomed(io::LinkId link, Talk& talk, const wire::FromLim::PeerWelcome& welcome) {
  if (talk.met) {
    happened_(event::PeerRenewed{link, welcome.master(), welcome.master_name()});
    return {};
  }
  const auto host = configuration_->files.names.official(welcome.host());
  if (host != talk.host)
    return internal_error("found the LIM of " + welcome.host() + " at the address of " + talk.host);
  talk.met = true;
  happened_(event::PeerAnswered{link, talk.host, welcome.run(), welcome.master(), welcome.master_name()});
  return {};
}

// ---- dials

void PeerTalk::dial(const std::string& host) {
  const auto& files = configuration_->files;
  const auto address = files.names.address(host);
  const io::LinkId link =
      links_.dial(address.value_or(host), static_cast<std::uint16_t>(files.settings.lim_port));
  Talk& talk = talks_[link];
  talk.dialled = true;
  talk.host = host;
  // The name look-up, the connection, the proof and the welcome may take PROBE_TIMEOUT each.
  talk.until = steady_clock::now() + 3 * files.cluster.parameters.probe_timeout;
  await_welcomes();
}

void PeerTalk::fail_dial(io::LinkId link, bool refused) {
  const std::string host = talks_[link].host;
  talks_.erase(link);
  happened_(event::DialFailed{host, refused});
}

void PeerTalk::await_welcomes() {
  if (watching_) return;
  auto first = steady_clock::time_point::max();
  for (const auto& [link, talk] : talks_)
    if (talk.dialled && !talk.met) first = std::min(first, talk.until);
  if (first == steady_clock::time_point::max()) return;
  watching_ = true;
  timer_.expires_at(first);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    watching_ = false;
    std::vector<io::LinkId> late;
    for (const auto& [link, talk] : talks_)
      if (talk.dialled && !talk.met && talk.until <= steady_clock::now()) late.push_back(link);
    for (const io::LinkId link : late) {
      links_.close(link);
      fail_dial(link, false);
    }
    await_welcomes();
  });
}

// ---- effects

void PeerTalk::close(io::LinkId link) {
  talks_.erase(link);
  links_.close_when_sent(link);
}

void PeerTalk::welcome(const effect::Welcome& welcome) {
  wire::FromLim message;
  auto& words = *message.mutable_welcome();
  words.set_host(configuration_->host);
  words.set_run(run_);
  words.set_master(welcome.master);
  words.set_master_name(welcome.master_name);
  send(welcome.connection, message);
}

void PeerTalk::send_register(io::LinkId link, const wire::ToLim::Register& registration) {
  wire::ToLim message;
  *message.mutable_registration() = registration;
  send(link, message);
}

void PeerTalk::send_report(io::LinkId link, const wire::ToLim::Report& report) {
  wire::ToLim message;
  *message.mutable_report() = report;
  send(link, message);
}

// On an accepted link there is no Announce: a welcome says it instead.
void PeerTalk::announce(io::LinkId link) {
  const auto found = talks_.find(link);
  if (found == talks_.end()) return;
  if (!found->second.dialled) return welcome({link, true, configuration_->host});
  wire::ToLim message;
  message.mutable_announce();
  send(link, message);
}

void PeerTalk::renew(io::LinkId link) {
  wire::ToLim message;
  message.mutable_renew();
  send(link, message);
}

void PeerTalk::send_orders(io::LinkId link, const std::vector<std::string>& resources) {
  wire::FromLim message;
  auto& orders = *message.mutable_orders();
  for (const auto& resource : resources) orders.add_resources(resource);
  send(link, message);
}

void PeerTalk::send(io::LinkId link, const wire::ToLim& message) {
  const auto found = talks_.find(link);
  if (found != talks_.end() && found->second.dialled) links_.send(link, message.SerializeAsString());
}

void PeerTalk::send(io::LinkId link, const wire::FromLim& message) {
  const auto found = talks_.find(link);
  if (found != talks_.end() && !found->second.dialled) links_.send(link, message.SerializeAsString());
}

}  // namespace rollcall::lim
