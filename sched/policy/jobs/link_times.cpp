#include "sched/policy/jobs/link_times.hpp"

#include "common/conf/lsb/parallel_links.hpp"

namespace rollcall::sched::jobs {
namespace {

// Rounded up: the programs that read it take whole seconds.
std::string whole_seconds_up(Duration time) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(time).count());
}

}  // namespace

LinkTimes link_times(const ConfigView& config, const JobTerms& terms, std::size_t hosts) {
  conf::ParallelLinks links;
  if (terms.application) links = terms.application->jobs.links;
  if (terms.queue) links = conf::joined(links, terms.queue->jobs.links);
  links = conf::joined(links, config.lsb->params.links);
  links = conf::joined(links, {config.batch->heartbeat, config.batch->usage_interval, {}});
  const Duration standard = config.lsb->params.sbd_sleep_time;
  LinkTimes times;
  times.patience.heartbeat = links.heartbeat ? scaled_interval(*links.heartbeat, hosts) : standard;
  times.patience.silence = silence_for(config.batch->alive_timeout, links.heartbeat);
  times.patience.action = links.action.value_or(CommfailAction::end_job);
  times.usage_is_own = links.usage.has_value();
  times.usage = links.usage ? scaled_interval(*links.usage, hosts) : standard;
  return times;
}

std::vector<std::string> link_words(const LinkTimes& times) {
  std::vector<std::string> words{"LSB_DJOB_RU_INTERVAL=" + whole_seconds_up(times.usage),
                                 "LSB_DJOB_HB_INTERVAL=" + whole_seconds_up(times.patience.heartbeat),
                                 "LSF_RES_ALIVE_TIMEOUT=" + whole_seconds_up(times.patience.silence)};
  if (times.patience.action != CommfailAction::end_job)
    words.push_back("LSB_DJOB_COMMFAIL_ACTION=" + std::string(text(times.patience.action)));
  return words;
}

}  // namespace rollcall::sched::jobs
