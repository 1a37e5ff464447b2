#include "common/io/links.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/io/answer_pump.hpp"
#include "common/io/dialing.hpp"
#include "common/io/door.hpp"
#include "common/io/handshake_queue.hpp"
#include "common/io/link.hpp"
#include "common/io/link_watch.hpp"
#include "common/io/liveness.hpp"
#include "common/io/peer_holder.hpp"
#include "common/io/side_thread.hpp"

namespace rollcall::io {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using LinkPointer = std::shared_ptr<Link>;

constexpr std::size_t kClientPayload =
    64 * 1024;  // bytes of a client's message; a daemon's may have a frame's most
constexpr Duration kLook = std::chrono::milliseconds(500);  // while a link is unproved or does not read

SteadyTime steady_now() { return std::chrono::steady_clock::now(); }

}  // namespace

class Links::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(boost::asio::io_context& loop, PeerKeys keys, const LinkLimits& limits, Handler handler)
      : loop_(loop),
        watch_(loop),
        keys_(std::move(keys)),
        limits_(fitted(limits, most_descriptors())),
        handler_(std::move(handler)),
        door_(loop, "connections",
              {[this](tcp::socket socket) { take(std::move(socket)); },
               [this] { return tables_.strangers().full(); }, [this] { return make_room(); },
               [this] { keep_watch(); }, [this](const std::string& line) { handler_.say(line); }}),
        pump_(loop, [this](const LinkPointer& link) { make_part(link); }),
        handshakes_(loop, [this](const LinkPointer& link) { read_if_memory(link); }),
        names_(std::in_place, loop, SideThread::Limits{kMostNames, limits.dial_patience}),
        tables_(limits_) {}

  Result<std::uint16_t> listen(std::uint16_t port) {
    const auto chosen = door_.listen(port, Door::Taken::again);
    if (chosen) return *chosen;
    return internal_error("cannot listen on port " + std::to_string(port) + ": " + chosen.error().message());
  }

  LinkId dial(const std::string& host, std::uint16_t port, std::optional<PeerKey> peer) {
    const LinkId id = next_id_++;
    if (!names_) return id;
    dialling_[id] = true;
    io::dial(loop_, *names_, host, port, limits_.dial_patience,
             [self = shared_from_this(), id, peer = std::move(peer)](Dialled result) {
               if (self->dialling_.erase(id) == 0) return;  // closed meanwhile
               if (!result.socket)
                 return self->handler_.ended(id, result.refused ? LinkEnd::refused : LinkEnd::silent,
                                             result.why);
               self->connected(id, std::move(*result.socket), peer);
             });
    return id;
  }

  void send(LinkId id, std::string_view payload) {
    const auto link = find(id);
    if (!link || !link->opened) return;
    if (link->unsent.empty()) link->last_progress = steady_now();
    link->unsent += link->channel.seal(payload);
    kept(link);
    flush(link);
  }

  void answer(LinkId id, Source source) {
    const auto link = find(id);
    if (!link || !link->opened) return;
    link->last_progress = steady_now();
    link->source = std::move(source);
    kept(link);
    pump_.begin(link);
  }

  void promise(LinkId id) {
    const auto link = find(id);
    if (link && link->opened && !std::exchange(link->promised, true)) pump_.turn_owed();
  }

  void identified(LinkId id, unsigned uid) {
    const auto link = find(id);
    if (!link || !link->opened || !link->client() || tables_.users().has(id)) return;
    tables_.identified(id, holder_of_user(uid));
    // Posted: the caller is working on this link.
    if (tables_.users().size() > limits_.clients)
      boost::asio::post(loop_, [self = shared_from_this()] { self->drop_idle_clients(); });
  }

  void established(LinkId id) {
    const auto link = find(id);
    if (link && link->opened && link->of_peer()) tables_.proved(id, false);
  }

  std::size_t unsent(LinkId id) const {
    const auto link = find(id);
    return link ? link->unsent.size() - link->sent : 0;
  }

  void close(LinkId id) {
    dialling_.erase(id);
    if (const auto link = find(id)) remove(link);
  }

  void close_when_sent(LinkId id) {
    const auto link = find(id);
    if (!link) return;
    if (!link->owes()) return remove(link);
    link->closing = true;
  }

  std::size_t open_links() const { return links_.size() - tables_.without_proof(); }

  void shut_down() {
    error_code ignored;
    door_.close();
    names_.reset();
    watch_.cancel();
    for (auto& [id, link] : links_) link->socket.close(ignored);
    tables_.clear();
    pump_.clear();
    handshakes_.clear();
    links_.clear();
    dialling_.clear();
  }

 private:
  LinkPointer find(LinkId id) const {
    const auto found = links_.find(id);
    return found == links_.end() ? nullptr : found->second;
  }

  // ---- accepting

  // Closes the oldest stranger of the holder with the most, unless that one has just come.
  bool make_room() {
    const auto oldest = tables_.strangers().oldest_of_most();
    if (!oldest || steady_now() - find(*oldest)->last_progress < limits_.time_to_prove / 4) return false;
    give_way(*oldest);
    return true;
  }

  void give_way(LinkId id) {
    const auto link = find(id);
    const std::string why = "its place is needed, and it is one of " +
                            std::to_string(tables_.strangers().held(link->holder.name)) + " of " +
                            link->holder.name + " that have not proved who they are";
    stranger(*link, why);
    end(link, LinkEnd::offended, why);
  }

  void take(tcp::socket socket) {
    pump_.peers_talk();
    const LinkId id = next_id_++;
    const auto link = std::make_shared<Link>(
        std::move(socket), id,
        next_key_ ? ClusterChannel::accept(keys_, *next_key_) : ClusterChannel::accept(keys_, random_seed()));
    next_key_.reset();
    if (handler_.tickets) link->channel.honour_tickets(*handler_.tickets, address_of(link->socket));
    link->holder = handler_.holder ? handler_.holder(link->socket.native_handle())
                                   : holders_.of(link->socket.native_handle());
    begin(link);
    if (const auto out = tables_.strangers().surplus(id)) give_way(*out);
  }

  // Made while the caller works on our answer, so that the next caller finds a key ready.
  void make_next_key() {
    if (!next_key_) next_key_.emplace(random_seed());
  }

  // ---- dialling

  void connected(LinkId id, tcp::socket socket, const std::optional<PeerKey>& peer) {
    watch_liveness(socket.native_handle());
    fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
    const auto link = dialled_link(std::move(socket), id, keys_.own(), peer);
    link->unsent = link->channel.start();
    begin(link);
    flush(link);
  }

  void begin(const LinkPointer& link) {
    link->peer.address = address_of(link->socket);
    link->last_progress = steady_now();
    links_.emplace(link->id, link);
    if (link->peer.dialled)
      tables_.dialled(link->id, link->last_progress);
    else
      tables_.accepted(link->id, link->holder, link->last_progress);
    keep_watch();
    read_next(link);
  }

  // ---- reading

  void read_next(const LinkPointer& link) {
    if (link->waits_to_read || !link->socket.is_open()) return;
    link->waits_to_read = true;
    link->socket.async_wait(tcp::socket::wait_read,
                            [self = shared_from_this(), link](const error_code& error) {
                              link->waits_to_read = false;
                              if (error) return;
                              if (self->in_a_crowd(*link)) return self->handshakes_.push(link);
                              self->read_if_memory(link);
                            });
  }

  // True if its holder has many connections, all of them unproved.
  bool in_a_crowd(const Link& link) const {
    return !link.opened && !link.peer.dialled && !link.holder.trusted &&
           tables_.strangers().held(link.holder.name) > HandshakeQueue::kCrowd;
  }

  void read_if_memory(const LinkPointer& link) {
    try {
      read_all(link);
    } catch (const std::bad_alloc&) {
      offended(link, "there is no memory for what it sends");
    }
  }

  // Reads one buffer from a client, and all there is from a daemon.
  void read_all(const LinkPointer& link) {
    pump_.peers_talk();
    while (link->socket.is_open()) {
      error_code error;
      const std::size_t size = link->socket.read_some(boost::asio::buffer(buffer_), error);
      if (error == boost::asio::error::would_block) return read_next(link);
      if (error) return connection_ended(link, error);
      link->since_payload += size;
      const auto fed =
          link->channel.feed({buffer_.data(), size}, link->unsent,
                             [&](std::string_view payload) { return take_payload(link, payload); });
      if (!link->socket.is_open()) return;
      if (!fed) return offended(link, fed.error().text);
      if (link->client() && link->since_payload > kClientPayload + size)
        return offended(link, "a request of over " + std::to_string(kClientPayload) + " bytes");
      if (!link->opened && link->channel.open()) proved(link);
      if (!flush(link)) return;
      if (!link->opened) make_next_key();
      if (link->opened && link->client()) return serve(link);
      if (size < buffer_.size() || link->of_peer())
        return read_next(link);  // all was read; saves a system call
    }
  }

  void proved(const LinkPointer& link) {
    link->proved();
    link->last_progress = steady_now();
    tables_.proved(link->id, !link->peer.dialled && (link->client() || link->of_peer()));
    if (link->peer.caller == ClusterChannel::Caller::owner) identified(link->id, geteuid());
    if (door_.waits()) accept_soon();
    handler_.opened(link->id, link->peer);
  }

  Result<void> take_payload(const LinkPointer& link, std::string_view payload) {
    if (!link->opened) proved(link);
    link->since_payload = 0;
    if (!link->socket.is_open()) return internal_error("closed");
    if (link->client()) {
      link->inbox.emplace_back(payload);
      return {};
    }
    return deliver(link, payload);
  }

  // A failed allocation for a message costs the sending peer its link; the others stay.
  Result<void> deliver(const LinkPointer& link, std::string_view payload) {
    try {
      return handler_.message(link->id, payload);
    } catch (const std::bad_alloc&) {
      return internal_error("there is no memory for its message of " + std::to_string(payload.size()) +
                            " bytes");
    }
  }

  void kept(const LinkPointer& link) {
    if (!std::exchange(link->promised, false)) return;
    pump_.turn_given();
    boost::asio::post(loop_, [self = shared_from_this(), link] { self->serve(link); });
  }

  // Serves a client's next request once its last answer has left. One for each turn of the loop.
  void serve(const LinkPointer& link) {
    if (!link->socket.is_open() || link->owes()) return;
    if (link->closing) return remove(link);
    if (link->inbox.empty()) return read_next(link);
    const std::string payload = std::move(link->inbox.front());
    link->inbox.pop_front();
    progress(link);
    const auto done = deliver(link, payload);
    if (!link->socket.is_open()) return;
    if (!done) return offended(link, done.error().text);
    if (!link->owes()) boost::asio::post(loop_, [self = shared_from_this(), link] { self->serve(link); });
  }

  void progress(const LinkPointer& link) {
    link->last_progress = steady_now();
    tables_.renewed(link->id);
  }

  // ---- writing

  // One part of the answer under way.
  void make_part(const LinkPointer& link) {
    if (!link->socket.is_open() || !link->has_room()) return;
    try {
      link->make_part();
    } catch (const std::bad_alloc&) {
      return offended(link, "there is no memory for its answer");
    }
    if (!flush(link)) return;
    if (link->has_room()) return pump_.go_on(link);
    if (!link->owes() && link->client())
      boost::asio::post(loop_, [self = shared_from_this(), link] { self->serve(link); });
  }

  // False where the link is gone.
  bool flush(const LinkPointer& link) {
    if (!link->socket.is_open()) return false;
    if (link->waits_to_write) return keeps_up(link);
    switch (link->write()) {
      case Sent::failed:  // the next read finds that the connection has ended
        link->drop_unsent();
        read_next(link);
        return true;
      case Sent::all:
        tables_.taken(link->id);
        if (link->closing && !link->owes()) remove(link);
        return link->socket.is_open();
      case Sent::some:
        break;
    }
    if (!keeps_up(link)) return false;
    tables_.stalled(link->id);
    keep_watch();
    link->waits_to_write = true;
    link->socket.async_wait(tcp::socket::wait_write,
                            [self = shared_from_this(), link](const error_code& error) {
                              link->waits_to_write = false;
                              if (error || !self->flush(link)) return;
                              if (link->has_room()) return self->pump_.go_on(link);
                              if (link->opened && link->client()) return self->serve(link);
                              if (link->opened && link->unsent.empty() && self->handler_.drained)
                                self->handler_.drained(link->id);
                            });
    return true;
  }

  bool keeps_up(const LinkPointer& link) {
    if (link->client() || link->unsent.size() <= limits_.unsent) return true;
    offended(link, "it takes nothing of what it is sent");
    return false;
  }

  // ---- ends

  void remove(const LinkPointer& link) {
    error_code ignored;
    if (std::exchange(link->promised, false)) pump_.turn_given();
    link->socket.close(ignored);
    tables_.gone(link->id);
    links_.erase(link->id);
    if (door_.waits()) accept_soon();
  }

  void accept_soon() {
    boost::asio::post(loop_, [self = shared_from_this()] { self->door_.open_again(); });
  }

  // The handler is told only of links that it knows: dialled ones, and opened ones.
  void end(const LinkPointer& link, LinkEnd how, const std::string& why) {
    const bool known = link->opened || link->peer.dialled;
    remove(link);
    if (known) handler_.ended(link->id, how, why);
  }

  void connection_ended(const LinkPointer& link, const error_code& error) {
    if (!link->opened && !link->peer.dialled && !link->channel.turned_away())
      stranger(*link, "it left before it had proved itself");
    const bool cut = is_cut(error) || is_cut(link->write_error);
    end(link, cut ? LinkEnd::cut : link->opened ? LinkEnd::closed : LinkEnd::stranger, error.message());
  }

  // The peer broke the protocol: ends the link without reading further.
  void offended(const LinkPointer& link, const std::string& why) {
    if (link->opened || !link->peer.dialled) stranger(*link, why);
    end(link, link->opened ? LinkEnd::offended : LinkEnd::stranger, why);
  }

  // Logged once for each address; later ones are only counted.
  void stranger(const Link& link, const std::string& why) {
    if (told_.line_is_due(link.peer.address))
      handler_.say("closed a connection from " + link.peer.address + ": " + why);
  }

  void drop_idle_clients() {
    while (tables_.users().size() > limits_.clients)
      end(find(*tables_.users().oldest_of_most()), LinkEnd::offended, "too many clients");
  }

  // ---- time: only while links have to be watched

  void keep_watch() {
    if (watching_) return;
    watching_ = true;
    watch_.expires_after(kLook);
    watch_.async_wait([self = shared_from_this()](const error_code& error) {
      self->watching_ = false;
      if (!error) self->look();
    });
  }

  void look() {
    const SteadyTime now = steady_now();
    while (const auto late = tables_.late_to_prove(now)) {
      const auto link = find(*late);
      if (!link->peer.dialled) stranger(*link, "it did not prove itself in time");
      end(link, LinkEnd::silent, "it did not prove itself in time");
    }
    for (const LinkId id : idle_strangers(now)) {
      const auto link = find(id);
      if (!link) continue;
      stranger(*link, "it asked nothing for too long and has not proved who it is");
      end(link, LinkEnd::offended, "idle");
    }
    for (const LinkId id : tables_.stalled()) {
      const auto link = find(id);  // none: closed by the handler when another link ended
      if (link && now - link->last_progress > limits_.stall)
        offended(link, "it takes nothing of what it is sent");
    }
    door_.open_again();
    if (tables_.needed() || door_.waits()) keep_watch();
  }

  // Links that wait for our answer are not idle. The time counts from the end of the last answer.
  std::vector<LinkId> idle_strangers(SteadyTime now) const {
    return tables_.strangers_where([&](LinkId id) {
      const auto link = find(id);
      return link->opened && !link->owes() && now - link->last_progress > limits_.idle;
    });
  }

  boost::asio::io_context& loop_;
  boost::asio::steady_timer watch_;
  const PeerKeys keys_;                             // the channels point to them
  std::optional<ClusterChannel::OwnKey> next_key_;  // of the next caller's connection
  LinkLimits limits_;
  Handler handler_;
  Door door_;
  AnswerPump pump_;
  HandshakeQueue handshakes_;
  std::optional<SideThread> names_;  // of hosts that are dialled; none: shut down
  LinkId next_id_ = 1;
  std::unordered_map<LinkId, LinkPointer> links_;
  std::unordered_map<LinkId, bool> dialling_;
  LinkWatch tables_;
  PeerHolders holders_;
  Strangers told_;  // addresses that were logged
  bool watching_ = false;
  std::array<char, 64 * 1024> buffer_;  // shared by all links: each keeps only its unfinished bytes
};

Links::Links(boost::asio::io_context& loop, PeerKeys keys, const LinkLimits& limits, Handler handler)
    : impl_(std::make_shared<Impl>(loop, std::move(keys), limits, std::move(handler))) {}
Links::~Links() { impl_->shut_down(); }
void Links::shut_down() { impl_->shut_down(); }
Result<std::uint16_t> Links::listen(std::uint16_t port) { return impl_->listen(port); }
LinkId Links::dial(const std::string& host, std::uint16_t port) { return impl_->dial(host, port, {}); }
LinkId Links::dial_peer(const std::string& host, std::uint16_t port, const PeerKey& key) {
  return impl_->dial(host, port, key);
}
void Links::established(LinkId link) { impl_->established(link); }
void Links::send(LinkId link, std::string_view payload) { impl_->send(link, payload); }
void Links::answer(LinkId link, Source source) { impl_->answer(link, std::move(source)); }
void Links::promise(LinkId link) { impl_->promise(link); }
void Links::identified(LinkId link, unsigned uid) { impl_->identified(link, uid); }
std::size_t Links::unsent(LinkId link) const { return impl_->unsent(link); }
void Links::close(LinkId link) { impl_->close(link); }
void Links::close_when_sent(LinkId link) { impl_->close_when_sent(link); }
std::size_t Links::open_links() const { return impl_->open_links(); }

}  // namespace rollcall::io
