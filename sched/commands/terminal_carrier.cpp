#include "sched/commands/terminal_carrier.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "common/io/command.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::sched {
namespace {

constexpr std::size_t kRead = 16 << 10;
constexpr std::size_t kMostSaid = 48 << 10;  // bytes of one piece
constexpr int kMostMessages = 200;           // in one piece

Error cannot(const char* what) {
  return internal_error(std::string("cannot ") + what + ": " + std::strerror(errno));
}

// Signals are for bsub's own loop: threads that begin while it lives have them blocked.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

TerminalCarrier::TerminalCarrier(const conf::ClusterFiles& files, CarriedJob job)
    : files_(files), job_(std::move(job)) {}

TerminalCarrier::~TerminalCarrier() {
  const std::uint64_t one = 1;
  if (stop_ && write(stop_.get(), &one, sizeof one) < 0) std::abort();  // an eventfd takes it
  if (ours_) shutdown(ours_.get(), SHUT_RDWR);
  if (output_.joinable()) output_.join();
  if (input_.joinable()) input_.join();
}

Result<void> TerminalCarrier::begin() {
  if (getrandom(&number_, sizeof number_, 0) != sizeof number_) return cannot("draw a number");
  number_ |= 1;  // 0 is none
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return cannot("make a socket");
  ours_ = io::Descriptor(ends[0]);
  theirs_ = io::Descriptor(ends[1]);
  stop_ = io::Descriptor(eventfd(0, EFD_CLOEXEC));
  if (!stop_) return cannot("make an event");
  if (fcntl(theirs_.get(), F_SETFL, O_NONBLOCK) != 0) return cannot("prepare a socket");
  auto output = client::Session::open(files_, io::print_error_line);
  if (!output) return output.error();
  auto input = client::Session::open(files_, {});
  if (!input) return input.error();
  const NoSignals none;
  output_ = std::thread([this, session = std::move(*output)]() mutable { carry_output(std::move(session)); });
  input_ = std::thread([this, session = std::move(*input)]() mutable { carry_input(std::move(session)); });
  return {};
}

int TerminalCarrier::take_socket() {
  const int socket = fcntl(theirs_.get(), F_DUPFD_CLOEXEC, 3);
  theirs_.reset();
  return socket;
}

wire::BatchRequest TerminalCarrier::question(int operation, std::int64_t number) const {
  wire::BatchRequest request;
  auto& piece = *request.mutable_piece();
  *piece.mutable_key() = job_.key;
  piece.set_attempt(job_.attempt);
  piece.mutable_asked()->set_operation(static_cast<wire::PieceAsked::Operation>(operation));
  piece.mutable_asked()->set_from(number);
  piece.mutable_asked()->set_terminal(number_);
  return request;
}

bool TerminalCarrier::tell(const wire::FromStream& message) {
  std::string frame;
  wire::append_frame(frame, message.SerializeAsString());
  const std::lock_guard<std::mutex> alone(telling_);
  for (std::size_t sent = 0; sent < frame.size();) {
    const ssize_t size = send(ours_.get(), frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    sent += static_cast<std::size_t>(size);
  }
  return true;
}

void TerminalCarrier::lose(const std::string& why) {
  wire::FromStream message;
  message.mutable_lost()->set_why(why);
  tell(message);
}

bool TerminalCarrier::taken(const wire::Piece& answer) {
  if (answer.why_not().empty()) return true;
  const std::string goes_on = "; job " + std::to_string(job_.key.id()) + " goes on without its terminal";
  lose(answer.why_not() + (answer.later() ? goes_on : ""));
  return false;
}

void TerminalCarrier::carry_output(client::Session session) {
  for (std::int64_t number = 0;; ++number) {
    wire::Piece piece;
    const auto waited = session.await(
        question(wire::PieceAsked::TERMINAL_OUT, number),
        [&piece](wire::BatchReply& part) {
          piece = std::move(*part.mutable_piece());
          return true;
        },
        stop_.get());
    if (!waited) return lose(waited.error().text);
    if (*waited == client::Session::Awaited::woken || !taken(piece)) return;
    for (const auto& message : piece.told())
      if (!tell(message) || message.has_over() || message.has_not_started() || message.has_lost()) return;
  }
}

void TerminalCarrier::carry_input(client::Session session) {
  wire::FrameDecoder frames;
  std::int64_t number = 0;
  std::vector<wire::ToStream> said;
  const auto take = [&said](std::string_view payload) -> Result<void> {
    wire::ToStream message;
    if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return internal_error("found a message that cannot be read, expected ToStream");
    said.push_back(std::move(message));
    return {};
  };
  std::array<char, kRead> room;
  while (true) {
    const ssize_t size = recv(ours_.get(), room.data(), room.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    if (const auto fed = frames.feed(
            {room.data(), static_cast<std::size_t>(size)}, [] { return wire::kFrameLimit; }, take);
        !fed)
      return lose(fed.error().text);
    for (std::size_t next = 0; next < said.size();) {
      auto request = question(wire::PieceAsked::TERMINAL_IN, number++);
      auto& asked = *request.mutable_piece()->mutable_asked();
      for (std::size_t bytes = 0; next < said.size() && asked.said_size() < kMostMessages; ++next) {
        const std::size_t more = said[next].ByteSizeLong();
        if (bytes != 0 && bytes + more > kMostSaid) break;
        bytes += more;
        *asked.add_said() = std::move(said[next]);
      }
      const auto answer = session.ask(std::move(request));
      if (!answer) return lose(answer.error().text);
      // Over: the other direction tells why.
      if (answer->piece().over() || !taken(answer->piece())) return;
    }
    said.clear();
  }
}

}  // namespace rollcall::sched
