#include "sched/mbatchd/res_links.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/wire/batch.pb.h"
#include "common/wire/frame.hpp"
#include "sched/mbatchd/configuration_views.hpp"

namespace rollcall::mbatchd {
namespace {

constexpr std::size_t kMostWaiting = 64UL << 20;  // bytes of one RES whose claim is being judged
constexpr std::size_t kWindow = 4UL << 20;  // bytes of orders that a host has not taken; further ones wait
constexpr std::size_t kMostTold = 1000;
constexpr int kBeats = 3;  // of SBD_SLEEP_TIME
constexpr std::chrono::milliseconds kShortestBeat{100};

wire::ToRes::Welcome welcome_of(const Configuration& configuration) {
  wire::ToRes::Welcome welcome;
  const auto ms = [](Duration time) {
    return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  };
  welcome.set_cluster(configuration.settings().cluster);
  welcome.set_usage_interval_ms(ms(configuration.files.lsb->params.sbd_sleep_time));
  const auto& params = configuration.files.lsb->params;
  welcome.set_terminate_interval_ms(static_cast<std::uint32_t>(params.terminate_interval_s) * 1000U);
  welcome.set_pre_exec_seconds(static_cast<std::uint32_t>(params.preproc_timeout_min) * 60U);
  welcome.set_post_exec_seconds(static_cast<std::uint32_t>(params.postproc_timeout_min) * 60U);
  return welcome;
}

// A caller from a loopback address is on this host, whatever address this host's name has.
bool loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

}  // namespace

ResLinks::ResLinks(boost::asio::io_context& loop, io::Links& links, const io::Log& log, std::uint64_t term,
                   Handler handler)
    : links_(links), log_(log), term_(term), handler_(std::move(handler)), claims_(loop), beat_(loop) {}

void ResLinks::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
  await_beat();
  hosts_ = servers_of(*configuration_);
  told_.clear();
  std::vector<std::pair<std::string, io::LinkId>> gone;
  for (const auto& [host, link] : by_host_) {
    if (hosts_.count(host) != 0) continue;
    if (!handler_.has_attempts || !handler_.has_attempts(host, std::nullopt))
      gone.emplace_back(host, link);
    else
      log_.notice(host +
                  " is no longer a server of the cluster: its RES is heard until the jobs there are over");
  }
  for (const auto& [host, link] : gone) {
    log_.notice(host + " is no longer a server of the cluster: its RES is heard no more");
    links_.close(link);
    ended(link);
  }
  for (const auto& [host, link] : by_host_) welcome(host);
}

void ResLinks::opened(io::LinkId link, const io::LinkPeer& peer) { peers_[link].address = peer.address; }

Result<void> ResLinks::message(io::LinkId link, const wire::FromRes& message) {
  const auto peer = peers_.find(link);
  if (peer == peers_.end()) return {};
  peer->second.unanswered = 0;
  if (message.has_hello()) return hello(link, peer->second, message);
  if (!peer->second.judged) return internal_error("found a message before ResHello, expected that first");
  if (peer->second.host.empty()) return keep_for_later(peer->second, message);
  handler_.said(peer->second.host, message);
  return {};
}

bool ResLinks::is_heard(const wire::FromRes::ResHello& hello) const {
  if (hosts_.count(hello.host()) != 0) return true;
  std::vector<sched::JobKey> held;
  for (const auto& job : hello.jobs()) held.push_back(sched::key_of(job.job().key()));
  return handler_.has_attempts && handler_.has_attempts(hello.host(), held);
}

void ResLinks::let_go(const std::string& host) {
  const auto named = by_host_.find(host);
  if (named == by_host_.end() || hosts_.count(host) != 0) return;
  const io::LinkId link = named->second;
  log_.notice("the jobs on " + host +
              ", no longer a server of the cluster, are over: its RES is heard no more");
  links_.close_when_sent(link);
  ended(link);
}

Result<void> ResLinks::hello(io::LinkId link, Peer& peer, const wire::FromRes& message) {
  const std::string& host = message.hello().host();
  if (peer.judged) return internal_error("found a second ResHello, expected one");
  if (!is_heard(message.hello()))
    return internal_error("found a RES of " + printable(host) +
                          ", which is no server of this cluster and has no job of it, expected a host of "
                          "section Host of lsf.cluster");
  peer.judged = true;
  const auto& files = *configuration_->files.cluster;
  if (!files.settings.check_addresses || (host == configuration_->host && loopback(peer.address)))
    return accept(link, peer, message);
  peer.waiting = {message};
  claims_.check(host, files.names.addresses(host), peer.address,
                [this, link, host](const auto& verdict) { judge(link, host, verdict); });
  return {};
}

Result<void> ResLinks::keep_for_later(Peer& peer, const wire::FromRes& message) {
  peer.waiting_bytes += message.ByteSizeLong();
  if (peer.waiting_bytes > kMostWaiting)
    return internal_error("found more than " + std::to_string(kMostWaiting) +
                          " bytes of a RES whose host's address is still being looked up");
  peer.waiting.push_back(message);
  return {};
}

void ResLinks::judge(io::LinkId link, const std::string& host, const io::HostClaims::Verdict& verdict) {
  const auto found = peers_.find(link);
  if (found == peers_.end()) return;
  const std::string address = found->second.address;
  if (verdict.claim == HostClaim::foreign) {
    complain(
        host, address,
        "refused a RES at " + address + " that says it is on " + host + ": found the addresses " +
            addresses_text(verdict.addresses) +
            " for it; further ones belong into LSF_ENVDIR/hosts (ROLLCALL_CHECK_ADDRESSES in lsf.conf(5))");
    peers_.erase(found);
    return links_.close(link);
  }
  if (verdict.claim == HostClaim::unknown)
    complain(host, address,
             "nobody knows an address of " + host + ": a RES at " + address +
                 " that says it is on it is believed");
  for (const auto& message : std::exchange(found->second.waiting, {})) {
    const auto peer = peers_.find(link);  // handling a message may end the link
    if (peer == peers_.end()) return;
    const auto heard =
        message.has_hello() ? accept(link, peer->second, message) : this->message(link, message);
    if (heard) continue;
    log_.error(heard.error().text);
    ended(link);
    return links_.close(link);
  }
}

void ResLinks::complain(const std::string& host, const std::string& address, const std::string& line) {
  if (told_.size() < kMostTold && told_.emplace(host, address).second) log_.warning(line);
}

Result<void> ResLinks::accept(io::LinkId link, Peer& peer, const wire::FromRes& message) {
  const std::string& host = message.hello().host();
  // The files may have changed while the claim was judged.
  if (!is_heard(message.hello()))
    return internal_error("found a RES of " + host + ", which is no server any more and has no job");
  if (message.hello().term() > term_) {
    const std::string why =
        "the RES of " + host + " has had orders of term " + std::to_string(message.hello().term()) +
        ", and this mbatchd's is " + std::to_string(term_) +
        ": another mbatchd runs, or its store was made anew or put back to an older one; \"badmin "
        "hforget " +
        host + "\" ends the jobs that this host has, and then it is taken";
    handler_.not_ours(host, why);
    return internal_error(why);
  }
  const auto before = by_host_.find(host);
  if (before != by_host_.end()) {
    const io::LinkId older = before->second;
    if (peers_[older].address != peer.address)
      return internal_error("found a RES of " + host + " at " + peer.address +
                            ", expected none: the one at " + peers_[older].address + " is connected");
    links_.close(older);  // its RES was started again, and the end of the older link has not arrived yet
    ended(older);
  }
  peers_[link].host = host;
  peers_[link].answers_pings = message.hello().knows_go();
  by_host_[host] = link;
  welcome(host);
  handler_.said(host, message);
  return {};
}

void ResLinks::ended(io::LinkId link) {
  const auto peer = peers_.find(link);
  if (peer == peers_.end()) return;
  const std::string host = peer->second.host;
  const Duration silent = peer->second.unanswered * beat_time();
  peers_.erase(peer);
  const auto named = by_host_.find(host);
  if (named == by_host_.end() || named->second != link) return;
  by_host_.erase(named);
  handler_.lost(host, silent);
}

Duration ResLinks::beat_time() const {
  return std::max<Duration>(configuration_->files.lsb->params.sbd_sleep_time / kBeats, kShortestBeat);
}

void ResLinks::await_beat() {
  beat_.expires_after(beat_time());
  beat_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    beat();
    await_beat();
  });
}

void ResLinks::beat() {
  std::vector<std::pair<std::string, io::LinkId>> silent;
  wire::ToRes ping;
  ping.mutable_ping()->set_number(++pings_);
  std::vector<std::string> to_ping;  // sending may end a link, and change the table
  for (const auto& [host, link] : by_host_) {
    Peer& peer = peers_[link];
    if (!peer.answers_pings) continue;
    if (peer.unanswered++ < kBeats)
      to_ping.push_back(host);
    else
      silent.emplace_back(host, link);
  }
  for (const auto& host : to_ping) send(host, ping);
  for (const auto& [host, link] : silent) {
    log_.warning("RES of " + host + " is connected and does not answer: it counts as gone");
    links_.close(link);
    ended(link);
  }
}

bool ResLinks::send(const std::string& host, wire::ToRes order) {
  const auto link = by_host_.find(host);
  if (link == by_host_.end()) return false;
  wire::FromMbatchd message;
  order.set_term(term_);
  message.set_engine(order.SerializeAsString());
  const std::string payload = message.SerializeAsString();
  if (payload.size() > wire::kFrameLimit - 64) {
    log_.error("an order of " + std::to_string(payload.size()) + " bytes for " + host +
               " is too large to send");
    return false;
  }
  links_.send(link->second, payload);
  return true;
}

bool ResLinks::has_room(const std::string& host) const {
  const auto link = by_host_.find(host);
  return link == by_host_.end() || links_.unsent(link->second) < kWindow;
}

std::string ResLinks::host_of(io::LinkId link) const {
  const auto peer = peers_.find(link);
  return peer == peers_.end() ? "" : peer->second.host;
}

void ResLinks::welcome(const std::string& host) {
  wire::ToRes order;
  *order.mutable_welcome() = welcome_of(*configuration_);
  send(host, std::move(order));
}

}  // namespace rollcall::mbatchd
