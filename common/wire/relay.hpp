// Relay: the TaskStarters of a job on one host, joined to their pam in one conversation. A stepper without a socket and without a cipher.
//
// A TaskStarter asks in one frame: the words of its -p ("HOST,HOST:PORT"), a zero byte, and the key of this pam's relays, which it
// made from the user's key (common/io/secure_channel.hpp). When pam has proved itself to the relay, the relay sends the TaskStarter
// one frame, which names pam's instance. After it each frame is one message, which the relay passes on without reading it.
// All TaskStarters that ask with the same words share one conversation. A TaskStarter that cannot be joined, or whose pam is lost, is let
// go and dials pam itself. So the relay never waits, retries or decides that a pam is dead.
//
// a starter \ event | said                          | left               | its pam is lost, or ends the task
//   asking            whole frame: waiting; bad: LetGo | gone              | -
//   waiting           (is not read)                 | gone               | LetGo
//   joined            a message is passed on; bad: LetGo, end | gone, end  | LetGo, after what it was given
// a pam \ event     | reached                       | heard              | lost
//   dialing           up: its starters are joined   | -                  | all its starters: LetGo; the next one dials anew
//   up                -                             | Give; error: HangUp | the same
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/wire/frame.hpp"
#include "common/wire/relay_items.hpp"

namespace rollcall::wire {

using StarterId = std::uint64_t;
using PamId = std::uint64_t;

inline constexpr std::size_t kAskLimit = 4096;     // bytes of the frame that says where pam is
inline constexpr std::size_t kRelayKeyBytes = 32;  // at the end of that frame
// Messages for pam that wait to leave: while there are more, TaskStarters are not read.
inline constexpr std::size_t kMostForPam = 128 << 10;
// Bytes that wait for a TaskStarter; one for which there are more does not read, and is let go.
inline constexpr std::size_t kMostForStarter = 256 << 10;
// The last frame for a TaskStarter: all that it said is in the connection to pam, which has answered. No message of pam is these bytes.
inline constexpr std::string_view kRelayTold = "told";
// A frame with it in place of an address asks a job's shepherd where the job's directory on this host is. The answer is one frame, then the
// relay lets the asker go.
inline constexpr std::string_view kAskDirectory = "rollcall directory v1";
// Relays of jobs on hosts of several clusters, whose directory has the job's key (docs/decisions/0106).
inline constexpr std::string_view kSpanRelay = "rollcall/span/";
inline bool is_span_relay(std::string_view name) { return name.starts_with(kSpanRelay); }

struct PamPlace {
  std::vector<std::string> addresses;  // names and numbers, as they were given
  std::uint16_t port = 0;
};
// Nothing where it is none.
std::optional<PamPlace> pam_place(std::string_view text);

namespace relay {
struct Dial {
  PamId pam;
  PamPlace place;
  std::string key;  // of kRelayKeyBytes
};
struct Give {  // bytes for a starter; took() says when it has them
  StarterId starter;
  std::string bytes;
};
struct LetGo {  // closes its connection, when it has taken what it was given
  StarterId starter;
};
struct HangUp {  // closes the connection to a pam, which is gone for the relay
  PamId pam;
};
using Effect = std::variant<Dial, Give, LetGo, HangUp>;
using Effects = std::vector<Effect>;
}  // namespace relay

class Relay {
 public:
  using Effects = relay::Effects;

  // The path of the job's directory, for those who ask for it. Without a path ("", as long as this is not called) they are let go.
  void set_directory(std::string directory) { directory_ = std::move(directory); }

  // A starter is known from its first bytes until it has left or was let go.
  Effects said(StarterId starter, std::string_view bytes);
  void took(StarterId starter, std::size_t bytes);
  void left(StarterId starter);

  // pam has proved itself. `instance`: which one it is, for its starters.
  Effects reached(PamId pam, std::string_view instance);
  // The content of a record of pam's.
  Effects heard(PamId pam, std::string_view payload);
  Effects lost(PamId pam);

  // Whether more may be read from a starter now: while its pam takes nothing it waits.
  bool may_read(StarterId starter) const;
  // 0: it has not said where its pam is, or is not known.
  PamId pam_of(StarterId starter) const;
  bool has_output(PamId pam) const;
  // The content of the next record for pam: whole items of about `most` bytes; "" : none.
  std::string output(PamId pam, std::size_t most);

 private:
  struct Starter {
    std::string asked;      // of its first frame
    PamId pam = 0;          // 0: it has not said
    TaskNumber number = 0;  // 0: it has not said a message
    std::size_t held = 0;   // bytes that it was given and has not taken
    FrameDecoder decoder;
  };
  struct Pam {
    std::string asked;  // what its starters asked with
    bool up = false;
    std::string instance;
    std::string out;
    TaskNumber last = 0;
    std::map<TaskNumber, StarterId> tasks;
    std::vector<StarterId> waiting;  // to be joined
  };

  Effects ask(StarterId id, Starter& starter, std::string_view bytes);
  Effects pass_on(StarterId id, Starter& starter, std::string_view bytes);
  PamId pam_of_ask(const std::string& asked, const PamPlace& place, Effects& effects);
  void give(StarterId id, std::string_view payload, Effects& effects);
  void let_go(StarterId id, Effects& effects);
  void take(Pam& pam, const RelayItem& item, Effects& effects);

  std::map<StarterId, Starter> starters_;
  std::map<PamId, Pam> pams_;
  PamId last_pam_ = 0;
  std::string directory_;
};

}  // namespace rollcall::wire
