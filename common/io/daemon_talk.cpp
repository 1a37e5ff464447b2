#include "common/io/daemon_talk.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "common/io/munge_credential.hpp"

namespace rollcall::io {
namespace {

using Kind = TalkError::Kind;

constexpr std::chrono::seconds kMungePause{1};

// How this user can prove who they are: by the key if they may read it, else by MUNGE.
struct Proof {
  ClusterChannel channel;
  std::optional<std::string> munge;  // munged's socket, "" for the library's own; none: the key proves it
};

Result<Proof> proof_for(const conf::ClusterFiles& files, const std::optional<Ticket>& ticket) {
  const auto seed = random_seed();
  if (ticket) return Proof{ClusterChannel::dial_with_ticket(*ticket, seed), std::nullopt};
  const std::string& path = files.settings.key_file;
  if (const auto key = load_cluster_key(path))
    return Proof{ClusterChannel::dial_as_owner(*key, seed), std::nullopt};
  const auto public_half = load_cluster_public_key(public_key_path(path));
  if (!public_half) return public_half.error();
  return Proof{ClusterChannel::dial_as_anyone(*public_half, seed), files.programs.munge_socket};
}

TalkError broken(const Error& error) { return {Kind::broken, error.text}; }

}  // namespace

DaemonTalk::DaemonTalk(HostConnection connection, ClusterChannel channel, bool on_ticket)
    : connection_(std::move(connection)), channel_(std::move(channel)), on_ticket_(on_ticket) {}

Talked<DaemonTalk> DaemonTalk::open(const conf::ClusterFiles& files, const Call& call) {
  auto proof = proof_for(files, call.ticket);
  if (!proof) return TalkError{Kind::ours, proof.error().text};
  auto connection =
      HostConnection::dial(files.names.address(call.host).value_or(call.host), call.port, call.patience);
  if (!connection)
    return TalkError{connection.error().refused ? Kind::refused : Kind::silent, connection.error().text};

  DaemonTalk talk(std::move(*connection), std::move(proof->channel), call.ticket.has_value());
  talk.unsent_ = talk.channel_.start();
  if (talk.on_ticket_) return talk;  // it leaves with the first request
  if (const auto sent = talk.flush(); !sent) return sent.error();
  talk.channel_.prepare();
  talk.greeting_ = true;
  while (!talk.channel_.open()) {
    if (const auto sent = talk.flush(); !sent) return sent.error();
    if (const auto turned = talk.turn(std::nullopt); !turned) return turned.error();
  }
  talk.greeting_ = false;
  if (!proof->munge) return talk;
  // Sent before munged is asked, which may be slow: the daemon gives a handshake little time.
  if (const auto sent = talk.flush(); !sent) return sent.error();
  const auto pause = [] { std::this_thread::sleep_for(kMungePause); };
  const auto credential = call.must_prove ? munge_encode_patiently(talk.channel_.hash(), *proof->munge, pause)
                                          : munge_encode(talk.channel_.hash(), *proof->munge);
  if (!credential && call.must_prove)
    return TalkError{Kind::ours, "cannot authenticate you: " + credential.error().text +
                                     "; try again, or ask your administrator"};
  if (!credential) return talk;
  if (const auto put = talk.put(call.introduction(*credential)); !put) return put.error();
  return talk;
}

Talked<void> DaemonTalk::put(const std::string& payload) {
  if (payload.size() > channel_.most())
    return TalkError{Kind::ours, "a request of " + std::to_string(payload.size()) +
                                     " bytes, expected at most " + std::to_string(channel_.most())};
  unsent_ += channel_.seal(payload);
  return {};
}

Talked<void> DaemonTalk::flush() {
  const auto sent = connection_.send(std::exchange(unsent_, {}));
  if (!sent) return broken(sent.error());
  return {};
}

Talked<void> DaemonTalk::send(const std::string& payload) {
  if (const auto ready = put(payload); !ready) return ready;
  return flush();
}

// Moves arrived payloads into the inbox. False: `wake` came first.
Talked<bool> DaemonTalk::turn(std::optional<int> wake) {
  std::string bytes;
  if (wake) {
    auto received = connection_.receive_or_wake(*wake);
    if (!received) return broken(received.error());
    if (!*received) return false;
    bytes = std::move(**received);
  } else {
    auto received = connection_.receive();
    if (!received) return broken(received.error());
    bytes = std::move(*received);
  }
  const auto fed = channel_.feed(bytes, unsent_, [this](std::string_view payload) -> Result<void> {
    inbox_.emplace_back(payload);
    return {};
  });
  if (!fed) return TalkError{greeting_ ? Kind::stranger : Kind::broken, fed.error().text};
  return true;
}

Talked<std::optional<std::string>> DaemonTalk::receive(std::optional<int> wake) {
  if (const auto sent = flush(); !sent) return sent.error();
  while (inbox_.empty()) {
    const auto turned = turn(wake);
    if (!turned) return turned.error();
    if (!*turned) return std::optional<std::string>();
  }
  std::optional<std::string> payload(std::move(inbox_.front()));
  inbox_.pop_front();
  return payload;
}

}  // namespace rollcall::io
