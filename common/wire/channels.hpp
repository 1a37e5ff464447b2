// Channels: many conversations over one connection; one of its two ends. Pure: bytes in, events out; bytes in, bytes out.
//
//   piece   = length channel kind body      length: as in frame.hpp, of all that follows it
//   channel = 4 bytes, big endian; the end that dialed numbers them, each larger than the one before
//   kind    = 1 byte: 1 open (no body) | 2 data (1 ..= 16384 bytes) | 3 close (no body) | 4 credit (4 bytes, big endian)
//
// Each channel has a window in each direction: the bytes that may be under way until the receiving end's owner has passed them
// on. Credit returns them. So a slow reader blocks no other channel, and no end stores more than a window for a channel. Sending
// takes turns, one piece of each channel, so that a busy channel gets only its share. A close follows all data sent before it;
// after it no data arrives in either direction.
//
// channel, as this end has it         |
//   open() | open came         -> open
//   open       data came       -> open: Arrived          more than the window: error
//   open       credit came     -> open: what waits may leave
//   open       close came      -> gone: Ended            what waits to leave is dropped
//   open       close()         -> closing: gone when all has left
//   gone       data, credit, close came -> ignored: they crossed our close
//   never open: error; an error is final, the connection is to be closed
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::wire {

using ChannelId = std::uint32_t;

inline constexpr std::size_t kChannelWindow = 64 << 10;  // bytes, in each direction
inline constexpr std::size_t kPieceBytes = 16 << 10;     // of data in one piece
// The first frame of a connection with channels: its first byte distinguishes it from a TaskStarter's Hello.
inline constexpr std::string_view kChannelsHello = "rollcall channels v1";

class Channels {
 public:
  struct Opened {
    ChannelId channel;
  };
  struct Arrived {
    ChannelId channel;
    std::string bytes;
  };
  struct Ended {
    ChannelId channel;
  };
  using Event = std::variant<Opened, Arrived, Ended>;

  // Which end opens channels. The other must not.
  enum class End { dialed, accepted };
  explicit Channels(End end) : end_(end) {}

  // Takes bytes from the connection, in any pieces, and appends their events to `events`, up to the first error.
  Result<void> feed(std::string_view bytes, std::vector<Event>& events);

  ChannelId open();
  // Does nothing where the channel is gone or closing.
  void send(ChannelId channel, std::string_view bytes);
  // The owner has passed on this many of the arrived bytes.
  void passed_on(ChannelId channel, std::size_t bytes);
  void close(ChannelId channel);

  // Bytes that wait to leave. While they are less than a window the owner may read more for the channel.
  std::size_t waiting(ChannelId channel) const;
  bool has_room(ChannelId channel) const { return waiting(channel) < kChannelWindow; }
  std::size_t open_channels() const { return channels_.size(); }

  // The bytes to write now, about `most` at most; empty: none.
  std::string output(std::size_t most);
  bool has_output() const { return !control_.empty() || !turns_.empty(); }

 private:
  struct Channel {
    std::string unsent;
    std::size_t credit = kChannelWindow;  // what the other end still accepts
    std::size_t held = 0;                 // arrived and not passed on
    std::size_t owed = 0;                 // passed on and not credited
    bool closing = false;
    bool in_turns = false;
  };
  using Place = std::map<ChannelId, Channel>::iterator;

  Result<void> take(std::string_view piece, std::vector<Event>& events);
  Result<void> take_data(ChannelId id, std::string_view body, std::vector<Event>& events);
  Result<void> take_credit(ChannelId id, std::string_view body);
  void take_turn(std::string& out);
  void queue(Place place);

  End end_;
  ChannelId last_ = 0;  // the largest that was opened
  FrameDecoder decoder_;
  std::map<ChannelId, Channel> channels_;
  std::string control_;          // opens and credits: they leave first
  std::deque<ChannelId> turns_;  // channels with data that may leave
};

}  // namespace rollcall::wire
