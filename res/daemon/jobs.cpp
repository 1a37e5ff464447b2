#include "res/daemon/jobs.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "common/io/program_place.hpp"
#include "common/io/spawn.hpp"
#include "res/daemon/orphans.hpp"
#include "res/policy/job_files.hpp"

namespace rollcall::res {
namespace {

using FromRes = wire::FromRes;
using boost::asio::posix::stream_descriptor;

constexpr std::chrono::milliseconds kFirstLook{2}, kLastLook{200};
constexpr std::chrono::seconds kTaskPatience{5};  // for a job that mbatchd has not told us of yet
constexpr std::chrono::milliseconds kTaskPause{50};

std::int64_t wall_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

std::string random_key() {
  std::string key(32, '\0');
  for (std::size_t done = 0; done < key.size();) {
    const ssize_t size = getrandom(key.data() + done, key.size() - done, 0);
    if (size > 0) done += static_cast<std::size_t>(size);
  }
  return key;
}

FromRes::JobOver own_end(const wire::JobAttempt& attempt, FromRes::JobOver::How how, std::string why) {
  FromRes::JobOver over;
  *over.mutable_job() = attempt;
  over.set_how(how);
  over.set_exit_status((how == FromRes::JobOver::NOT_STARTED ? 127 : 128 + SIGKILL) << 8);
  over.set_end_us(wall_us());
  over.set_why(std::move(why));
  return over;
}

}  // namespace

struct Jobs::Job {
  Job(boost::asio::io_context& loop) : timer(loop) {}
  ~Job() { drop_socket(); }
  void drop_socket() {
    if (watch) watch->release();  // the frame socket closes it
    watch.reset();
    socket.close();
  }

  std::string name;
  wire::JobOrder order;
  wire::JobAttempt attempt;
  io::Descriptor directory;
  pid_t guard = -1;
  bool alive = false;  // a guard has been started or adopted, and its end was not seen
  bool released = false;
  io::FrameSocket socket;
  std::optional<stream_descriptor> watch;
  bool writing = false;
  boost::asio::steady_timer timer;
  std::chrono::milliseconds pause = kFirstLook;

  std::optional<FromRes> ready, running, stopped;
  std::optional<FromRes::JobOver> over;
  std::optional<FromRes::PostOver> post;
  bool over_acknowledged = false, over_told = false, unknown_there = false;
  std::map<std::uint64_t, std::pair<std::string, TaskDone>> tasks;  // asked, by number: key and answer
  std::map<std::uint64_t, PeekDone> peeks;

  bool first_host() const { return order.has_start(); }
};

Jobs::Jobs(boost::asio::io_context& loop, JobDirectories directories, const sigset_t& mask,
           const rlimit& open_files, io::Log& log, Handler handler)
    : loop_(loop),
      directories_(std::move(directories)),
      mask_(mask),
      open_files_(open_files),
      log_(log),
      handler_(std::move(handler)),
      boot_(boot_id()) {}
Jobs::~Jobs() = default;

void Jobs::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
  const std::string& named = configuration_->files.settings.server_dir;
  shepherd_ = named + "/shepherd";
  if (named.empty() || access(shepherd_.c_str(), X_OK) != 0)
    shepherd_ = io::program_directory() + "/shepherd";
}

// ---- orders

void Jobs::order(const wire::ToRes& order) {
  if (order.term() < directories_.term()) {
    FromRes told;
    auto& refused = *told.mutable_refused();
    refused.set_why("the order is of term " + std::to_string(order.term()) +
                    ", and this host has seen term " + std::to_string(directories_.term()));
    refused.set_term(directories_.term());
    if (order.has_start()) *refused.mutable_job() = order.start().job();
    if (order.has_signal()) *refused.mutable_job() = order.signal().job();
    log_.warning("refused: " + refused.why());
    return handler_.tell(told);
  }
  if (order.term() > directories_.term())
    if (const auto kept = directories_.set_term(order.term()); !kept) log_.error(kept.error().text);
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
      return start(order.start());
    case wire::ToRes::kExpect:
      return expect(order.expect());
    case wire::ToRes::kSignal:
      return signal(order.signal());
    case wire::ToRes::kAcknowledge:
      return acknowledge(order.acknowledge().job());
    case wire::ToRes::kRelease:
      return release(order.release().job());
    default:
      return;
  }
}

Result<wire::JobOrder> Jobs::base_order(uid_t uid) const {
  if (geteuid() != 0 && uid != geteuid())
    return internal_error("RES of " + configuration_->host +
                          " does not run as root: it starts jobs of user " + std::to_string(geteuid()) +
                          " alone, and this one is of user " + std::to_string(uid));
  const auto identity = identities_.find(uid);
  if (!identity) return identity.error();
  const auto& settings = configuration_->files.settings;
  wire::JobOrder order;
  order.set_host(configuration_->host);
  order.set_boot(boot_);
  *order.mutable_settings() = settings_;
  const std::string beside = io::program_directory();
  order.set_server_dir(settings.server_dir.empty() ? beside : settings.server_dir);
  order.set_bin_dir(configuration_->batch.bin_dir.empty() ? beside.substr(0, beside.rfind('/')) + "/bin"
                                                          : configuration_->batch.bin_dir);
  order.set_lib_dir(configuration_->batch.lib_dir.empty() ? beside.substr(0, beside.rfind('/')) + "/lib"
                                                          : configuration_->batch.lib_dir);
  order.set_env_dir(settings.env_dir);
  order.set_mail_program(configuration_->files.lsf_conf.value("LSB_MAILPROG"));
  order.set_user(identity->name);
  order.set_uid(identity->uid);
  order.set_gid(identity->gid);
  for (const gid_t group : identity->groups) order.add_groups(group);
  order.set_group(identity->group);
  order.set_home(identity->home);
  order.set_shell(identity->shell);
  order.set_host_type(configuration_->host_type);
  order.set_version(ROLLCALL_LSF_VERSION);
  order.set_full_version(ROLLCALL_LSF_VERSION ".0.0");
  const auto& administrators = configuration_->files.cluster.administrators;
  order.set_sender((administrators.empty() ? std::string("lsfadmin") : administrators.front()) + "@" +
                   configuration_->host);
  order.set_tmp_dir(configuration_->tmp_dir);
  order.set_stop_signal(configuration_->stop_signal);
  *order.mutable_enforcement() = configuration_->enforcement;
  return order;
}

void Jobs::start(const wire::ToRes::StartJob& start) {
  const std::string name = directory_name(start.job());
  if (const auto known = jobs_.find(name); known != jobs_.end()) return tell_job(known->second);
  auto order = base_order(start.submission().uid());
  std::string why;
  if (order) {
    *order->mutable_start() = start;
    if (const auto job = make(name, *order, why)) return start_soon(job);
  } else {
    why = order.error().text;
  }
  log_.error("job " + job_text(start.job().key()) + ": " + why);
  FromRes told;
  *told.mutable_over() = own_end(start.job(), FromRes::JobOver::NOT_STARTED, why);
  handler_.tell(told);
}

// All orders of one turn of the loop become durable together.
void Jobs::start_soon(const JobPtr& job) {
  starting_.push_back(job);
  if (starting_.size() == 1) boost::asio::post(loop_, [this] { start_all(); });
}

void Jobs::start_all() {
  const auto starting = std::exchange(starting_, {});
  std::vector<wire::JobAttempt> attempts;
  for (const auto& job : starting) attempts.push_back(job->attempt);
  const auto noted = directories_.note_started(attempts);
  if (!noted) log_.error(noted.error().text);
  for (const auto& job : starting) {
    if (!noted) job->over = own_end(job->attempt, FromRes::JobOver::NOT_STARTED, noted.error().text);
    if (!noted || !start_guard(job)) over(job);
  }
}

void Jobs::expect(const wire::ToRes::ExpectJob& expect) {
  const std::string name = directory_name(expect.job());
  if (jobs_.contains(name)) return;
  auto order = base_order(expect.uid());
  std::string why = order ? "" : order.error().text;
  if (order) {
    *order->mutable_expect() = expect;
    if (make(name, *order, why)) return;
  }
  log_.error("job " + job_text(expect.job().key()) + ": " + why);
}

Jobs::JobPtr Jobs::make(const std::string& name, const wire::JobOrder& order, std::string& why) {
  auto directory = directories_.create(name, order);
  if (!directory) {
    why = directory.error().text;
    return nullptr;
  }
  auto job = std::make_shared<Job>(loop_);
  job->name = name;
  job->order = order;
  job->attempt = order.has_start() ? order.start().job() : order.expect().job();
  job->directory = std::move(*directory);
  jobs_[name] = job;
  return job;
}

void Jobs::signal(const wire::ToRes::SignalJob& signal) {
  const auto job = find(signal.job());
  if (!job) {
    FromRes told;
    *told.mutable_over() =
        own_end(signal.job(), FromRes::JobOver::NEVER_SEEN, "this host knows nothing of the job");
    return handler_.tell(told);
  }
  if (job->over) return tell_job(job);
  wire::ToShepherd message;
  *message.mutable_signal() = signal;
  send(job, message);
}

void Jobs::acknowledge(const wire::JobAttempt& attempt) {
  const auto job = find(attempt);
  if (!job) return;
  if (!job->over) {
    // mbatchd does not know it: it ends here.
    job->unknown_there = true;
    if (!job->alive) return forget(job);
    wire::ToShepherd message;
    auto& kill = *message.mutable_signal();
    *kill.mutable_job() = attempt;
    kill.set_action(wire::ToRes::SignalJob::TERMINATE);
    return send(job, message);
  }
  const bool awaits_post = job->over->post_follows() && (!job->post || !job->over_acknowledged);
  job->over_acknowledged = true;
  if (!awaits_post) forget(job);
}

void Jobs::release(const wire::JobAttempt& attempt) {
  const auto job = find(attempt);
  if (!job || job->first_host()) return;
  job->released = true;
  if (!job->alive) return forget(job);
  wire::ToShepherd message;
  *message.mutable_release()->mutable_job() = attempt;
  send(job, message);
}

// ---- what mbatchd is told

FromRes::ResHello Jobs::hello() const {
  FromRes::ResHello hello;
  hello.set_term(directories_.term());
  for (const auto& [name, job] : jobs_) {
    if (job->order.task_only()) continue;
    auto& held = *hello.add_jobs();
    *held.mutable_job() = job->attempt;
    held.set_first_host(job->first_host());
    if (!job->first_host())
      held.set_state(FromRes::Held::EXPECTED);
    else if (job->over)
      held.set_state(FromRes::Held::OVER);
    else if (job->stopped)
      held.set_state(FromRes::Held::STOPPED);
    else
      held.set_state(job->running ? FromRes::Held::RUNNING : FromRes::Held::STARTING);
  }
  return hello;
}

void Jobs::tell_all() {
  for (const auto& [name, job] : jobs_) tell_job(job);
}

void Jobs::tell_job(const JobPtr& job) {
  if (!job->first_host()) return;
  if (job->ready && !job->over) handler_.tell(*job->ready);
  if (job->running && !job->over_acknowledged) handler_.tell(*job->running);
  if (job->stopped && !job->over) handler_.tell(*job->stopped);
  FromRes told;
  if (job->over && !job->over_acknowledged) {
    *told.mutable_over() = *job->over;
    handler_.tell(told);
  }
  if (job->post) {
    *told.mutable_post_over() = *job->post;
    handler_.tell(told);
  }
}

// ---- shepherds

bool Jobs::start_guard(const JobPtr& job) {
  io::Descriptor lock = lock_job(job->directory.get());
  int ends[2];
  if (!lock || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    job->over = own_end(job->attempt, FromRes::JobOver::NOT_STARTED,
                        std::string("cannot begin the job: ") + std::strerror(errno));
    keep_over(job->directory.get(), *job->over);
    return false;
  }
  io::Descriptor ours(ends[0]);
  const io::Descriptor theirs(ends[1]);
  io::SpawnPlan plan;
  plan.argv = {shepherd_, job->order.task_only() ? "task" : job_text(job->attempt.key())};
  plan.environment = {"PATH=/bin:/usr/bin"};
  plan.mask = mask_;
  plan.own_session = true;
  plan.open_files = open_files_;
  plan.directory = directories_.path(job->name);
  plan.descriptors = {{lock.get(), 3}, {theirs.get(), 4}};
  const auto started = io::spawn(plan);
  if (const auto* error = std::get_if<io::SpawnError>(&started)) {
    job->over = own_end(job->attempt, FromRes::JobOver::NOT_STARTED,
                        std::string("cannot ") + io::stage_text(error->stage) + " " + error->path + ": " +
                            std::strerror(error->error));
    log_.error("job " + job_text(job->attempt.key()) + ": " + job->over->why());
    keep_over(job->directory.get(), *job->over);
    return false;
  }
  job->guard = std::get<pid_t>(started);
  job->alive = true;
  connect(job, std::move(ours));
  return true;
}

void Jobs::connect(const JobPtr& job, io::Descriptor socket) {
  job->drop_socket();
  job->socket = io::FrameSocket(std::move(socket));
  job->watch.emplace(loop_, job->socket.fd());
  await(job);
}

void Jobs::await(const JobPtr& job) {
  job->watch->async_wait(stream_descriptor::wait_read, [this, weak = std::weak_ptr(job)](
                                                           const boost::system::error_code& error) {
    const auto held = weak.lock();
    if (error || !held || !held->watch) return;
    const bool up = held->socket.receive([&](std::string_view bytes) -> Result<void> {
      wire::FromShepherd message;
      if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return internal_error("found a message that cannot be read, expected FromShepherd");
      from_shepherd(held, message);
      return {};
    });
    if (!up) return lost(held);
    if (held->watch) await(held);
  });
}

void Jobs::send(const JobPtr& job, const wire::ToShepherd& message) {
  // Where it is gone its end is read, not written.
  if (job->socket && job->socket.send(message.SerializeAsString())) write_later(job);
}

void Jobs::write_later(const JobPtr& job) {
  if (!job->socket.wants_to_write() || job->writing) return;
  job->writing = true;
  job->watch->async_wait(stream_descriptor::wait_write,
                         [this, weak = std::weak_ptr(job)](const boost::system::error_code& error) {
                           const auto held = weak.lock();
                           if (error || !held || !held->socket) return;
                           held->writing = false;
                           if (held->socket.flush()) write_later(held);
                         });
}

// What a shepherd says of itself is believed of its own job alone.
void Jobs::from_shepherd(const JobPtr& job, const wire::FromShepherd& message) {
  if (message.has_place()) {
    const auto task = job->tasks.find(message.place().number());
    if (task == job->tasks.end()) return;
    TaskAnswer answer;
    answer.why_not = message.place().why_not();
    answer.place.set_host(configuration_->host);
    answer.place.set_port(message.place().port());
    answer.place.set_key(task->second.first);
    const auto done = std::move(task->second.second);
    job->tasks.erase(task);
    return done(answer);
  }
  if (message.has_peeked()) {
    const auto peek = job->peeks.find(message.peeked().number());
    if (peek == job->peeks.end()) return;
    const auto done = std::move(peek->second);
    job->peeks.erase(peek);
    return done(message.peeked());
  }
  if (!message.has_told()) return;
  FromRes told = message.told();
  switch (told.message_case()) {
    case FromRes::kReady:
      *told.mutable_ready()->mutable_job() = job->attempt;
      told.mutable_ready()->mutable_stream()->set_host(configuration_->host);
      job->ready = told;
      break;
    case FromRes::kRunning:
      *told.mutable_running()->mutable_job() = job->attempt;
      job->running = told;
      break;
    case FromRes::kUsage:
      *told.mutable_usage()->mutable_job() = job->attempt;
      break;
    case FromRes::kStopped:
      *told.mutable_stopped()->mutable_job() = job->attempt;
      job->stopped = told;
      break;
    case FromRes::kResumed:
      *told.mutable_resumed()->mutable_job() = job->attempt;
      job->stopped.reset();
      break;
    case FromRes::kOver:
      return look(job);  // it is on disk
    default:
      return;
  }
  handler_.tell(told);
}

void Jobs::lost(const JobPtr& job) {
  job->drop_socket();
  job->pause = kFirstLook;
  look(job);
}

// What the guard has kept. Until it is gone it is waited for: it may be ending what a killed shepherd has left.
void Jobs::look(const JobPtr& job) {
  const auto kept = read_kept(job->directory.get());
  if (kept.post) job->post = kept.post;
  if (kept.over && !job->over) {
    job->over = kept.over;
    *job->over->mutable_job() = job->attempt;
    if (job->post) *job->post->mutable_job() = job->attempt;
  }
  if (job->socket && job->over && !job->over_told) {  // the post-execution or the mail is still to come
    job->over_told = true;
    return tell_job(job);
  }
  if (job->socket) return;
  const io::Descriptor lock = lock_job(job->directory.get());
  if (!lock) {
    // A shepherd that has only just begun listens a moment later.
    if (auto socket = kept.over ? io::Descriptor() : connect_shepherd(job->directory.get()))
      return connect(job, std::move(socket));
    job->timer.expires_after(job->pause);
    job->pause = std::min(job->pause * 2, kLastLook);
    job->timer.async_wait([this, weak = std::weak_ptr(job)](const boost::system::error_code& error) {
      const auto held = weak.lock();
      if (!error && held && !held->socket) look(held);
    });
    return;
  }
  // The guard may have written between our look and its end.
  if (!kept.over || (kept.over->post_follows() && !kept.post)) {
    const auto again = read_kept(job->directory.get());
    if (again.over) job->over = again.over;
    if (again.post) job->post = again.post;
  }
  over(job);
}

// Nothing of it runs any more.
void Jobs::over(const JobPtr& job) {
  job->alive = false;
  for (auto& [number, task] : job->tasks) {
    TaskAnswer answer;
    answer.why_not = "the shepherd of the job on " + configuration_->host + " has ended";
    task.second(answer);
  }
  job->tasks.clear();
  for (auto& [number, done] : job->peeks) {
    wire::PeekedPart part;
    part.set_over(true);
    done(part);
  }
  job->peeks.clear();
  if (!job->over) end_orphans(directories_.path(job->name), job->order.uid());
  if (!job->first_host()) {
    if (job->released || job->order.task_only() || job->unknown_there) return forget(job);
    job->over.reset();  // expected still: further tasks may come
    job->post.reset();
    return;
  }
  if (job->unknown_there) return forget(job);
  if (!job->over) {
    job->over = own_end(job->attempt, FromRes::JobOver::SHEPHERD_LOST,
                        "guard and shepherd of the job were killed on " + configuration_->host);
    keep_over(job->directory.get(), *job->over);
  }
  *job->over->mutable_job() = job->attempt;
  if (job->over->post_follows() && !job->post) {
    FromRes::PostOver post;
    post.set_failed(true);
    job->post = post;
  }
  if (job->post) *job->post->mutable_job() = job->attempt;
  if (job->over_acknowledged && !job->post) return forget(job);
  tell_job(job);
}

void Jobs::forget(const JobPtr& job) {
  const JobPtr keep = job;
  keep->timer.cancel();
  keep->drop_socket();
  jobs_.erase(keep->name);
  if (keep->first_host()) directories_.note_over(keep->attempt);
  directories_.remove(keep->name);
}

void Jobs::child_ended(pid_t pid) {
  for (const auto& [name, job] : jobs_)
    if (job->guard == pid) {
      job->guard = -1;
      return;
    }
}

// ---- a RES before us

void Jobs::adopt() {
  for (const auto& name : directories_.names()) adopt_one(name);
  for (const auto& attempt : directories_.noted_before())
    if (!jobs_.contains(directory_name(attempt))) adopt_lost(attempt);
  if (!jobs_.empty()) log_.notice("found " + std::to_string(jobs_.size()) + " jobs of this host again");
}

void Jobs::adopt_one(const std::string& name) {
  auto job = std::make_shared<Job>(loop_);
  job->name = name;
  job->directory = directories_.open_job(name);
  if (!job->directory) return;
  bool begun = false;
  auto order = read_order(job->directory.get(), begun);
  if (!order) {
    log_.warning(name + ": it has no order that can be read: it is removed");
    return directories_.remove(name);
  }
  const auto kept = read_kept(job->directory.get());
  job->order = std::move(*order);
  job->attempt = job->order.has_start() ? job->order.start().job() : job->order.expect().job();
  jobs_[name] = job;
  {
    const io::Descriptor lock = lock_job(job->directory.get());
    if (!lock) {
      job->alive = true;
      job->over = kept.over;  // its post-execution or its mail runs
      job->post = kept.post;
      job->over_told = job->over.has_value();
      if (auto socket = connect_shepherd(job->directory.get())) return connect(job, std::move(socket));
      return lost(job);  // only its guard is left, or it is just beginning: it is waited for
    }
  }
  // It may have ended while we looked: what is on disk counts now that nobody holds the lock.
  if (!job->first_host() || read_kept(job->directory.get()).over) return look(job);
  read_order(job->directory.get(), begun);
  if (job->order.boot() != boot_) {
    job->over = own_end(job->attempt, FromRes::JobOver::HOST_RESTARTED,
                        configuration_->host + " went down under the job");
    keep_over(job->directory.get(), *job->over);
    return over(job);
  }
  if (begun) return over(job);
  start_soon(job);
}

// It may have started, and the host went down before its directory was on disk.
void Jobs::adopt_lost(const wire::JobAttempt& attempt) {
  auto job = std::make_shared<Job>(loop_);
  job->name = directory_name(attempt);
  job->attempt = attempt;
  *job->order.mutable_start()->mutable_job() = attempt;
  job->over =
      own_end(attempt, FromRes::JobOver::HOST_RESTARTED, configuration_->host + " went down under the job");
  jobs_[job->name] = job;
}

// ---- clients

Jobs::JobPtr Jobs::find(const wire::JobAttempt& attempt) const {
  const auto found = jobs_.find(directory_name(attempt));
  return found == jobs_.end() ? nullptr : found->second;
}

// A client may not know which attempt it is in: then it is the only or the newest one.
Jobs::JobPtr Jobs::find_for(const wire::JobAttempt& attempt) const {
  if (attempt.attempt() != 0) return find(attempt);
  JobPtr newest;
  for (const auto& [name, job] : jobs_)
    if (job->attempt.key().id() == attempt.key().id() &&
        job->attempt.key().index() == attempt.key().index() &&
        (!newest || job->attempt.attempt() > newest->attempt.attempt()))
      newest = job;
  return newest;
}

void Jobs::run_task(const wire::RunTask& task, uid_t caller, TaskDone done) {
  find_and_run(task, caller, std::chrono::steady_clock::now() + kTaskPatience, std::move(done));
}

// A client may be here sooner than mbatchd's word that its job has tasks here.
void Jobs::ask_again(const wire::RunTask& task, uid_t caller, std::chrono::steady_clock::time_point until,
                     TaskDone done) {
  auto timer = std::make_shared<boost::asio::steady_timer>(loop_, kTaskPause);
  timer->async_wait([this, timer, task, caller, until,
                     done = std::move(done)](const boost::system::error_code& error) mutable {
    if (!error) find_and_run(task, caller, until, std::move(done));
  });
}

void Jobs::find_and_run(const wire::RunTask& task, uid_t caller, std::chrono::steady_clock::time_point until,
                        TaskDone done) {
  TaskAnswer answer;
  if (task.has_job()) {
    const auto job = find_for(task.job());
    if (!job && std::chrono::steady_clock::now() < until)
      return ask_again(task, caller, until, std::move(done));
    if (!job || job->over) {
      answer.no_job = true;
      answer.why_not = "no such job on " + configuration_->host;
      return done(answer);
    }
    if (caller != 0 && caller != job->order.uid()) {
      answer.not_allowed = true;
      answer.why_not = "the job is of another user";
      return done(answer);
    }
    return begin_task(job, task, std::move(done));
  }
  auto order = base_order(caller);
  if (order) {
    order->set_task_only(true);
    const std::string name = "task." + std::to_string(getpid()) + "." + std::to_string(next_number_++);
    if (const auto job = make(name, *order, answer.why_not)) return begin_task(job, task, std::move(done));
  } else {
    answer.why_not = order.error().text;
  }
  done(answer);
}

void Jobs::begin_task(const JobPtr& job, const wire::RunTask& task, TaskDone done) {
  if (!job->alive) {
    // A shepherd for tasks may have been here before.
    for (const char* left : {"end", "post", "s"}) unlinkat(job->directory.get(), left, 0);
    fchmodat(job->directory.get(), "order", 0600, 0);
    if (!start_guard(job)) {
      TaskAnswer answer;
      answer.why_not = job->over ? job->over->why() : "cannot start a shepherd";
      return done(answer);
    }
  }
  wire::ToShepherd message;
  auto& expect = *message.mutable_task();
  expect.set_number(next_number_++);
  *expect.mutable_task() = task;
  expect.set_key(random_key());
  job->tasks[expect.number()] = {expect.key(), std::move(done)};
  send(job, message);
}

bool Jobs::peek(const wire::Peek& asked, uid_t caller, bool administrator, std::int64_t from, PeekDone done) {
  const auto job = find_for(asked.job());
  if (!job || !job->socket || (caller != job->order.uid() && caller != 0 && !administrator)) return false;
  wire::ToShepherd message;
  auto& part = *message.mutable_peek();
  part.set_number(next_number_++);
  part.set_errors(asked.errors());
  part.set_from(from);
  job->peeks[part.number()] = std::move(done);
  send(job, message);
  return true;
}

}  // namespace rollcall::res
