#include "common/io/lim_client.hpp"

#include <algorithm>
#include <optional>

#include "common/io/cluster_channel.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/munge_credential.hpp"
#include "common/io/dial_host.hpp"

namespace rollcall::io {
namespace {

// How this user can prove who they are: by the key where they may read it, else by MUNGE.
struct Proof {
  ClusterChannel channel;
  std::optional<std::string> munge;  // munged's socket, "" for the library's own; none: the key has said it
};

Result<Proof> proof_for(const conf::ClusterFiles& files) {
  const auto seed = random_seed();
  const std::string& path = files.settings.key_file;
  if (const auto key = load_cluster_key(path))
    return Proof{ClusterChannel::dial_as_owner(*key, seed), std::nullopt};
  const auto public_half = load_cluster_public_key(public_key_path(path));
  if (!public_half) return public_half.error();
  return Proof{ClusterChannel::dial_as_anyone(*public_half, seed),
               files.lsf_conf.value("ROLLCALL_MUNGE_SOCKET")};
}

Result<std::string> sealed(ClusterChannel& channel, const wire::ToLim& message) {
  const std::string payload = message.SerializeAsString();
  if (payload.size() > channel.most())
    return internal_error("a question of " + std::to_string(payload.size()) + " bytes, expected at most " +
                          std::to_string(channel.most()) + ": name fewer hosts");
  return channel.seal(payload);
}

// One conversation: the handshake, the question, all parts of the answer.
class Conversation {
 public:
  Conversation(HostConnection connection, Proof proof)
      : connection_(std::move(connection)),
        channel_(std::move(proof.channel)),
        munge_(std::move(proof.munge)) {}

  Result<wire::Reply> hold(const wire::Request& request) {
    if (const auto sent = connection_.send(channel_.start()); !sent) return sent.error();
    while (!channel_.open())
      if (const auto turned = turn(); !turned) return turned.error();
    if (const auto asked = ask(request); !asked) return asked.error();
    while (!complete_)
      if (const auto turned = turn(); !turned) return turned.error();
    return std::move(reply_);
  }

 private:
  Result<void> ask(const wire::Request& request) {
    // Without MUNGE the LIM decides whether it answers to nobody in particular.
    if (munge_) {
      if (const auto credential = munge_encode(channel_.hash(), *munge_)) {
        wire::ToLim message;
        message.mutable_credential()->set_munge(*credential);
        if (const auto sent = send(message); !sent) return sent.error();
      }
    }
    wire::ToLim message;
    *message.mutable_request() = request;
    return send(message);
  }

  Result<void> send(const wire::ToLim& message) {
    const auto bytes = sealed(channel_, message);
    if (!bytes) return bytes.error();
    return connection_.send(*bytes);
  }

  Result<void> turn() {
    const auto bytes = connection_.receive();
    if (!bytes) return bytes.error();
    std::string answer;
    const auto fed =
        channel_.feed(*bytes, answer, [this](std::string_view payload) { return take(payload); });
    if (!fed) return fed.error();
    return answer.empty() ? Result<void>() : connection_.send(answer);
  }

  Result<void> take(std::string_view payload) {
    wire::FromLim message;
    if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())) || !message.has_reply())
      return internal_error("LIM: found a message that is no reply, expected one");
    reply_.MergeFrom(message.reply());
    complete_ = message.reply().last();
    return {};
  }

  HostConnection connection_;
  ClusterChannel channel_;
  std::optional<std::string> munge_;
  wire::Reply reply_;
  bool complete_ = false;
};

Result<wire::Reply> converse(const conf::ClusterFiles& files, const std::string& host,
                             const wire::Request& request, std::chrono::milliseconds patience) {
  auto proof = proof_for(files);
  if (!proof) return proof.error();
  auto connection =
      HostConnection::dial(files.names.address(host).value_or(host), files.settings.lim_port, patience);
  if (!connection) return connection.error();
  return Conversation(std::move(*connection), std::move(*proof)).hold(request);
}

Answer unreachable(std::string text) {
  return {{}, ClientError{ClientError::Kind::unreachable, std::move(text), {}}};
}

Answer answer_of(wire::Reply reply) {
  if (!reply.has_refusal()) return {std::move(reply), {}};
  ClientError error{ClientError::Kind::refused, reply.refusal().text(), reply.refusal()};
  if (reply.refusal().why() == wire::Reply::Refusal::NOT_MASTER) error.kind = ClientError::Kind::unreachable;
  return {{}, std::move(error)};
}

bool not_master(const Answer& answer) {
  return answer.error && answer.error->refusal.why() == wire::Reply::Refusal::NOT_MASTER;
}

}  // namespace

LimClient::LimClient(const conf::ClusterFiles& files, std::chrono::milliseconds patience)
    : files_(files), patience_(patience) {}

std::vector<std::string> LimClient::first_hosts() const {
  std::vector<std::string> hosts;
  const auto add = [&hosts](const std::string& host) {
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  };
  if (const auto here = files_.names.official(host_name_here())) add(*here);
  for (const auto& host : files_.settings.server_hosts) add(files_.names.official(host).value_or(host));
  for (const auto& host : files_.candidates) add(host);
  if (hosts.empty()) add(host_name_here());  // files with errors: LIM knows better who we are
  return hosts;
}

Answer LimClient::ask_host(const std::string& host, const wire::Request& request) const {
  auto reply = converse(files_, host, request, patience_);
  if (!reply) return unreachable("LIM is down; try later: " + reply.error().text);
  return answer_of(std::move(*reply));
}

Answer LimClient::ask_any(const wire::Request& request) const {
  Answer answer = unreachable("LIM is down; try later: no host is configured to be asked");
  for (const auto& host : first_hosts()) {
    answer = ask_host(host, request);
    if (!answer.error || answer.error->kind == ClientError::Kind::refused || not_master(answer)) break;
  }
  return answer;
}

Answer LimClient::ask_master(const wire::Request& request) const {
  Answer answer = ask_any(request);
  // A LIM may name one that has just stepped down itself.
  for (int hops = 0; hops < 3 && not_master(answer); ++hops) {
    const std::string master = answer.error->refusal.master();
    if (master.empty()) break;
    answer = ask_host(master, request);
  }
  if (not_master(answer)) answer.error->text = "Cannot locate master LIM now, try later";
  return answer;
}

}  // namespace rollcall::io
