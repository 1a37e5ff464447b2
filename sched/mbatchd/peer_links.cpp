#include "sched/mbatchd/peer_links.hpp"

#include <algorithm>

#include "common/io/cluster_key.hpp"
#include "sched/policy/peers/forward_messages.hpp"

namespace rollcall::mbatchd {
namespace {

namespace peers = sched::peers;
namespace step = sched::peers::step;

constexpr const char* kPeerRow = "peer";
constexpr const char* kOwnRow = "identity";
constexpr const char* kNoPeer = "it is not in lsf.shared, or left out of RemoteClusters";

TimePoint now() { return {std::chrono::steady_clock::now().time_since_epoch()}; }

std::string random_bytes() {
  const io::Seed seed = io::random_seed();
  return {reinterpret_cast<const char*>(seed.data()), peers::kIdentityBytes};
}

}  // namespace

bool PeerLinks::load(const io::StoredControl& row) {
  if (row.kind != kPeerRow && row.kind != kOwnRow) return false;
  wire::PeerRow read;
  if (!read.ParseFromString(row.value)) {
    if (row.kind == kOwnRow)
      own_is_damaged_ = true;
    else
      log_.error("what the store has of cluster " + row.name +
                 " cannot be read: whether it has the same store as before is not known");
    return true;
  }
  if (row.kind == kOwnRow)
    own_ = std::move(read);
  else
    loaded_[row.name] = std::move(read);
  return true;
}

Result<void> PeerLinks::begin(const std::string& cluster) {
  if (own_is_damaged_)
    return internal_error("the identity of this store cannot be read: other clusters would refuse a new one");
  if (own_.store().empty()) {
    own_.set_store(random_bytes());
    io::StoreBatch batch;
    batch.controls.push_back({kOwnRow, "", own_.SerializeAsString()});
    if (const auto kept = store_.commit(batch); !kept) return internal_error(kept.error().text);
  }
  own_.set_term(store_.term());
  own_.set_run(random_bytes());
  sessions_ = std::make_unique<peers::PeerSessions>(peers::OwnIdentity{cluster, own_, ROLLCALL_VERSION});
  for (auto& [name, row] : std::exchange(loaded_, {})) sessions_->known(name, std::move(row));
  return {};
}

void PeerLinks::configure(const conf::PeerSettings& settings) {
  std::vector<std::string> with_key;
  for (const auto& [cluster, key] : dials_) with_key.push_back(cluster);
  carry_out(sessions_->configure(settings, with_key, now()));
}

void PeerLinks::opened(io::LinkId link, const io::LinkPeer& peer) {
  clusters_[link] = peer.peer;
  carry_out(sessions_->opened(link, peer.peer, peer.dialled, now()));
}

Result<void> PeerLinks::message(io::LinkId link, std::string_view payload) {
  wire::PeerMessage message;
  const std::string from = clusters_.at(link);  // what is heard may end the connection
  if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
    return internal_error("found a message of cluster " + from +
                          " that cannot be read, expected PeerMessage");
  sched::peers::keep_known(message);
  const auto steps = sessions_->message(link, message, now());
  if (!steps) {
    log_.warning(steps.error().text);
    return steps.error();
  }
  Result<void> heard;
  for (const auto& one : *steps)
    if (const auto* about = std::get_if<step::Heard>(&one); about && heard)
      heard = handler_.heard(about->cluster, about->message);
  carry_out(*steps);
  if (!heard) log_.warning("cluster " + from + ": " + heard.error().text);
  return heard;
}

bool PeerLinks::say(const std::string& cluster, wire::PeerMessage message) {
  if (const auto why = sched::peers::too_large(message)) {
    log_.error("cluster " + cluster + " is not told: " + *why);
    return false;
  }
  const auto said = sessions_->say(cluster, std::move(message));
  if (said) links_.send(said->link, said->message.SerializeAsString());
  return said.has_value();
}

void PeerLinks::ended(io::LinkId link, io::LinkEnd how, const std::string& why) {
  const auto found = clusters_.find(link);
  if (found == clusters_.end()) return;
  const std::string cluster = found->second;
  clusters_.erase(found);
  carry_out(sessions_->ended(link, cluster, why, how == io::LinkEnd::stranger, now()));
}

std::pair<std::string, bool> PeerLinks::forget(const std::string& cluster) {
  if (auto why = why_not_forget(cluster); !why.empty()) return {std::move(why), false};
  const auto steps = sessions_->forget(cluster, now()).first;
  if (!remember(std::get<step::Remember>(steps.front())))
    return {"the store does not keep it; see mbatchd's log", false};
  log_.notice("what is known of the store of cluster " + cluster +
              " is forgotten by order of an administrator");
  arm();
  return {"Cluster <" + cluster + ">: its store is taken as it is now", true};
}

bool PeerLinks::remember(const step::Remember& row) {
  io::StoreBatch batch;
  batch.controls.push_back({kPeerRow, row.cluster, row.row ? row.row->SerializeAsString() : ""});
  const auto kept = store_.commit(batch);
  if (!kept) log_.error(kept.error().text + "; cluster " + row.cluster + " is not connected");
  return kept.has_value();
}

void PeerLinks::carry_out(const peers::Steps& steps) {
  for (const auto& one : steps) {
    if (const auto* dial = std::get_if<step::Dial>(&one)) {
      const auto& [host, port] = dial->address;
      clusters_[links_.dial_peer(host, static_cast<std::uint16_t>(port), dials_.at(dial->cluster))] =
          dial->cluster;
    } else if (const auto* say = std::get_if<step::Say>(&one)) {
      links_.send(say->link, say->message.SerializeAsString());
    } else if (const auto* close = std::get_if<step::Close>(&one)) {
      clusters_.erase(close->link);
      close->when_sent ? links_.close_when_sent(close->link) : links_.close(close->link);
    } else if (const auto* row = std::get_if<step::Remember>(&one)) {
      if (remember(*row)) continue;
      return carry_out(sessions_->not_remembered(
          row->link, "the store of this cluster does not keep what it is given", now()));
    } else if (const auto* serves = std::get_if<step::Serves>(&one)) {
      links_.established(serves->link);
      handler_.serves(serves->cluster);
    } else if (const auto* lost = std::get_if<step::Lost>(&one)) {
      handler_.lost(lost->cluster);
    } else if (const auto* untaken = std::get_if<step::Untaken>(&one)) {
      handler_.untaken(*untaken);
    } else if (const auto* tell = std::get_if<step::Tell>(&one)) {
      tell->warning ? log_.warning(tell->line) : log_.notice(tell->line);
    }
  }
  arm();
}

void PeerLinks::arm() {
  const auto next = sessions_->next_deadline();
  if (!next) return void(timer_.cancel());
  timer_.expires_after(std::max(Duration{0}, *next - now()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) carry_out(sessions_->tick(now()));
  });
}

std::string PeerLinks::no_key(const std::string& cluster) const {
  if (const auto why = key_errors_.find(cluster); why != key_errors_.end()) return "no key: " + why->second;
  return "no key (lsf_daemons peerkey " + cluster + ", then badmin mbdrestart)";
}

std::pair<std::string, std::string> PeerLinks::condition(const std::string& cluster) const {
  for (const auto& peer : sessions_->standings()) {
    if (peer.cluster != cluster) continue;
    switch (peer.state) {
      case peers::PeerState::serves:
        return {"ok", ""};
      case peers::PeerState::refused:
        return {"reject", peer.why};
      case peers::PeerState::no_key:
        return {"reject", no_key(cluster)};
      case peers::PeerState::apart:
        return {"disc", peer.why.empty() ? "not connected yet" : peer.why};
      case peers::PeerState::left_out:
        break;
    }
  }
  return {"reject", kNoPeer};
}

std::set<std::string> PeerLinks::clusters() const {
  std::set<std::string> names;
  for (const auto& peer : sessions_->standings()) names.insert(peer.cluster);
  return names;
}

std::string PeerLinks::status_of(const std::string& cluster) const {
  for (const auto& peer : sessions_->standings()) {
    if (peer.cluster != cluster) continue;
    switch (peer.state) {
      case peers::PeerState::no_key:
        return no_key(cluster);
      case peers::PeerState::apart:
        return "not connected" + (peer.why.empty() ? "" : ": " + peer.why);
      case peers::PeerState::refused:
        return "refused: " + peer.why;
      case peers::PeerState::serves:
        return "connected, term " + std::to_string(peer.term) + ", version " + peer.version;
      case peers::PeerState::left_out:
        break;
    }
  }
  return kNoPeer;
}

}  // namespace rollcall::mbatchd
