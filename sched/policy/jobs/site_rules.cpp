#include "sched/policy/jobs/site_rules.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "common/base/job_numbers.hpp"
#include "common/base/numbers.hpp"
#include "sched/policy/jobs/link_times.hpp"
#include "sched/policy/values/spans.hpp"

namespace rollcall::sched::jobs {
namespace {

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

}  // namespace

BookParameters book_parameters(const ConfigView& config) {
  const conf::LsbParams& params = config.lsb->params;
  BookParameters result;
  result.clean_period_s = whole_seconds(params.clean_period);
  result.max_job_id = params.max_job_id;
  result.max_array_size = params.max_array_size;
  result.most_requeues = params.max_requeue;
  result.exit_after_preexec_retries = params.exit_after_preexec_retries;
  result.most_stored_mb = static_cast<std::uint64_t>(params.max_user_storage_mb);
  result.longest_pause_s = params.max_requeue_pause_s.value_or(whole_seconds(params.mbd_sleep_time));
  result.steady_after_s = std::max<std::int64_t>(1, whole_seconds(params.sbd_sleep_time));
  result.unknown_after_s = std::max(1, params.max_sbd_fail) * result.steady_after_s;
  return result;
}

// ---------------------------------------------------------------- users and hosts

namespace {

const conf::UserGroup* user_group(const ConfigView& config, std::string_view name) {
  for (const auto& group : config.lsb->users.groups)
    if (group.name == name) return &group;
  return nullptr;
}

// `walked`: groups seen already, since a group may contain itself.
bool is_member(const ConfigView& config, const std::vector<std::string>& words, const Identity& who,
               std::set<std::string_view>& walked) {
  bool member = false;
  for (std::string_view word : words) {
    const bool out = word.starts_with('~');
    if (out) word.remove_prefix(1);
    bool meant = word == "all" || word == who.user;
    if (!meant)
      if (const conf::UserGroup* group = user_group(config, word); group && walked.insert(group->name).second)
        meant = is_member(config, group->members, who, walked);
    if (!meant) {
      std::string_view name = word;
      if (name.ends_with('/')) name.remove_suffix(1);  // "group/": a group of the system only
      meant = std::find(who.groups.begin(), who.groups.end(), name) != who.groups.end();
    }
    if (meant && out) return false;
    member = member || (meant && !out);
  }
  return member;
}

}  // namespace

bool names_user(const ConfigView& config, const std::vector<std::string>& words, const Identity& who) {
  std::set<std::string_view> walked;
  // "~user" alone means the same as "all ~user".
  const bool only_out = !words.empty() && std::all_of(words.begin(), words.end(),
                                                      [](const auto& w) { return w.starts_with('~'); });
  if (!only_out) return is_member(config, words, who, walked);
  std::vector<std::string> with_all{"all"};
  with_all.insert(with_all.end(), words.begin(), words.end());
  return is_member(config, with_all, who, walked);
}

std::optional<bool> in_user_group(const ConfigView& config, std::string_view group, const std::string& user) {
  const conf::UserGroup* found = user_group(config, group);
  if (!found) return std::nullopt;
  Identity who;
  who.user = user;
  std::set<std::string_view> walked{found->name};
  return is_member(config, found->members, who, walked);
}

namespace {

const conf::HostGroup* host_group(const ConfigView& config, std::string_view name) {
  for (const auto& group : config.lsb->hosts.groups)
    if (group.name == name) return &group;
  return nullptr;
}

bool in_host_group(const ConfigView& config, const conf::HostGroup& group, const HostId& host,
                   std::set<std::string_view>& walked) {
  if (!walked.insert(group.name).second) return false;
  bool member = false;
  for (std::string_view word : group.members) {
    const bool out = word.starts_with('~');
    if (out) word.remove_prefix(1);
    bool meant = word == (host.ours() ? "all" : "allremote");
    if (!meant) {
      if (const conf::HostGroup* inner = host_group(config, word))
        meant = in_host_group(config, *inner, host, walked);
      else if (const auto official = config.cluster->names.official(word))
        meant = *official == host.text();
      else if (host.ours() || conf::member_pattern(word))
        meant = word != "all" && conf::member_matches(word, host.host());
    }
    if (meant && out) return false;
    member = member || (meant && !out);
  }
  return member;
}

}  // namespace

// Of another cluster, or of all others ("": allremote).
std::optional<std::vector<std::string>> borrowed_hosts(const ConfigView& config, std::string_view cluster) {
  std::vector<std::string> hosts;
  if (config.borrowed)
    for (const HostId& host : *config.borrowed)
      if (cluster.empty() || host.cluster() == cluster) hosts.push_back(host.text());
  return hosts.empty() ? std::nullopt : std::optional(hosts);
}

std::optional<std::vector<std::string>> hosts_named(const ConfigView& config, std::string_view name) {
  std::vector<std::string> hosts;
  if (name == "allremote") return borrowed_hosts(config, "");
  if (const std::size_t at = name.find('@'); at != std::string_view::npos && at != 0) {
    const std::string_view cluster = name.substr(at + 1);
    if (cluster.empty()) return std::nullopt;
    if (cluster == config.cluster->cluster.name) return hosts_named(config, name.substr(0, at));
    if (name.substr(0, at) == "all") return borrowed_hosts(config, cluster);
    if (!config.borrowed || config.borrowed->count(HostId(std::string(name))) == 0) return std::nullopt;
    return std::vector<std::string>{std::string(name)};
  }
  if (name == "all") {
    for (const auto& host : config.cluster->cluster.hosts) hosts.push_back(host.name);
    return hosts;
  }
  if (const conf::HostGroup* group = host_group(config, name)) {
    for (const auto& host : config.cluster->cluster.hosts) {
      std::set<std::string_view> walked;
      if (in_host_group(config, *group, HostId(host.name), walked)) hosts.push_back(host.name);
    }
    for (const HostId& host : config.borrowed ? *config.borrowed : BorrowedNames{}) {
      std::set<std::string_view> walked;
      if (in_host_group(config, *group, host, walked)) hosts.push_back(host.text());
    }
    return hosts;
  }
  if (const auto official = config.cluster->names.official(name)) {
    hosts.push_back(*official);
    return hosts;
  }
  return std::nullopt;
}

namespace {

bool is_partition_or_unit(const ConfigView& config, const std::string& name) {
  const auto is = [&name](const auto& row) { return row.name == name; };
  const conf::LsbHosts& rows = config.lsb->hosts;
  return std::any_of(rows.partitions.begin(), rows.partitions.end(), is) ||
         std::any_of(rows.compute_units.begin(), rows.compute_units.end(), is);
}

bool names_host(const ConfigView& config, const conf::HostItem& item, const HostId& host) {
  if (!item.cluster.empty() && item.cluster != config.cluster->cluster.name)
    return host.cluster() == item.cluster && (item.name == "all" || item.name == host.host());
  if (item.name == "all") return host.ours();
  if (item.name == "allremote") return !host.ours();
  if (const conf::HostGroup* group = host_group(config, item.name)) {
    std::set<std::string_view> walked;
    return in_host_group(config, *group, host, walked);
  }
  return config.cluster->names.official(item.name) == host.text();
}

}  // namespace

bool queue_uses(const ConfigView& config, const conf::QueueRow& queue, const HostId& host) {
  if (queue.hosts.empty()) return host.ours();
  bool uses = false;
  for (const conf::HostItem& item : queue.hosts) {
    const bool named = names_host(config, item, host);
    if (named && item.excluded) return false;
    uses = uses || (!item.excluded && (named || (item.name == "others" && host.ours()) ||
                                       is_partition_or_unit(config, item.name)));
  }
  return uses;
}

// Linear in both lengths: users choose both texts, up to 64 KB each, and one request compares them for every job. memmem() of the
// C library is linear where std::string_view::find() takes the product.

// ---------------------------------------------------------------- notices and environment

namespace {

// KB in the largest unit that gives a number with at most two decimal digits.
std::string size_text(std::int64_t kb) {
  constexpr std::string_view kUnits[] = {"KB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(kb);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  std::string digits = std::to_string(std::llround(value * 100));
  while (digits.size() < 3) digits.insert(0, "0");
  std::string fraction = digits.substr(digits.size() - 2);
  digits.resize(digits.size() - 2);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return digits + (fraction.empty() ? "" : "." + fraction) + " " + std::string(kUnits[unit]);
}
std::string minutes_text(std::int64_t s) {
  const std::string seconds = s % 60 == 0 ? "" : " " + std::to_string(s % 60) + " s";
  return std::to_string(s / 60) + " min" + seconds;
}

}  // namespace

std::vector<std::string> limit_notices(const ConfigView&, const wire::Limits& limits,
                                       const std::string& rusage) {
  std::vector<std::string> lines;
  if (limits.has_memory_kb())
    lines.push_back("Memory limit: " + size_text(limits.memory_kb()) +
                    (limits.memory_hard() ? ", hard" : "") + ".");
  if (limits.has_swap_kb()) lines.push_back("Swap limit: " + size_text(limits.swap_kb()) + ".");
  if (limits.has_stack_kb()) lines.push_back("Stack limit: " + size_text(limits.stack_kb()) + ".");
  if (limits.has_core_kb()) lines.push_back("Core limit: " + size_text(limits.core_kb()) + ".");
  if (limits.has_data_kb()) lines.push_back("Data limit: " + size_text(limits.data_kb()) + ".");
  if (limits.has_file_kb()) lines.push_back("File limit: " + size_text(limits.file_kb()) + ".");
  if (limits.has_run_s()) lines.push_back("Run limit: " + minutes_text(limits.run_s()) + ".");
  if (limits.has_cpu_s()) lines.push_back("CPU limit: " + minutes_text(limits.cpu_s()) + ".");
  if (limits.has_processes()) lines.push_back("Process limit: " + std::to_string(limits.processes()) + ".");
  if (limits.has_threads()) lines.push_back("Thread limit: " + std::to_string(limits.threads()) + ".");
  if (!rusage.empty()) lines.push_back("Reserves: " + rusage + ".");
  return lines;
}

std::optional<ArrayRange> range_of(const wire::Submission& asked, std::int32_t index) {
  if (index == 0) return std::nullopt;
  for (const auto& range : asked.indices())
    if (index >= range.first() && index <= range.last() &&
        (index - range.first()) % std::max(1, range.step()) == 0)
      return ArrayRange{std::max(1, range.step()), asked.indices(asked.indices_size() - 1).last()};
  return std::nullopt;
}

namespace {

std::optional<ArrayRange> array_range(const Job& job) {
  const auto& from = job.record.from();
  if (!job.record.has_from()) return range_of(*job.asked, job.key().index);
  if (from.index_end() == 0) return std::nullopt;
  return ArrayRange{from.index_step(), from.index_end()};
}

}  // namespace

std::vector<std::string> job_environment(const ConfigView& config, const Job& job,
                                         const std::string& resreq) {
  const wire::Submission& asked = *job.asked;
  const wire::JobRecord& record = job.record;
  // A job of another cluster has its number there; commands on its hosts use the one here.
  const JobKey key = record.has_from() ? key_of(record.from().key()) : job.key();
  std::vector<std::string> words;
  const auto add = [&words](std::string_view name, const std::string& value) {
    words.push_back(std::string(name) + "=" + value);
  };
  // The profile's variables come first, so that they cannot change those that LSF sets.
  const JobTerms terms = terms_of(config, record.queue(), asked);
  if (terms.application) words = terms.application->environment;

  std::string hosts, counts;
  std::uint32_t slots = 0;
  for (const auto& host : hosts_in_job(record.hosts())) {
    for (std::uint32_t i = 0; i < host.slots(); ++i) hosts += (hosts.empty() ? "" : " ") + host.name();
    counts += host.name() + " " + std::to_string(host.slots()) + " ";
    slots += host.slots();
  }
  add("LSB_JOBID", std::to_string(key.id));
  add("LSB_BATCH_JID", text(key));
  add("LSB_JOBINDEX", std::to_string(key.index));
  add(kLocalJobId,
      std::to_string(job.key().id));  // of every job: bsub in one hands its environment to the next
  if (const auto range = array_range(job)) {
    add("LSB_JOBINDEX_STEP", std::to_string(range->step));
    add("LSB_JOBINDEX_END", std::to_string(range->end));
  }
  std::string name = asked.job_name().empty() ? asked.command() : asked.job_name();
  if (key.index != 0) name += "[" + std::to_string(key.index) + "]";
  add("LSB_JOBNAME", name);
  add("LSB_QUEUE", record.queue());
  add("LSB_SUB_HOST", asked.from_host());
  add("LSB_SUB_USER", record.from().user().empty() ? asked.user() : record.from().user());
  add("LSB_PROJECT_NAME", asked.project());
  add("LS_SUBCWD", asked.cwd());
  // Longer values exceed the kernel's limit for one variable; the host file has all hosts.
  if (hosts.size() < 100'000) add("LSB_HOSTS", hosts);
  if (counts.size() < 100'000) add("LSB_MCPU_HOSTS", counts);
  add("LSB_DJOB_NUMPROC", std::to_string(slots));
  add("LSB_MAX_NUM_PROCESSORS",
      std::to_string(std::max({asked.max_slots(), min_slots(asked), asked.nodes() > 0 ? slots : 0U})));
  add("LSB_EXEC_CLUSTER", config.cluster->settings.cluster);
  add("LSFUSER", asked.user());
  add("LSB_JOB_EXECUSER", asked.user());
  add("LSF_INVOKE_CMD", "bsub");
  const auto times = link_times(config, terms, static_cast<std::size_t>(record.hosts_size()));
  // On lent slots those of the job's own cluster: what is done when a host of the job is lost is the consumer's to say.
  const auto& of_its_cluster = record.from().programs().links();
  if (of_its_cluster.empty())
    for (auto& word : link_words(times)) words.push_back(std::move(word));
  else
    words.insert(words.end(), of_its_cluster.begin(), of_its_cluster.end());
  words.emplace_back("LSF_LIM_API_NTRIES=1");
  add("LS_EXEC_T", "START");
  add("LSB_EFFECTIVE_RSRCREQ", record.effective_resreq().empty() ? resreq : record.effective_resreq());
  if (!asked.resreq().empty()) add("LSB_SUB_RES_REQ", asked.resreq());
  if (asked.interactive() != wire::Submission::NONE) add("LSB_INTERACTIVE", "Y");
  add("LSB_RESTART", record.attempt() > 1 ? "Y" : "N");
  const std::int64_t pended = record.pend_s() + record.psusp_s();
  add("LSB_JOBPEND", std::to_string(pended));
  return words;
}

}  // namespace rollcall::sched::jobs
