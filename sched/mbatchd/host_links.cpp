#include "sched/mbatchd/host_links.hpp"

#include "common/wire/frame.hpp"

namespace rollcall::mbatchd {

HostLinks::HostLinks(io::Links& links, const io::Log& log, std::uint64_t term, Handler handler)
    : links_(links), log_(log), term_(term), handler_(std::move(handler)) {}

void HostLinks::configure(std::set<std::string> hosts) {
  hosts_ = std::move(hosts);
  std::vector<std::pair<std::string, io::LinkId>> gone;
  for (const auto& [host, link] : by_host_)
    if (hosts_.count(host) == 0) gone.emplace_back(host, link);
  for (const auto& [host, link] : gone) {
    log_.notice(host + " is no longer a server of the cluster: its RES is heard no more");
    links_.close(link);
    ended(link);
  }
}

void HostLinks::opened(io::LinkId link, const io::LinkPeer& peer) { peers_[link].address = peer.address; }

Result<void> HostLinks::message(io::LinkId link, const wire::FromRes& message) {
  const auto peer = peers_.find(link);
  if (peer == peers_.end()) return {};
  if (message.has_hello()) return hello(link, peer->second, message);
  if (peer->second.host.empty()) return internal_error("found a message before ResHello, expected that first");
  handler_.said(peer->second.host, message);
  return {};
}

Result<void> HostLinks::hello(io::LinkId link, Peer& peer, const wire::FromRes& message) {
  const std::string& host = message.hello().host();
  if (!peer.host.empty()) return internal_error("found a second ResHello, expected one");
  if (hosts_.count(host) == 0)
    return internal_error("found a RES of a host that is no server of this cluster, expected one of lsf.cluster");
  if (message.hello().term() > term_)
    return internal_error("the RES of " + host + " has had orders of term " + std::to_string(message.hello().term()) +
                          ", and this mbatchd's is " + std::to_string(term_) +
                          ": another mbatchd runs, or its store was put back to an older one");
  const auto before = by_host_.find(host);
  if (before != by_host_.end()) {
    const io::LinkId older = before->second;
    if (peers_[older].address != peer.address)
      return internal_error("found a RES of " + host + " at " + peer.address + ", expected none: the one at " +
                            peers_[older].address + " is connected");
    links_.close(older);  // it was started again, and its end has not been heard of yet
    ended(older);
  }
  peers_[link].host = host;
  by_host_[host] = link;
  wire::ToRes order;
  *order.mutable_welcome() = handler_.welcome();
  send(host, std::move(order));
  handler_.said(host, message);
  return {};
}

void HostLinks::ended(io::LinkId link) {
  const auto peer = peers_.find(link);
  if (peer == peers_.end()) return;
  const std::string host = peer->second.host;
  peers_.erase(peer);
  const auto named = by_host_.find(host);
  if (named == by_host_.end() || named->second != link) return;
  by_host_.erase(named);
  handler_.lost(host);
}

bool HostLinks::send(const std::string& host, wire::ToRes order) {
  const auto link = by_host_.find(host);
  if (link == by_host_.end()) return false;
  wire::FromMbatchd message;
  order.set_term(term_);
  *message.mutable_res() = std::move(order);
  const std::string payload = message.SerializeAsString();
  if (payload.size() > wire::kFrameLimit - 64) {
    log_.error("an order of " + std::to_string(payload.size()) + " bytes for " + host + " is too large to send");
    return false;
  }
  links_.send(link->second, payload);
  return true;
}

void HostLinks::welcome_all() {
  for (const auto& [host, link] : by_host_) {
    wire::ToRes order;
    *order.mutable_welcome() = handler_.welcome();
    send(host, std::move(order));
  }
}

}  // namespace rollcall::mbatchd
