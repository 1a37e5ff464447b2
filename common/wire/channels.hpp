// Channels: many conversations over one connection, at one end of it. Pure: bytes in, events out; bytes in, bytes out.
//
//   piece   = length channel kind body      length: as in frame.hpp, of all that follows it
//   channel = 4 bytes, big endian; the end that dialed numbers them, each larger than the one before
//   kind    = 1 byte: 1 open (no body) | 2 data (1 ..= 16384 bytes) | 3 close (no body) | 4 credit (4 bytes, big endian)
//
// Each channel has a window of its own in each direction: so many bytes may be under way that the other end's owner has not
// passed on yet. Credit gives them back. So who does not read holds up nobody else, and no end keeps more than a window for
// a channel. What leaves is taken from all channels in turn, a piece of each: who sends without end gets his share. A close
// follows what was sent before it, and means that nothing more is heard in either direction.
//
// channel, as this end has it         |
//   open() | open came         -> open
//   open       data came       -> open: Arrived          more than the window: error
//   open       credit came     -> open: what waits may leave
//   open       close came      -> gone: Ended            what waits to leave is dropped
//   open       close()         -> closing: gone when all has left
//   gone       data, credit, close came -> nothing: they crossed our close
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
// First on a connection of channels, as a frame: whoever listens for both knows it from a TaskStarter's Hello by its first byte.
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

  // Which end opens channels. The other may not.
  enum class End { dialed, accepted };
  explicit Channels(End end) : end_(end) {}

  // Bytes from the connection, in any pieces; what they tell is appended to `events`, as far as they are good.
  Result<void> feed(std::string_view bytes, std::vector<Event>& events);

  ChannelId open();
  // Nothing where the channel is gone or closing.
  void send(ChannelId channel, std::string_view bytes);
  // The owner has passed on so much of what arrived.
  void passed_on(ChannelId channel, std::size_t bytes);
  void close(ChannelId channel);

  // Bytes that were sent and have not left. While they are less than a window the owner may read more for the channel.
  std::size_t waiting(ChannelId channel) const;
  bool has_room(ChannelId channel) const { return waiting(channel) < kChannelWindow; }
  std::size_t open_channels() const { return channels_.size(); }

  // What is to leave now, some `most` bytes at the most; empty: nothing can.
  std::string output(std::size_t most);
  bool has_output() const { return !control_.empty() || !turns_.empty(); }

 private:
  struct Channel {
    std::string unsent;
    std::size_t credit = kChannelWindow;  // what the other end still takes
    std::size_t held = 0;                 // what came and was not passed on
    std::size_t owed = 0;                 // what was passed on and not given back
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
  std::deque<ChannelId> turns_;  // channels that have something that may leave
};

}  // namespace rollcall::wire
