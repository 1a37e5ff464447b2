#include "taskstarter/dialer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/io/abstract_socket.hpp"
#include "common/io/liveness.hpp"
#include "common/io/name_lookup.hpp"
#include "common/io/relay_directory.hpp"
#include "common/io/wait_answer.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::taskstarter {
namespace {

io::Descriptor open_socket(int family) {
  io::Descriptor socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket || family == AF_UNIX) return socket;
  io::watch_liveness(socket.get());
  // The last packet of TCP's handshake carries our Hello: one packet less.
  const int off = 0;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_QUICKACK, &off, sizeof off);
  return socket;
}

PamAddress make_address(const sockaddr* address, socklen_t size, const std::string& shown,
                        std::uint16_t port) {
  PamAddress result;
  std::memcpy(&result.address, address, size);
  result.size = size;
  // The port has its place in both families at the same offset.
  reinterpret_cast<sockaddr_in*>(&result.address)->sin_port = htons(port);
  result.text = shown + ":" + std::to_string(port);
  return result;
}

// The address where `text` is a numeric one: no name service is asked.
std::optional<PamAddress> numeric(const std::string& text, std::uint16_t port) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1)
    return make_address(reinterpret_cast<const sockaddr*>(&v4), sizeof v4, text, port);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  if (inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1)
    return make_address(reinterpret_cast<const sockaddr*>(&v6), sizeof v6, text, port);
  return std::nullopt;
}

// Of the relay's first frame.
io::Instance instance_of(const std::string& joined) {
  io::Instance instance{};
  std::copy(joined.end() - static_cast<std::ptrdiff_t>(instance.size()), joined.end(), instance.begin());
  return instance;
}

DialFailure meaning_of(int error) {
  if (error == ECONNREFUSED) return DialFailure::refused;
  if (error == ECONNRESET || error == EPIPE) return DialFailure::hung_up;
  return DialFailure::no_answer;
}

}  // namespace

Dialer::Dialer(const io::Key& key, const std::vector<std::string>& names, std::uint16_t port,
               std::string relay)
    : key_(key), names_(names), port_(port), relay_(std::move(relay)) {}

void Dialer::start(TimePoint now) {
  attempts_.clear();
  answered_ = false;
  const bool through_relay = add_relay(now);
  std::vector<Attempt> by_name;
  for (const std::string& name : names_) {
    Attempt attempt;
    if (auto address = numeric(name, port_)) {
      attempt.to = std::move(*address);
      attempts_.push_back(std::move(attempt));
    } else {
      attempt.name = name;
      attempt.to.text = name + ":" + std::to_string(port_);
      by_name.push_back(std::move(attempt));
    }
  }
  std::move(by_name.begin(), by_name.end(), std::back_inserter(attempts_));
  stagger(through_relay ? now + kRelayPatience : now);
  begin_due(now);
}

// The addresses one after the other, those that have not begun.
void Dialer::stagger(TimePoint first) {
  for (Attempt& attempt : attempts_) {
    if (attempt.to.relay || attempt.step != Step::waiting) continue;
    attempt.at = first;
    first = first + kDialStagger;
  }
}

// Once: when its way is lost, or it fails, pam is dialed directly from then on.
bool Dialer::add_relay(TimePoint now) {
  const auto place = io::abstract_address(io::relay_socket(std::exchange(relay_, {})));
  if (!place) return false;
  PamAddress to;
  to.address = place->address;
  to.size = place->size;
  to.relay = true;
  for (const std::string& name : names_) to.text += (to.text.empty() ? "" : ",") + name;
  to.text += ":" + std::to_string(port_);
  attempts_.emplace_back();
  attempts_.back().to = std::move(to);
  attempts_.back().at = now;
  relay_refuses_at_ = now + kRelayListens;
  return true;
}

void Dialer::start(const PamAddress& known, TimePoint now) {
  attempts_.clear();
  answered_ = false;
  attempts_.emplace_back();
  attempts_.back().to = known;
  attempts_.back().at = now;
  begin_due(now);
}

void Dialer::add_to(std::vector<pollfd>& fds) const {
  for (const Attempt& attempt : attempts_) {
    if (attempt.step == Step::connecting) fds.push_back({attempt.socket.get(), POLLOUT, 0});
    if (attempt.step == Step::handshaking) fds.push_back({attempt.socket.get(), POLLIN, 0});
  }
}

std::optional<TimePoint> Dialer::next_deadline() const {
  std::optional<TimePoint> next;
  for (const Attempt& attempt : attempts_)
    if ((attempt.step == Step::waiting || attempt.step == Step::connecting) && (!next || attempt.at < *next))
      next = attempt.at;
  return next;
}

Dialer::Progress Dialer::turn(std::span<const pollfd> ready, TimePoint now) {
  Progress progress;
  for (Attempt& attempt : attempts_) {
    const auto said = std::find_if(ready.begin(), ready.end(), [&](const pollfd& fd) {
      return attempt.socket && fd.fd == attempt.socket.get() && fd.revents != 0;
    });
    if (said != ready.end() && attempt.step == Step::connecting) {
      continue_connect(attempt);
    } else if (said != ready.end() && attempt.step == Step::handshaking && continue_handshake(attempt)) {
      const io::Instance instance =
          attempt.channel ? attempt.channel->peer_instance() : instance_of(attempt.joined);
      progress.reached = Reached{std::move(attempt.socket), std::move(attempt.channel), instance,
                                 std::move(attempt.to_send), attempt.to};
      attempts_.clear();
      return progress;
    }
    if (attempt.told_to_wait) {
      progress.put_off = Progress::PutOff{attempt.to, *attempt.told_to_wait};
      progress.answered = std::exchange(answered_, false);
      attempts_.clear();
      return progress;
    }
    if (attempt.step == Step::connecting && now >= attempt.at) fail(attempt, DialFailure::no_answer);
  }
  begin_due(now);
  progress.answered = std::exchange(answered_, false);
  progress.failed = all_failed();
  if (progress.failed) attempts_.clear();
  return progress;
}

// Begins the attempts that are due, and the next one if all earlier ones have failed.
void Dialer::begin_due(TimePoint now) {
  if (!attempts_.empty() && attempts_.front().to.relay) begin_relay(now);
  bool earlier_failed = true;
  for (std::size_t i = 0; i < attempts_.size(); ++i) {
    const bool due = earlier_failed || now >= attempts_[i].at;
    if (attempts_[i].step == Step::waiting && due && !attempts_[i].to.relay)
      attempts_[i].name.empty() ? connect(attempts_[i], now) : look_up(i, now);
    earlier_failed = earlier_failed && attempts_[i].step == Step::failed;
  }
}

// The first of the attempts.
void Dialer::begin_relay(TimePoint now) {
  Attempt& relay = attempts_.front();
  if (relay.step == Step::waiting && now >= relay.at) connect(relay, now);
  if (relay.step != Step::failed) return;
  if (relay.why == DialFailure::refused && now < relay_refuses_at_) {
    relay.step = Step::waiting;
    relay.at = now + kRelayPause;
  } else {
    attempts_.erase(attempts_.begin());
    stagger(now);
  }
}

bool Dialer::known_already(const PamAddress& address) const {
  return std::any_of(attempts_.begin(), attempts_.end(), [&](const Attempt& attempt) {
    return attempt.to.size == address.size &&
           std::memcmp(&attempt.to.address, &address.address, address.size) == 0;
  });
}

// Asks the name service, which may be slow, and adds its addresses behind this attempt.
void Dialer::look_up(std::size_t index, TimePoint now) {
  const std::string name = attempts_[index].name;
  const auto addresses = io::look_up_host(name);
  fail(attempts_[index], addresses ? DialFailure::unknown_host : DialFailure::no_answer);
  if (!addresses || addresses->empty()) return;
  // The name itself has failed like all others; its addresses speak for it.
  attempts_[index].why = DialFailure::refused;
  std::size_t next = index + 1;
  for (const std::string& text : *addresses) {
    auto address = numeric(text, port_);
    if (!address || known_already(*address)) continue;
    Attempt attempt;
    attempt.to = std::move(*address);
    attempt.to.text = name + ":" + std::to_string(port_);
    attempt.at = now + (next - index - 1) * kDialStagger;
    attempts_.insert(attempts_.begin() + static_cast<std::ptrdiff_t>(next++), std::move(attempt));
  }
}

void Dialer::connect(Attempt& attempt, TimePoint now) {
  attempt.socket = open_socket(attempt.to.address.ss_family);
  if (!attempt.socket) return fail(attempt, DialFailure::no_answer);
  attempt.step = Step::connecting;
  attempt.at = now + kConnectLimit;
  const auto* address = reinterpret_cast<const sockaddr*>(&attempt.to.address);
  if (::connect(attempt.socket.get(), address, attempt.to.size) == 0) return connected(attempt);
  if (errno != EINPROGRESS && errno != EINTR) fail(attempt, meaning_of(errno));
}

void Dialer::continue_connect(Attempt& attempt) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(attempt.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return fail(attempt, meaning_of(error));
  connected(attempt);
}

void Dialer::connected(Attempt& attempt) {
  attempt.step = Step::handshaking;
  if (attempt.to.relay && !io::peer_is_our_user(attempt.socket)) return fail(attempt, DialFailure::stranger);
  answered_ |= !attempt.to.relay;  // nobody knows yet whether pam's host does
  std::string hello;
  if (attempt.to.relay) {
    hello = asked_of_relay(attempt);
  } else {
    attempt.channel = io::SecureChannel::starter(key_, io::random_nonce());
    hello = attempt.hello = attempt.channel->start();
  }
  const ssize_t sent = send(attempt.socket.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(hello.size()))
    fail(attempt, sent < 0 ? meaning_of(errno) : DialFailure::no_answer);
}

// True once pam has proved itself.
bool Dialer::continue_handshake(Attempt& attempt) {
  char bytes[1024];
  const ssize_t size = recv(attempt.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (size <= 0) {
    fail(attempt, size == 0 ? DialFailure::hung_up : meaning_of(errno));
    return false;
  }
  if (attempt.to.relay) return take_joined(attempt, {bytes, static_cast<std::size_t>(size)});
  if (!attempt.hello.empty()) return take_first_answer(attempt, {bytes, static_cast<std::size_t>(size)});
  return take_handshake(attempt, {bytes, static_cast<std::size_t>(size)});
}

// A pam without room says so in place of its Challenge.
bool Dialer::take_first_answer(Attempt& attempt, std::string_view bytes) {
  attempt.joined.append(bytes);
  const auto answer = io::first_answer(key_, attempt.hello, attempt.joined);
  using Kind = io::FirstAnswer::Kind;
  if (answer.kind == Kind::forged) fail(attempt, DialFailure::stranger);
  if (answer.kind == Kind::wait) attempt.told_to_wait = answer.wait;
  if (answer.kind != Kind::other) return false;
  attempt.hello.clear();
  return take_handshake(attempt, std::exchange(attempt.joined, {}));
}

bool Dialer::take_handshake(Attempt& attempt, std::string_view bytes) {
  const auto too_early = [](std::string_view) -> Result<void> {
    return internal_error("a message before our proof");
  };
  if (!attempt.channel->feed(bytes, attempt.to_send, too_early)) {
    fail(attempt, DialFailure::stranger);
    return false;
  }
  return attempt.channel->open();
}

std::string Dialer::asked_of_relay(const Attempt& attempt) const {
  const io::Key key = io::relay_key(key_, port_);
  std::string ask = attempt.to.text;
  ask.push_back('\0');
  ask.append(reinterpret_cast<const char*>(key.data()), key.size());
  std::string frame;
  wire::append_frame(frame, ask);
  return frame;
}

// The relay says which pam it is joined to, and then nothing until we have said something.
bool Dialer::take_joined(Attempt& attempt, std::string_view bytes) {
  std::string expected;
  wire::append_frame(expected, std::string(io::kInstanceBytes, '\0'));
  const std::size_t length = expected.size() - io::kInstanceBytes;
  attempt.joined.append(bytes);
  const std::size_t known = std::min(attempt.joined.size(), length);
  if (attempt.joined.size() > expected.size() || attempt.joined.compare(0, known, expected, 0, known) != 0) {
    fail(attempt, DialFailure::stranger);
    return false;
  }
  return attempt.joined.size() == expected.size();
}

void Dialer::fail(Attempt& attempt, DialFailure why) {
  attempt.step = Step::failed;
  attempt.why = why;
  attempt.channel.reset();
  attempt.socket.reset();
}

// The failure of all addresses together: while one of them may still answer, pam is not known to be dead.
std::optional<DialFailure> Dialer::all_failed() const {
  if (attempts_.empty()) return std::nullopt;
  for (const Attempt& attempt : attempts_)
    if (attempt.step != Step::failed && !attempt.to.relay) return std::nullopt;
  for (const DialFailure why : {DialFailure::no_answer, DialFailure::hung_up, DialFailure::stranger,
                                DialFailure::refused, DialFailure::unknown_host})
    for (const Attempt& attempt : attempts_)
      if (attempt.step == Step::failed && attempt.why == why) return why;
  return DialFailure::no_answer;
}

}  // namespace rollcall::taskstarter
