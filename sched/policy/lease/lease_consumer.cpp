#include "sched/policy/lease/lease_life.hpp"

namespace rollcall::sched::lease {
namespace {

// A lease that we have asked for is `requested` also while the provider still says `offered`: it has not heard us yet.
Phase phase_of(const ConsumerLease& lease, const event::Told& told) {
  return told.phase == Phase::offered && lease.wants ? Phase::requested : told.phase;
}

class ConsumerStep {
 public:
  ConsumerStep(ConsumerLease& lease, const JobsNow& jobs) : lease_(lease), jobs_(jobs) {}

  ConsumerEffects effects;

  void operator()(const event::Told& told) {
    if (!is_news(lease_, told)) return answer();
    lease_.remarks = told.remarks;
    if (told.number > lease_.number || told.number == GrantNumber{} || lease_.phase == Phase::returned) {
      lease_.phase = phase_of(lease_, told);
      lease_.number = told.number;
      lease_.hosts = told.hosts;
      lease_.resources = told.resources;
    }
    answer();
    forget_returned();
  }
  void operator()(const event::Unlisted&) {
    lease_.phase = Phase::returned;
    lease_.hosts.clear();
    lease_.resources.clear();
    forget_returned();
  }
  void operator()(const event::Wanted&) {
    if (lease_.phase == Phase::returned || lease_.wants) return;
    lease_.wants = true;
    if (lease_.phase == Phase::offered) lease_.phase = Phase::requested;
    answer();
  }
  void operator()(const event::Answered&) {
    answer();
    forget_returned();
  }

 private:
  void answer() { effects.emplace_back(effect::Answer{}); }
  void forget_returned() {
    if (lease_.phase == Phase::returned && !jobs_.any && !jobs_.unanswered)
      effects.emplace_back(effect::Forget{});
  }

  ConsumerLease& lease_;
  const JobsNow& jobs_;
};

}  // namespace

GrantNumber acknowledges(const ConsumerLease& lease, const JobsNow& jobs) {
  return jobs.unanswered ? GrantNumber{} : lease.number;
}

bool is_news(const ConsumerLease& lease, const event::Told& told) {
  if (told.number < lease.number) return false;
  if (lease.phase == Phase::returned) return told.phase != Phase::returned;
  if (told.number > lease.number || told.remarks != lease.remarks) return true;
  return told.number == GrantNumber{} && (phase_of(lease, told) != lease.phase || told.hosts != lease.hosts ||
                                          told.resources != lease.resources);
}

ConsumerEffects step(ConsumerLease& lease, const ConsumerEvent& event, const JobsNow& jobs) {
  ConsumerStep step(lease, jobs);
  std::visit(step, event);
  return std::move(step.effects);
}

}  // namespace rollcall::sched::lease
