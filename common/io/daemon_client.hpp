// DaemonClient: a client's connection with LIM, mbatchd or RES in the messages of that daemon's protocol. Blocking.
//
// It opens a DaemonTalk, introduces the user, sends a message (in parts where it is larger than a client's frame), and reads
// answers. LimClient, BatchClient and ResClient know the requests, retry after failures and name them; each has its Protocol:
//
//   struct Protocol {
//     using Out = ...; using In = ...;         the messages of a client, and those of the daemon
//     static constexpr bool kMustProve = ...;  whether the daemon tells nothing to a client that has not proved its user
//     static void introduce(Out&, const std::string& credential);       the first message of a client that has MUNGE
//     static std::optional<std::string> divisible(const Out&);          the bytes of Out to divide into parts; none: indivisible
//     static bool is_answer(const In&);                                 what a client may be told
//   };
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "common/io/daemon_talk.hpp"
#include "common/wire/request_parts.hpp"

namespace rollcall::io {

template <class Protocol>
class DaemonClient {
 public:
  using Out = typename Protocol::Out;
  using In = typename Protocol::In;

  struct Where {
    std::string host;  // official name
    int port = 0;
    std::chrono::milliseconds patience{5000};  // for the host to accept, and to send the next bytes
    std::optional<Ticket> ticket{};            // see DaemonTalk::Call
  };

  static Talked<DaemonClient> open(const conf::ClusterFiles& files, Where where) {
    DaemonTalk::Call call{std::move(where.host),
                          where.port,
                          where.patience,
                          [](const std::string& credential) {
                            Out message;
                            Protocol::introduce(message, credential);
                            return message.SerializeAsString();
                          },
                          Protocol::kMustProve,
                          std::move(where.ticket)};
    auto talk = DaemonTalk::open(files, call);
    if (!talk) return talk.error();
    return DaemonClient(std::move(*talk));
  }

  // The kind is `ours` where the message is too large.
  Talked<void> send(Out message) {
    if constexpr (requires { message.set_part(std::string()); }) {
      if (message.ByteSizeLong() > talk_.most())
        if (const auto whole = Protocol::divisible(message)) return send_parts(std::move(message), *whole);
    }
    return talk_.send(message.SerializeAsString());
  }

  // The daemon's next message. `wake` as in DaemonTalk::receive().
  Talked<std::optional<In>> receive(std::optional<int> wake = std::nullopt) {
    const auto payload = talk_.receive(wake);
    if (!payload) return payload.error();
    if (!*payload) return std::optional<In>();
    std::optional<In> message(std::in_place);
    if (!message->ParseFromString(**payload) || !Protocol::is_answer(*message))
      return TalkError{TalkError::Kind::garbled, "found a message that is no reply, expected one"};
    return message;
  }

  DaemonTalk& talk() { return talk_; }

 private:
  explicit DaemonClient(DaemonTalk talk) : talk_(std::move(talk)) {}

  // Every part repeats the fields beside the request.
  Talked<void> send_parts(Out message, const std::string& whole) {
    if (whole.size() > wire::kMostRequest)
      return TalkError{TalkError::Kind::ours, "a request of " + std::to_string(whole.size()) +
                                                  " bytes, expected at most " +
                                                  std::to_string(wire::kMostRequest)};
    message.set_part(std::string());
    constexpr std::size_t kPartHead = 16;  // a tag and the length of a part, at most
    const auto parts = wire::parts_of(whole, talk_.most() - message.ByteSizeLong() - kPartHead);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i + 1 == parts.size())
        message.set_last_part(std::string(parts[i]));
      else
        message.set_part(std::string(parts[i]));
      if (const auto sent = talk_.send(message.SerializeAsString()); !sent) return sent;
    }
    return {};
  }

  DaemonTalk talk_;
};

}  // namespace rollcall::io
