#include "sched/policy/jobs/submission_check.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/job_numbers.hpp"
#include "common/base/numbers.hpp"
#include "common/base/terminal_text.hpp"
#include "common/resreq/evaluate.hpp"
#include "common/resreq/merge.hpp"
#include "common/resreq/terms.hpp"
#include "sched/policy/values/gpus.hpp"
#include "sched/policy/values/resreq_syntax.hpp"

namespace rollcall::sched::jobs {
namespace {

// These texts become arguments, paths or environment of a process, where a zero byte would end them.
bool is_word(const std::string& text) {
  return text.size() <= kLongestWord && text.find('\0') == std::string::npos;
}

// Texts that other users' terminals show: they must not contain control characters or break a line of a table.
struct ShownText {
  const char* option;
  const std::string* text;
  Controls allowed = Controls::none;
};

std::vector<ShownText> shown_texts(const wire::Submission& a) {
  constexpr Controls kLines = Controls::newline_and_tab;
  std::vector<ShownText> texts{{"-J", &a.job_name()},
                               {"-P", &a.project()},
                               {"-G", &a.user_group()},
                               {"-g", &a.job_group()},
                               {"-Jd", &a.description()},
                               {"-u", &a.mail_user()},
                               {"-w", &a.dependency()},
                               {"-gpu", &a.gpu()},
                               {"-i", &a.input_file()},
                               {"-o", &a.output_file()},
                               {"-e", &a.error_file()},
                               {"-cwd", &a.asked_cwd()},
                               {"-outdir", &a.output_dir()},
                               {"-app", &a.application()},
                               {"-sla", &a.service_class()},
                               {"-U", &a.reservation()},
                               {"-L", &a.login_shell()},
                               {"-R", &a.resreq(), kLines},
                               {"-Q", &a.requeue_exits()},
                               {"-E", &a.pre_exec(), kLines},
                               {"-Ep", &a.post_exec(), kLines},
                               {"-W", &a.limits().run_spec()},
                               {"-c", &a.limits().cpu_spec()},
                               {"-alloc_flags", &a.alloc_flags()},
                               {"the command", &a.command(), kLines},
                               {"the script's shell", &a.shell()},
                               {"the working directory", &a.cwd()},
                               {"HOME", &a.home()},
                               {"the submission host", &a.from_host()},
                               {"the submission host's type", &a.from_type()}};
  for (const auto& queue : a.queues()) texts.push_back({"-q", &queue});
  for (const auto& host : a.asked_hosts()) texts.push_back({"-m", &host.name()});
  for (const auto& esub : a.esubs()) texts.push_back({"-a", &esub});
  for (const auto& file : a.transfers()) {
    texts.push_back({"-f", &file.local()});
    texts.push_back({"-f", &file.remote()});
  }
  return texts;
}

// An order to another cluster has the job's numbers in place of %J and %I (peers::crossing()): it must fit, too.
std::optional<Refusal> check_files(const wire::Submission& a) {
  std::vector<std::pair<const char*, const std::string*>> files = {{"-i", &a.input_file()},
                                                                   {"-o", &a.output_file()},
                                                                   {"-e", &a.error_file()},
                                                                   {"-cwd", &a.asked_cwd()},
                                                                   {"-outdir", &a.output_dir()}};
  for (const auto& file : a.transfers()) {
    files.emplace_back("-f", &file.local());
    files.emplace_back("-f", &file.remote());
  }
  constexpr std::int32_t kLongestNumber = std::numeric_limits<std::int32_t>::max();
  std::size_t more = 0;
  for (const auto& [option, file] : files) {
    const std::size_t size = with_job_numbers(*file, kLongestNumber, kLongestNumber).size();
    if (size > kLongestPath)
      return refusal(Refusal::BAD_REQUEST, std::string(option) + ": found a file name of " +
                                               std::to_string(size) + " bytes, expected at most " +
                                               std::to_string(kLongestPath));
    more += size - std::min(size, file->size());
  }
  if (more == 0 || a.ByteSizeLong() + more <= kMostSubmission) return std::nullopt;
  return refusal(Refusal::BAD_REQUEST, "found a job of " + std::to_string(a.ByteSizeLong() + more) +
                                           " bytes with its numbers in its file names, expected at most " +
                                           std::to_string(kMostSubmission));
}

std::optional<Refusal> check_words(const wire::Submission& a) {
  const auto bad = [](std::string what) { return refusal(Refusal::BAD_REQUEST, std::move(what)); };
  for (const std::string* word :
       {&a.command(),    &a.shell(),       &a.job_name(),      &a.project(),   &a.user_group(),
        &a.resreq(),     &a.dependency(),  &a.cwd(),           &a.asked_cwd(), &a.output_dir(),
        &a.input_file(), &a.output_file(), &a.error_file(),    &a.home(),      &a.mail_user(),
        &a.pre_exec(),   &a.post_exec(),   &a.requeue_exits(), &a.job_group(), &a.description(),
        &a.from_host(),  &a.from_type(),   &a.login_shell(),   &a.gpu(),       &a.alloc_flags()})
    if (!is_word(*word)) return bad("a text of the job is longer than 64 KB or has a zero byte in it");
  for (const auto& shown : shown_texts(a))
    if (find_control(*shown.text, shown.allowed) != std::string::npos)
      return bad(std::string(shown.option) + ": found a control character, expected none" +
                 (shown.allowed == Controls::none ? "" : " but newline and tab"));
  if (a.command().empty() && a.script().empty() && !a.has_script_at()) return bad("no command is given");
  std::size_t bytes = 0;
  for (const std::string& word : a.environment()) {
    bytes += word.size();
    if (word.find('\0') != std::string::npos || word.find('=') == std::string::npos || word[0] == '=')
      return bad("the environment has a word that is not NAME=VALUE");
  }
  if (bytes > kMostEnvironment) return bad("the environment is larger than 2 MB");
  if (a.umask() > 0777) return bad("invalid umask, expected at most 0777");
  // The bound of bsub: sums of slots must not overflow.
  for (const std::uint32_t slots : {a.min_slots(), a.max_slots(), a.array_slots()})
    if (slots > static_cast<std::uint32_t>(kMaxTasks))
      return bad("-n: found " + std::to_string(slots) + ", expected at most " + std::to_string(kMaxTasks));
  if (a.max_slots() != 0 && a.max_slots() < min_slots(a)) return bad("-n: the minimum is above the maximum");
  for (const auto& file : a.transfers())
    if (!is_word(file.local()) || !is_word(file.remote()) || file.local().empty() || file.remote().empty())
      return bad("-f: invalid file name: it is empty, longer than 64 KB or has a zero byte");
  if (!a.requeue_exits().empty())
    if (const auto exits = conf::parse_requeue_exits(a.requeue_exits()); !exits)
      return bad("-Q: " + exits.error().text);
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> check_limits(const wire::Limits& l) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  for (const std::int64_t value : {l.core_kb(), l.data_kb(), l.file_kb(), l.memory_kb(), l.processes(),
                                   l.stack_kb(), l.threads(), l.swap_kb()})
    if (value < 0 || value > kMost)
      return refusal(Refusal::BAD_REQUEST, "a limit of the job is out of range");
  for (const std::int64_t seconds : {l.cpu_s(), l.run_s()})
    if (seconds < 0 || seconds > kMaxSeconds)
      return refusal(Refusal::BAD_REQUEST, "a time limit of the job is out of range");
  return std::nullopt;
}

namespace {

// -W 1:00/host, -c 1:00/model.
std::optional<Refusal> check_speeds(const wire::Limits& l, const ConfigView& config) {
  for (const std::string* spec : {&l.run_spec(), &l.cpu_spec()})
    if (!spec->empty() && !config.cluster->names.official(*spec) && !config.cluster->shared.model(*spec))
      return refusal(Refusal::BAD_REQUEST, *spec + ": Bad host specification");
  return std::nullopt;
}

// Options without support in this release are refused, never ignored.
std::optional<Refusal> check_supported(const wire::Submission& a) {
  const auto not_yet = [](const std::string& option) {
    return refusal(Refusal::BAD_REQUEST, option + " is not supported in this release");
  };
  if (!a.service_class().empty()) return not_yet("-sla");
  if (!a.reservation().empty()) return not_yet("-U");
  if (a.has_priority()) return not_yet("-sp");
  return std::nullopt;
}

std::optional<Refusal> check_dates(const wire::Submission& a, WallTime now) {
  if (a.begin_us() < 0 || a.terminate_us() < 0)
    return refusal(Refusal::BAD_REQUEST, "Bad time specification");
  if (a.terminate_us() != 0 && a.terminate_us() <= now.us)
    return refusal(Refusal::BAD_REQUEST, "Bad time specification: the termination time has passed");
  if (a.terminate_us() != 0 && a.begin_us() >= a.terminate_us())
    return refusal(Refusal::BAD_REQUEST, "Bad time specification: the job would end before it begins");
  return std::nullopt;
}

std::optional<Refusal> read_indices(const wire::Submission& a, std::int32_t largest,
                                    std::vector<std::int32_t>& indices) {
  if (a.indices().empty()) {
    indices = {0};
    return std::nullopt;
  }
  for (const auto& range : a.indices()) {
    if (range.first() < 1 || range.last() < range.first() || range.step() < 1)
      return refusal(Refusal::BAD_REQUEST, a.job_name() + ": Bad job array index list");
    if (range.last() > largest)
      return refusal(Refusal::BAD_REQUEST, "Job array index too large: " + std::to_string(range.last()) +
                                               ", at most " + std::to_string(largest) +
                                               " (MAX_JOB_ARRAY_SIZE)");
    for (std::int64_t i = range.first(); i <= range.last(); i += range.step()) {
      if (indices.size() == kMostElements)
        return refusal(Refusal::BAD_REQUEST, a.job_name() + ": too many elements");
      indices.push_back(static_cast<std::int32_t>(i));
    }
  }
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return std::nullopt;
}

std::optional<Refusal> check_hosts(const wire::Submission& a, const ConfigView& config) {
  for (const auto& host : a.asked_hosts()) {
    if (host.name() == "others" || hosts_named(config, host.name())) continue;
    if (config.cluster->shared.model(host.name())) continue;
    const std::string cluster(HostId(host.name()).cluster());
    return refusal(Refusal::NO_HOST,
                   host.name() + ": Bad host name, host group name or host model" +
                       (cluster.empty() ? "" : "; no lease with cluster " + cluster + " has it"));
  }
  return std::nullopt;
}

// "(**askedHosts)[badReqIndx] is not a host used by the specified queue": "LSF 9.1.3 API Reference", submitReply. A word for several hosts
// needs one that the queue has.
std::optional<Refusal> check_hosts_of(const conf::QueueRow& queue, const wire::Submission& a,
                                      const ConfigView& config) {
  for (const auto& asked : a.asked_hosts()) {
    const auto hosts = asked.excluded() ? std::nullopt : hosts_named(config, asked.name());
    if (!hosts || hosts->empty()) continue;  // others, a model, or a group that has no host now
    const auto used = [&](const std::string& host) { return queue_uses(config, queue, HostId(host)); };
    if (std::none_of(hosts->begin(), hosts->end(), used))
      return refusal(Refusal::NO_HOST, asked.name() + ": Host or host group is not used by the queue");
  }
  return std::nullopt;
}

// -G: the user must be in the group, one of lsb.users or of the system.
std::optional<Refusal> check_user_group(const wire::Submission& a, const SubmissionContext& context) {
  const std::string& name = a.user_group();
  if (name.empty()) return std::nullopt;
  const Identity& who = context.who;
  const bool of_lsf = in_user_group(context.config, name, who.user).has_value();
  const bool member = of_lsf ? names_user(context.config, {name}, who)
                             : std::find(who.groups.begin(), who.groups.end(), name) != who.groups.end();
  if (member) return std::nullopt;
  return of_lsf ? refusal(Refusal::NOT_ALLOWED,
                          name + ": User " + who.user + " is not a member of the user group")
                : refusal(Refusal::BAD_REQUEST, name + ": No such user group");
}

std::optional<Refusal> check_application(const wire::Submission& a, const SubmissionContext& context) {
  const std::string& name = a.application();
  if (name.empty() || name == context.kept_application || context.config.lsb->application(name))
    return std::nullopt;
  return refusal(Refusal::BAD_REQUEST, name + ": No such application profile");
}

// Checks -n against the TASKLIMIT of a queue or a profile; "": it is within.
std::string slots_outside(const SlotLimits& limits, const wire::Submission& a) {
  if (a.min_slots() == 0) return {};
  if (limits.most != 0 && a.min_slots() > static_cast<std::uint32_t>(limits.most))
    return "Too many processors requested";
  const bool too_few = std::max(a.min_slots(), a.max_slots()) < static_cast<std::uint32_t>(limits.least);
  return too_few ? "Too few processors requested" : "";
}

std::optional<Refusal> check_profile_limits(const wire::Submission& a, const SubmissionContext& context) {
  const conf::ApplicationProfile* profile = context.config.lsb->application(a.application());
  if (!profile) return std::nullopt;
  const auto no = [profile](const std::string& text) {
    return refusal(Refusal::BAD_REQUEST, profile->name + ": " + text);
  };
  if (const auto why = slots_outside(slot_limits(profile->jobs), a); !why.empty()) return no(why);
  if (const std::string above = limit_above(*profile, a.limits()); !above.empty())
    return no("Cannot exceed the maximum of the application profile: " + above);
  return std::nullopt;
}

// The queues to try, in order.
std::vector<std::string> candidates(const wire::Submission& a, const ConfigView& config) {
  if (!a.queues().empty()) return {a.queues().begin(), a.queues().end()};
  if (!config.lsb->params.default_queues.empty()) return config.lsb->params.default_queues;
  if (config.lsb->queue("default")) return {"default"};
  if (!config.lsb->queues.empty()) return {config.lsb->queues.front().name};
  return {};
}

std::optional<int> most_pending(const ConfigView& config, const Identity& who) {
  std::optional<int> standard;
  for (const auto& row : config.lsb->users.users) {
    if (row.name == who.user) return row.max_pending;
    if (row.name == "default") standard = row.max_pending;
    if (row.name.ends_with('@') && names_user(config, {row.name.substr(0, row.name.size() - 1)}, who))
      standard = row.max_pending;
  }
  return standard;
}

std::optional<Refusal> choose_queue(CheckedSubmission& checked, const SubmissionContext& context) {
  const auto names = candidates(*checked.asked, context.config);
  if (names.empty()) return refusal(Refusal::NO_QUEUE, "no queue is configured");
  std::optional<Refusal> why;
  for (const std::string& name : names) {
    const conf::QueueRow* queue = context.config.lsb->queue(name);
    auto refused = queue ? check_queue(*queue, *checked.asked, context)
                         : refusal(Refusal::NO_QUEUE, name + ": No such queue");
    if (!refused) {
      checked.queue = name;
      return std::nullopt;
    }
    if (!why) why = std::move(refused);
  }
  return why;
}

void fill_in(wire::Submission& a, const SubmissionContext& context) {
  a.set_user(context.who.user);
  a.set_uid(context.who.uid);
  a.set_gid(context.who.gid);
  a.clear_bound_dependency();
  // The client may not have lsf.cluster, so it may give another name of its host.
  if (auto official = context.config.cluster->names.official(a.from_host()))
    a.set_from_host(std::move(*official));
  if (a.application().empty() && !context.on_lent_slots) a.set_application(context.default_application);
  if (a.project().empty()) a.set_project(context.config.lsb->params.default_project);
  if (a.min_slots() == 0 && a.max_slots() != 0) a.set_min_slots(1);
  if (a.min_slots() != 0 && a.max_slots() == 0) a.set_max_slots(a.min_slots());
}

std::optional<Refusal> bind_dependency(CheckedSubmission& checked, const SubmissionContext& context) {
  if (checked.asked->dependency().empty()) return std::nullopt;
  auto parsed = Dependency::parse(checked.asked->dependency());
  if (!parsed) return refusal(Refusal::BAD_REQUEST, parsed.error().text);
  if (parsed->per_element() && checked.asked->indices().empty())
    return refusal(Refusal::BAD_REQUEST,
                   "dependency condition: found [*] for a job that is no array; give an index instead");
  auto bound = parsed->bound(context.ids, context.known);
  if (!bound) return refusal(Refusal::NO_JOB, bound.error().text);
  checked.asked->set_bound_dependency(bound->text());
  checked.dependency = std::make_shared<Dependency>(std::move(*bound));
  return std::nullopt;
}

// Only new requirements are checked; a stored job keeps its requirement.
std::optional<Refusal> check_terms(const wire::Submission& a, const SubmissionContext& context) {
  if (a.resreq().size() <= 2 * resreq::kMostTermsOfJob) return std::nullopt;  // an operator between two
  if (a.resreq() == context.kept_resreq) return std::nullopt;
  const auto parsed = resreq::parse(a.resreq(), resreq_syntax(context.config.cluster->settings));
  const auto terms = parsed.error ? 0 : resreq::terms(parsed.value.select);
  if (terms <= resreq::kMostTermsOfJob) return std::nullopt;
  return refusal(Refusal::BAD_REQUEST, "-R: found " + std::to_string(terms) +
                                           " terms in select, expected at most " +
                                           std::to_string(resreq::kMostTermsOfJob) +
                                           "; name hosts with -m, or a resource that they have");
}

}  // namespace

Refusal refusal(Refusal::Why why, std::string text) {
  Refusal result;
  result.set_why(why);
  result.set_text(std::move(text));
  return result;
}

std::optional<Refusal> check_queue(const conf::QueueRow& queue, const wire::Submission& a,
                                   const SubmissionContext& context) {
  using Interactive = conf::QueueRow::Interactive;
  const auto no = [&queue](Refusal::Why why, const std::string& text) {
    return refusal(why, queue.name + ": " + text);
  };
  if (!context.queue_open(queue.name)) return no(Refusal::QUEUE_CLOSED, "Queue has been closed");
  if (!queue.users.empty() && !context.who.is_admin && !names_user(context.config, queue.users, context.who))
    return no(Refusal::NOT_ALLOWED, "User cannot use the queue");
  const bool interactive = a.interactive() != wire::Submission::NONE;
  if (interactive && queue.interactive == Interactive::none)
    return no(Refusal::NOT_ALLOWED, "Queue does not accept interactive jobs");
  if (!interactive && queue.interactive == Interactive::only)
    return no(Refusal::NOT_ALLOWED, "Queue only accepts interactive jobs");
  if (a.nodes() > 0 && !queue.exclusive)
    return no(Refusal::NOT_ALLOWED,
              "Queue does not accept -nnodes, which takes whole hosts; its EXCLUSIVE must be Y");
  if (a.exclusive() && !queue.exclusive)
    return no(Refusal::NOT_ALLOWED, "Queue does not accept exclusive jobs");
  if (const auto why = slots_outside(slot_limits(queue.jobs), a); !why.empty())
    return no(Refusal::BAD_REQUEST, why);
  if (const std::string above = limit_above(queue, a.limits()); !above.empty())
    return no(Refusal::BAD_REQUEST, "Cannot exceed queue's hard limit(s): " + above);
  return context.kept_hosts ? std::nullopt : check_hosts_of(queue, a, context.config);
}

CheckedResreq combined_resreq(const ConfigView& config, const JobTerms& terms, const wire::Submission& a) {
  CheckedResreq result;
  const IndexTable& indices = config.cluster->indices;
  const auto syntax = resreq_syntax(config.cluster->settings);
  const auto bad = [&result](const std::string& text, std::size_t offset) {
    result.refusal = refusal(Refusal::BAD_RESREQ, "Bad resource requirement syntax: " + text);
    result.refusal->set_offset(static_cast<std::uint32_t>(offset));
  };
  auto job = resreq::parse(a.resreq(), syntax);
  if (job.error) {
    bad(job.error->text, job.error->offset);
    return result;
  }
  resreq::ResReq merged = std::move(job.value);
  if (const GpuRequest gpus = gpu_request(a.gpu()); gpus.count > 0) {
    const std::string resource = gpu_resource(*config.cluster);
    if (resource.empty()) {
      result.refusal = refusal(Refusal::BAD_REQUEST, std::string(kNoGpus));
      return result;
    }
    auto both = resreq::merge(merged, gpu_requirement(gpus, resource));
    if (!both) return bad(both.error().text, 0), result;
    merged = std::move(*both);
  }
  // Errors in the files were reported when they were read; they must not make jobs fail.
  const auto of_files = [&syntax](const std::string& text) -> std::optional<resreq::ResReq> {
    if (text.empty()) return std::nullopt;
    auto parsed = resreq::parse(text, syntax);
    return parsed.error ? std::nullopt : std::optional(std::move(parsed.value));
  };
  const auto of_profile = of_files(terms.application ? terms.application->jobs.res_req : "");
  const auto of_queue = of_files(terms.queue ? terms.queue->jobs.res_req : "");
  auto all = resreq::job_over_files(merged, of_profile, of_queue, indices);
  if (!all) return bad(all.error().text, 0), result;
  merged = std::move(*all);
  merged = resreq::with_defaults(merged, indices);
  resreq::BindContext context;
  context.indices = &indices;
  context.local_type = a.from_type();
  context.official_host = [&config](std::string_view word) { return config.cluster->names.official(word); };
  if (const auto bound = resreq::bind(merged.select, context); bound.error)
    return bad(bound.error->text, bound.error->offset), result;
  if (const auto bound = resreq::bind_order(merged.order, indices); bound.error)
    return bad(bound.error->text, bound.error->offset), result;
  if (const auto error = resreq::check_names(merged, indices, syntax))
    return bad(error->text, error->offset), result;
  result.text = resreq::print(merged);
  if (!merged.rusage) return result;
  result.rusage = "rusage[" + resreq::print(*merged.rusage) + "]";
  for (const auto& string : merged.rusage->alternatives.front().strings)
    for (const auto& usage : string.usages)
      if (usage.name == "mem" && usage.value) result.mem_mb = usage.value->value;
  return result;
}

CheckedSubmission check_submission(const wire::Submission& asked, const SubmissionContext& context) {
  CheckedSubmission checked;
  const auto refused = [&checked](std::optional<Refusal> why) {
    checked.refusal = std::move(why);
    return checked.refusal.has_value();
  };
  if (refused(check_words(asked)) || refused(check_files(asked)) || refused(check_supported(asked)) ||
      refused(check_dates(asked, context.now)) || refused(check_limits(asked.limits())) ||
      refused(check_speeds(asked.limits(), context.config)) ||
      refused(read_indices(asked, book_parameters(context.config).max_array_size, checked.indices)) ||
      refused(check_hosts(asked, context.config)) || refused(check_user_group(asked, context)) ||
      refused(check_application(asked, context)) || refused(check_terms(asked, context)))
    return checked;
  checked.asked = std::make_shared<wire::Submission>(asked);
  wire::Submission& a = *checked.asked;
  fill_in(a, context);
  checked.default_queue = a.queues().empty();
  if (context.on_lent_slots && a.queues_size() == 1) {
    checked.queue = a.queues(0);
    return checked;
  }
  if (refused(check_profile_limits(a, context)) || refused(choose_queue(checked, context))) return checked;
  if (const auto most = most_pending(context.config, context.who))
    if (context.pending_jobs() + checked.indices.size() > static_cast<std::uint64_t>(*most)) {
      checked.refusal =
          refusal(Refusal::NOT_ALLOWED, "User <" + context.who.user + "> has reached the limit of " +
                                            std::to_string(*most) + " pending jobs (MAX_PEND_JOBS)");
      return checked;
    }
  const JobTerms terms = terms_of(context.config, checked.queue, a);
  if (a.min_slots() == 0) {
    a.set_min_slots(static_cast<std::uint32_t>(slot_limits(terms).standard));
    a.set_max_slots(a.min_slots());
  }
  const CheckedResreq resreq = context.resreq(*terms.queue, a);
  if (refused(resreq.refusal) || refused(bind_dependency(checked, context))) return checked;
  checked.resreq = resreq.text;
  // Notices are for limits of this job and of its queue that have a value.
  const wire::Limits effective = effective_limits(terms, a.limits());
  checked.notices = limit_notices(context.config, effective, resreq.rusage);
  return checked;
}

}  // namespace rollcall::sched::jobs
