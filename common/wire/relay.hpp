// Relay: the TaskStarters of a job on one host, joined to their pam over one connection. A stepper without a socket.
//
// A TaskStarter sends the address of its pam in one frame (the words of its -p: "HOST,HOST:PORT"), and then talks to pam as
// without a relay: the relay passes bytes on and reads none of them; it holds no key. All TaskStarters of one pam share one
// connection, with a channel each (common/wire/channels.hpp). A TaskStarter that cannot be joined, or whose connection is lost,
// is let go and dials pam itself. So the relay never waits, retries or decides that a pam is dead.
//
// a starter \ event | said                          | left               | its pam is lost, or closes its channel
//   asking            whole frame: joined; bad: LetGo | gone               | -
//   joined            passed on, at most a window waits | channel closed     | LetGo, after what it was given
// a pam \ event     | reached                       | heard              | lost
//   dialing           up: what waits may leave        | -                  | all its starters: LetGo; the next one dials anew
//   up                -                               | Give; error: HangUp | the same
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/wire/channels.hpp"

namespace rollcall::wire {

using StarterId = std::uint64_t;
using PamId = std::uint64_t;

inline constexpr std::size_t kAskLimit = 4096;  // bytes of the frame that says where pam is

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

  // A starter is known from its first bytes until it has left or was let go.
  Effects said(StarterId starter, std::string_view bytes);
  void took(StarterId starter, std::size_t bytes);
  void left(StarterId starter);

  Effects reached(PamId pam);
  Effects heard(PamId pam, std::string_view bytes);
  Effects lost(PamId pam);

  // Whether more may be read from a starter now: who sends faster than its pam takes waits.
  bool may_read(StarterId starter) const;
  // 0: it has not said where its pam is, or is not known.
  PamId pam_of(StarterId starter) const;
  bool has_output(PamId pam) const;
  // All that TaskStarters said before they left has been taken by output().
  bool all_left(PamId pam) const;
  std::string output(PamId pam, std::size_t most);

 private:
  struct Starter {
    std::string asked;  // of its first frame
    PamId pam = 0;      // 0: it has not said
    ChannelId channel = 0;
  };
  struct Pam {
    std::string place;
    bool up = false;
    Channels channels{Channels::End::dialed};
    std::map<ChannelId, StarterId> starters;
  };

  Effects ask(StarterId id, Starter& starter, std::string_view bytes);
  PamId pam_at(const std::string& place, Effects& effects);
  void take(Pam& pam, const Channels::Event& event, Effects& effects);

  std::map<StarterId, Starter> starters_;
  std::map<PamId, Pam> pams_;
  PamId last_pam_ = 0;
};

}  // namespace rollcall::wire
