#include "common/io/batch_client.hpp"

#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "common/base/numbers.hpp"
#include "common/io/host_addresses.hpp"

namespace rollcall::io {
namespace {

using Refusal = wire::BatchReply::Refusal;
using Kind = BatchError::Kind;

constexpr int kPause = 1000;      // milliseconds between two tries
constexpr int kFirstPause = 100;  // after the first one: mbatchd may just be starting

// True for requests that may be sent twice: questions, and a submission with a token, which mbatchd recognises.
bool repeatable(const wire::BatchRequest& request) {
  switch (request.request_case()) {
    case wire::BatchRequest::kSubmit:
      return request.submit().check_only() || !request.submit().token().empty();
    case wire::BatchRequest::kPost:
      return request.post().read();
    case wire::BatchRequest::kSignal:
    case wire::BatchRequest::kMove:
    case wire::BatchRequest::kSwitchJobs:
    case wire::BatchRequest::kModify:
    case wire::BatchRequest::kControl:
      return false;
    default:
      return true;
  }
}

BatchError refused(const Refusal& refusal) { return {Kind::refused, refusal.text(), refusal}; }

bool starting(const std::optional<BatchError>& error) {
  return error && error->kind == Kind::refused && error->refusal.why() == Refusal::STARTING;
}

// An overloaded mbatchd gives a reason. The pauses are spread, so that its clients do not all return at once.
int pause_of(const Refusal& starting) {
  return starting.text().empty() ? kFirstPause : kPause / 2 + static_cast<int>(getpid()) % kPause;
}

// True where `wake` became readable first.
bool pause(int milliseconds, int wake) {
  pollfd waiting{wake, POLLIN, 0};
  return poll(&waiting, 1, milliseconds) > 0;
}

// mbatchd keeps tokens for an hour; a request sent longer ago than this is not repeated.
constexpr auto kTokenTrust = std::chrono::minutes(30);
constexpr std::size_t kTokenBytes = 16;

// Empty where the kernel has no random bytes: then the request is not repeated.
std::string random_token() {
  std::string token(kTokenBytes, '\0');
  if (getrandom(token.data(), token.size(), 0) != static_cast<ssize_t>(token.size())) token.clear();
  return token;
}

// The rest of an AwaitCondition's time limit when it is sent again after a break. At least one second, since 0 means no
// limit.
class TimeLeft {
 public:
  explicit TimeLeft(const wire::BatchRequest& request) : timeout_s_(request.await().timeout_s()) {}
  void tell(wire::BatchRequest& request) const {
    if (!request.has_await() || timeout_s_ <= 0) return;
    const auto passed = std::chrono::steady_clock::now() - begin_;
    const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
    request.mutable_await()->set_timeout_s(std::max<std::int64_t>(1, timeout_s_ - seconds));
  }

 private:
  std::int64_t timeout_s_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

int tries_of(const conf::ClusterFiles& files, int otherwise) {
  if (const char* const own = std::getenv("LSB_NTRIES"))
    return parse_whole(own, 1, conf::kMostTries).value_or(otherwise);
  return files.programs.commands.tries.value_or(otherwise);
}

}  // namespace

Result<BatchClient> BatchClient::of(const conf::ClusterFiles& files,
                                    std::function<void(const std::string&)> say, int usual_tries) {
  auto settings = conf::read_batch_settings(files);
  if (!settings) return settings.error();
  Patience patience;
  patience.tries = tries_of(files, usual_tries);
  patience.say = std::move(say);
  return BatchClient(files, std::move(*settings), std::move(patience));
}

BatchClient::BatchClient(const conf::ClusterFiles& files, conf::BatchSettings settings, Patience patience)
    : files_(&files), settings_(std::move(settings)), patience_(std::move(patience)) {
  const std::string here = host_name_here();
  from_host_ = files.names.official(here).value_or(here);
  if (files.programs.mbatchd.ticket_life.count() == 0) return;
  if (const auto cluster = load_cluster_public_key(public_key_path(files.settings.key_file)))
    tickets_.emplace(settings_.mbd_host, settings_.mbd_port, here, *cluster);
}

BatchError BatchClient::gone(const TalkError& error) const {
  const std::string host = settings_.mbd_host.empty() ? "" : " on host " + settings_.mbd_host;
  switch (error.kind) {
    case TalkError::Kind::refused:
      return {Kind::unreachable, "mbatchd is not running" + host + ": " + error.text, {}};
    case TalkError::Kind::silent:
      return {Kind::unreachable,
              "mbatchd's host " + settings_.mbd_host + " is down or cannot be reached: " + error.text,
              {}};
    case TalkError::Kind::broken:
    case TalkError::Kind::garbled:
      return {Kind::unreachable, "mbatchd" + host + ": " + error.text, {}};
    case TalkError::Kind::stranger:
      return {Kind::ours,
              "mbatchd" + host + ": " + error.text +
                  ": another cluster's daemon, or a key that was replaced; look at LSB_MBD_PORT, "
                  "ROLLCALL_MBD_HOST and " +
                  public_key_path(files_->settings.key_file),
              {}};
    case TalkError::Kind::ours:
      break;
  }
  return {Kind::ours, error.text, {}};
}

void BatchClient::say_once(const std::string& line) {
  if (std::exchange(said_, true)) return;
  if (patience_.say) patience_.say(line);
}

void BatchClient::tell_outage(const TalkError& error) { say_once(gone(error).text + ". Please wait ..."); }

Talked<void> BatchClient::connect(bool may_have_ticket) {
  if (talk_) return {};
  if (settings_.mbd_host.empty())
    return TalkError{
        TalkError::Kind::ours,
        "cannot tell which host has mbatchd: the configuration files have errors (lsadmin ckconfig "
        "shows them), and lsf.conf names no host in ROLLCALL_MBD_HOST"};
  std::optional<Ticket> ticket;
  if (may_have_ticket && tickets_ && !ticket_failed_) ticket = tickets_->read();
  wants_ticket_ = may_have_ticket && tickets_ && !ticket;
  auto talk = DaemonClient<BatchProtocol>::open(
      *files_, {settings_.mbd_host, settings_.mbd_port, patience_.each, std::move(ticket)});
  if (!talk) return talk.error();
  talk_.emplace(std::move(*talk));
  return {};
}

// A ticket that was not accepted is not used again.
void BatchClient::hang_up() {
  if (talk_ && talk_->talk().on_trust()) ticket_failed_ = true;
  talk_.reset();
}

void BatchClient::keep_ticket(const std::string& bytes) const {
  if (const auto ticket = Ticket::of(bytes); ticket && tickets_) tickets_->write(*ticket);
}

// Repeats until it answers, or the tries are over.
std::optional<BatchError> BatchClient::connect_patiently(Tries tries, int wake, bool may_have_ticket) {
  for (int tried = 1;; ++tried) {
    const auto connected = connect(may_have_ticket);
    if (connected) return std::nullopt;
    const BatchError error = gone(connected.error());
    if (error.kind == Kind::ours || tried == tries.most) return error;
    if (tries.until && Clock::now() > *tries.until) return error;
    if (tried > 1) say_once(error.text + ". Please wait ...");
    if (pause(tried == 1 ? kFirstPause : kPause, wake)) return error;
  }
}

Talked<void> BatchClient::send(const wire::BatchRequest& request) {
  wire::ToMbatchd message;
  *message.mutable_request() = request;
  message.set_ticket(std::exchange(wants_ticket_, false));
  return talk_->send(std::move(message));
}

Talked<std::optional<wire::BatchReply>> BatchClient::next_part(std::optional<int> wake) {
  auto message = talk_->receive(wake);
  if (!message) return message.error();
  if (!*message) return std::optional<wire::BatchReply>();
  if (!(*message)->ticket().empty()) keep_ticket((*message)->ticket());
  return std::optional(std::move(*(*message)->mutable_reply()));
}

std::optional<BatchError> BatchClient::ask_once(const wire::BatchRequest& request, const Take& take) {
  const auto lost = [&](const TalkError& error, bool sent) {
    hang_up();
    BatchError told = gone(error);
    if (sent && told.kind == Kind::unreachable) told.kind = Kind::unknown;
    return told;
  };
  if (const auto sent = send(request); !sent) return lost(sent.error(), false);
  while (true) {
    auto part = next_part(std::nullopt);
    if (!part) return lost(part.error(), true);
    wire::BatchReply& reply = **part;
    if (reply.has_refusal()) return refused(reply.refusal());
    take(reply);
    if (reply.last()) return std::nullopt;
  }
}

std::optional<BatchError> BatchClient::ask(wire::BatchRequest request, const Take& take) {
  request.set_from_host(from_host_);
  if (request.has_submit() && !request.submit().check_only() && request.submit().token().empty())
    request.mutable_submit()->set_token(random_token());
  std::optional<BatchError> unknown;  // the request was sent, and its outcome is not known
  Tries tries{patience_.tries, std::nullopt};
  const auto note_unknown = [&](const BatchError& error, Clock::time_point asked) {
    if (!unknown && request.has_submit()) tries.until = asked + kTokenTrust;
    unknown = error;
  };
  for (int tried = 1;; ++tried) {
    if (auto away = connect_patiently(tries, -1, repeatable(request))) return unknown ? unknown : away;
    if (tries.until && Clock::now() > *tries.until) return unknown;
    bool taken = false;
    const bool ticket_had_failed = ticket_failed_;
    const auto asked = Clock::now();
    auto error = ask_once(request, [&](wire::BatchReply& part) {
      taken = true;
      take(part);
    });
    if (!error) return std::nullopt;
    if (ticket_failed_ && !ticket_had_failed && Clock::now() - asked < patience_.each) {
      // Also after No, which is sent in clear and could be forged.
      if (error->kind == Kind::unknown) note_unknown(*error, asked);
      --tried;  // an expired ticket is no failed try, and this happens once
      continue;
    }
    const bool repeat = starting(error) || error->kind == Kind::unreachable ||
                        (error->kind == Kind::unknown && !taken && repeatable(request));
    if (error->kind == Kind::unknown) note_unknown(*error, asked);
    if (!repeat || (tries.most != 0 && tried >= tries.most))
      return unknown && error->kind == Kind::unreachable ? unknown : error;
    if (starting(error)) {
      hang_up();  // an overloaded mbatchd has not verified us, and will not on this connection
      say_once(error->text.empty() ? "mbatchd is starting. Please wait ..." : error->text);
      pause(pause_of(error->refusal), -1);
    }
  }
}

BatchAnswer BatchClient::ask(wire::BatchRequest request) {
  BatchAnswer answer;
  answer.error = ask(std::move(request), [&](wire::BatchReply& part) { answer.reply.MergeFrom(part); });
  return answer;
}

BatchClient::AwaitResult BatchClient::await(wire::BatchRequest request,
                                            const std::function<bool(wire::BatchReply& part)>& take,
                                            int wake) {
  request.set_from_host(from_host_);
  const auto woken = [&] { return wake >= 0 && pause(0, wake); };
  const TimeLeft left(request);
  while (true) {
    if (auto away = connect_patiently({}, wake, false)) {
      if (woken()) return {Awaited::woken, std::nullopt};
      return {Awaited::over, std::move(away)};
    }
    int rest = kFirstPause;
    talk_->talk().watch();
    left.tell(request);
    const auto sent = send(request);
    if (!sent) tell_outage(sent.error());
    while (sent) {
      auto part = next_part(wake);
      if (!part) {
        tell_outage(part.error());
        break;
      }
      if (!*part) {
        hang_up();  // ignore further parts of the abandoned answer
        return {Awaited::woken, std::nullopt};
      }
      said_ = false;  // report the next outage too
      wire::BatchReply& reply = **part;
      if (reply.has_refusal() && reply.refusal().why() == Refusal::STARTING) {
        rest = pause_of(reply.refusal());
        break;
      }
      if (reply.has_refusal()) return {Awaited::over, refused(reply.refusal())};
      const bool last = reply.last();
      const bool more = take(reply);
      if (last) return {Awaited::over, std::nullopt};
      if (!more) {
        hang_up();
        return {Awaited::enough, std::nullopt};
      }
    }
    hang_up();
    if (pause(rest, wake)) return {Awaited::woken, std::nullopt};
  }
}

}  // namespace rollcall::io
