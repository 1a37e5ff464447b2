#include "pam/starters.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <map>
#include <unordered_map>
#include <vector>

#include "common/base/connection_shares.hpp"
#include "common/io/door.hpp"
#include "common/io/peer_holder.hpp"
#include "common/io/wait_answer.hpp"
#include "pam/policy/admission.hpp"
#include "pam/starter_peers.hpp"

namespace rollcall::pam {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr Duration kTimeToProve = std::chrono::seconds(1);
constexpr std::size_t kUnsentLimit = 1 << 20;     // bytes; a peer that leaves more unread is lost
constexpr std::size_t kMostInRecord = 256 << 10;  // of items for a relay

// Of this process; the schedule of those who wait is no part of the job's time.
TimePoint monotonic_now() { return TimePoint{std::chrono::steady_clock::now().time_since_epoch()}; }

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
        strangers_(most_strangers(most_descriptors())),
        admission_(Admission::limits_for(most_descriptors(), strangers_.limits().each)) {}

  Result<std::uint16_t> listen() {
    const auto port = door_.listen(0, io::Door::Taken::once);
    if (!port) return internal_error("cannot listen for TaskStarters: " + port.error().message());
    relay_key_ = io::relay_key(key_, *port);
    return *port;
  }

  void send(ConnectionId id, const wire::FromPam& message) {
    const auto found = peers_.find(peer_of(id));
    if (found == peers_.end()) return;
    const auto peer = found->second;
    const std::string payload = message.SerializeAsString();
    if (!peer->is_relay) return put(peer, peer->secure->seal(payload));
    if (!peer->has_task(number_of(id))) return;
    wire::append_task_message(peer->items, number_of(id), payload);
    flush(peer);
  }

  void send_all(std::vector<ConnectionId> ids, const wire::FromPam& message) {
    const std::string payload = message.SerializeAsString();
    const Held held(*this);
    std::sort(ids.begin(), ids.end());
    for (std::size_t at = 0; at < ids.size();) {
      const auto found = peers_.find(peer_of(ids[at]));
      const auto peer = found == peers_.end() ? nullptr : found->second;
      if (peer && peer->is_relay) {
        const wire::TaskNumber first = number_of(ids[at]);
        const wire::TaskNumber last = last_of_several(*peer, ids, at);
        wire::append_task_message(peer->items, first, last, payload);
        flush(peer);
        continue;
      }
      if (peer) put(peer, peer->secure->seal(payload));
      ++at;
    }
  }

  void write_held() {
    for (const auto& peer : std::exchange(held_, {})) {
      peer->held = false;
      write(peer);
    }
  }

  void close(ConnectionId id) {
    const auto found = peers_.find(peer_of(id));
    if (found == peers_.end()) return;
    const auto peer = found->second;
    if (!peer->is_relay) return hang_up(peer->id);
    if (!peer->has_task(number_of(id))) return;
    peer->tasks[number_of(id) - 1] = false;
    wire::append_task_end(peer->items, number_of(id));
    flush(peer);
  }

  void expire(TimePoint now) {
    now_ = now;
    door_.open_again();
    while (!unproved_.empty() && now_ - unproved_.begin()->second > kHandshakeTime) {
      const auto peer = peers_.at(unproved_.begin()->first);
      read_what_came(peer);  // its proof may have come while we were not running
      if (unproved_.contains(peer->id)) offended(peer, "it did not prove itself within 10 s");
    }
  }

  std::size_t waiting() { return admission_.waiting(monotonic_now()); }

  void shut_down() {
    error_code ignored;
    door_.close();
    for (auto& [id, peer] : peers_) peer->socket.close(ignored);
    peers_.clear();
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

  void give_way(PeerId id) {
    stranger(peers_.at(id), "it did not prove itself and its descriptor is needed");
    hang_up(id, false);
  }

  void take(tcp::socket socket) {
    const PeerId id = next_id_++;
    const auto peer = std::make_shared<Peer>(std::move(socket), id);
    peers_.emplace(id, peer);
    unproved_.emplace(id, now_);
    const ConnectionHolder holder = holders_.of(peer->socket.native_handle());
    peer->holder = holder.name;
    strangers_.add(id, holder);
    read_next(peer);
    if (const auto out = strangers_.surplus(id)) give_way(*out);
  }

  // A peer has proved itself: there is room for another.
  void room_for_another(PeerId peer) {
    if (unproved_.erase(peer) == 0) return;
    strangers_.remove(peer);
    if (!door_.waits()) return;
    boost::asio::post(loop_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->door_.open_again();
    });
  }

  // Closes the peer, without a word to the handler.
  void hang_up(PeerId id, bool room_for_others = true) {
    const auto found = peers_.find(id);
    if (found == peers_.end()) return;
    const auto peer = found->second;
    error_code ignored;
    peer->socket.close(ignored);
    if (peer->secure) --talks_;
    unproved_.erase(id);
    strangers_.remove(id);
    peers_.erase(found);
    if (room_for_others) door_.open_again();
  }

  // ---- what comes

  void read_next(const std::shared_ptr<Peer>& peer) {
    peer->socket.async_wait(tcp::socket::wait_read,
                            [self = shared_from_this(), peer](const error_code& error) {
                              if (error) return;
                              self->read_what_came(peer);
                              if (peer->socket.is_open()) self->read_next(peer);
                            });
  }

  void read_what_came(const std::shared_ptr<Peer>& peer) {
    while (peer->socket.is_open()) {
      error_code error;
      const std::size_t size = peer->socket.read_some(boost::asio::buffer(buffer_), error);
      if (error == boost::asio::error::would_block) return;
      if (error) return ended(peer, error);
      heard(peer, {buffer_.data(), size});
      // A read that does not fill the buffer took all there was: this saves a system call.
      if (size < buffer_.size()) return;
    }
  }

  void heard(const std::shared_ptr<Peer>& peer, std::string_view bytes) {
    if (peer->secure) return take_words(peer, bytes);
    peer->first.append(bytes);
    const First first = first_of(peer->first);
    if (first == First::unfinished) return;
    std::string begun = std::exchange(peer->first, {});
    if (first == First::stranger)
      return offended(peer, "found neither a TaskStarter nor a relay of this release");
    peer->is_relay = first == First::relay;
    if (!peer->is_relay && put_off(peer, begun)) return;
    if (peer->is_relay) begun.erase(0, relays_hello_size());
    peer->answered = peer->is_relay;
    if (peer->is_relay) peer->address = io::address_of(peer->socket);
    peer->secure.emplace(
        io::SecureChannel::pam(peer->is_relay ? relay_key_ : key_, io::random_nonce(), instance_));
    ++talks_;
    take_words(peer, begun);
  }

  // True where the TaskStarter has to dial again: it was told when.
  bool put_off(const std::shared_ptr<Peer>& peer, const std::string& hello) {
    if (hello.size() < io::kHelloFrameBytes) return false;  // it is none
    const auto wait = admission_.put_off(talks_, strangers_.held(peer->holder) - 1, monotonic_now());
    if (!wait) return false;
    if (admission_.full_for_the_first_time())
      handler_.say(
          "no descriptors left for further TaskStarters: they wait; raise the hard limit (ulimit -Hn)");
    error_code ignored;
    const std::string answer = io::wait_answer(key_, hello.substr(0, io::kHelloFrameBytes), *wait);
    peer->socket.write_some(boost::asio::buffer(answer), ignored);  // a new socket has room for it
    hang_up(peer->id);
    return true;
  }

  // A relay says much at once, so all answers to it leave in one write.
  void take_words(const std::shared_ptr<Peer>& peer, std::string_view bytes) {
    const Held held(*this);
    std::string answer;
    const auto fed =
        peer->secure->feed(bytes, answer, [&](std::string_view payload) { return opened(peer, payload); });
    peer->proved |= peer->secure->open();
    if (!peer->socket.is_open()) return;  // we closed it ourselves
    peer->answered |= !answer.empty();
    if (fed) return put(peer, answer);
    stranger(peer, fed.error().text);
    lose(peer, false);
  }

  Result<void> opened(const std::shared_ptr<Peer>& peer, std::string_view payload) {
    peer->proved = true;
    room_for_another(peer->id);
    if (!peer->is_relay) return take_message(peer, 0, payload);
    while (!payload.empty()) {
      const auto item = wire::take_item(payload);
      if (!item) return item.error();
      if (auto taken = take(peer, *item); !taken) return taken;
    }
    return {};
  }

  Result<void> take(const std::shared_ptr<Peer>& peer, const wire::RelayItem& item) {
    if (item.kind == wire::RelayItem::Kind::message_to_several)
      return internal_error("found a message of several tasks, expected one of each");
    const bool is_new = item.first == peer->tasks.size() + 1 && item.kind == wire::RelayItem::Kind::message;
    if (item.first > peer->tasks.size() && !is_new)
      return internal_error("found task " + std::to_string(item.first) + ", expected " +
                            std::to_string(peer->tasks.size() + 1));
    if (is_new) peer->tasks.push_back(true), ++peer->unended;
    if (!peer->has_task(item.first)) return {};
    const ConnectionId id = connection_id(peer->id, item.first);
    if (item.kind == wire::RelayItem::Kind::message) {
      const auto taken = take_message(peer, item.first, item.message);
      if (taken || !peer->socket.is_open()) return taken;
      // Only this task's: its TaskStarter can dial by itself.
      stranger(peer, taken.error().text);
      close(id);
    } else {
      peer->tasks[item.first - 1] = false;
    }
    --peer->unended;
    handler_.closed(id, false);
    return {};
  }

  Result<void> take_message(const std::shared_ptr<Peer>& peer, wire::TaskNumber number,
                            std::string_view payload) {
    if (!heard_.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return internal_error("found a message that cannot be read, expected FromStarter");
    handler_.message(connection_id(peer->id, number), heard_);
    if (!peer->socket.is_open()) return internal_error("refused");
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

  // The peer is gone by itself, or broke the protocol. What spoke through a relay and is alive dials by itself now; mostly it is
  // being killed, since a shepherd that has died takes its host's tasks along.
  void lose(const std::shared_ptr<Peer>& peer, bool cut) {
    // Some may have dialed before its end is seen here.
    if (peer->unended > 0 && !cut)
      handler_.say("the relay of " + std::to_string(peer->unended) +
                   (peer->unended == 1 ? " task" : " tasks") + " at " + peer->address +
                   " is gone: what lives of them connects by itself");
    hang_up(peer->id);
    if (!peer->is_relay && peer->proved) handler_.closed(connection_id(peer->id, 0), cut);
    for (wire::TaskNumber number = 1; number <= peer->tasks.size(); ++number)
      if (peer->tasks[number - 1]) handler_.closed(connection_id(peer->id, number), cut);
  }

  // ---- what leaves

  void put(const std::shared_ptr<Peer>& peer, std::string_view bytes) {
    if (bytes.empty()) return;
    peer->unsent.append(bytes);
    flush(peer);
  }

  // Seals what is to be said of a relay's tasks, as far as there is room.
  static void fill(Peer& peer) {
    if (peer.items.empty() || peer.unsent.size() >= kMostInRecord) return;
    peer.unsent += peer.secure->seal(wire::take_items(peer.items, kMostInRecord));
  }

  // While one lives what is put waits, so that a relay gets one write for all its TaskStarters.
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
    if (peer->unsent.size() + peer->items.size() > kUnsentLimit) {
      stranger(peer, "it takes nothing of what it is sent");
      return lose(peer, false);
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
  io::Key key_, relay_key_{};
  io::Instance instance_;
  Handler handler_;
  io::Door door_;
  PeerId next_id_ = 1;
  std::unordered_map<PeerId, std::shared_ptr<Peer>> peers_;
  std::size_t talks_ = 0;  // peers that were admitted
  std::size_t holds_ = 0;
  std::vector<std::shared_ptr<Peer>> held_;
  std::map<PeerId, TimePoint> unproved_;  // by age, since ids grow
  io::PeerHolders holders_;
  ConnectionShares strangers_;  // peers that are unproved
  Admission admission_;
  io::Strangers told_;  // addresses that got a line
  TimePoint now_;
  wire::FromStarter heard_;             // the message that is being handled
  std::array<char, 64 * 1024> buffer_;  // one for all: a connection keeps only what is unfinished
};

Starters::Starters(boost::asio::io_context& loop, const io::Key& key, Handler handler)
    : impl_(std::make_shared<Impl>(loop, key, std::move(handler))) {}
Starters::~Starters() { impl_->shut_down(); }
Result<std::uint16_t> Starters::listen() { return impl_->listen(); }
void Starters::send(ConnectionId connection, const wire::FromPam& message) {
  impl_->send(connection, message);
}
void Starters::send_all(std::vector<ConnectionId> connections, const wire::FromPam& message) {
  impl_->send_all(std::move(connections), message);
}
void Starters::write_held() { impl_->write_held(); }
void Starters::close(ConnectionId connection) { impl_->close(connection); }
void Starters::expire(TimePoint now) { impl_->expire(now); }
std::size_t Starters::waiting() { return impl_->waiting(); }

}  // namespace rollcall::pam
