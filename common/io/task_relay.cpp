#include "common/io/task_relay.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "common/io/abstract_socket.hpp"
#include "common/io/relay_directory.hpp"

namespace rollcall::io {
namespace {

constexpr std::size_t kMostStarters = 8192;
constexpr int kMostAccepted = 256;                          // per turn, connections of other users included
constexpr Duration kAcceptPause = std::chrono::seconds(1);  // after accept4() failed
constexpr std::size_t kRelayPiece = 16 << 10;
constexpr int kRelayPieces = 4;  // per peer and turn: other peers, limits and orders wait meanwhile
constexpr std::size_t kMostUnsent = 128 << 10;  // sealed bytes for one pam, besides what waits in relay_
constexpr std::size_t kMostInRecord = 256 << 10;

// Sends as much as the socket takes now. False: the peer is gone.
bool send_some(const Descriptor& socket, std::string& bytes, std::size_t& sent) {
  bool up = true;
  while (sent < bytes.size()) {
    const ssize_t size =
        send(socket.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      up = errno == EAGAIN;
      break;
    }
    sent += static_cast<std::size_t>(size);
  }
  bytes.erase(0, sent);
  return up;
}

// Tells a TaskStarter that its last message is on its way to pam. One that has ended already need not hear it.
void tell_end(const Descriptor& starter) {
  std::string bytes;
  wire::append_frame(bytes, wire::kRelayTold);
  std::size_t sent = 0;
  send_some(starter, bytes, sent);
}

short events_at(const std::vector<pollfd>& fds, std::size_t slot) {
  return slot < fds.size() ? fds[slot].revents : short{0};
}

}  // namespace

void TaskRelay::listen(const std::string& name) {
  listener_ = listen_abstract(relay_socket(name));
  if (listener_) name_ = name;
}

void TaskRelay::serve(Descriptor listener) { listener_ = std::move(listener); }

bool TaskRelay::idle() const {
  return starters_.empty() &&
         std::all_of(pams_.begin(), pams_.end(), [](const auto& pam) { return pam.second.ended.empty(); });
}

// ---- one turn

void TaskRelay::add_to(std::vector<pollfd>& fds) {
  if (!listener_) return;
  const auto add = [&fds](int fd, int events) {
    fds.push_back({fd, static_cast<short>(events), 0});
    return fds.size() - 1;
  };
  const bool accepts = starters_.size() < kMostStarters && !accept_again_;
  slot_ = accepts ? add(listener_.get(), POLLIN) : kNotPolled;
  for (auto& [id, starter] : starters_) {
    const bool reads = !starter.leaving && relay_.may_read(id);
    // Skip a starter that may not be read now: if it is gone, poll() would report that again and again.
    const bool looked_at = reads || starter.leaving || !starter.unsent.empty();
    starter.slot =
        looked_at ? add(starter.socket.get(), (reads ? POLLIN : 0) | (starter.unsent.empty() ? 0 : POLLOUT))
                  : kNotPolled;
  }
  for (auto& [id, pam] : pams_) {
    pam.slot = kNotPolled;
    if (pam.dial) pam.dial->add_to(fds);
    if (pam.socket)
      pam.slot = add(pam.socket.get(), POLLIN | (pam.unsent.empty() && !relay_.has_output(id) ? 0 : POLLOUT));
  }
}

void TaskRelay::turn(const std::vector<pollfd>& fds, TimePoint now) {
  if (!listener_) return;
  now_ = now;
  // Collect the ids first: handling one event may erase any starter or pam.
  std::vector<wire::StarterId> starters;
  for (const auto& [id, starter] : starters_)
    if (events_at(fds, starter.slot) != 0) starters.push_back(id);
  std::vector<wire::PamId> pams;
  for (const auto& [id, pam] : pams_)
    if (pam.dial || events_at(fds, pam.slot) != 0) pams.push_back(id);
  // While a pam takes little, the same ones must not always be the first.
  std::rotate(starters.begin(), std::lower_bound(starters.begin(), starters.end(), next_read_),
              starters.end());
  if (!starters.empty()) next_read_ = starters.front() + 1;
  for (const wire::StarterId id : starters)
    if (const auto found = starters_.find(id); found != starters_.end())
      turn_starter(id, found->second, events_at(fds, found->second.slot));
  for (const wire::PamId id : pams)
    if (const auto found = pams_.find(id); found != pams_.end()) turn_pam(id, found->second, fds);
  if (accept_again_ && now >= *accept_again_) accept_again_.reset();
  if (events_at(fds, slot_) != 0) accept_some();
  write_pams();
}

std::optional<TimePoint> TaskRelay::next_deadline() const {
  std::optional<TimePoint> first = accept_again_;
  for (const auto& [id, pam] : pams_)
    if (pam.dial) first = first ? std::min(*first, pam.dial->next_deadline()) : pam.dial->next_deadline();
  return first;
}

// ---- starters

void TaskRelay::accept_some() {
  for (int count = 0; count < kMostAccepted && starters_.size() < kMostStarters; ++count) {
    Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      // Starters wait in the backlog, and dial pam themselves when that takes too long.
      if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) accept_again_ = now_ + kAcceptPause;
      return;
    }
    if (!peer_is_our_user(socket)) continue;
    const wire::StarterId id = ++last_starter_;
    Starter& starter = starters_[id];
    starter.socket = std::move(socket);
    turn_starter(id, starter, POLLIN);  // it has usually sent its frame already
  }
}

void TaskRelay::turn_starter(wire::StarterId id, Starter& starter, short ready) {
  // One that is gone is read to its end: a task's end may be in what it said last.
  const bool takes = (ready & POLLOUT) == 0 || write_starter(id, starter);
  if (!takes) starter.unsent.clear();
  bool up = takes || !starter.leaving;
  if (up && !starter.leaving && (ready & (POLLIN | POLLHUP | POLLERR)) != 0) up = read_starter(id, starter);
  // A starter that was let go is not read any more, so only poll() shows that it is gone.
  if (up && starter.leaving) up = !starter.unsent.empty() && (ready & (POLLHUP | POLLERR)) == 0;
  const auto found = starters_.find(id);
  if (up || found == starters_.end()) return;
  // With bytes that it has not taken it would not find the end: without the end it dials.
  if (const auto pam = pams_.find(relay_.pam_of(id)); pam != pams_.end() && starter.unsent.empty())
    pam->second.ended.push_back(std::move(found->second.socket));
  relay_.left(id);
  starters_.erase(found);
}

bool TaskRelay::read_starter(wire::StarterId id, Starter& starter) {
  std::array<char, kRelayPiece> bytes;
  for (int pieces = 0; pieces < kRelayPieces && relay_.may_read(id); ++pieces) {
    const ssize_t size = recv(starter.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    if (size == 0) return false;
    carry_out(relay_.said(id, {bytes.data(), static_cast<std::size_t>(size)}));
    if (starter.leaving) return true;
  }
  return true;
}

bool TaskRelay::write_starter(wire::StarterId id, Starter& starter) {
  std::size_t sent = 0;
  const bool up = send_some(starter.socket, starter.unsent, sent);
  relay_.took(id, sent);
  return up;
}

// ---- pams

void TaskRelay::lose(wire::PamId id) {
  carry_out(relay_.lost(id));
  pams_.erase(id);
}

void TaskRelay::begin_talk(Pam& pam, Descriptor socket) {
  pam.dial.reset();
  pam.socket = std::move(socket);
  pam.talk.emplace(SecureChannel::starter(pam.key, random_nonce()));
  pam.unsent = pam.talk->start();
}

void TaskRelay::turn_pam(wire::PamId id, Pam& pam, const std::vector<pollfd>& fds) {
  if (pam.dial) {
    if (auto socket = pam.dial->turn(fds, now_))
      begin_talk(pam, std::move(*socket));
    else if (pam.dial->failed())
      lose(id);
    return;
  }
  if ((events_at(fds, pam.slot) & ~POLLOUT) != 0 && !read_pam(id, pam)) lose(id);
}

// False: the pam is gone.
bool TaskRelay::read_pam(wire::PamId id, Pam& pam) {
  std::array<char, kRelayPiece> bytes;
  for (int pieces = 0; pieces < kRelayPieces; ++pieces) {
    const ssize_t size = recv(pam.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    if (size == 0 || !feed_pam(id, pam, {bytes.data(), static_cast<std::size_t>(size)})) return false;
    if (!pams_.contains(id)) return true;  // carry_out() hung it up
  }
  return true;
}

// Messages are collected first and carried out afterwards: carrying one out may end the conversation that delivers them.
bool TaskRelay::feed_pam(wire::PamId id, Pam& pam, std::string_view bytes) {
  const bool was_open = pam.talk->open();
  wire::Relay::Effects effects;
  const auto fed = pam.talk->feed(bytes, pam.unsent, [&](std::string_view payload) -> Result<void> {
    pam.answers = true;
    for (auto& effect : relay_.heard(id, payload)) effects.push_back(std::move(effect));
    return {};
  });
  if (!was_open && pam.talk->open()) {
    const Instance& instance = pam.talk->peer_instance();
    carry_out(relay_.reached(id, {reinterpret_cast<const char*>(instance.data()), instance.size()}));
  }
  carry_out(effects);
  return fed.has_value();
}

bool TaskRelay::write_pam(wire::PamId id, Pam& pam) {
  bool up = true;
  while (up && (!pam.unsent.empty() || relay_.has_output(id))) {
    if (pam.unsent.size() < kMostUnsent)
      if (const std::string items = relay_.output(id, kMostInRecord); !items.empty())
        pam.unsent += pam.talk->seal(items);
    std::size_t sent = 0;
    up = send_some(pam.socket, pam.unsent, sent);
    if (sent == 0) break;
  }
  if (pam.answers && pam.unsent.empty() && !relay_.has_output(id)) {
    for (const Descriptor& starter : pam.ended) tell_end(starter);
    pam.ended.clear();
  }
  return up;
}

// Called once after all events of a turn, so that their output leaves together.
void TaskRelay::write_pams() {
  std::vector<wire::PamId> gone;
  for (auto& [id, pam] : pams_)
    if (pam.socket && !write_pam(id, pam)) gone.push_back(id);
  for (const wire::PamId id : gone) lose(id);
}

// ---- what the policy asks for

void TaskRelay::carry_out(const wire::Relay::Effects& effects) {
  for (const auto& effect : effects) std::visit([this](const auto& e) { carry_out(e); }, effect);
}

void TaskRelay::carry_out(const wire::relay::Dial& e) {
  Pam& pam = pams_[e.pam];
  std::copy_n(e.key.begin(), std::min(e.key.size(), pam.key.size()), pam.key.begin());
  pam.dial.emplace(e.place, now_);
}

void TaskRelay::carry_out(const wire::relay::Give& e) {
  const auto found = starters_.find(e.starter);
  if (found == starters_.end()) return;
  found->second.unsent += e.bytes;
  write_starter(e.starter, found->second);  // a lost connection shows at the next read
}

void TaskRelay::carry_out(const wire::relay::LetGo& e) {
  const auto found = starters_.find(e.starter);
  if (found == starters_.end()) return;
  found->second.leaving = true;
  // With everything sent, shut the connection down at once. The socket itself stays: our caller may still be using it.
  if (found->second.unsent.empty()) shutdown(found->second.socket.get(), SHUT_RDWR);
}

void TaskRelay::carry_out(const wire::relay::HangUp& e) { pams_.erase(e.pam); }

}  // namespace rollcall::io
