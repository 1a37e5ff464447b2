#include "common/wire/channels.hpp"

#include <algorithm>

namespace rollcall::wire {
namespace {

constexpr char kOpen = 1, kData = 2, kClose = 3, kCredit = 4;
constexpr std::size_t kPieceHeader = 5;
constexpr std::size_t kGiveBack = kChannelWindow / 4;  // credit is given in no smaller parts

void append_number(std::string& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(number >> shift & 0xff));
}

std::uint32_t number_at(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

void append_piece(std::string& out, ChannelId channel, char kind, std::string_view body = {}) {
  append_number(out, static_cast<std::uint32_t>(kPieceHeader + body.size()));
  append_number(out, channel);
  out.push_back(kind);
  out.append(body);
}

Error wrong(ChannelId channel, const std::string& what) {
  return internal_error("channel " + std::to_string(channel) + ": " + what);
}

}  // namespace

Result<void> Channels::feed(std::string_view bytes, std::vector<Event>& events) {
  return decoder_.feed(
      bytes, [] { return kPieceHeader + kPieceBytes; },
      [&](std::string_view piece) { return take(piece, events); });
}

Result<void> Channels::take(std::string_view piece, std::vector<Event>& events) {
  if (piece.size() < kPieceHeader)
    return internal_error("found a piece of " + std::to_string(piece.size()) + " bytes, expected at least 5");
  const ChannelId id = number_at(piece);
  const char kind = piece[4];
  const std::string_view body = piece.substr(kPieceHeader);
  if (kind == kOpen) {
    if (end_ == End::dialed || id <= last_ || !body.empty()) return wrong(id, "it cannot be opened");
    last_ = id;
    channels_[id];
    events.push_back(Opened{id});
    return {};
  }
  if (id == 0 || id > last_) return wrong(id, "it was never opened");
  switch (kind) {
    case kData:
      return take_data(id, body, events);
    case kCredit:
      return take_credit(id, body);
    case kClose:
      if (!body.empty()) return wrong(id, "found bytes behind its close");
      if (const auto found = channels_.find(id); found != channels_.end()) {
        const bool heard = !found->second.closing;
        channels_.erase(found);
        if (heard) events.push_back(Ended{id});
      }
      return {};
    default:
      return wrong(id, "found kind " + std::to_string(kind) + ", expected 1 to 4");
  }
}

Result<void> Channels::take_data(ChannelId id, std::string_view body, std::vector<Event>& events) {
  if (body.empty()) return wrong(id, "found data of no bytes");
  const auto found = channels_.find(id);
  if (found == channels_.end() || found->second.closing) return {};
  found->second.held += body.size();
  if (found->second.held + found->second.owed > kChannelWindow)
    return wrong(id, "found more bytes than its window");
  events.push_back(Arrived{id, std::string(body)});
  return {};
}

Result<void> Channels::take_credit(ChannelId id, std::string_view body) {
  if (body.size() != 4)
    return wrong(id, "found a credit of " + std::to_string(body.size()) + " bytes, expected 4");
  const auto found = channels_.find(id);
  if (found == channels_.end()) return {};
  const std::size_t credit = found->second.credit + number_at(body);
  if (credit > kChannelWindow) return wrong(id, "found more credit than its window");
  found->second.credit = credit;
  queue(found);
  return {};
}

ChannelId Channels::open() {
  channels_[++last_];
  append_piece(control_, last_, kOpen);
  return last_;
}

void Channels::send(ChannelId channel, std::string_view bytes) {
  const auto found = channels_.find(channel);
  if (found == channels_.end() || found->second.closing || bytes.empty()) return;
  found->second.unsent.append(bytes);
  queue(found);
}

void Channels::passed_on(ChannelId channel, std::size_t bytes) {
  const auto found = channels_.find(channel);
  if (found == channels_.end()) return;
  Channel& c = found->second;
  const std::size_t taken = std::min(bytes, c.held);
  c.held -= taken;
  c.owed += taken;
  if (c.owed < kGiveBack || c.closing) return;
  std::string body;
  append_number(body, static_cast<std::uint32_t>(c.owed));
  append_piece(control_, channel, kCredit, body);
  c.owed = 0;
}

void Channels::close(ChannelId channel) {
  const auto found = channels_.find(channel);
  if (found == channels_.end() || found->second.closing) return;
  found->second.closing = true;
  queue(found);
}

std::size_t Channels::waiting(ChannelId channel) const {
  const auto found = channels_.find(channel);
  return found == channels_.end() ? 0 : found->second.unsent.size();
}

// Queues the channel for its turn if it has data that may leave.
void Channels::queue(Place place) {
  Channel& c = place->second;
  const bool may_leave = c.unsent.empty() ? c.closing : c.credit > 0;
  if (!may_leave || c.in_turns) return;
  c.in_turns = true;
  turns_.push_back(place->first);
}

std::string Channels::output(std::size_t most) {
  std::string out = std::exchange(control_, {});
  while (out.size() < most && !turns_.empty()) take_turn(out);
  return out;
}

void Channels::take_turn(std::string& out) {
  const ChannelId id = turns_.front();
  turns_.pop_front();
  const auto found = channels_.find(id);
  if (found == channels_.end()) return;
  Channel& c = found->second;
  c.in_turns = false;
  if (const std::size_t size = std::min({c.unsent.size(), c.credit, kPieceBytes}); size > 0) {
    append_piece(out, id, kData, std::string_view(c.unsent).substr(0, size));
    c.unsent.erase(0, size);
    c.credit -= size;
  }
  if (c.unsent.empty() && c.closing) {
    append_piece(out, id, kClose);
    channels_.erase(found);
    return;
  }
  queue(found);
}

}  // namespace rollcall::wire
