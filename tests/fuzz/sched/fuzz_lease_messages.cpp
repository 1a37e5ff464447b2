// Any bytes as messages about leases from the master of another cluster. What is believed of them is within bounds, no grant number becomes
// smaller, the provider grants no more slots than exist and than its policy exports, and each error is one line.
//
//   input = { length bytes }     length: two bytes, low one first, of what follows: a PeerMessage
//
// Leases of other numbers than kLent are borrowed ones. What is said of kLent by messages that no provider hears stands for what happens to it:
//   LeaseStands    OFFERED and the like: its policy exports these hosts and resources; INACTIVE: they are divided so; RETURNED: it is withdrawn
//   LeaseOver      its hosts have the newest number on disk, and jobs on their slots are over
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "sched/policy/peers/definitions.hpp"
#include "sched/policy/peers/lease_messages.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using rollcall::fuzz::require;

namespace {

constexpr std::uint64_t kLent = 4, kBorrowed = 3;
constexpr int kSlots = 6;      // of each host of the provider
constexpr int kInstances = 3;  // of each resource
constexpr std::uint64_t kTerm = 7;

void one_line(const std::string& text) {
  require(!text.empty() && text.size() < 1024);
  for (const char c : text) require(c >= ' ' && c <= '~');
}
void one_line(const Error& error) { one_line(error.text); }

// ---------------------------------------------------------------- the consumer

class Borrowed {
 public:
  void tell(const wire::LeaseStands& said) {
    const auto told = peers::believed(said);
    if (!told) return one_line(told.error());
    require(told->told.hosts.size() <= static_cast<std::size_t>(peers::kMostLeasedHosts));
    for (const lease::LeasedHost& host : told->told.hosts) {
      require(host.slots >= 0 && host.slots <= peers::kMostLeasedSlots);
      require(host.host.find('@') == std::string::npos);
    }
    step(told->told);
  }
  void listed(const wire::LeasesTold& said) {
    const auto& all = said.leases();
    if (std::find(all.begin(), all.end(), kBorrowed) == all.end()) step(lease::event::Unlisted{});
  }
  void over() { step(lease::event::Unlisted{}); }
  void loads(const wire::LeaseLoads& said) const {
    const auto hosts = peers::believed(said);
    if (!hosts) return one_line(hosts.error());
    require(hosts->size() == static_cast<std::size_t>(said.hosts_size()));
    for (const peers::ToldHost& one : *hosts) {
      require(!one.host.empty() && one.host.find('@') == std::string::npos);
      require(one.addresses.empty() || one.port != 0);
      for (const std::string& address : one.addresses) one_line(address);
      for (const std::string& index : one.beyond) require(one.told.numbers.contains(index));
      for (const auto& [index, age] : one.age_ms) require(one.told.numbers.contains(index));
    }
    int left = said.hosts_size();
    for (const auto& message : peers::loads_of({said.hosts().begin(), said.hosts().end()}, 100))
      left -= message.lease_loads().hosts_size();
    require(left == 0);
  }

 private:
  void step(const lease::ConsumerEvent& event) {
    const lease::GrantNumber before = lease_.number;
    lease::step(lease_, event, {});
    require(lease_.number >= before);
    require(!lease_.placeable() || lease_.phase == lease::Phase::active);
  }

  lease::ConsumerLease lease_{.id = {"east", kBorrowed}};
};

// ---------------------------------------------------------------- the provider

class Lent {
 public:
  Lent() {
    of_.lease.id = {"west", kLent};
    of_.lease.consumer = "east";
    of_.policy = "PER_HOST a";
    of_.terms = "PER_HOST a 2";
    step(lease::event::Exported{{{"a", 2, {}, {}, false}}, {}, false});
  }

  void happens(const wire::LeaseStands& said) {
    const auto told = peers::believed(said);
    if (!told) return one_line(told.error());
    if (told->told.phase == lease::Phase::returned) return step(lease::event::Exported{{}, {}, true});
    if (told->told.phase != lease::Phase::inactive)
      return step(lease::event::Exported{told->told.hosts, told->told.resources, false});
    lease::event::Divided divided;
    for (const lease::LeasedHost& host : told->told.hosts) divided.consumer_has[host.host] = host.slots;
    step(divided);
  }
  void settles() {
    jobs_end_ = true;
    step(lease::event::Changed{});
    jobs_end_ = false;
  }
  void answer(const wire::LeaseAnswer& said) {
    const auto told = peers::believed(said);
    if (!told) return one_line(told.error());
    if (told->wants) step(lease::event::Asked{});
    step(told->acknowledged);
  }

 private:
  // The consumer has a job on one slot of each host that it has, and all other slots are free.
  lease::HostsNow now() const {
    lease::HostsNow now;
    for (const lease::LentHost& host : of_.lease.hosts)
      now[host.has.host] = {jobs_end_ ? 0 : std::min(1, host.has.slots), kSlots - host.has.slots,
                            jobs_end_ ? of_.lease.number : lease::GrantNumber{}};
    return now;
  }
  lease::ResourcesNow resources() const {
    lease::ResourcesNow now;
    for (const lease::LentResource& one : of_.lease.resources)
      now[one.has.name] = {jobs_end_ ? 0 : std::min(1, one.has.instances), kInstances - one.has.instances};
    return now;
  }
  void step(const lease::ProviderEvent& event) {
    const lease::GrantNumber before = of_.lease.number;
    // Hosts that come with this event have all of their slots free.
    lease::HostsNow hosts = now();
    lease::ResourcesNow instances = resources();
    if (const auto* exported = std::get_if<lease::event::Exported>(&event)) {
      for (const auto& host : exported->hosts) hosts.try_emplace(host.host, lease::HostNow{0, kSlots, {}});
      for (const auto& one : exported->resources)
        instances.try_emplace(one.name, lease::ResourceNow{0, kInstances});
    }
    const auto effects = lease::step(of_.lease, event, hosts, kTerm, instances);
    require(of_.lease.number >= before);
    for (const auto& effect : effects) {
      if (std::holds_alternative<lease::effect::Forget>(effect)) {
        require(of_.lease.phase == lease::Phase::returned);
        return void(*this = Lent());
      }
      if (const auto* kill = std::get_if<lease::effect::Kill>(&effect)) require(kill->slots > 0);
      if (const auto* freed = std::get_if<lease::effect::Freed>(&effect)) require(freed->slots > 0);
    }
    sound();
  }
  void sound() const {
    for (const lease::LentHost& host : of_.lease.hosts) {
      require(host.has.slots >= 0 && host.has.slots <= kSlots && host.wanted >= 0);
      require(host.told >= 0);
      // More than it is to have is in the consumer's hand only until it settles.
      require(of_.lease.phase != lease::Phase::active || host.has.slots <= host.wanted ||
              lease::has_left(of_.lease, host));
    }
    for (const lease::LentResource& one : of_.lease.resources)
      require(one.has.instances >= 0 && one.has.instances <= kInstances);
    for (const lease::LeasedHost& host : lease::told_hosts(of_.lease)) require(host.slots >= 0);
    const auto stored = peers::lease_of(peers::row_of(of_), "west");
    require(stored && stored->lease.number == of_.lease.number && stored->lease.phase == of_.lease.phase);
    require(lease::told_hosts(stored->lease) == lease::told_hosts(of_.lease));
    require(peers::stands_of(of_.lease).has_lease_stands());
  }

  lease::LeaseOfPolicy of_;
  bool jobs_end_ = false;
};

void compare(const wire::PeerDefinitions& said) {
  const auto told = peers::believed(said);
  for (const std::string& line : peers::differences({}, told)) one_line(line);
  require(peers::differences(told, told).empty());
}

void hear(const wire::PeerMessage& message, Borrowed& borrowed, Lent& lent) {
  if (message.has_lease_stands() && message.lease_stands().lease() == kLent)
    lent.happens(message.lease_stands());
  else if (message.has_lease_stands())
    borrowed.tell(message.lease_stands());
  if (message.has_lease_answer()) lent.answer(message.lease_answer());
  if (message.has_definitions()) compare(message.definitions());
  if (message.has_lease_over() && message.lease_over().lease() == kLent)
    lent.settles();
  else if (message.has_lease_over())
    borrowed.over();
  if (message.has_leases_told()) borrowed.listed(message.leases_told());
  if (message.has_lease_loads()) borrowed.loads(message.lease_loads());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Borrowed borrowed;
  Lent lent;
  std::string_view left(reinterpret_cast<const char*>(data), size);
  while (left.size() >= 2) {
    const std::size_t length = static_cast<std::uint8_t>(left[0]) + 256u * static_cast<std::uint8_t>(left[1]);
    const std::string_view bytes = left.substr(2, length);
    left.remove_prefix(2 + bytes.size());
    wire::PeerMessage message;
    if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) hear(message, borrowed, lent);
  }
  return 0;
}
