// lease_life: the life of one lease, at the provider and at the consumer. Two steppers: state and event in, effects out. They own
// the lease's row; jobs are the Book's, RES and connections the shell's. docs/decisions/0097.
//
// The provider's side. "settles" means: on every host from which slots are taken, the consumer has acknowledged the newest number or
// RES has it on disk; idle slots are then free, used ones stay, or are emptied first where the policy takes them.
//
//   state     | event                                | becomes
//   ----------+--------------------------------------+---------------------------------------------------
//   offered   | Asked                                | requested
//   requested | a slot that it is to have is free    | active, number raised, Tell
//   active    | it is to have fewer slots            | inactive, number raised, Tell, Fence
//             | ... and jobs are on them (policy)    | recalling, the same, Kill
//             | it is to have more, and they are free| active, number raised, Tell
//             | a host without slots comes or goes   | active, number raised, Tell; likewise requested, after the first grant
//   inactive  | settles                              | active, number raised, Freed, Tell; requested where nothing is left
//   recalling | settles, and the jobs are over       | the same
//             | settles, and jobs are left only on   | the same; those hosts have left: the consumer is told no slot of them, and each
//             | hosts that the policy took whole,    | slot is freed when its job is over
//             | beside others that stay              |
//   inactive, | it is to have fewer slots still      | Fence; recalling where jobs are on them (policy), Kill
//   recalling |                                      |
//   any       | the policy is gone                   | as "fewer slots", then returned, Tell
//   returned  | Acknowledged                         | Forget
//   any       | WrittenOff                           | every host settles, now and later; returned: Forget
//   any       | Acknowledged or OnDisk, a larger     | number raised, Tell, Fence as far as it is needed: another master told
//             | number of an older term              | it, and the store does not have it
//   any       | Changed                              | Fence and Kill again, as far as they are still needed; of hosts that have
//             |                                      | left, too
//
// "Slots" in this table are instances of shared resources, too. These settle when all hosts of the lease do: of a dead host when the
// consumer acknowledges the number, or is written off.
//
// The consumer's side. A number that is smaller than the newest is ignored.
//
//   state     | event                                | becomes
//   ----------+--------------------------------------+---------------------------------------------------
//   any       | Told, a larger number                | what it says; Answer when no older start is unanswered
//   any       | Told, the same number                | its remarks are taken; Answer again; before the first grant: what it says
//   offered   | Wanted                               | requested, Answer
//   any       | Unlisted (all leases were told, or   | returned
//             | our files do not have the provider)  |
//   returned  | Told again, and not returned         | what it says: our files have the provider again
//   any       | Answered                             | Answer
//   returned  | no job has it any more               | Forget
//
// No row depends on time: a slot changes hands by what was said and written down alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sched/policy/lease/lease_values.hpp"

namespace rollcall::sched::lease {

// What the provider tells of a lease for people to read, beside the grant. No decision uses it.
struct LeaseRemarks {
  std::optional<bool> shared;  // TYPE; none: the provider has an older release, which does not tell it
  int awaited = 0;             // slots of whole hosts that the provider's own jobs use still
  friend bool operator==(const LeaseRemarks&, const LeaseRemarks&) = default;
};

// ---------------------------------------------------------------- provider

struct LentHost {
  LeasedHost has;      // slots: in the consumer's hand, used or not
  int wanted = 0;      // slots that it is to have
  bool kills = false;  // jobs on slots beyond `wanted` are killed: the policy took them. Else used slots stay
  int told = 0;        // slots that the consumer says it uses
  std::optional<int> limit = {};  // slots that its own lsb.hosts lets it use, as it says
};

// Of a resource: has.instances are in the consumer's hand, used or not. They are taken as slots are, with the numbers of all hosts.
struct LentResource {
  LeasedResource has;
  int wanted =
      0;  // instances that it is to have; after a restart those that it has, until the policy is known
  bool kills = false;  // jobs with instances beyond `wanted` are killed: the policy took them
};

// What the store has of a lease at the provider, but for what the consumer said: `acknowledged`, LentHost::told and limit. It says
// that again when it connects.
struct ProviderLease {
  LeaseId id;
  std::string consumer;
  Phase phase = Phase::offered;
  bool withdrawn = false;  // the policy, or the consumer in it, is gone
  // An administrator says that the consumer will never answer, and it has not connected since. Not in the row: LeaseOut keeps it for all
  // leases of the consumer.
  bool written_off = false;
  GrantNumber number;  // the newest; committed before it is told
  GrantNumber acknowledged;
  std::vector<LentHost> hosts;
  std::vector<LentResource> resources;  // each name once

  // After a restart.
  void forget_what_was_said();
  // The consumer may start jobs on `slots` more slots of the host. `used`: as HostNow has it; none: the host's RES has not said in this
  // mbatchd's term what it holds, which may be jobs that another master started. The start is then neither passed nor refused.
  bool may_start(const std::string& host, int slots, const GrantNumber& under, std::optional<int> used) const;
};

// The policy has taken the whole host (or resource), and the consumer has acknowledged that, so the others of the lease are its again. What is
// counted here is held by jobs that are to end, and is no longer in the consumer's hand. Of a lease that is active, or requested again.
bool has_left(const ProviderLease& lease, const LentHost& host);
bool has_left(const ProviderLease& lease, const LentResource& resource);
// The hosts and resources in LeaseStands to the consumer. A host that has left is told with 0 slots and without `stays`; a resource that has
// left is not told.
std::vector<LeasedHost> told_hosts(const ProviderLease& lease);
std::vector<LeasedResource> told_resources(const ProviderLease& lease);

// What is true of a host now.
struct HostNow {
  int used = 0;  // slots of the consumer's attempts that were accepted and are not over
  // Slots in nobody's hand, which the lease may have. 0 until the host's RES has said in this mbatchd's term what it holds: another
  // master may have granted slots and started jobs that the store does not know.
  int free = 0;
  // The number of this lease that the host's RES has written down in this mbatchd's term; `used` then has all that runs there.
  GrantNumber fenced;
};
using HostsNow = std::map<std::string, HostNow>;
// What is true of a resource now.
struct ResourceNow {
  int used = 0;  // instances of the consumer's attempts that were accepted and are not over
  int free = 0;  // instances in nobody's hand, which the lease may have; 0 as of a host
};
using ResourcesNow = std::map<std::string, ResourceNow>;  // by name

namespace event {
// The policy: what the consumer is to have from now on. Jobs on other slots are killed.
struct Exported {
  std::vector<LeasedHost> hosts;
  std::vector<LeasedResource> resources;
  bool withdrawn = false;
};
// The division of a shared lease: slots of each host that the consumer is to have. No job is killed.
struct Divided {
  std::map<std::string, int> consumer_has;
};
struct Asked {};
struct Acknowledged {
  GrantNumber number;
  std::map<std::string, int> uses;         // slots of each host with jobs of the consumer
  std::map<std::string, int> limits = {};  // slots of a host that its own lsb.hosts lets it use
};
struct Changed {};  // a job ended, a slot is free, RES wrote a number or came back
// RES of a host has this number on disk. A larger one than ours is of another master, whose starts it took.
struct OnDisk {
  GrantNumber number;
};
struct WrittenOff {};  // badmin hforget -jobs; `written_off` is set
}  // namespace event
using ProviderEvent = std::variant<event::Exported, event::Divided, event::Asked, event::Acknowledged,
                                   event::Changed, event::OnDisk, event::WrittenOff>;

namespace effect {
struct Tell {};  // the consumer how the lease stands; after the commit, like all effects
struct Fence {   // RES of the host is to write the number down and to say what it holds of older ones
  std::string host;
  GrantNumber number;
};
struct Kill {  // so many slots' jobs, those that were started last (TERM_MC_RECALL)
  std::string host;
  int slots = 0;
};
struct KillHolders {  // so many instances' jobs, those that were started last
  std::string resource;
  int instances = 0;
};
struct Freed {  // slots are the provider's again
  std::string host;
  int slots = 0;
};
struct Forget {};
struct Answer {};  // the provider; after the commit
}  // namespace effect
using ProviderEffect = std::variant<effect::Tell, effect::Fence, effect::Kill, effect::KillHolders,
                                    effect::Freed, effect::Forget>;
using ProviderEffects = std::vector<ProviderEffect>;

// term: of the provider's store. A host that `now` does not have has no used and no free slots, and likewise a resource.
ProviderEffects step(ProviderLease& lease, const ProviderEvent& event, const HostsNow& now,
                     std::uint64_t term, const ResourcesNow& resources = {});

// ---------------------------------------------------------------- consumer

// In memory alone: the provider tells it again when it connects.
struct ConsumerLease {
  LeaseId id;
  Phase phase = Phase::offered;
  bool wants = false;  // a pending job could use it
  GrantNumber number;  // the newest that was told
  std::vector<LeasedHost> hosts;
  std::vector<LeasedResource> resources;
  LeaseRemarks remarks = {};

  bool placeable() const { return phase == Phase::active; }
};

// What is true of the consumer's jobs now.
struct JobsNow {
  bool unanswered = false;  // a start under an older number than the lease's is neither accepted nor refused
  bool any = false;         // jobs that have slots of the lease, where it is returned
};
// What an answer acknowledges; {}: nothing yet.
GrantNumber acknowledges(const ConsumerLease& lease, const JobsNow& jobs);

namespace event {
struct Told {
  Phase phase = Phase::offered;
  GrantNumber number;
  std::vector<LeasedHost> hosts;
  std::vector<LeasedResource> resources;
  LeaseRemarks remarks = {};
};
struct Unlisted {};
struct Wanted {};
struct Answered {};  // the last start under an older number, or a job is over
}  // namespace event
using ConsumerEvent = std::variant<event::Told, event::Unlisted, event::Wanted, event::Answered>;
using ConsumerEffect = std::variant<effect::Answer, effect::Forget>;
using ConsumerEffects = std::vector<ConsumerEffect>;

// Whether the message changes the lease. One that is older, or that repeats what is known, only gets an answer.
bool is_news(const ConsumerLease& lease, const event::Told& told);
ConsumerEffects step(ConsumerLease& lease, const ConsumerEvent& event, const JobsNow& jobs);

}  // namespace rollcall::sched::lease
