#include "common/io/res_client.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "common/wire/request_parts.hpp"

namespace rollcall::io {
namespace {

ResError error_of(const std::string& host, const TalkError& error) {
  switch (error.kind) {
    case TalkError::Kind::refused:
      return {ResError::Kind::not_running, "RES is not running on host " + host + ": " + error.text};
    case TalkError::Kind::silent:
      return {ResError::Kind::unreachable, "host " + host + " is down or cannot be reached: " + error.text};
    case TalkError::Kind::broken:
      return {ResError::Kind::unreachable, "RES on host " + host + ": " + error.text, false, false, true};
    case TalkError::Kind::stranger:
      return {ResError::Kind::refused, "RES on host " + host + ": " + error.text};
    case TalkError::Kind::ours:
      break;
  }
  return {ResError::Kind::refused, error.text};
}

constexpr std::chrono::milliseconds kLook{100};
constexpr std::chrono::seconds kComesBack{5};

ResError unexpected(const std::string& host) {
  return {ResError::Kind::unreachable,
          "RES on host " + host + ": found an answer to something else, expected ours"};
}

}  // namespace

FromRes<DaemonTalk> ResClient::open(const std::string& host) const {
  const DaemonTalk::Call call{host, settings_.res_port, patience_,
                              [](const std::string& credential) {
                                wire::ToResFromClient message;
                                message.set_munge(credential);
                                return message.SerializeAsString();
                              },
                              true};
  auto talk = DaemonTalk::open(files_, call);
  if (!talk) return error_of(host, talk.error());
  return std::move(*talk);
}

FromRes<void> ResClient::send(DaemonTalk& talk, const std::string& host,
                              wire::ToResFromClient message) const {
  message.set_host(host);
  if (message.ByteSizeLong() <= talk.most() || !message.has_task()) {
    const auto sent = talk.send(message.SerializeAsString());
    if (!sent) return error_of(host, sent.error());
    return {};
  }
  // Environments may be large.
  const std::string bytes = message.task().SerializeAsString();
  const std::size_t room = 24 + host.size();  // of the message round a part
  const auto parts = wire::parts_of(bytes, talk.most() - room);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    wire::ToResFromClient piece;
    piece.set_host(host);
    if (i + 1 == parts.size())
      piece.set_last_part(std::string(parts[i]));
    else
      piece.set_part(std::string(parts[i]));
    const auto sent = talk.send(piece.SerializeAsString());
    if (!sent) return error_of(host, sent.error());
  }
  return {};
}

FromRes<wire::FromResToClient> ResClient::receive(DaemonTalk& talk, const std::string& host,
                                                  bool patiently) const {
  const auto payload = patiently ? talk.receive(-1) : talk.receive();
  if (!payload) return error_of(host, payload.error());
  if (!*payload) return unexpected(host);
  return res_answer_of(host, **payload);
}

FromRes<wire::FromResToClient> res_answer_of(const std::string& host, std::string_view payload) {
  wire::FromResToClient message;
  if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return unexpected(host);
  if (!message.has_refused()) return message;
  const auto& refused = message.refused();
  return ResError{ResError::Kind::refused, refused.why(), refused.not_allowed(), refused.no_job(),
                  refused.busy()};
}

FromRes<wire::StreamPlace> ResClient::run_task(const std::string& host, const wire::RunTask& task) const {
  if (const auto size = task.ByteSizeLong(); size > wire::kMostTask)
    return ResError{ResError::Kind::refused, "found a task of " + std::to_string(size) +
                                                 " bytes with its environment, expected at most " +
                                                 std::to_string(wire::kMostTask)};
  auto talk = open(host);
  if (!talk) return talk.error();
  wire::ToResFromClient message;
  *message.mutable_task() = task;
  if (const auto sent = send(*talk, host, std::move(message)); !sent) return sent.error();
  auto answer = receive(*talk, host, false);
  if (!answer) return answer.error();
  if (!answer->has_stream()) return unexpected(host);
  return std::move(*answer->mutable_stream());
}

FromRes<void> ResClient::peek(const std::string& host, const wire::Peek& peek,
                              const std::function<bool(const std::string&)>& take) const {
  auto talk = open(host);
  if (!talk) return talk.error();
  wire::ToResFromClient message;
  *message.mutable_peek() = peek;
  if (peek.follow()) talk->watch();
  if (const auto sent = send(*talk, host, std::move(message)); !sent) return sent.error();
  while (true) {
    const auto answer = receive(*talk, host, peek.follow());
    if (!answer) return answer.error();
    if (answer->message_case() != wire::FromResToClient::kData) return unexpected(host);
    if (answer->data().empty() || !take(answer->data())) return {};
  }
}

FromRes<std::string> ResClient::control(const std::string& host, const wire::ControlRes& control) const {
  auto talk = open(host);
  if (!talk) return talk.error();
  wire::ToResFromClient message;
  *message.mutable_control() = control;
  if (const auto sent = send(*talk, host, std::move(message)); !sent) return sent.error();
  auto answer = receive(*talk, host, false);
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
