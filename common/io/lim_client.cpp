#include "common/io/lim_client.hpp"

#include <algorithm>
#include <optional>

#include "common/io/daemon_client.hpp"
#include "common/io/host_addresses.hpp"

namespace rollcall::io {
namespace {

struct LimProtocol {
  using Out = wire::ToLim;
  using In = wire::FromLim;
  static constexpr bool kMustProve = false;
  static void introduce(Out& message, const std::string& credential) {
    message.mutable_credential()->set_munge(credential);
  }
  static bool is_answer(const In& message) { return message.has_reply(); }
};

TalkError told_of(const TalkError& error) {
  if (error.kind == TalkError::Kind::ours) return {error.kind, error.text + ": name fewer hosts"};
  if (error.kind == TalkError::Kind::garbled) return {error.kind, "LIM: " + error.text};
  return error;
}

// One conversation: the question and all parts of the answer.
Talked<wire::Reply> converse(const conf::ClusterFiles& files, const std::string& host,
                             const wire::Request& request, std::chrono::milliseconds patience) {
  auto client = DaemonClient<LimProtocol>::open(files, {host, files.settings.lim_port, patience});
  if (!client) return client.error();
  wire::ToLim message;
  *message.mutable_request() = request;
  if (const auto asked = client->send(std::move(message)); !asked) return told_of(asked.error());
  wire::Reply reply;
  while (!reply.last()) {
    const auto part = client->receive();
    if (!part) return told_of(part.error());
    reply.MergeFrom((*part)->reply());
  }
  return reply;
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
  if (const auto here = files_.names.official(host_name_here()))
    add(*here);
  else if (files_.cluster.hosts.empty())
    add(host_name_here());  // files_to_ask() has no hosts: the port shows at once whether a LIM is here
  for (const auto& host : files_.settings.server_hosts) add(files_.names.official(host).value_or(host));
  for (const auto& host : files_.candidates) add(host);
  return hosts;
}

Answer LimClient::ask_host(const std::string& host, const wire::Request& request) const {
  auto reply = converse(files_, host, request, patience_);
  if (!reply && reply.error().kind == TalkError::Kind::stranger)
    return unreachable("LIM on host " + host + ": " + reply.error().text +
                       ": another cluster's daemon, or a key that was replaced; look at LSF_LIM_PORT and " +
                       public_key_path(files_.settings.key_file));
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
  // The named master may have just stepped down itself.
  for (int hops = 0; hops < 3 && not_master(answer); ++hops) {
    const std::string master = answer.error->refusal.master();
    if (master.empty()) break;
    answer = ask_host(master, request);
  }
  if (not_master(answer)) answer.error->text = "Cannot locate master LIM now, try later";
  return answer;
}

}  // namespace rollcall::io
