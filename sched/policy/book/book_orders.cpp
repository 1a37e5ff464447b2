// The Book: the contents of orders to a job's hosts, made when the order leaves, from the job as it is then.
#include <algorithm>

#include "sched/policy/book/book_memory.hpp"
#include "sched/policy/jobs/link_times.hpp"
#include "sched/policy/values/elsewhere.hpp"
#include "sched/policy/values/gpus.hpp"
#include "sched/policy/values/spans.hpp"

namespace rollcall::sched::book {
namespace {

bool without_report(const wire::Submission& asked) {
  return std::any_of(asked.environment().begin(), asked.environment().end(), [](const std::string& word) {
    return word == "LSB_JOB_REPORT_MAIL=N" || word == "LSB_JOB_REPORT_MAIL=n";
  });
}

std::vector<wire::ExecHost> hosts_of(const wire::JobRecord& record) { return hosts_in_job(record.hosts()); }

Duration usage_interval(const ConfigView& config, const Job& job) {
  return jobs::told_usage_interval(jobs::link_times(config,
                                                    jobs::terms_of(config, job.record.queue(), *job.asked),
                                                    static_cast<std::size_t>(job.record.hosts_size())));
}

// Whether that attempt is the job's present one, and has hosts.
bool counts(const BookEntry* entry, std::uint64_t attempt) {
  return entry && placed(entry->job->status()) && entry->job->record.attempt() == attempt;
}

// Gives an effect to the engine if it is an order.
class OrderGiver {
 public:
  OrderGiver(const HostLedger& hosts, Engine& engine, const ReadWhole& whole)
      : hosts_(hosts), engine_(engine), whole_(whole) {}

  bool operator()(const effect::OrderStart& order) const {
    auto start = hosts_.start_order(order);
    if (!start) return true;
    start->asked = whole_(start->asked);
    if (!start->asked) return false;
    start->mail_report_only = without_report(*start->asked);
    engine_.start(order.host, std::move(*start));
    return true;
  }
  bool operator()(const effect::OrderExpect& order) const {
    if (const auto expect = hosts_.expect_order(order)) engine_.expect(order.host, *expect);
    return true;
  }
  bool operator()(const effect::OrderGo& order) const {
    const Attempt attempt{order.key, order.attempt};
    if (hosts_.has_go(order))
      engine_.go(order.host, attempt);
    else if (!hosts_.expect_order({order.key, order.host, order.attempt}))
      // The job ended before this order left: release the host, or it would wait for ever.
      engine_.release(order.host, attempt);
    return true;
  }
  bool operator()(const effect::OrderSignal& order) const {
    engine_.signal(order.host, order.signal);
    return true;
  }
  bool operator()(const effect::OrderAcknowledge& order) const {
    engine_.acknowledge(order.host, order.attempt);
    return true;
  }
  bool operator()(const effect::OrderRelease& order) const {
    engine_.release(order.host, order.attempt);
    return true;
  }
  template <class Other>
  bool operator()(const Other&) const {
    return true;
  }

 private:
  const HostLedger& hosts_;
  Engine& engine_;
  const ReadWhole& whole_;
};

// On lent slots the queue and the profile in the job's own cluster count (docs/decisions/0109).
void take_lent_programs(const wire::LentPrograms& programs, order::Start& start) {
  start.job_starter = programs.job_starter();
  start.queue_pre_exec = programs.queue_pre_exec();
  start.queue_post_exec = programs.queue_post_exec();
  start.controls = {programs.suspend(), programs.resume(), programs.terminate()};
  start.nice = programs.nice();
}

}  // namespace

std::optional<order::Start> HostLedger::start_order(const effect::OrderStart& order) const {
  const BookEntry* entry = memory_->entry(order.key);
  if (!counts(entry, order.attempt) || entry->job->record.hosts(0).name() != order.host) return std::nullopt;
  const Job& job = *entry->job;
  const wire::JobRecord& record = job.record;
  order::Start start;
  start.attempt = {order.key, order.attempt};
  start.asked = job.asked;
  start.hosts = hosts_of(record);
  start.limits = jobs_.effective_limits(job);
  start.queue = is_elsewhere(record) ? record.forwarded().queue() : record.queue();
  start.forward = record.forwarded().number();
  start.rerunnable =
      jobs::rerunnable(jobs::terms_of(memory_->config, record.queue(), *job.asked), *job.asked);
  const conf::QueueRow* queue = memory_->queue_row(record.queue());
  if (queue) {
    start.queue_pre_exec = queue->jobs.pre_exec;
    start.queue_post_exec = queue->jobs.post_exec;
  }
  jobs::JobPrograms programs =
      jobs::programs_of(jobs::terms_of(memory_->config, record.queue(), *job.asked), *job.asked);
  start.pre_exec = std::move(programs.pre_exec);
  start.post_exec = std::move(programs.post_exec);
  start.job_starter = std::move(programs.job_starter);
  start.nice = programs.nice;
  start.controls = std::move(programs.controls);
  if (on_lent_slots(record)) take_lent_programs(record.from().programs(), start);
  const jobs::CheckedResreq& resreq = memory_->resreq_of(queue, record.queue(), *job.asked);
  start.environment = jobs::job_environment(memory_->config, job, resreq.text);
  start.effective_resreq = record.effective_resreq().empty() ? resreq.text : record.effective_resreq();
  start.cluster = memory_->config.cluster->settings.cluster;
  start.from_cluster = record.from().cluster();
  start.gpus = gpus_on(record, order.host);
  start.submit_us = record.submit_us();
  if (resreq.mem_mb > 0) start.requested_memory_kb = static_cast<std::uint64_t>(resreq.mem_mb * 1024);
  start.wait_for_go = record.starting();
  start.usage_interval = usage_interval(memory_->config, job);
  return start;
}

std::optional<order::Expect> HostLedger::expect_order(const effect::OrderExpect& order) const {
  const BookEntry* entry = memory_->entry(order.key);
  if (!counts(entry, order.attempt)) return std::nullopt;
  const Job& job = *entry->job;
  return order::Expect{{order.key, order.attempt},
                       job.asked->user(),
                       job.asked->uid(),
                       hosts_of(job.record),
                       jobs_.effective_limits(job),
                       gpus_on(job.record, order.host),
                       usage_interval(memory_->config, job)};
}

std::vector<OrderedCluster> Memory::cut_off(const wire::JobRecord& record) const {
  auto clusters = ordered_clusters(record);
  std::erase_if(clusters, [this](const OrderedCluster& cluster) {
    const HostLink* link = hosts.find_link(cluster.host);
    return link && link->connected;
  });
  return clusters;
}

void Memory::note_waiting_order(const wire::JobRecord& record, WallTime now, Effects& effects) const {
  for (const auto& cluster : cut_off(record)) {
    const auto waiting = waiting_orders(record, cluster);
    if (waiting.empty()) continue;
    wire::JobEvent event;
    event.mutable_status()->set_why(waiting.back());  // without a status: it stays what it is
    record_event(effects, key_of(record.key()), now, std::move(event));
  }
}

void HostLedger::kept_back(const Attempt& attempt, const std::string& awaited) {
  BookEntry* entry = memory_->entry(attempt.job);
  if (counts(entry, attempt.number) && !entry->job->launch.go_given) entry->job->launch.awaits = awaited;
}

bool HostLedger::has_go(const effect::OrderGo& order) const {
  const BookEntry* entry = memory_->entry(order.key);
  return counts(entry, order.attempt) && entry->job->launch.go_given;
}

bool HostLedger::carry_out(const Effect& effect, Engine& engine, const ReadWhole& whole) const {
  return std::visit(OrderGiver(*this, engine, whole), effect);
}

}  // namespace rollcall::sched::book
