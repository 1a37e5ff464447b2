// StreamCall: the client's end of a stream (common/wire/stream.proto) in a daemon's loop: dials the shepherd, proves the key, and
// passes payloads in both directions. It knows no message. For mbatchd, which stands between a job here and its client elsewhere.
//
// state x event                    |
//   dialling  connected -> proving; refused, silent: ended
//   proving   the channel is open -> open (`opened`); closed, a wrong proof, 15 s: ended
//   open      payload -> `message`, unless reading is paused; closed, cut, garbled: ended
//   any       leave() -> what was sent leaves, and the peer ends the connection; the destructor: closed at once; neither is told
// One loop, one thread. The handler may destroy the call.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/wire/stream.pb.h"

namespace boost::asio {
class io_context;
}

namespace rollcall::io {

class SideThread;

class StreamCall {
 public:
  struct Handler {
    std::function<void()> opened;
    std::function<Result<void>(std::string_view payload)> message;
    std::function<void(const std::string& why)> ended;
  };
  // `names` looks the host up. The outcome never comes before this returns.
  StreamCall(boost::asio::io_context& loop, SideThread& names, const wire::StreamPlace& place,
             Handler handler);
  ~StreamCall();
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;

  // Only once it is open.
  void send(std::string_view payload);
  std::size_t unsent() const;
  // Without it the peer's bytes stay in the kernel, and the peer waits.
  void read(bool wanted);
  void leave();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall::io
