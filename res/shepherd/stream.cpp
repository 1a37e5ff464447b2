#include "res/shepherd/stream.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "common/io/liveness.hpp"
#include "common/io/peer_holder.hpp"
#include "res/shepherd/listen_anywhere.hpp"

namespace rollcall::res {
namespace {

using namespace std::chrono_literals;

// Connections without proof of the key. Beyond this, the oldest connection of the holder with the most is closed. The client
// proves itself in milliseconds, so it gets through a crowd of silent connections.
constexpr ConnectionShares::Limits kMostPeers{256, 192};
constexpr int kAtOnce = 64;  // connections accepted per turn
constexpr Duration kTimeToProve = 2s;
constexpr Duration kLastWords = 2s;    // for the client to read what it was sent
constexpr Duration kOpenEnds = 1s;     // for output of other processes that have the process's pipes open
constexpr Duration kAcceptLater = 1s;  // when descriptors or memory ran out
constexpr std::size_t kPiece = 16 << 10;
constexpr int kMostPieces = 16;
constexpr std::size_t kMostUnsent = 256 << 10;

Error cannot(const char* what) {
  return internal_error(std::string("cannot ") + what + ": " + std::strerror(errno));
}

// Caps a client's number at a year, which is as good as unlimited here.
Duration milliseconds_of(std::uint64_t count) {
  constexpr std::uint64_t kYear = 365ULL * 24 * 3600 * 1000;
  return std::chrono::milliseconds(std::min(count, kYear));
}

winsize size_of(const wire::ToStream::Window& window) {
  const auto number = [](std::uint32_t n) { return static_cast<unsigned short>(std::min(n, 65535U)); };
  return {number(window.rows()), number(window.columns()), number(window.width()), number(window.height())};
}

bool set_nonblocking(const io::Descriptor& fd) {
  return fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK) == 0;
}

Result<void> make_pipe(io::Descriptor& reads, io::Descriptor& writes) {
  int both[2];
  if (pipe2(both, O_CLOEXEC) != 0) return cannot("make a pipe");
  reads = io::Descriptor(both[0]);
  writes = io::Descriptor(both[1]);
  return {};
}

bool nothing_in(const io::Descriptor& fd) {
  int bytes = 0;
  return !fd || ioctl(fd.get(), FIONREAD, &bytes) != 0 || bytes == 0;
}

short ready(const std::vector<pollfd>& fds, std::size_t slot) {
  return slot < fds.size() ? fds[slot].revents : short{0};
}

}  // namespace

Result<std::unique_ptr<Stream>> Stream::expect(const std::string& key, bool terminal,
                                               TimePoint patience_over) {
  if (key.size() != io::kKeyBytes)
    return internal_error("found a key of " + std::to_string(key.size()) + " bytes, expected 32");
  auto stream = std::make_unique<Stream>();
  std::copy(key.begin(), key.end(), stream->key_.begin());
  stream->terminal_ = terminal;
  stream->until_ = patience_over;
  stream->listener_ = listen_anywhere(stream->port_);
  if (!stream->listener_) return cannot("listen for a client");
  return stream;
}

// ---- the client

Stream::Stream() : strangers_(kMostPeers) {}

void Stream::accept(TimePoint now) {
  // Not a member: a shepherd has one stream per task, and each would keep a netlink socket.
  io::PeerHolders holders;
  for (int taken = 0; taken < kAtOnce; ++taken) {
    io::Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        accept_again_ = now + kAcceptLater;
      return;
    }
    const auto id = next_peer_++;
    strangers_.add(id, holders.of(socket.get()));
    peers_.push_back(std::make_unique<Peer>(
        std::move(socket), io::SecureChannel::pam(key_, io::random_nonce(), io::random_instance()),
        now + kTimeToProve, id));
    auto out = strangers_.surplus(id);
    if (!out && strangers_.size() > kMostPeers.all) out = strangers_.oldest_of_most();
    if (!out) continue;
    strangers_.remove(*out);
    std::erase_if(peers_, [out](const auto& peer) { return peer->id == *out; });
  }
}

bool Stream::read_peer(Peer& peer, TimePoint) {
  std::array<char, kPiece> room;
  // A client that sends without end must not delay limits and orders: the next turn reads the rest.
  for (int pieces = 0; pieces < kMostPieces; ++pieces) {
    const ssize_t size = recv(peer.socket.get(), room.data(), room.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    if (size == 0) return false;
    const auto fed =
        peer.channel.feed({room.data(), static_cast<std::size_t>(size)}, peer.unsent,
                          [this, &peer](std::string_view payload) -> Result<void> {
                            wire::ToStream message;
                            if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
                              return internal_error("found a message that cannot be read, expected ToStream");
                            // The first client opens the stream; ignore messages of any other.
                            if (link_ == nullptr || link_.get() == &peer) take(message);
                            return {};
                          });
    if (!fed) return false;
  }
  return true;
}

bool Stream::write_peer(Peer& peer) {
  std::size_t sent = 0;
  bool up = true;
  while (sent < peer.unsent.size()) {
    const ssize_t size =
        send(peer.socket.get(), peer.unsent.data() + sent, peer.unsent.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      up = errno == EAGAIN;
      break;
    }
    sent += static_cast<std::size_t>(size);
  }
  peer.unsent.erase(0, sent);
  return up;
}

void Stream::tell(const wire::FromStream& message) {
  if (linked()) link_->unsent += link_->channel.seal(message.SerializeAsString());
}

void Stream::take(const wire::ToStream& message) {
  asked_.take(message);
  // Drop a size that arrives before the terminal exists: Begin carried one.
  const auto window = asked_.take_window();
  if (!window || !terminal_ || !from_process_) return;
  const winsize size = size_of(*window);
  ioctl(from_process_.get(), TIOCSWINSZ, &size);
}

void Stream::break_off() {
  if (outlives_ && !asked_.gone() && asked_.begun() && (phase_ == Phase::running || phase_ == Phase::open)) {
    link_.reset();
    detached_ = true;
    return;
  }
  if (phase_ == Phase::running || phase_ == Phase::open) lost_ = true;
  link_.reset();
  from_process_.reset();
  from_errors_.reset();
  to_process_.reset();
  phase_ = Phase::done;
}

// ---- the loop

bool Stream::may_read() const {
  return detached_ || (asked_.credit() > 0 && linked() && link_->unsent.size() < kMostUnsent);
}

void Stream::add_to(std::vector<pollfd>& fds) {
  const auto add = [&](const io::Descriptor& fd, int events) {
    if (!fd || events == 0) return kNotPolled;
    fds.push_back({fd.get(), static_cast<short>(events), 0});
    return fds.size() - 1;
  };
  slots_ = {};
  if (!accept_again_) slots_.listener = add(listener_, POLLIN);
  for (const auto& peer : peers_)
    peer->slot = add(peer->socket, peer->unsent.empty() ? POLLIN : POLLIN | POLLOUT);
  if (linked()) link_->slot = add(link_->socket, link_->unsent.empty() ? POLLIN : POLLIN | POLLOUT);
  const bool shared = terminal_ && from_process_;
  const int reads = may_read() ? POLLIN : 0;
  const int writes = asked_.input().empty() ? 0 : POLLOUT;
  slots_.from_process = add(from_process_, reads | (shared ? writes : 0));
  slots_.from_errors = add(from_errors_, reads);
  if (!shared) add(to_process_, writes);
}

void Stream::turn(const std::vector<pollfd>& fds, TimePoint now) {
  if (phase_ == Phase::done) return;
  if (accept_again_ && now >= *accept_again_) accept_again_.reset();
  if (ready(fds, slots_.listener) != 0) accept(now);
  for (auto& peer : peers_) {
    const bool up =
        (ready(fds, peer->slot) == 0 || read_peer(*peer, now)) && write_peer(*peer) && now < peer->until;
    if (up && link_ == nullptr && peer->channel.open()) {
      strangers_.remove(peer->id);
      link_ = std::move(peer);
      listener_.reset();
      phase_ = Phase::open;
    } else if (!up) {
      strangers_.remove(peer->id);
      peer.reset();
    }
  }
  std::erase_if(peers_, [](const auto& peer) { return peer == nullptr; });
  if (!listens()) {
    peers_.clear();
    strangers_.clear();
  }
  if (linked() && ready(fds, link_->slot) != 0 && (!read_peer(*link_, now) || asked_.gone())) break_off();
  if (phase_ == Phase::done) return;
  if (linked() && asked_.begun() && !std::exchange(watched_, true)) watch();
  write_process();
  if (may_read() && ready(fds, slots_.from_process) != 0) read_process(from_process_, false);
  if (may_read() && ready(fds, slots_.from_errors) != 0) read_process(from_errors_, true);
  finish_if_drained(now);
  if (linked() && !write_peer(*link_)) break_off();
  if (phase_ == Phase::closing && linked() && !link_->unsent.empty())
    until_ = now + kLastWords;  // the client reads slowly: wait longer
  if ((awaits_begin() || phase_ == Phase::closing) && now >= until_) give_up();
}

// Uses the client's own patience, so that a short loss of the link does not end the process.
void Stream::watch() {
  LinkPatience patience;
  if (asked_.begin().has_patience()) {
    patience.silence = milliseconds_of(asked_.begin().patience().silence_ms());
    patience.heartbeat = milliseconds_of(asked_.begin().patience().heartbeat_ms());
  }
  io::watch_liveness(link_->socket.get(), io::liveness_of(patience.silence, patience.heartbeat));
}

void Stream::nothing_starts(TimePoint now) {
  if (!awaits_begin()) return;
  until_ = std::min(until_, now + kTimeToProve);
  if (phase_ == Phase::expected && peers_.empty()) give_up();
}

void Stream::give_up() {
  link_.reset();
  listener_.reset();
  phase_ = Phase::done;
}

std::optional<TimePoint> Stream::next_deadline() const {
  std::optional<TimePoint> first;
  if (awaits_begin() || phase_ == Phase::closing || (phase_ == Phase::ended && takes_output()))
    first = until_;
  for (const auto& peer : peers_) first = first ? std::min(*first, peer->until) : peer->until;
  if (accept_again_) first = first ? std::min(*first, *accept_again_) : *accept_again_;
  return first;
}

bool Stream::wanted() { return asked_.take_wanted(); }
bool Stream::lost() { return std::exchange(lost_, false); }
std::optional<int> Stream::take_signal() {
  if (phase_ != Phase::running) return std::nullopt;
  return asked_.take_signal();
}

// ---- the process

Result<StreamEnds> Stream::ends() {
  StreamEnds ends;
  if (terminal_) {
    from_process_ = io::Descriptor(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    int unlocked = 0;
    if (!from_process_ || ioctl(from_process_.get(), TIOCSPTLCK, &unlocked) != 0)
      return cannot("make a terminal");
    ends.input = io::Descriptor(ioctl(from_process_.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!ends.input) return cannot("open the terminal");
    const winsize size = size_of(begin().window());
    ioctl(from_process_.get(), TIOCSWINSZ, &size);
    ends.output = io::Descriptor(fcntl(ends.input.get(), F_DUPFD_CLOEXEC, 3));
    ends.errors = io::Descriptor(fcntl(ends.input.get(), F_DUPFD_CLOEXEC, 3));
    return ends;
  }
  if (auto made = make_pipe(from_process_, ends.output); !made) return made.error();
  if (auto made = make_pipe(from_errors_, ends.errors); !made) return made.error();
  if (begin().input()) {
    if (auto made = make_pipe(ends.input, to_process_); !made) return made.error();
    set_nonblocking(to_process_);
  } else {
    ends.input = io::Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  set_nonblocking(from_process_);
  set_nonblocking(from_errors_);
  return ends;
}

void Stream::started(pid_t pid) {
  phase_ = Phase::running;
  wire::FromStream message;
  message.mutable_started()->set_pid(pid);
  tell(message);
  message.set_credit(kInputCredit);
  tell(message);
  if (linked()) write_peer(*link_);
}

void Stream::not_started(const std::string& why, int exit_code) {
  wire::FromStream message;
  message.mutable_not_started()->set_why(why);
  message.mutable_not_started()->set_exit_code(exit_code);
  from_process_.reset();
  from_errors_.reset();
  over_ = message;
  phase_ = Phase::ended;
}

void Stream::ended(int wait_status, const wire::JobUsage& usage, int term_reason, TimePoint now) {
  if (phase_ != Phase::running) return;
  wire::FromStream message;
  auto& over = *message.mutable_over();
  over.set_wait_status(wait_status);
  *over.mutable_usage() = usage;
  over.set_term_reason(term_reason);
  over_ = message;
  to_process_.reset();
  phase_ = Phase::ended;
  until_ = now + kOpenEnds;
}

void Stream::read_process(io::Descriptor& from, bool errors) {
  std::array<char, kPiece> room;
  const std::uint64_t most = detached_ ? room.size() : std::min<std::uint64_t>(room.size(), asked_.credit());
  const ssize_t size = read(from.get(), room.data(), most);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return from.reset();  // read() gives EIO once all processes have closed the terminal
  if (detached_) return;
  asked_.output_sent(static_cast<std::uint64_t>(size));
  wire::FromStream message;
  (errors ? message.mutable_errors() : message.mutable_output())
      ->assign(room.data(), static_cast<std::size_t>(size));
  tell(message);
}

void Stream::write_process() {
  io::Descriptor& to = terminal_ ? from_process_ : to_process_;
  if (!to) {
    if (phase_ == Phase::running) asked_.drop_input();  // its input is closed
    return;
  }
  if (const std::string& input = asked_.input(); !input.empty()) {
    const ssize_t size = write(to.get(), input.data(), input.size());
    if (size > 0) {
      asked_.input_written(static_cast<std::size_t>(size));
      wire::FromStream message;
      message.set_credit(static_cast<std::uint64_t>(size));
      tell(message);
    } else if (size < 0 && errno != EAGAIN && errno != EINTR) {
      asked_.drop_input();
      if (!terminal_) to.reset();
    }
  }
  if (!asked_.take_input_end()) return;
  if (terminal_) {
    const char end = 4;  // Ctrl-D, as typed at a terminal
    [[maybe_unused]] const ssize_t written = write(to.get(), &end, 1);
  } else {
    to.reset();
  }
}

void Stream::finish_if_drained(TimePoint now) {
  if (phase_ != Phase::ended || !over_) return;
  // Other processes may keep the pipes open for ever: stop reading a pipe that is empty after kOpenEnds.
  if ((from_process_ || from_errors_) && takes_output() && now >= until_) {
    until_ = now + kOpenEnds;
    if (nothing_in(from_process_)) from_process_.reset();
    if (nothing_in(from_errors_)) from_errors_.reset();
  }
  if (from_process_ || from_errors_) return;
  tell(*over_);
  over_.reset();
  if (detached_) return void(phase_ = Phase::done);
  if (linked() && write_peer(*link_) && link_->unsent.empty()) shutdown(link_->socket.get(), SHUT_WR);
  phase_ = Phase::closing;
  until_ = now + kLastWords;
}

}  // namespace rollcall::res
