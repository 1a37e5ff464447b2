#include "pam/starter_peers.hpp"

namespace rollcall::pam {
namespace {

const std::string& shepherds_hello() {
  static const std::string hello = [] {
    std::string frame;
    wire::append_frame(frame, wire::kChannelsHello);
    return frame;
  }();
  return hello;
}

constexpr std::size_t kMostRefused = 100;

// An IPv4 peer of our IPv6 socket as people write it.
std::string plain_text(const boost::asio::ip::address& address) {
  namespace ip = boost::asio::ip;
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

}  // namespace

std::size_t shepherds_hello_size() { return shepherds_hello().size(); }

First first_of(const std::string& bytes) {
  constexpr std::size_t kLengthBytes = 4;
  const std::string& hello = shepherds_hello();
  if (bytes.size() < kLengthBytes) return First::unfinished;
  if (bytes.compare(0, kLengthBytes, hello, 0, kLengthBytes) != 0) return First::starter;
  if (bytes.compare(0, hello.size(), hello, 0, bytes.size()) != 0) return First::stranger;
  return bytes.size() < hello.size() ? First::unfinished : First::shepherd;
}

bool is_cut(const boost::system::error_code& error) {
  namespace e = boost::asio::error;
  return error == e::timed_out || error == e::host_unreachable || error == e::network_unreachable ||
         error == e::network_down;
}

std::optional<std::string> Strangers::refused(const boost::asio::ip::tcp::socket& socket,
                                              const std::string& why) {
  boost::system::error_code error;
  const auto other = socket.remote_endpoint(error);
  const std::string address = error ? "a peer that has gone" : plain_text(other.address());
  if (refused_.size() >= kMostRefused && refused_.count(address) == 0) return std::nullopt;
  if (refused_[address]++ > 0) return std::nullopt;
  return "refused a connection from " + address + ": " + why;
}

}  // namespace rollcall::pam
