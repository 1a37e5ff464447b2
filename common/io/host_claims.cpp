#include "common/io/host_claims.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <utility>

namespace rollcall::io {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kMostWaiting = 16384;  // every host of a large cluster may call a new master at once
constexpr auto kKept = std::chrono::minutes(10);
constexpr auto kKeptThoughRefused =
    std::chrono::seconds(10);  // bounds the look-ups that a false claim can cause

std::string text_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address->sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  if (address->sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (bytes == nullptr || inet_ntop(address->sa_family, bytes, text.data(), text.size()) == nullptr)
    return "";
  return text.data();
}

std::vector<std::string> resolve(const std::string& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::vector<std::string> addresses;
  if (getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next)
    if (auto text = text_of(entry->ai_addr); !text.empty()) addresses.push_back(std::move(text));
  freeaddrinfo(found);
  return addresses;
}

// In the form of inet_ntop; a word that is no address stays.
std::string canonical(const std::string& address) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  for (const int family : {AF_INET, AF_INET6})
    if (inet_pton(family, address.c_str(), bytes.data()) == 1 &&
        inet_ntop(family, bytes.data(), text.data(), text.size()) != nullptr)
      return text.data();
  return address;
}

HostClaims::Verdict judged(const std::string& from, std::vector<std::string> addresses,
                           const std::vector<std::string>& more) {
  for (const auto& address : more)
    if (std::find(addresses.begin(), addresses.end(), address) == addresses.end())
      addresses.push_back(address);
  return {judge_claim(from, addresses), std::move(addresses)};
}

}  // namespace

HostClaims::HostClaims(boost::asio::io_context& loop)
    : HostClaims(loop, {.waiting = kMostWaiting, .patience = std::chrono::seconds(2)}, resolve) {}
HostClaims::HostClaims(boost::asio::io_context& loop, SideThread::Limits limits, Resolve resolve)
    : loop_(loop), resolve_(std::move(resolve)), thread_(loop, limits) {}

void HostClaims::check(const std::string& host, const std::vector<std::string>& configured,
                       const std::string& from, Told told) {
  std::vector<std::string> addresses;
  for (const auto& address : configured) addresses.push_back(canonical(address));
  const auto known = known_.find(host);
  const auto age =
      known == known_.end() ? steady_clock::duration::max() : steady_clock::now() - known->second.asked_at;
  auto verdict = judged(from, addresses, age < kKept ? known->second.addresses : std::vector<std::string>());
  if (verdict.claim == HostClaim::good || (verdict.claim == HostClaim::foreign && age < kKeptThoughRefused))
    return boost::asio::post(loop_,
                             [told = std::move(told), verdict = std::move(verdict)] { told(verdict); });

  const auto answer = std::make_shared<std::vector<std::string>>();
  thread_.ask([answer, resolve = resolve_, host] { *answer = resolve(host); },
              [this, answer, host, from, addresses, told = std::move(told)](SideThread::End end) {
                static const std::vector<std::string> nothing;
                const bool answered = end == SideThread::End::finished;
                if (answered && !answer->empty()) known_[host] = {*answer, steady_clock::now()};
                told(judged(from, addresses, answered ? *answer : nothing));
              });
}

}  // namespace rollcall::io
