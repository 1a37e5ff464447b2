// WaitAnswer: what pam says in place of a Challenge when it has no room for a TaskStarter: how long it is to wait before it dials again.
//
// It is one frame in clear, and proves that pam lives and has the key, for this Hello alone (docs/protocol.md, Handshake). Whoever sent
// the Hello has proved nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/job_clock.hpp"
#include "common/io/secure_channel.hpp"

namespace rollcall::io {

inline constexpr std::size_t kHelloFrameBytes = 40;
inline constexpr std::size_t kWaitFrameBytes = 40;

// True for bytes that a Hello may begin with, of which some are missing.
bool begins_hello(std::string_view bytes);
// The frame that answers this Hello. `wait` is told in milliseconds.
std::string wait_answer(const Key& key, std::string_view hello_frame, Duration wait);

// What a TaskStarter makes of the first bytes that answer its Hello.
struct FirstAnswer {
  enum class Kind {
    unfinished,
    other,  // no WaitAnswer: the handshake goes on
    wait,
    forged  // its proof is wrong
  };
  Kind kind = Kind::unfinished;
  Duration wait{0};
};
FirstAnswer first_answer(const Key& key, std::string_view hello_frame, std::string_view bytes);

}  // namespace rollcall::io
