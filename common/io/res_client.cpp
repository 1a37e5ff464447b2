#include "common/io/res_client.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "common/wire/request_parts.hpp"

namespace rollcall::io {
namespace {

ResError unexpected(const std::string& host) {
  return {ResError::Kind::unreachable,
          "RES on host " + host + ": found an answer to something else, expected ours"};
}

ResError error_of(const std::string& host, const TalkError& error) {
  switch (error.kind) {
    case TalkError::Kind::refused:
      return {ResError::Kind::not_running, "RES is not running on host " + host + ": " + error.text};
    case TalkError::Kind::silent:
      return {ResError::Kind::unreachable, "host " + host + " is down or cannot be reached: " + error.text};
    case TalkError::Kind::broken:
      return {ResError::Kind::unreachable, "RES on host " + host + ": " + error.text, false, false, true};
    case TalkError::Kind::garbled:
      return unexpected(host);
    case TalkError::Kind::stranger:
      return {ResError::Kind::refused, "RES on host " + host + ": " + error.text};
    case TalkError::Kind::ours:
      break;
  }
  return {ResError::Kind::refused, error.text};
}

std::optional<ResError> objection_to(const wire::RunTask& task) {
  const auto size = task.ByteSizeLong();
  if (size <= wire::kMostTask) return std::nullopt;
  return ResError{ResError::Kind::refused, "found a task of " + std::to_string(size) +
                                               " bytes with its environment, expected at most " +
                                               std::to_string(wire::kMostTask)};
}

constexpr std::chrono::milliseconds kLook{100};
constexpr std::chrono::seconds kComesBack{5};

// A refusal is the error.
FromRes<wire::FromResToClient> checked(wire::FromResToClient message) {
  if (!message.has_refused()) return message;
  const auto& refused = message.refused();
  return ResError{ResError::Kind::refused, refused.why(), refused.not_allowed(), refused.no_job(),
                  refused.busy()};
}

}  // namespace

FromRes<ResClient::Client> ResClient::open(const std::string& host) const {
  auto client = Client::open(files_, {host, settings_.res_port, patience_});
  if (!client) return error_of(host, client.error());
  return std::move(*client);
}

FromRes<void> ResClient::send(Client& client, const std::string& host, wire::ToResFromClient message) const {
  message.set_host(host);
  const auto sent = client.send(std::move(message));
  if (!sent) return error_of(host, sent.error());
  return {};
}

FromRes<wire::FromResToClient> ResClient::receive(Client& client, const std::string& host,
                                                  bool patiently) const {
  auto message = patiently ? client.receive(-1) : client.receive();
  if (!message) return error_of(host, message.error());
  if (!*message) return unexpected(host);
  return checked(std::move(**message));
}

FromRes<wire::FromResToClient> res_answer_of(const std::string& host, std::string_view payload) {
  wire::FromResToClient message;
  if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return unexpected(host);
  return checked(std::move(message));
}

FromRes<wire::StreamPlace> ResClient::run_task(const std::string& host, const wire::RunTask& task) const {
  if (auto why_not = objection_to(task)) return *why_not;
  auto client = open(host);
  if (!client) return client.error();
  return ask_for_task(*client, host, task);
}

FromRes<wire::StreamPlace> ResClient::run_task(const SpanHost& host, const wire::RunTask& task) const {
  if (auto why_not = objection_to(task)) return *why_not;
  if (!host.ticket)
    return ResError{ResError::Kind::refused, "host " + host.host +
                                                 ": it is of another cluster, and only hosts of the cluster "
                                                 "that started the job start tasks there"};
  ResError error{ResError::Kind::refused, "host " + host.host + ": no address of it is known here"};
  std::optional<ResError> refusal;
  for (const std::string& address : host.addresses) {
    auto client = Client::open(files_, {address, host.port, patience_, *host.ticket});
    if (!client) {
      error = error_of(host.host, client.error());
      continue;
    }
    auto place = ask_for_task(*client, host.host, task);
    if (place) return place->set_host(address), place;
    // It may be another host's RES: an address of a bridge is one of every host. A refusal says more than an address without an answer.
    refusal = place.error();
  }
  return refusal.value_or(error);
}

FromRes<wire::StreamPlace> ResClient::ask_for_task(Client& client, const std::string& host,
                                                   const wire::RunTask& task) const {
  wire::ToResFromClient message;
  *message.mutable_task() = task;
  if (const auto sent = send(client, host, std::move(message)); !sent) return sent.error();
  auto answer = receive(client, host, false);
  if (!answer) return answer.error();
  if (!answer->has_stream()) return unexpected(host);
  return std::move(*answer->mutable_stream());
}

FromRes<void> ResClient::peek(const std::string& host, const wire::Peek& peek,
                              const std::function<bool(const std::string&)>& take) const {
  auto client = open(host);
  if (!client) return client.error();
  wire::ToResFromClient message;
  *message.mutable_peek() = peek;
  if (peek.follow()) client->talk().watch();
  if (const auto sent = send(*client, host, std::move(message)); !sent) return sent.error();
  while (true) {
    const auto answer = receive(*client, host, peek.follow());
    if (!answer) return answer.error();
    if (answer->message_case() != wire::FromResToClient::kData) return unexpected(host);
    if (answer->data().empty() || !take(answer->data())) return {};
  }
}

FromRes<std::string> ResClient::control(const std::string& host, const wire::ControlRes& control) const {
  auto client = open(host);
  if (!client) return client.error();
  wire::ToResFromClient message;
  *message.mutable_control() = control;
  if (const auto sent = send(*client, host, std::move(message)); !sent) return sent.error();
  auto answer = receive(*client, host, false);
  if (!answer) return answer.error();
  if (answer->message_case() != wire::FromResToClient::kText) return unexpected(host);
  return std::move(*answer->mutable_text());
}

FromRes<void> ResClient::restart(const std::string& host) const {
  wire::ControlRes order, status;
  order.set_action(wire::ControlRes::RESTART);
  status.set_action(wire::ControlRes::STATUS);
  if (const auto said = control(host, order); !said) return said.error();
  const auto until = std::chrono::steady_clock::now() + kComesBack;
  while (std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kLook);
    if (control(host, status)) return {};
  }
  return ResError{ResError::Kind::unreachable, "it was told to start again, and does not answer yet"};
}

}  // namespace rollcall::io
