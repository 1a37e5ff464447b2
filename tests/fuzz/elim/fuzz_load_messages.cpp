// Fuzzes the load system's messages: a master hears what hosts and MELIM say and stays sound, whatever it is; a command
// shows an answer, whatever is in it.
//
//   input = { kind length bytes }     kind % 4: a daemon's message of host b, one of host c, MELIM's, an answer
//                                     length: one byte, of what follows
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/wire/host_facts.hpp"
#include "elim/policy/lim/lim.hpp"
#include "elim/policy/show/show_hosts.hpp"
#include "elim/policy/show/show_identity.hpp"
#include "elim/policy/show/show_information.hpp"
#include "elim/policy/show/show_load.hpp"
#include "tests/unit/elim/lim/lim_test_rules.hpp"

namespace {

using namespace rollcall;
using namespace rollcall::lim;

class Master {
 public:
  Master() : lim_(std::make_shared<const LimRules>(test_rules("a"))) {
    tell(event::Started{});
    if (lim_.role != Role::master) std::abort();  // the first candidate is, at once
    tell(event::PeerAccepted{kB, "b", "run"});
    tell(event::PeerAccepted{kC, "c", "run"});
  }

  void hear(ConnectionId connection, const wire::ToLim& message) {
    if (message.has_registration())
      tell(event::HostRegistered{connection, wire::from_wire(message.registration().facts()),
                                 message.registration().configuration()});
    if (message.has_report()) tell(event::HostReported{connection, message.report()});
    if (message.has_announce()) tell(event::MasterAnnounced{connection});
    if (message.has_renew()) tell(event::RenewAsked{connection});
  }
  void hear(const wire::FromMelim& message) {
    if (message.has_report()) tell(event::ElimsReported{message.report()});
  }

  static constexpr ConnectionId kB = 1, kC = 2;

 private:
  void tell(const Event& event) {
    now_ = now_ + std::chrono::seconds(1);
    for (const Effect& effect : step(lim_, event, now_)) text(effect);
    if (!broken_invariant(lim_).empty()) std::abort();
  }
  Lim lim_;
  TimePoint now_;
};

template <class Message>
bool parse(Message& message, std::string_view bytes) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

void show(const wire::Reply& reply) {
  elim::show::LoadTable complete;
  complete.form = elim::show::LoadTable::Form::complete;
  (void)elim::show::load_table(reply.loads(), complete);
  (void)elim::show::load_fields(reply.loads(), "host_name:5 status r1m:-3");
  elim::show::load_json(reply.loads(), "lsload");
  elim::show::hosts_table(reply.hosts(), true);
  elim::show::hosts_long(reply.hosts(), {"r1m", "mem"});
  elim::show::hosts_topology(reply.hosts());
  elim::show::hosts_json(reply.hosts());
  (void)elim::show::hosts_fields(reply.hosts(), "all");
  elim::show::shareds_table(reply.shareds());
  elim::show::information_text(reply.resources(), {});
  elim::show::information_json(reply.resources());
  for (const auto& resource : reply.resources().resources())
    (void)elim::show::resources_text(reply.resources(), {resource.name()}, true);
  elim::show::shareds_json(reply.shareds(), "lsload");
  elim::show::identity_json(reply.identity(), "x");
  elim::show::clusters_json(reply.identity());
  elim::show::identity_text(reply.identity(), "x");
  elim::show::clusters_table(reply.identity(), true);
}

void take(Master& master, unsigned kind, std::string_view bytes) {
  wire::ToLim from_daemon;
  wire::FromMelim from_melim;
  wire::Reply reply;
  switch (kind % 4) {
    case 0:
    case 1:
      if (parse(from_daemon, bytes)) master.hear(kind % 4 == 0 ? Master::kB : Master::kC, from_daemon);
      break;
    case 2:
      if (parse(from_melim, bytes)) master.hear(from_melim);
      break;
    default:
      if (parse(reply, bytes)) show(reply);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Master master;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (rest.size() >= 2) {
    const auto kind = static_cast<unsigned char>(rest[0]);
    const auto length = static_cast<unsigned char>(rest[1]);
    const std::string_view bytes = rest.substr(2, length);
    rest.remove_prefix(2 + bytes.size());
    take(master, kind, bytes);
  }
  return 0;
}
