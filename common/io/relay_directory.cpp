#include "common/io/relay_directory.hpp"

#include <sodium.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "common/io/abstract_socket.hpp"
#include "common/wire/frame.hpp"
#include "common/wire/relay.hpp"

namespace rollcall::io {
namespace {

constexpr time_t kPatienceSeconds = 5;
constexpr std::size_t kLengthBytes = 4;

bool send_all(const Descriptor& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

}  // namespace

std::string relay_socket(const std::string& relay) {
  if (!wire::is_span_relay(relay)) return relay;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::array<unsigned char, 16> name;
  std::array<char, 2 * name.size() + 1> digits;
  crypto_generichash(name.data(), name.size(), reinterpret_cast<const unsigned char*>(host.data()),
                     std::strlen(host.data()), reinterpret_cast<const unsigned char*>(relay.data()),
                     std::min<std::size_t>(relay.size(), crypto_generichash_KEYBYTES_MAX));
  sodium_bin2hex(digits.data(), digits.size(), name.data(), name.size());
  return std::string(wire::kSpanRelay) + digits.data();
}

std::string relay_directory(const std::string& relay) {
  const auto place = abstract_address(relay_socket(relay));
  const Descriptor socket(place ? ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1);
  if (!socket) return "";
  const timeval patience{kPatienceSeconds, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&place->address), place->size) != 0) return "";
  if (!peer_is_our_user(socket)) return "";
  std::string question;
  wire::append_frame(question, wire::kAskDirectory);
  if (!send_all(socket, question)) return "";
  std::string answer;
  std::array<char, 4096> room;
  for (;;) {
    const ssize_t size = recv(socket.get(), room.data(), room.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    answer.append(room.data(), static_cast<std::size_t>(size));
    if (answer.size() > kLengthBytes + wire::kAskLimit) return "";
  }
  return answer.size() > kLengthBytes ? answer.substr(kLengthBytes) : "";
}

Result<std::string> span_key_file(const std::string& relay) {
  const std::string directory = relay_directory(relay);
  if (!directory.empty()) return directory + "/key";
  return configuration_error(
      "ROLLCALL_RELAY: the job's shepherd on this host does not answer, expected it to say where the job's "
      "key "
      "is");
}

}  // namespace rollcall::io
