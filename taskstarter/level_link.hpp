// What the two levels of TaskStarter say to each other, over one SOCK_SEQPACKET pair. The end of that pair tells each
// that the other is gone.
//
//   outer -> inner   signal       a signal reached the outer level: `value`, by `source`
//                    parent_gone  the launcher's process that started us has ended: `cause`, `value`
//   inner -> outer   relay        end like this once I have ended: `by_signal`, `value`
#pragma once

#include <cstdint>
#include <optional>

#include "common/io/descriptor.hpp"
#include "taskstarter/policy/signal_pairing.hpp"

namespace rollcall::taskstarter {

// As in the message ParentLost of common/wire/task.proto.
enum class EndCause : std::uint8_t { unknown, exited, signaled };

struct LevelMessage {
  enum class Kind : std::uint8_t { signal, parent_gone, relay };
  Kind kind;
  SignalSource source = SignalSource::launcher;
  EndCause cause = EndCause::unknown;
  bool by_signal = false;
  std::int32_t value = 0;
};

class LevelLink {
 public:
  // The two ends. Both are empty where the kernel gives none (errno says why).
  static std::pair<LevelLink, LevelLink> make();

  int fd() const { return end_.get(); }
  explicit operator bool() const { return static_cast<bool>(end_); }

  // Waits while the other level is stopped and the pair is full; nothing is lost. False: the other is gone.
  bool send(const LevelMessage& message) const;

  enum class Got { message, nothing, end };
  Got receive(LevelMessage& message) const;

 private:
  io::Descriptor end_;
};

}  // namespace rollcall::taskstarter
