#include "sched/policy/peers/peer_identity.hpp"

#include <algorithm>

namespace rollcall::sched::peers {
namespace {

constexpr std::size_t kLongestVersion = 64;
constexpr std::size_t kMostWords = 200;

bool printable(char c) { return c >= ' ' && c <= '~'; }

std::string forget_it(const std::string& cluster, const std::string& here) {
  return "; \"badmin hforget @" + cluster + "\" in cluster " + here +
         " accepts this store, and gives up the jobs that it does not know";
}

}  // namespace

wire::PeerHello hello_of(const OwnIdentity& own) {
  wire::PeerHello hello;
  hello.set_cluster(own.cluster);
  hello.set_store(own.row.store());
  hello.set_term(own.row.term());
  hello.set_run(own.row.run());
  hello.set_version(own.version);
  return hello;
}

Result<void> check_hello(const wire::PeerHello& hello, const std::string& proved) {
  if (hello.cluster() != proved)
    return internal_error("found a PeerHello of another cluster than " + proved +
                          ", expected that of the key");
  if (hello.store().size() != kIdentityBytes || hello.run().size() != kIdentityBytes || hello.term() == 0)
    return internal_error("found a malformed PeerHello of " + proved +
                          ", expected a store, a term and a run");
  if (hello.version().size() > kLongestVersion ||
      !std::all_of(hello.version().begin(), hello.version().end(), printable))
    return internal_error("found a malformed version in the PeerHello of " + proved + ", expected at most " +
                          std::to_string(kLongestVersion) + " printable bytes");
  return {};
}

std::optional<std::string> refusal_of(const wire::PeerHello& hello, const wire::PeerRow* known,
                                      const OwnIdentity& own) {
  const std::string name = "cluster " + hello.cluster();
  if (hello.store() == own.row.store()) return name + " runs with a copy of the store of " + own.cluster;
  if (known == nullptr) return std::nullopt;
  if (hello.store() != known->store())
    return name + " has a store that was made anew" + forget_it(hello.cluster(), own.cluster);
  const std::string terms =
      ": found its term " + std::to_string(hello.term()) + ", last seen was " + std::to_string(known->term());
  if (hello.term() < known->term())
    return name + " has a store that was put back to an older state" + terms +
           forget_it(hello.cluster(), own.cluster);
  if (hello.term() == known->term() && hello.run() != known->run())
    return name + " has opened its store twice in one term, so one of the two is an older copy" + terms +
           forget_it(hello.cluster(), own.cluster);
  return std::nullopt;
}

std::string plain_words(std::string_view said) {
  std::string plain(said.substr(0, kMostWords));
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return !printable(c); }, '?');
  return plain;
}

wire::PeerRow row_of(const wire::PeerHello& hello) {
  wire::PeerRow row;
  row.set_store(hello.store());
  row.set_term(hello.term());
  row.set_run(hello.run());
  return row;
}

bool same(const wire::PeerRow& a, const wire::PeerRow& b) {
  return a.store() == b.store() && a.term() == b.term() && a.run() == b.run();
}

}  // namespace rollcall::sched::peers
