#include "pam/starters.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <map>
#include <unordered_map>
#include <variant>
#include <vector>

#include "common/base/connection_shares.hpp"
#include "common/io/door.hpp"
#include "common/io/peer_holder.hpp"
#include "pam/starter_peers.hpp"

namespace rollcall::pam {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr Duration kTimeToProve = std::chrono::seconds(1);
constexpr std::size_t kUnsentLimit = 1 << 20;   // bytes; a TaskStarter that leaves more unread is lost
constexpr std::size_t kMostFilled = 128 << 10;  // of what shepherds are sent; the rest waits in the channels
constexpr std::size_t kMostUnprovedChannels = 8192;

// Peers that have not proved themselves: half of our descriptors, and a quarter for one user of this host or one address. pam
// raises the soft limit to the hard one.
ConnectionShares::Limits most_strangers() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  const auto all = std::max<std::size_t>(128, limit.rlim_max);
  return {all / 2, all / 4};
}

}  // namespace

class Starters::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(boost::asio::io_context& loop, const io::Key& key, Handler handler)
      : loop_(loop),
        key_(key),
        instance_(io::random_instance()),
        handler_(std::move(handler)),
        // Room is checked when a connection closes, and with each expire().
        door_(
            loop, "TaskStarters",
            {[this](tcp::socket socket) { take(std::move(socket)); }, [this] { return strangers_.full(); },
             [this] { return make_room(); }, [] {}, [this](const std::string& line) { handler_.say(line); }}),
        strangers_(most_strangers()) {}

  Result<std::uint16_t> listen() {
    const auto port = door_.listen(0, io::Door::Taken::once);
    if (port) return *port;
    return internal_error("cannot listen for TaskStarters: " + port.error().message());
  }

  void send(ConnectionId id, const wire::FromPam& message) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    const auto connection = found->second;
    put(connection, connection->secure.seal(message.SerializeAsString()));
  }

  void send_all(const std::vector<ConnectionId>& ids, const wire::FromPam& message) {
    const std::string payload = message.SerializeAsString();
    const Held held(*this);
    for (const ConnectionId id : ids) {
      const auto found = connections_.find(id);
      if (found == connections_.end()) continue;
      const auto connection = found->second;
      put(connection, connection->secure.seal(payload));
    }
  }

  void write_held() {
    for (const auto& peer : std::exchange(held_, {})) {
      peer->held = false;
      write(peer);
    }
  }

  void close(ConnectionId id) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return hang_up(id);
    const auto connection = found->second;
    if (connection->channel == 0) return hang_up(id);
    forget(connection);
    connection->peer->channels->close(connection->channel);
    flush(connection->peer);
  }

  void expire(TimePoint now) {
    now_ = now;
    door_.open_again();
    while (!unproved_.empty() && now_ - unproved_.begin()->second > kHandshakeTime) {
      const ConnectionId id = unproved_.begin()->first;
      const auto connection = connections_.find(id);
      stranger(connection == connections_.end() ? peers_.at(id) : connection->second->peer,
               "it did not prove itself within 10 s");
      close(id);
    }
  }

  void shut_down() {
    error_code ignored;
    door_.close();
    for (auto& [id, peer] : peers_) peer->socket.close(ignored);
    peers_.clear();
    connections_.clear();
  }

 private:
  // Out of descriptors: the holder with the most unproved connections loses the oldest one.
  bool make_room() {
    // A TaskStarter proves itself in less time; further connections wait in the backlog.
    const auto oldest = strangers_.oldest_of_most();
    if (!oldest || now_ - unproved_.at(*oldest) < kTimeToProve) return false;
    give_way(*oldest);
    return true;
  }

  void give_way(ConnectionId id) {
    stranger(peers_.at(id), "it did not prove itself and its descriptor is needed");
    hang_up(id, false);
  }

  void take(tcp::socket socket) {
    const ConnectionId id = next_id_++;
    const auto peer = std::make_shared<Peer>(std::move(socket), id);
    peers_.emplace(id, peer);
    unproved_.emplace(id, now_);
    strangers_.add(id, holders_.of(peer->socket.native_handle()));
    read_next(peer);
    if (const auto out = strangers_.surplus(id)) give_way(*out);
  }

  // A peer has proved itself: there is room for another.
  void proved(ConnectionId peer) {
    if (unproved_.erase(peer) == 0 && !strangers_.has(peer)) return;
    strangers_.remove(peer);
    if (!door_.waits()) return;
    boost::asio::post(loop_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->door_.open_again();
    });
  }

  std::shared_ptr<Connection> add_connection(ConnectionId id, const std::shared_ptr<Peer>& peer) {
    auto connection =
        std::make_shared<Connection>(id, peer, io::SecureChannel::pam(key_, io::random_nonce(), instance_));
    connections_.emplace(id, connection);
    unproved_.emplace(id, now_);
    return connection;
  }

  // Closes the peer and every connection in it, without a word to the handler.
  void hang_up(ConnectionId id, bool room_for_others = true) {
    const auto found = peers_.find(id);
    if (found == peers_.end()) return;
    const auto peer = found->second;
    error_code ignored;
    peer->socket.close(ignored);
    for (const auto& [channel, connection] : std::exchange(peer->connections, {})) {
      unproved_channels_ -= unproved_.erase(connection);
      connections_.erase(connection);
    }
    unproved_.erase(id);
    strangers_.remove(id);
    connections_.erase(id);
    peers_.erase(found);
    if (room_for_others) door_.open_again();
  }

  // A connection in a channel.
  void forget(const std::shared_ptr<Connection>& connection) {
    unproved_channels_ -= unproved_.erase(connection->id);
    connections_.erase(connection->id);
    connection->peer->connections.erase(connection->channel);
  }

  // ---- what comes

  void read_next(const std::shared_ptr<Peer>& peer) {
    peer->socket.async_wait(tcp::socket::wait_read,
                            [self = shared_from_this(), peer](const error_code& error) {
                              if (!error) self->read_all(peer);
                            });
  }

  void read_all(const std::shared_ptr<Peer>& peer) {
    while (peer->socket.is_open()) {
      error_code error;
      const std::size_t size = peer->socket.read_some(boost::asio::buffer(buffer_), error);
      if (error == boost::asio::error::would_block) return read_next(peer);
      if (error) return ended(peer, error);
      heard(peer, {buffer_.data(), size});
      // A read that does not fill the buffer took all there was: this saves a system call.
      if (size < buffer_.size() && peer->socket.is_open()) return read_next(peer);
    }
  }

  void heard(const std::shared_ptr<Peer>& peer, std::string_view bytes) {
    if (peer->known) return peer->channels ? take_pieces(peer, bytes) : take_words(peer, bytes);
    peer->first.append(bytes);
    const First first = first_of(peer->first);
    if (first == First::unfinished) return;
    const std::string begun = std::exchange(peer->first, {});
    peer->known = true;
    if (first == First::stranger) return offended(peer, "found neither a TaskStarter nor a shepherd");
    if (first == First::starter) {
      add_connection(peer->id, peer);
      return take_words(peer, begun);
    }
    peer->answered = true;
    peer->channels = std::make_unique<wire::Channels>(wire::Channels::End::accepted);
    take_pieces(peer, std::string_view(begun).substr(shepherds_hello_size()));
  }

  // Of a TaskStarter that has dialed itself.
  void take_words(const std::shared_ptr<Peer>& peer, std::string_view bytes) {
    const auto connection = connections_.at(peer->id);
    std::string answer;
    const bool was_open = connection->secure.open();
    const auto fed = feed(connection, bytes, answer);
    if (!fed && !peer->socket.is_open()) return;  // we closed it ourselves
    peer->answered |= !answer.empty();
    if (fed) return put(connection, answer);
    offended(peer, fed.error().text);
    if (was_open) handler_.closed(connection->id, false);
  }

  // Of a shepherd.
  void take_pieces(const std::shared_ptr<Peer>& peer, std::string_view bytes) {
    const Held held(*this);
    std::vector<wire::Channels::Event> events;
    const auto fed = peer->channels->feed(bytes, events);
    for (const auto& event : events)
      if (peer->socket.is_open()) std::visit([&](const auto& e) { on(peer, e); }, event);
    if (!peer->socket.is_open()) return;
    if (fed) return flush(peer);
    stranger(peer, fed.error().text);
    lose(peer, false);
  }

  void on(const std::shared_ptr<Peer>& peer, const wire::Channels::Opened& e) {
    // Only this channel is closed: its TaskStarter can dial by itself.
    if (unproved_channels_ >= kMostUnprovedChannels) return peer->channels->close(e.channel);
    const auto connection = add_connection(next_id_++, peer);
    connection->channel = e.channel;
    peer->connections[e.channel] = connection->id;
    ++unproved_channels_;
  }

  void on(const std::shared_ptr<Peer>& peer, const wire::Channels::Arrived& e) {
    peer->channels->passed_on(e.channel, e.bytes.size());
    const auto found = peer->connections.find(e.channel);
    if (found == peer->connections.end()) return;
    const auto connection = connections_.at(found->second);
    std::string answer;
    const bool was_open = connection->secure.open();
    const auto fed = feed(connection, e.bytes, answer);
    if (!peer->socket.is_open() || !connections_.contains(connection->id)) return;  // we closed it ourselves
    if (fed) return put(connection, answer);
    stranger(peer, fed.error().text);
    close(connection->id);
    if (was_open) handler_.closed(connection->id, false);
  }

  void on(const std::shared_ptr<Peer>& peer, const wire::Channels::Ended& e) {
    const auto found = peer->connections.find(e.channel);
    if (found == peer->connections.end()) return;
    const auto connection = connections_.at(found->second);
    forget(connection);
    if (connection->secure.open()) handler_.closed(connection->id, false);
  }

  Result<void> feed(const std::shared_ptr<Connection>& connection, std::string_view bytes,
                    std::string& answer) {
    return connection->secure.feed(bytes, answer,
                                   [&](std::string_view payload) { return opened(*connection, payload); });
  }

  Result<void> opened(Connection& connection, std::string_view payload) {
    if (unproved_.erase(connection.id) > 0 && connection.channel != 0) --unproved_channels_;
    proved(connection.peer->id);
    wire::FromStarter message;
    if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return internal_error("found a message that cannot be read, expected FromStarter");
    handler_.message(connection.id, message);
    if (!connections_.contains(connection.id)) return internal_error("refused");
    return {};
  }

  // The peer broke the protocol: no more is read from it.
  void offended(const std::shared_ptr<Peer>& peer, const std::string& why) {
    if (!peer->socket.is_open()) return;
    stranger(peer, why);
    hang_up(peer->id);
  }

  void ended(const std::shared_ptr<Peer>& peer, const error_code& error) {
    // A TaskStarter that tries several of our addresses leaves all but one after its Hello.
    if (!peer->answered) stranger(peer, "it left before it had proved itself");
    lose(peer, io::is_cut(error) || io::is_cut(peer->write_error));
  }

  // The peer is gone by itself. What spoke through a shepherd and is alive dials by itself now; mostly it is being killed,
  // since a shepherd that has died takes its host's tasks along.
  void lose(const std::shared_ptr<Peer>& peer, bool cut) {
    std::vector<ConnectionId> open;
    const auto note = [&](ConnectionId id) {
      const auto found = connections_.find(id);
      if (found != connections_.end() && found->second->secure.open()) open.push_back(id);
    };
    note(peer->id);
    for (const auto& [channel, id] : peer->connections) note(id);
    hang_up(peer->id);
    for (const ConnectionId id : open) handler_.closed(id, cut);
  }

  // ---- what leaves

  void put(const std::shared_ptr<Connection>& connection, std::string_view bytes) {
    if (bytes.empty()) return;
    const auto peer = connection->peer;
    if (connection->channel == 0) {
      peer->unsent.append(bytes);
      return flush(peer);
    }
    peer->channels->send(connection->channel, bytes);
    if (peer->channels->waiting(connection->channel) <= kUnsentLimit) return flush(peer);
    stranger(peer, "one in it takes nothing of what it is sent");
    close(connection->id);
    handler_.closed(connection->id, false);
  }

  // Moves what its channels have to send, as far as there is room.
  static void fill(Peer& peer) {
    if (peer.channels && peer.unsent.size() < kMostFilled) peer.unsent += peer.channels->output(kMostFilled);
  }

  // While one lives what is put waits, so that a shepherd gets one write for all its TaskStarters.
  class Held {
   public:
    explicit Held(Impl& impl) : impl_(impl) { ++impl_.holds_; }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
      if (--impl_.holds_ == 0) impl_.write_held();
    }

   private:
    Impl& impl_;
  };

  void flush(const std::shared_ptr<Peer>& peer) {
    if (holds_ == 0) return write(peer);
    if (!std::exchange(peer->held, true)) held_.push_back(peer);
  }

  void write(const std::shared_ptr<Peer>& peer) {
    if (peer->waits_to_write || !peer->socket.is_open()) return;
    for (fill(*peer); !peer->unsent.empty(); fill(*peer)) {
      error_code error;
      const std::size_t sent = peer->socket.write_some(boost::asio::buffer(peer->unsent), error);
      peer->unsent.erase(0, sent);
      if (error == boost::asio::error::would_block) break;
      if (error) peer->write_error = error;  // reading finds that the connection has ended
      if (error) return peer->unsent.clear();
    }
    if (peer->unsent.empty()) return peer->unsent.shrink_to_fit();
    if (peer->unsent.size() > kUnsentLimit) {
      offended(peer, "it takes nothing of what it is sent");
      return handler_.closed(peer->id, false);
    }
    peer->waits_to_write = true;
    peer->socket.async_wait(tcp::socket::wait_write,
                            [self = shared_from_this(), peer](const error_code& error) {
                              peer->waits_to_write = false;
                              if (!error) self->flush(peer);
                            });
  }

  void stranger(const std::shared_ptr<Peer>& peer, const std::string& why) {
    const std::string address = io::address_of(peer->socket);
    if (told_.line_is_due(address)) handler_.say("refused a connection from " + address + ": " + why);
  }

  boost::asio::io_context& loop_;
  io::Key key_;
  io::Instance instance_;
  Handler handler_;
  io::Door door_;
  ConnectionId next_id_ = 1;
  std::unordered_map<ConnectionId, std::shared_ptr<Peer>> peers_;
  std::unordered_map<ConnectionId, std::shared_ptr<Connection>> connections_;
  std::size_t unproved_channels_ = 0;
  std::size_t holds_ = 0;
  std::vector<std::shared_ptr<Peer>> held_;
  std::map<ConnectionId, TimePoint> unproved_;  // peers and what is in their channels, by age, since ids grow
  io::PeerHolders holders_;
  ConnectionShares strangers_;  // peers that are unproved
  io::Strangers told_;          // addresses that got a line
  TimePoint now_;
  std::array<char, 64 * 1024> buffer_;  // one for all: a connection keeps only what is unfinished
};

Starters::Starters(boost::asio::io_context& loop, const io::Key& key, Handler handler)
    : impl_(std::make_shared<Impl>(loop, key, std::move(handler))) {}
Starters::~Starters() { impl_->shut_down(); }
Result<std::uint16_t> Starters::listen() { return impl_->listen(); }
void Starters::send(ConnectionId connection, const wire::FromPam& message) {
  impl_->send(connection, message);
}
void Starters::send_all(const std::vector<ConnectionId>& connections, const wire::FromPam& message) {
  impl_->send_all(connections, message);
}
void Starters::write_held() { impl_->write_held(); }
void Starters::close(ConnectionId connection) { impl_->close(connection); }
void Starters::expire(TimePoint now) { impl_->expire(now); }

}  // namespace rollcall::pam
