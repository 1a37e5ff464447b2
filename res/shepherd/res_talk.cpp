#include "res/shepherd/res_talk.hpp"

#include <sys/socket.h>

namespace rollcall::res {

using wire::FromRes;

ResTalk::ResTalk(Ends ends, wire::JobAttempt attempt, Hear hear)
    : listener_(std::move(ends.listener)),
      socket_(std::move(ends.res)),
      res_user_(ends.res_user),
      attempt_(std::move(attempt)),
      hear_(std::move(hear)) {}

pollfd ResTalk::to_poll() const {
  if (!socket_) return {-1, 0, 0};
  return {socket_.fd(), static_cast<short>(socket_.wants_to_write() ? POLLIN | POLLOUT : POLLIN), 0};
}

void ResTalk::take() {
  const bool up = socket_.flush() && socket_.receive([this](std::string_view bytes) -> Result<void> {
    wire::ToShepherd message;
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      return internal_error("found a message that cannot be read, expected ToShepherd");
    hear_(message);
    return {};
  });
  if (!up) socket_.close();
}

void ResTalk::accept() {
  io::Descriptor fresh(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fresh) return;
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fresh.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
  if (peer.uid != res_user_ && peer.uid != 0) return;
  socket_ = io::FrameSocket(std::move(fresh));
  if (ready_ && !running_) tell(*ready_);
  if (running_) tell(*running_);
  if (stopped_) tell(*stopped_);
  if (used_) tell(*used_);
}

void ResTalk::tell(FromRes::JobReady told) {
  *told.mutable_job() = attempt_;
  *ready_.emplace().mutable_ready() = std::move(told);
  tell(*ready_);
}

void ResTalk::tell(FromRes::JobRunning told) {
  *told.mutable_job() = attempt_;
  *running_.emplace().mutable_running() = std::move(told);
  tell(*running_);
}

void ResTalk::tell(FromRes::JobOver told) {
  FromRes message;
  *told.mutable_job() = attempt_;
  *message.mutable_over() = std::move(told);
  tell(message);
}

void ResTalk::tell(const wire::JobUsage& used) {
  auto& told = *used_.emplace().mutable_usage();
  *told.mutable_job() = attempt_;
  *told.mutable_usage() = used;
  tell(*used_);
}

void ResTalk::tell_stopped(std::int64_t at_us) {
  auto& told = *stopped_.emplace().mutable_stopped();
  *told.mutable_job() = attempt_;
  told.set_at_us(at_us);
  tell(*stopped_);
}

void ResTalk::tell_resumed(std::int64_t at_us) {
  FromRes message;
  *message.mutable_resumed()->mutable_job() = attempt_;
  message.mutable_resumed()->set_at_us(at_us);
  stopped_.reset();
  tell(message);
}

void ResTalk::tell(const FromRes& told) {
  wire::FromShepherd message;
  *message.mutable_told() = told;
  send(message);
}

void ResTalk::send(const wire::FromShepherd& message) {
  if (socket_ && !socket_.send(message.SerializeAsString())) socket_.close();
}

void ResTalk::drain() {
  if (socket_) socket_.drain(1000);
}

}  // namespace rollcall::res
