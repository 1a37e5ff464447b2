// SealedConversation: the common part of every encrypted conversation: frames, a handshake in clear, then a SealedStream for each
// direction. The first error ends it for good.
//
// SecureChannel (pam and its starters) and ClusterChannel (daemons and clients) are built on it; their handshakes, proofs and key
// derivation differ. It owns the frame decoder and both streams, and wipes them; not the socket, not a key that outlives the
// handshake. Small and without Asio: TaskStarter is linked with it on every host.
//   state      a frame            | opened()  | fail(), an error
//   ------------------------------+-----------+-----------------
//   handshake  the handshake's    | open      | failed
//   open       a record: the sink | open      | failed
//   failed     an error           | -         | failed
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/io/handshake_bytes.hpp"
#include "common/io/sealed_stream.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::io {

class SealedConversation {
 public:
  using Taker = std::function<Result<void>(std::string_view payload)>;

  bool open() const { return state_ == State::open; }
  bool failed() const { return state_ == State::failed; }

  // The keys must be made for this conversation alone; they are wiped at their source.
  void begin_sending(handshake::Bytes32& key) { sending_.begin(key); }
  void begin_receiving(handshake::Bytes32& key) { receiving_.begin(key); }
  // The handshake is over: from now on frames are records.
  void opened() { state_ = State::open; }

  // Takes bytes from the peer: frames of at most limit() bytes, asked for each, go to `handshake`, and after it has called
  // opened(), as payloads to `sink`. An error is final.
  Result<void> feed(std::string_view bytes, const std::function<std::size_t()>& limit, const Taker& handshake,
                    const Taker& sink);
  // The frame of a payload; only after sending has begun.
  std::string seal(std::string_view payload) { return sending_.seal(payload); }
  // Opens a record that comes before the handshake is over; only after receiving has begun.
  Result<std::string> open_early(std::string_view record) { return receiving_.open(record); }
  // Ends the conversation and wipes its keys.
  void fail();

 private:
  enum class State : std::uint8_t { handshake, open, failed };

  State state_ = State::handshake;
  SealedStream sending_;
  SealedStream receiving_;
  wire::FrameDecoder decoder_;
};

}  // namespace rollcall::io
