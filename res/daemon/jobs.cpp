#include "res/daemon/jobs.hpp"

#include <signal.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <chrono>

#include "common/io/cgroup_slots.hpp"
#include "common/io/program_place.hpp"
#include "res/daemon/job_here.hpp"
#include "res/policy/job_files.hpp"
#include "res/policy/span_file.hpp"

namespace rollcall::res {
namespace {

constexpr std::size_t kMostLeft = 1'000'000;  // jobs to clear away; each may wait for kSweepPatience
constexpr Duration kSweepPatience = std::chrono::hours(24);

std::int64_t wall_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

FromRes::JobOver own_end(const wire::JobAttempt& attempt, FromRes::JobOver::How how, std::string why) {
  FromRes::JobOver over;
  *over.mutable_job() = attempt;
  over.set_how(how);
  over.set_exit_status((how == FromRes::JobOver::NOT_STARTED ? 127 : 128 + SIGKILL) << 8);
  over.set_end_us(wall_us());
  over.set_why(std::move(why));
  return over;
}

void never_begins(int directory, const FromRes::JobOver& over) {
  keep_over(directory, over);
  if (read_kept(directory).over) return;
  for (const char* name : {"order", "prepared"}) unlinkat(directory, name, 0);
}

Jobs::Jobs(boost::asio::io_context& loop, JobDirectories directories, const sigset_t& mask,
           const rlimit& open_files, io::Log& log, Handler handler)
    : loop_(loop),
      directories_(std::move(directories)),
      mask_(mask),
      open_files_(open_files),
      log_(log),
      handler_(std::move(handler)),
      identities_(loop),
      boot_(boot_id()),
      removals_(loop, directories_.folder(), {}, mask, [this](const auto& left) { left_behind(left); }),
      sweeper_(loop, {.waiting = kMostLeft, .patience = kSweepPatience}) {}
Jobs::~Jobs() = default;

void Jobs::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
  const std::string& named = configuration_->files.settings.server_dir;
  shepherd_ = named + "/shepherd";
  if (named.empty() || access(shepherd_.c_str(), X_OK) != 0)
    shepherd_ = io::program_directory() + "/shepherd";
  removals_.set_program(shepherd_, configuration_->trust);
  removals_.on_failure([this](const std::string& line) { log_.error(line); });
  task_shares_.set_most(configuration_->files.programs.res.user_tasks);
}

void Jobs::make_cgroups() {
  if (!configuration_->files.programs.res.job_cgroups)
    return log_.notice("jobs have no cgroup (ROLLCALL_JOB_CGROUPS is N)");
  auto made = io::make_slots(directories_.path(""));
  if (made.path.empty()) return log_.notice("jobs have no cgroup (" + made.why_none + ")");
  cgroups_ = std::move(made.path);
  cgroups_held_ = std::move(made.held);
  log_.info("jobs have cgroups in " + cgroups_ +
            (made.memory ? ", with the memory controller" : ", without the memory controller"));
}

void Jobs::leave() { io::remove_slots(cgroups_); }

// ---- orders

Result<void> Jobs::order(const wire::ToRes& order) {
  if (forgetting_) {
    refuse(order, "an administrator has the jobs of this host forgotten, and some have not ended yet");
    return internal_error("found an order while jobs are being forgotten, expected none");
  }
  if (order.term() < directories_.term()) {
    refuse(order, "the order is of term " + std::to_string(order.term()) + ", and this host has seen term " +
                      std::to_string(directories_.term()));
    return {};
  }
  // Keep the term on disk: a restarted RES without it would obey an older mbatchd again.
  if (order.term() > directories_.term())
    if (const auto kept = directories_.set_term(order.term()); !kept) {
      refuse(order, "term " + std::to_string(order.term()) + " cannot be kept: " + kept.error().text);
      return kept.error();
    }
  carry_out(order);
  return {};
}

void Jobs::refuse(const wire::ToRes& order, std::string why) {
  FromRes told;
  auto& refused = *told.mutable_refused();
  refused.set_why(std::move(why));
  refused.set_term(directories_.term());
  if (order.has_start()) *refused.mutable_job() = order.start().job();
  if (order.has_signal()) *refused.mutable_job() = order.signal().job();
  log_.warning("refused: " + refused.why());
  handler_.tell(told);
}

void Jobs::carry_out(const wire::ToRes& order) {
  if (waits_for_its_start(order)) return;
  switch (order.order_case()) {
    case wire::ToRes::kWelcome:
      settings_ = order.welcome();
      for (const auto& [name, job] : jobs_) {
        wire::ToShepherd message;
        *message.mutable_settings() = settings_;
        send(job, message);
      }
      return tell_all();
    case wire::ToRes::kStart:
      if (const auto& asked = order.start(); grants_hold(asked.job(), asked.grants(), asked.wait_for_go()))
        start(asked);
      return;
    case wire::ToRes::kExpect:
      if (const auto& asked = order.expect(); grants_hold(asked.job(), asked.grants(), true)) expect(asked);
      return;
    case wire::ToRes::kGo:
      return go_ahead(order);
    case wire::ToRes::kSignal:
      return signal(order.signal());
    case wire::ToRes::kAcknowledge:
      return acknowledge(order.acknowledge().job());
    case wire::ToRes::kRelease:
      return release(order.release());
    case wire::ToRes::kRead:
      return read(order.read());
    case wire::ToRes::kFile:
      return file(order.file());
    case wire::ToRes::kGrants:
      return name_grants(order.grants());
    default:
      return;
  }
}

// Returns true if the order waits until the job is here. A repeated start is dropped: it is the same one.
bool Jobs::waits_for_its_start(const wire::ToRes& order) {
  if (coming_.empty()) return false;
  const wire::JobAttempt* attempt = nullptr;
  if (order.has_start()) attempt = &order.start().job();
  if (order.has_expect()) attempt = &order.expect().job();
  if (order.has_go() && order.go().jobs_size() == 1) attempt = &order.go().jobs(0);
  if (order.has_signal()) attempt = &order.signal().job();
  if (order.has_acknowledge()) attempt = &order.acknowledge().job();
  if (order.has_release()) attempt = &order.release().job();
  const auto coming = attempt == nullptr ? coming_.end() : coming_.find(directory_name(*attempt));
  if (coming == coming_.end()) return false;
  if (!order.has_start() && !order.has_expect()) coming->second.orders.push_back(order);
  return true;
}

// Carries out the orders that arrived while the job's user was looked up.
void Jobs::came(const std::string& name) {
  const auto coming = coming_.extract(name);
  if (coming.empty()) return;
  for (const auto& order : coming.mapped().orders) carry_out(order);
}

void Jobs::with_order(const AccountFacts& asked, std::function<void(Result<wire::JobOrder>)> done) {
  const std::string& host = configuration_->host;
  if (asked.name.empty()) return done(internal_error(why_not_as(asked, asked, host)));
  identities_.find(asked.name, [this, asked, host, done = std::move(done)](const Result<Identity>& identity) {
    if (!identity) return done(internal_error(host + ": " + identity.error().text));
    const AccountFacts here{identity->name, identity->uid};
    std::string why = why_not_as(asked, here, host);
    if (why.empty() && geteuid() != 0) why = why_not_by_owner(here, geteuid(), host);
    if (!why.empty()) return done(internal_error(std::move(why)));
    done(order_of(*identity));
  });
}

// For a job of root's, root executes the mail program, so only root may be able to change it. Otherwise the output of the job is
// kept, as it is without a mailer.
std::string Jobs::mail_program_for(uid_t user) const {
  const std::string& program = configuration_->files.programs.res.mail_program;
  if (user != 0 || !program.starts_with('/')) return program;
  const auto trusted = io::check_trust(configuration_->trust, program.substr(0, program.find_first_of(" \t")),
                                       "root would execute it (LSB_MAILPROG)");
  if (trusted) return program;
  log_.error(trusted.error().text + "; no mail is sent about this job of root's");
  return "/dev/null/LSB_MAILPROG";  // cannot be executed
}

wire::JobOrder Jobs::order_of(const Identity& identity) const {
  const auto& settings = configuration_->files.settings;
  wire::JobOrder order;
  order.set_host(configuration_->host);
  order.set_boot(boot_);
  *order.mutable_settings() = settings_;
  const std::string beside = io::program_directory();
  order.set_server_dir(settings.server_dir.empty() ? beside : settings.server_dir);
  if (const std::string eexec = order.server_dir() + "/eexec"; access(eexec.c_str(), X_OK) == 0)
    order.set_eexec(eexec);
  order.set_bin_dir(configuration_->batch.bin_dir.empty() ? beside.substr(0, beside.rfind('/')) + "/bin"
                                                          : configuration_->batch.bin_dir);
  order.set_lib_dir(configuration_->batch.lib_dir.empty() ? beside.substr(0, beside.rfind('/')) + "/lib"
                                                          : configuration_->batch.lib_dir);
  order.set_env_dir(settings.env_dir);
  order.set_mail_program(mail_program_for(identity.uid));
  order.set_user(identity.name);
  order.set_uid(identity.uid);
  order.set_gid(identity.gid);
  for (const gid_t group : identity.groups) order.add_groups(group);
  order.set_group(identity.group);
  order.set_home(identity.home);
  order.set_shell(identity.shell);
  order.set_host_type(configuration_->host_type);
  order.set_version(ROLLCALL_LSF_VERSION);
  order.set_full_version(ROLLCALL_LSF_VERSION ".0.0");
  const auto& administrators = configuration_->files.cluster.administrators;
  order.set_sender((administrators.empty() ? std::string("lsfadmin") : administrators.front()) + "@" +
                   configuration_->host);
  const auto& program = configuration_->files.programs.res;
  order.set_tmp_dir(program.set_tmpdir ? program.tmp_top : "");
  order.set_tmp_top(program.tmp_top);
  order.set_stop_signal(program.stop_signal);
  *order.mutable_enforcement() = configuration_->enforcement;
  order.set_task_relay(program.task_relay);
  order.set_mpi_variables(program.mpi_variables);
  order.set_usage_factor(program.usage_factor);
  order.set_cgroups(cgroups_);
  return order;
}

void Jobs::start(const wire::ToRes::StartJob& start) {
  const std::string name = directory_name(start.job());
  if (const auto known = jobs_.find(name); known != jobs_.end()) {
    if (!known->second->prepared) return tell_job(known->second);
    return start.wait_for_go() ? prepared(start.job()) : begin(known->second);
  }
  coming_[name].waits_for_go = start.wait_for_go();
  auto& held = coming_[name].held;
  *held.mutable_job() = start.job();
  held.set_state(FromRes::Held::STARTING);
  held.set_first_host(true);
  *held.mutable_grants() = start.grants();
  with_order({start.submission().user(), start.submission().uid()},
             [this, start, name](Result<wire::JobOrder> order) {
               start_as(start, std::move(order));
               came(name);
             });
}

// Adds the variables that only this host's configuration files define.
void Jobs::add_host_words(wire::JobOrder& order) const {
  auto& start = *order.mutable_start();
  start.add_environment("LSB_JOBRES_CALLBACK=" + std::to_string(configuration_->batch.res_port) + "@" +
                        configuration_->host);
  if (const auto& logs = configuration_->files.settings.log_dir; !logs.empty())
    start.add_environment("LSF_LOGDIR=" + logs);
}

void Jobs::start_as(const wire::ToRes::StartJob& start, Result<wire::JobOrder> order) {
  std::string why;
  if (order) {
    *order->mutable_start() = start;
    add_host_words(*order);
    if (const auto job = make(directory_name(start.job()), *order, why))
      return job->prepared ? prepared(start.job()) : start_soon(job);
  } else {
    why = order.error().text;
  }
  log_.error("job " + job_text(start.job().key()) + ": " + why);
  if (start.wait_for_go()) return not_prepared(start.job(), why);
  FromRes told;
  *told.mutable_over() = own_end(start.job(), FromRes::JobOver::NOT_STARTED, why);
  handler_.tell(told);
}

// Makes all orders of one turn of the loop durable together.
void Jobs::start_soon(const JobPtr& job) {
  starting_.push_back(job);
  if (starting_.size() == 1) boost::asio::post(loop_, [this] { start_all(); });
}

void Jobs::start_all() {
  const auto starting = std::exchange(starting_, {});
  removals_.job_starts();
  std::vector<wire::JobAttempt> attempts;
  for (const auto& job : starting) attempts.push_back(job->attempt);
  FromRes begun;
  const auto noted = directories_.note_started(attempts);
  if (!noted) log_.error(noted.error().text);
  for (const auto& job : starting) {
    if (!noted) {
      job->over = own_end(job->attempt, FromRes::JobOver::NOT_STARTED, noted.error().text);
      never_begins(job->directory.get(), *job->over);
    }
    if (!noted || !start_guard(job))
      over(job);
    else
      *begun.mutable_begun()->add_jobs() = job->attempt;
  }
  if (begun.has_begun()) handler_.tell(begun);
}

void Jobs::expect(const wire::ToRes::ExpectJob& expect) {
  const std::string name = directory_name(expect.job());
  if (jobs_.contains(name)) return prepared(expect.job());
  coming_[name].waits_for_go = true;
  auto& held = coming_[name].held;
  *held.mutable_job() = expect.job();
  held.set_state(FromRes::Held::EXPECTED);
  *held.mutable_grants() = expect.grants();
  with_order({expect.user(), expect.uid()}, [this, expect, name](Result<wire::JobOrder> order) {
    expect_as(expect, std::move(order));
    came(name);
  });
}

void Jobs::expect_as(const wire::ToRes::ExpectJob& expect, Result<wire::JobOrder> order) {
  std::string why = order ? "" : order.error().text;
  if (order) {
    *order->mutable_expect() = expect;
    if (make(directory_name(expect.job()), *order, why)) return prepared(expect.job());
  }
  log_.error("job " + job_text(expect.job().key()) + ": " + why);
  not_prepared(expect.job(), why);
}

Jobs::JobPtr Jobs::make(const std::string& name, const wire::JobOrder& order, std::string& why) {
  const bool waits = order.has_start() && order.start().wait_for_go();
  auto directory = directories_.create(name, order, waits);
  if (!directory) {
    why = directory.error().text;
    return nullptr;
  }
  auto job = std::make_shared<Job>(loop_);
  job->name = name;
  job->prepared = waits;
  job->order = order;
  job->attempt = order.has_start() ? order.start().job() : order.expect().job();
  job->directory = std::move(*directory);
  if (!keep_span(*job)) {
    why = "the job's key is malformed, or another job has it";
    remove_later(name);
    return nullptr;
  }
  jobs_[name] = job;
  return job;
}

void Jobs::signal(const wire::ToRes::SignalJob& signal) {
  const auto job = find(signal.job());
  if (!job) {
    FromRes told;
    *told.mutable_over() = own_end(signal.job(), FromRes::JobOver::NEVER_SEEN, kWhyNeverSeen);
    return handler_.tell(told);
  }
  // A job that is over may still run its post-execution, which can be signalled.
  const bool post_runs = job->alive && job->over && job->over->post_follows() && !job->post;
  if (job->over && !post_runs) return tell_job(job);
  if (signal.action() == wire::ToRes::SignalJob::LIMITS)
    if (const std::string cgroup = memory_cgroup(job->directory.get()); !cgroup.empty())
      io::limit_slot_memory(cgroup, signal.limits().memory_kb() * 1024);
  wire::ToShepherd message;
  *message.mutable_signal() = signal;
  send(job, message);
  if (is_kill(signal)) see_that_it_is_read(job);
}

void Jobs::acknowledge(const wire::JobAttempt& attempt) {
  const auto job = find(attempt);
  if (!job) return;
  if (!job->over) {
    // mbatchd does not know the job: end it.
    job->unknown_there = true;
    if (job->clearing) return;  // over() forgets it when its processes have ended
    if (!job->alive) return forget(job);
    wire::ToShepherd message;
    auto& kill = *message.mutable_signal();
    *kill.mutable_job() = attempt;
    kill.set_signal(SIGKILL);  // not TERMINATE, which JOB_CONTROLS may redefine
    send(job, message);
    return see_that_it_is_read(job);
  }
  const bool awaits_post = job->over->post_follows() && (!job->post || !job->over_acknowledged);
  job->over_acknowledged = true;
  if (!awaits_post) forget(job);
}

void Jobs::release(const wire::ToRes::ReleaseJob& release) {
  const auto job = find(release.job());
  if (!job && release.tell()) return tell_gone(release.job());
  if (!job || (job->first_host() && !job->prepared)) return;
  job->released = true;
  job->tells_gone = release.tell();
  if (job->clearing) return;  // likewise
  if (!job->alive) return forget(job);
  wire::ToShepherd message;
  *message.mutable_release()->mutable_job() = release.job();
  send(job, message);
  see_that_it_is_read(job);
}

void Jobs::tell_gone(const wire::JobAttempt& attempt) {
  FromRes told;
  *told.mutable_gone()->add_jobs() = attempt;
  handler_.tell(told);
}

bool Jobs::keep_span(const Job& job) {
  const wire::JobSpan* span = span_of(job.order);
  return span == nullptr || spans_.add(span->task_key(), job.name);
}

std::optional<Jobs::SpanJob> Jobs::span_job(const io::TicketId& ticket) const {
  const auto found = jobs_.find(spans_.job_of(ticket));
  if (found == jobs_.end()) return std::nullopt;
  const Job& job = *found->second;
  return SpanJob{job.attempt, {true, job.order.uid(), job.order.user()}};
}

}  // namespace rollcall::res
