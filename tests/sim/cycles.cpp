#include "tests/sim/cycles.hpp"

#include <map>
#include <set>

#include "sched/policy/values/elsewhere.hpp"
#include "tests/support/site_view.hpp"

namespace rollcall::sched {

ConfigView preemption_site(const PreemptionSite& site) {
  conf::MemoryFiles files;
  const std::string dir = "/c/lsbatch/lab/configdir/";
  const std::string more = site.lines_of_queues + "End Queue\n";
  files.files = {
      {"/c/lsf.conf", "LSF_LOGDIR=/l\nLSB_SHAREDIR=/s\nLSB_DISABLE_LIMLOCK_EXCL=Y\n"},
      {"/c/lsf.shared",
       "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin HostType\nTYPENAME\nX86_64\nEnd HostType\n"},
      {"/c/lsf.cluster.lab",
       "Begin Host\nHOSTNAME type\nhostA X86_64\nhostB X86_64\nhostC X86_64\nEnd Host\n"},
      {dir + "lsb.params",
       "Begin Parameters\nDEFAULT_QUEUE = low\nCLEAN_PERIOD = 1000000\nPREEMPT_JOBTYPE = EXCLUSIVE\n"
       "PREEMPT_FOR = OPTIMAL_MINI_JOB\nUSE_SUSP_SLOTS = " +
           std::string(site.uses_suspended ? "Y" : "N") + "\n" + site.lines_of_params + "End Parameters\n"},
      {dir + "lsb.hosts",
       "Begin Host\nHOST_NAME MXJ\ndefault " + std::to_string(kSlotsOfHost) + "\nEnd Host\n"},
      {dir + "lsb.users",
       "Begin User\nUSER_NAME MAX_JOBS\nann " + std::string(site.limited ? "4" : "-") + "\nEnd User\n"},
      {dir + "lsb.queues",
       "Begin Queue\nQUEUE_NAME = high\nPRIORITY = 40\nPREEMPTION = PREEMPTIVE[low+1 middle]\nEXCLUSIVE = "
       "Y\n" +
           more + "Begin Queue\nQUEUE_NAME = middle\nPRIORITY = 30\nPREEMPTION = PREEMPTIVE\n" + more +
           "Begin Queue\nQUEUE_NAME = low\nPRIORITY = 20\nEXCLUSIVE = Y\n" + more}};
  return site_view(files);
}

Cycles::Cycles(const ConfigView& config) : rules_(cycle::placement_rules(config.cluster, config.lsb)) {}

void Cycles::look(const book::Book& book, const std::function<void(cycle::Snapshot&)>& look) const {
  answers::SnapshotKeeper keeper(book.jobs(), book.hosts());
  keeper.configure(rules_);
  cycle::Snapshot& snapshot = keeper.snapshot();
  for (HostNumber host = 0; host < rules_->hosts.size(); ++host) {
    const bool away = !book.hosts().connected(rules_->hosts[host].text());
    snapshot.host(host) = {.unavailable = away, .unreachable = away};
  }
  look(snapshot);
}

void Cycles::plan(book::Book& book, WallTime now, const std::function<void(Effects)>& take) const {
  cycle::Plan plan;
  look(book, [&](cycle::Snapshot& snapshot) { plan = cycle::schedule(snapshot, now); });
  std::set<JobKey> not_taken;
  for (const auto& dispatch : plan.dispatches) {
    event::Dispatched event;
    event.placement = by_name(*rules_, dispatch.placement);
    auto effects = book.hosts().dispatch(dispatch.job, event, now);
    if (effects.empty()) not_taken.insert(dispatch.job);
    take(std::move(effects));
  }
  for (const auto& suspend : plan.suspends)
    if (!not_taken.contains(suspend.by)) {
      lent_ += suspend.reasons == wire::SUSPEND_PREEMPT &&
               book.jobs().find(suspend.job)->record.status() == wire::STATUS_USUSP;
      take(book.hosts().suspend(suspend.job, {suspend.reasons, suspend.text, suspend.by}, now));
    }
  for (const auto& resume : plan.resumes) take(book.hosts().resume(resume.job, {resume.reasons}, now));
}

std::string broken_slots(const book::Book& book) {
  std::map<std::string, int> slots, exclusive, jobs;
  std::string wrong;
  for (const auto status : {wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_USUSP, wire::STATUS_UNKWN})
    for (const JobKey key : book.jobs().with_status(status)) {
      const Job& job = *book.jobs().find(key);
      if (is_elsewhere(job.record)) continue;
      if ((job.record.suspend_reasons() & wire::SUSPEND_PREEMPT) != 0) {
        if (status == wire::STATUS_RUN) wrong = text(key) + " is preempted and RUN";
        if (job.record.preempted_since_us() == 0 && !job.record.slots_lent())
          wrong = text(key) + " is preempted, and its time does not run";
        continue;
      }
      if (job.record.preempted_since_us() != 0) wrong = text(key) + " is not preempted, and its time runs";
      for (const auto& on : job.record.hosts()) {
        slots[on.name()] += static_cast<int>(on.slots());
        ++jobs[on.name()];
        exclusive[on.name()] += job.asked->exclusive() ? 1 : 0;
      }
    }
  for (const auto& [host, count] : slots) {
    if (count > kSlotsOfHost) wrong = host + " has " + std::to_string(count) + " slots taken";
    if (exclusive[host] > 0 && jobs[host] > 1) wrong = host + " has other jobs beside an exclusive one";
  }
  return wrong;
}

}  // namespace rollcall::sched
