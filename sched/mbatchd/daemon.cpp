#include "sched/mbatchd/daemon.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "common/io/daemon_start.hpp"
#include "common/io/local_time.hpp"
#include "sched/mbatchd/clients.hpp"
#include "sched/mbatchd/event_files.hpp"
#include "sched/mbatchd/history.hpp"
#include "sched/mbatchd/host_links.hpp"
#include "sched/mbatchd/load_watch.hpp"
#include "sched/mbatchd/turn.hpp"
#include "sched/mbatchd/waiters.hpp"
#include "sched/policy/answers.hpp"
#include "sched/policy/snapshot_keeper.hpp"

namespace rollcall::mbatchd {
namespace {

namespace effect = sched::effect;
using Control = wire::ControlBatch;
using Refusal = wire::BatchReply::Refusal;
using Steady = std::chrono::steady_clock;
using sched::JobKey;

constexpr int kMostLaps = 16;                                // of the loop, to collect what has come
constexpr Duration kQuickPlan = std::chrono::milliseconds(10);  // one that need not wait for the commit
constexpr Duration kUnsaved = std::chrono::milliseconds(10);
constexpr Duration kRetry = std::chrono::seconds(1);
constexpr Duration kLoadInterval = std::chrono::seconds(5);
constexpr Duration kLongestWait = std::chrono::seconds(60);   // the calendar may have been set meanwhile
constexpr std::size_t kMostSubmission = 900 * 1024;           // bytes: its order must fit into a frame

io::LinkLimits link_limits() {
  io::LinkLimits limits;
  limits.clients = 20'000;       // bsub -K waits as long as its job does
  limits.unsent = 64UL << 20;    // orders for one host: a turn may start a thousand jobs there
  return limits;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

wire::BatchReply text_reply(std::string text) {
  wire::BatchReply reply;
  reply.set_last(true);
  reply.set_text(std::move(text));
  return reply;
}

std::int32_t utc_offset_s() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return static_cast<std::int32_t>(local.tm_gmtoff);
}

class Daemon {
 public:
  Daemon(const DaemonSetup& setup, const io::ClusterKey& key, io::JobStore store, io::Log& log)
      : setup_(setup),
        log_(log),
        configuration_(setup.configuration),
        store_(std::move(store)),
        keeper_(book_),
        turn_(book_),
        links_(loop_, key, link_limits(),
               {[this](io::LinkId link, const io::LinkPeer& peer) { opened(link, peer); },
                [this](io::LinkId link, std::string_view payload) { return message(link, payload); },
                [this](io::LinkId link, io::LinkEnd, const std::string& why) { ended(link, why); },
                [this](const std::string& line) { log_.warning(line); }}),
        hosts_(links_, log, store_.term(),
               {[this](const std::string& host, const wire::FromRes& said) { res_said(host, said); },
                [this](const std::string& host) { res_lost(host); }, [this] { return welcome(); }}),
        clients_(loop_, links_, log,
                 {[this](io::LinkId link, const sched::Identity& who, const wire::BatchRequest& request) {
                   take(link, who, request);
                 }}),
        waiters_(book_, {[this](io::LinkId link, const wire::BatchReply& reply) { clients_.reply(link, reply); },
                         [this](JobKey job) { return reasons(job); }}),
        files_(log, conf::log_directory(*configuration_->files.batch, configuration_->settings())),
        load_(loop_, [this](Result<sched::LoadNews> news) { heard_load(std::move(news)); }),
        signals_(loop_),
        wake_(loop_) {}

  Result<DaemonEnd> run(const std::function<void()>& ready) {
    if (const auto loaded = load_book(); !loaded) return loaded.error();
    const auto port = links_.listen(static_cast<std::uint16_t>(configuration_->files.batch->mbd_port));
    if (!port) return port.error();
    put_in_force();
    await_signals();
    changed(std::move(changed_before_loading_));
    changed(book_.loaded(wall_now()));
    record_start();
    log_.notice("mbatchd " ROLLCALL_VERSION " of cluster " + configuration_->settings().cluster + " on " +
                configuration_->host + ", port " + std::to_string(*port) + ", term " + std::to_string(store_.term()) + ", " +
                std::to_string(book_.size()) + " jobs");
    ready();
    loop_.run();
    log_.notice(end_ == DaemonEnd::restart ? "starts again" : "ends");
    return end_;
  }

 private:
  static WallTime wall_now() { return io::wall_now(); }

  // ---- start and configuration

  Result<void> load_book() {
    book_.set_term(store_.term());
    changed_before_loading_ = book_.configure(configuration_->files, wall_now());
    using Number = io::StoreNumber;
    book_.load_counters(static_cast<std::int32_t>(std::max<std::int64_t>(1, store_.number(Number::next_job))),
                        static_cast<std::uint64_t>(std::max<std::int64_t>(1, store_.number(Number::next_submission))));
    const auto loaded = store_.load(
        {[this](io::StoredSubmission row) { book_.load_submission(row.number, std::move(row.asked)); },
         [this](wire::JobRecord row) { book_.load_job(std::move(row)); },
         [this](io::StoredControl row) {
           wire::ControlState state;
           if (state.ParseFromString(row.value)) book_.load_control(std::move(state));
         }});
    if (!loaded) return internal_error(loaded.error().text);
    files_.begin(store_);
    return {};
  }

  // What everything that has no state of its own is told of the files.
  void put_in_force() {
    keeper_.configure(configuration_->rules);
    std::set<std::string> hosts;
    for (const auto& host : configuration_->rules->hosts)
      if (host.cluster.empty()) hosts.insert(host.name);
    hosts_.configure(std::move(hosts));
    clients_.configure(configuration_);
    FileAges ages;
    ages.finished_jobs = configuration_->files.lsb->params.max_job_num;
    ages.account_kb = parameter(*configuration_, "ACCT_ARCHIVE_SIZE", 0);
    ages.account_days = parameter(*configuration_, "ACCT_ARCHIVE_AGE", 0);
    ages.account_files = parameter(*configuration_, "MAX_ACCT_ARCHIVE_FILE", 0);
    const std::string extensions = configuration_->files.cluster->lsf_conf.value("LSF_HPC_EXTENSIONS");
    ages.style.short_hosts = extensions.find("SHORT_EVENTFILE") != std::string::npos;
    ages.style.host_usage = extensions.find("HOST_RUSAGE") != std::string::npos;
    files_.configure(ages);
    load_.watch(configuration_->files.cluster, kLoadInterval);
    load_heard_ = Steady::now();
    plan_wanted_ = true;
  }

  void record_start() {
    wire::JobEvent event;
    event.set_at_us(wall_now().us);
    auto& start = *event.mutable_mbd_start();
    start.set_host(configuration_->host);
    start.set_cluster(configuration_->settings().cluster);
    start.set_hosts(static_cast<int>(configuration_->rules->hosts.size()));
    start.set_queues(static_cast<int>(configuration_->rules->queues.size()));
    changed({effect::RecordEvent{std::move(event)}});
  }

  // A set with an error changes nothing.
  wire::BatchReply reconfigure() {
    const auto loaded = load_configuration(setup_.env_dir);
    for (const auto& line : loaded.warnings) log_.warning(line);
    for (const auto& line : loaded.errors) log_.error(line);
    if (!loaded.configuration) {
      log_.error("the files are not taken; what was in force stays");
      return refusal(Refusal::FAILED, joined(loaded.errors));
    }
    note_what_needs_a_restart(*loaded.configuration);
    configuration_ = loaded.configuration;
    io::set_log_level(log_, configuration_->settings().log_mask);
    auto effects = book_.configure(configuration_->files, wall_now());
    put_in_force();
    hosts_.welcome_all();
    changed(std::move(effects));
    log_.notice("new files are in force");
    return text_reply(joined(loaded.warnings));
  }

  void note_what_needs_a_restart(const Configuration& next) {
    const auto note = [&](bool changed, const char* what) {
      if (changed) log_.warning(std::string(what) + " has changed: it is in force after badmin mbdrestart");
    };
    note(configuration_->files.batch->mbd_port != next.files.batch->mbd_port, "LSB_MBD_PORT");
    note(configuration_->settings().key_file != next.settings().key_file, "ROLLCALL_CLUSTER_KEY");
    note(configuration_->directory != next.directory, "LSB_SHAREDIR");
  }

  wire::ToRes::Welcome welcome() const {
    wire::ToRes::Welcome welcome;
    const auto ms = [](Duration time) {
      return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
    };
    welcome.set_cluster(configuration_->settings().cluster);
    welcome.set_usage_interval_ms(ms(configuration_->files.lsb->params.sbd_sleep_time));
    welcome.set_terminate_interval_ms(
        static_cast<std::uint32_t>(parameter(*configuration_, "JOB_TERMINATE_INTERVAL", 10) * 1000));
    return welcome;
  }

  // ---- links

  void opened(io::LinkId link, const io::LinkPeer& peer) {
    if (peer.caller == io::ClusterChannel::Caller::daemon)
      hosts_.opened(link, peer);
    else
      clients_.opened(link, peer);
  }

  Result<void> message(io::LinkId link, std::string_view payload) {
    wire::ToMbatchd message;
    if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return internal_error("found a message that cannot be read, expected ToMbatchd");
    if (clients_.has(link)) return clients_.message(link, message);
    if (!message.has_res()) return internal_error("found a client's message of a daemon, expected FromRes");
    const auto heard = hosts_.message(link, message.res());
    if (!heard) log_.error(heard.error().text);
    return heard;
  }

  void ended(io::LinkId link, const std::string& why) {
    if (hosts_.has(link)) log_.info("a RES has gone: " + why);
    hosts_.ended(link);
    clients_.ended(link);
    waiters_.ended(link);
    turn_.forget(link);
  }

  void res_said(const std::string& host, const wire::FromRes& said) {
    if (said.has_hello()) {
      log_.notice("RES of " + host + " is connected");
      keeper_.connected(host, true);
      plan_wanted_ = true;
    }
    if (said.has_refused()) log_.error("RES of " + host + " refuses an order: " + said.refused().why());
    changed(book_.res_said(host, said, wall_now()));
  }

  void res_lost(const std::string& host) {
    log_.warning("RES of " + host + " is not connected any more");
    keeper_.connected(host, false);
    changed(book_.res_lost(host, wall_now()));
  }

  void heard_load(Result<sched::LoadNews> news) {
    if (news) {
      if (!std::exchange(load_good_, true)) log_.notice("the master LIM answers");
      load_heard_ = Steady::now();
      keeper_.load(std::move(*news));
      plan_wanted_ = true;
      return turn_soon();
    }
    if (std::exchange(load_good_, false) || !load_said_) log_.warning("load: " + news.error().text);
    load_said_ = true;
    const auto& parameters = configuration_->files.cluster->cluster.parameters;
    const Duration patience = parameters.exchange_interval * parameters.host_inactivity_limit;
    if (keeper_.load_known() && Steady::now() - load_heard_ > patience) {
      log_.error("no LIM has answered for too long: all hosts are unavailable");
      keeper_.load_lost();
      plan_wanted_ = true;
      turn_soon();
    }
  }

  // ---- requests

  void take(io::LinkId link, const sched::Identity& who, const wire::BatchRequest& request) {
    using Request = wire::BatchRequest;
    const auto now = wall_now();
    switch (request.request_case()) {
      case Request::kSubmit:
        return submit(link, who, request.submit());
      case Request::kSignal:
        return applied(link, book_.signal_jobs(request.signal(), who, now));
      case Request::kMove:
        return applied(link, book_.move_job(request.move(), who, now));
      case Request::kSwitchJobs:
        return applied(link, book_.switch_jobs(request.switch_jobs(), who, now));
      case Request::kModify:
        return applied(link, book_.modify_jobs(request.modify(), who, now));
      case Request::kControl:
        return control(link, who, request.control());
      case Request::kAwaitJob:
      case Request::kAwait:
      case Request::kEvents:
      case Request::kFinished:
      default:
        // What is not saved yet is told to nobody: questions are answered at the end of the turn.
        links_.promise(link);
        questions_.push_back([this, link, who, request] { answer(link, who, request); });
        return turn_soon();
    }
  }

  void submit(io::LinkId link, const sched::Identity& who, const wire::Submit& request) {
    for (const auto& job : request.jobs())
      if (const auto size = job.ByteSizeLong(); size > kMostSubmission)
        return clients_.reply(link, refusal(Refusal::BAD_REQUEST,
                                            "the job's script and environment have " + std::to_string(size) +
                                                " bytes, expected at most " + std::to_string(kMostSubmission)));
    applied(link, book_.submit(request, who, wall_now()));
  }

  // The reply leaves when what it says is on disk.
  void applied(io::LinkId link, sched::Applied done) {
    done.reply.set_last(true);
    if (done.effects.empty() && (store_failing_ || !turn_.to_save())) return clients_.reply(link, done.reply);
    links_.promise(link);
    turn_.reply(link, std::move(done.reply));
    changed(std::move(done.effects));
    turn_soon();
  }

  void answer(io::LinkId link, const sched::Identity& who, const wire::BatchRequest& request) {
    if (!clients_.has(link)) return;
    if (request.has_await_job()) {
      links_.answer(link, [] { return std::nullopt; });  // it may ask other things while it waits
      return waiters_.await(link, request.await_job(), who);
    }
    if (request.has_await()) {
      links_.answer(link, [] { return std::nullopt; });
      return waiters_.await(link, request.await(), who, wall_now());
    }
    if (request.has_events()) return clients_.answer(link, events_answer(store_, request.events(), who));
    if (request.has_finished()) return clients_.answer(link, finished_answer(store_, request.finished(), who));
    const auto view = [this] { return sched::AnswerView{book_, keeper_.snapshot(), wall_now()}; };
    const auto parts = sched::answer(request, who, view());
    if (!parts) return clients_.reply(link, refusal(Refusal::BAD_REQUEST, "this mbatchd does not know what is asked"));
    Parts guarded = [next = *parts, view, files = configuration_, this]() -> std::optional<wire::BatchReply> {
      // Between two parts other files may have come into force: the numbers of hosts mean something else then.
      if (files != configuration_) return refusal(Refusal::FAILED, "the configuration has changed meanwhile, ask again");
      return next(view());
    };
    if (request.has_jobs() && request.jobs().history())
      guarded = with_old_jobs(store_, request.jobs(), std::move(guarded));
    clients_.answer(link, std::move(guarded));
  }

  std::vector<wire::BatchReply::Reason> reasons(JobKey key) {
    const auto* job = book_.find(key);
    if (job == nullptr) return {};
    sched::PendingReasons reasons(keeper_.snapshot(), wall_now());
    const auto view = sched::job_view({book_, keeper_.snapshot(), wall_now()}, *job, &reasons);
    return {view.reasons().begin(), view.reasons().end()};
  }

  // ---- controls

  void control(io::LinkId link, const sched::Identity& who, const Control& asked) {
    switch (asked.action()) {
      case Control::QUEUE_OPEN:
      case Control::QUEUE_CLOSE:
      case Control::QUEUE_ACTIVATE:
      case Control::QUEUE_INACTIVATE:
      case Control::HOST_OPEN:
      case Control::HOST_CLOSE:
        return applied(link, book_.control(asked, who, wall_now()));
      default:
        break;
    }
    if (!who.is_admin) {
      log_.warning(who.user + " asked for " + Control::Action_Name(asked.action()) + ", and may not");
      return clients_.reply(link, refusal(Refusal::NOT_ALLOWED, "User permission denied"));
    }
    log_.notice(who.user + ": " + Control::Action_Name(asked.action()));
    clients_.reply(link, carry_out(asked));
  }

  wire::BatchReply carry_out(const Control& asked) {
    switch (asked.action()) {
      case Control::RECONFIG:
        return reconfigure();
      case Control::RESTART:
        return restart();
      case Control::SHUTDOWN:
        boost::asio::post(loop_, [this] { begin_end(DaemonEnd::stopped); });
        return text_reply("mbatchd ends");
      case Control::DEBUG:
        return set_log_level(asked.text());
      case Control::HOST_RESTART:
      case Control::HOST_SHUTDOWN:
        return order_hosts(asked);
      case Control::REBUILD_EVENTS:
        files_.rebuild();
        catch_up_soon();
        return text_reply("lsb.events is written anew");
      case Control::SHOW_STATUS:
        return text_reply(status());
      case Control::SHOW_CONFIGURATION:
        return text_reply(configuration_lines());
      default:
        return refusal(Refusal::BAD_REQUEST, "this mbatchd does not know what is asked");
    }
  }

  // With files that it cannot read the new mbatchd would end at once.
  wire::BatchReply restart() {
    const auto loaded = load_configuration(setup_.env_dir);
    if (!loaded.configuration) {
      for (const auto& line : loaded.errors) log_.error(line);
      log_.error("mbatchd does not start again with these files");
      return refusal(Refusal::FAILED, joined(loaded.errors));
    }
    boost::asio::post(loop_, [this] { begin_end(DaemonEnd::restart); });
    return text_reply("mbatchd starts again");
  }

  wire::BatchReply set_log_level(const std::string& word) {
    const auto level = io::parse_level(word);
    if (!level) return refusal(Refusal::BAD_REQUEST, "found the level " + word + ", expected LOG_ERR ... LOG_DEBUG");
    log_.set_last(*level);
    return text_reply("the log level is " + word);
  }

  wire::BatchReply order_hosts(const Control& asked) {
    wire::BatchReply reply;
    reply.set_last(true);
    auto& outcomes = *reply.mutable_outcomes();
    std::set<std::string> names;
    for (const auto& word : asked.names()) {
      if (word == "all")
        for (const auto& host : configuration_->rules->hosts) names.insert(host.name);
      else
        names.insert(configuration_->files.cluster->names.official(word).value_or(word));
    }
    for (const auto& name : names) {
      auto& outcome = *outcomes.add_outcomes();
      wire::ToRes order;
      order.mutable_restart()->set_stop(asked.action() == Control::HOST_SHUTDOWN);
      const bool sent = hosts_.send(name, std::move(order));
      const char* what = asked.action() == Control::HOST_SHUTDOWN ? "Shut down" : "Restart";
      outcome.set_text(std::string(what) + " slave batch daemon on <" + name + "> ...... " +
                       (sent ? "done" : "batch daemon is not connected"));
      outcome.set_failed(!sent);
      if (!sent) outcome.set_why(Refusal::NO_HOST);
    }
    return reply;
  }

  std::string status() const {
    std::size_t connected = 0;
    for (const auto& host : configuration_->rules->hosts) connected += hosts_.connected(host.name) ? 1 : 0;
    const auto count = [this](wire::JobStatus status) { return std::to_string(book_.with_status(status).size()); };
    return "hosts: " + std::to_string(configuration_->rules->hosts.size()) + "\nhosts with RES: " +
           std::to_string(connected) + "\njobs: " + std::to_string(book_.size()) + "\npending: " +
           count(wire::STATUS_PEND) + "\nrunning: " + count(wire::STATUS_RUN) + "\nterm: " +
           std::to_string(store_.term()) + "\nstore: " + (store_failing_ ? "fails" : "keeps") + "\nload: " +
           (keeper_.load_known() ? "known" : "unknown");
  }

  std::string configuration_lines() const {
    std::string text;
    for (const auto& [keyword, cell] : configuration_->files.lsb->params.cells.cells())
      text += (text.empty() ? "" : "\n") + keyword + " = " + cell.text;
    return text;
  }

  // ---- the turn

  void changed(sched::Effects effects) {
    if (effects.empty()) return;
    if (log_.writes(io::Level::debug))
      for (const auto& one : effects) log_.debug("effect: " + sched::text(one));
    if (!unsaved_since_) unsaved_since_ = Steady::now();
    const auto touched = turn_.take(std::move(effects));
    for (const auto key : touched.jobs) keeper_.job(key);
    for (const auto& state : touched.controls) keeper_.control(state);
    plan_wanted_ = plan_wanted_ || touched.schedule;
    turn_soon();
  }

  // The turn comes when the loop has nothing more that has already come.
  void turn_soon() {
    more_came_ = true;
    if (turn_posted_ || ending_) return;
    turn_posted_ = true;
    laps_ = 0;
    lap();
  }
  void lap() {
    more_came_ = false;
    boost::asio::post(loop_, [this] {
      if (more_came_ && ++laps_ < kMostLaps) return lap();
      turn_posted_ = false;
      if (!ending_) run_turn();
    });
  }

  void run_turn() {
    if (last_plan_ < kQuickPlan) plan();
    commit();
    if (!store_failing_) plan_later();
    for (auto& question : std::exchange(questions_, {})) question();
    arm();
  }

  // A plan that takes its time is made when the answers have left.
  void plan_later() {
    if (!plan_wanted_ || last_plan_ < kQuickPlan || Steady::now() < plan_not_before_) return;
    plan();
    commit();
  }

  void plan() {
    if (!plan_wanted_ || store_failing_) return;
    const auto from = Steady::now();
    if (from < plan_not_before_) return;  // cycles must not be all that we do
    keeper_.dependencies();
    auto& snapshot = keeper_.snapshot();
    snapshot.utc_offset_s = utc_offset_s();
    const auto now = wall_now();
    const auto plan = sched::schedule(snapshot, now);
    sched::apply(plan, now, snapshot);
    next_look_ = plan.next_look;
    plan_wanted_ = false;
    bool all_taken = true;
    for (const auto& dispatch : plan.dispatches) all_taken = carry_out(dispatch, now) && all_taken;
    for (const auto& suspend : plan.suspends) changed(book_.suspend(suspend.job, suspend.reasons, suspend.text, now));
    for (const auto& resume : plan.resumes) changed(book_.resume(resume.job, now));
    plan_wanted_ = !all_taken;  // its own changes are in the plan already
    waiters_due_ = true;
    last_plan_ = Steady::now() - from;
    plan_not_before_ = Steady::now() + last_plan_;
  }

  // False where the job is no longer what the plan was made for.
  bool carry_out(const sched::Dispatch& dispatch, WallTime now) {
    const auto& rules = *configuration_->rules;
    sched::event::Dispatched event;
    for (const auto& place : dispatch.hosts) {
      auto& host = event.hosts.emplace_back();
      host.set_name(rules.hosts[place.host].name);
      host.set_slots(static_cast<std::uint32_t>(place.slots));
    }
    for (const auto& reservation : dispatch.reservations) event.reserved.push_back(sched::wire_of(rules, reservation));
    if (dispatch.effective_resreq) event.effective_resreq = *dispatch.effective_resreq;
    event.exclusive = keeper_.snapshot().demand(dispatch.demand).exclusive;
    auto effects = book_.dispatch(dispatch.job, event, now);
    if (effects.empty()) {
      keeper_.job(dispatch.job);
      return false;
    }
    changed(std::move(effects));
    return true;
  }

  // What nobody waits for (that a job runs now) is put together with what comes next, for a moment.
  bool may_wait() const {
    return turn_.to_save() && !turn_.urgent() && questions_.empty() && !store_failing_ && !ending_ && unsaved_since_ &&
           Steady::now() - *unsaved_since_ < kUnsaved;
  }

  void commit() {
    if (turn_.empty() && !store_failing_) {
      unsaved_since_.reset();
      return tell_planned();
    }
    if (may_wait()) return;
    io::StoreBatch batch;
    if (turn_.to_save() || store_failing_) {
      auto kept = save(batch);
      if (!kept) {
        refuse_submissions(std::move(batch), kept.error());
        if (turn_.to_save()) kept = save(batch);
        if (!kept) return turn_.keep(std::move(batch));
      }
    }
    unsaved_since_.reset();
    if (std::exchange(store_failing_, false)) {
      log_.notice("the store keeps again what it is given");
      plan_wanted_ = true;
      turn_soon();
    }
    auto done = turn_.committed(std::move(batch));
    files_.append(store_.last_event(), done.events);
    if (files_.behind(store_)) catch_up_soon();
    for (const auto& order : done.orders)
      std::visit([this](const auto& one) { send(one); }, order);
    for (const auto& waiting : done.replies) clients_.reply(waiting.link, waiting.reply);
    waiters_.changed(done.told);
    tell_planned();
  }

  void tell_planned() {
    if (std::exchange(waiters_due_, false)) waiters_.planned();
  }

  io::StoreResult<std::uint64_t> save(io::StoreBatch& batch) {
    batch = turn_.batch();
    files_.note(batch);
    return store_.commit(batch);
  }

  void refuse_submissions(io::StoreBatch batch, const io::StoreError& error) {
    if (!std::exchange(store_failing_, true))
      log_.error(error.text + "; no job is accepted or started until the store keeps what it is given");
    const auto withdrawn = turn_.failed(std::move(batch), error);
    for (const auto key : withdrawn.jobs) keeper_.job(key);
    for (const auto& waiting : withdrawn.replies) clients_.reply(waiting.link, waiting.reply);
  }

  // ---- orders

  void send(const effect::OrderStart& order) {
    auto start = book_.start_order(order);
    if (!start) return;
    wire::ToRes message;
    *message.mutable_start() = std::move(*start);
    hosts_.send(order.host, std::move(message));
  }
  void send(const effect::OrderExpect& order) {
    auto expect = book_.expect_order(order);
    if (!expect) return;
    wire::ToRes message;
    *message.mutable_expect() = std::move(*expect);
    hosts_.send(order.host, std::move(message));
  }
  void send(const effect::OrderSignal& order) {
    wire::ToRes message;
    *message.mutable_signal() = order.signal;
    hosts_.send(order.host, std::move(message));
  }
  void send(const effect::OrderAcknowledge& order) {
    wire::ToRes message;
    *message.mutable_acknowledge()->mutable_job() = order.attempt;
    hosts_.send(order.host, std::move(message));
  }
  void send(const effect::OrderRelease& order) {
    wire::ToRes message;
    *message.mutable_release()->mutable_job() = order.attempt;
    hosts_.send(order.host, std::move(message));
  }
  template <class Other>
  void send(const Other&) {}  // Turn keeps the others to itself

  // ---- event files that lag behind

  void catch_up_soon() {
    if (std::exchange(catching_up_, true)) return;
    boost::asio::post(loop_, [this] {
      catching_up_ = false;
      if (ending_) return;
      if (files_.catch_up(store_)) return catch_up_soon();
      arm();
    });
  }

  // ---- time and signals

  // One timer for all that time brings.
  void arm() {
    if (ending_) return;
    const auto now = wall_now();
    Duration wait = kLongestWait;
    const auto until = [&](std::optional<WallTime> at) {
      if (at) wait = std::min(wait, Duration(std::chrono::microseconds(std::max<std::int64_t>(0, at->us - now.us))));
    };
    until(book_.next_deadline());
    until(waiters_.next_deadline());
    if (!plan_wanted_) until(next_look_);
    if (plan_wanted_ && !store_failing_)
      wait = std::min(wait, std::max(Duration{0}, Duration(plan_not_before_ - Steady::now())));
    if (unsaved_since_ && !store_failing_)
      wait = std::min(wait, std::max(Duration{0}, Duration(*unsaved_since_ + kUnsaved - Steady::now())));
    if (store_failing_ || files_.behind(store_)) wait = std::min(wait, kRetry);
    wake_.expires_after(wait);
    wake_.async_wait([this](const boost::system::error_code& error) {
      if (!error) woke();
    });
  }

  void woke() {
    const auto now = wall_now();
    const auto due = [&now](std::optional<WallTime> at) { return at && *at <= now; };
    if (due(book_.next_deadline())) changed(book_.tick(now));
    waiters_.tick(now);
    if (due(next_look_)) {
      next_look_.reset();
      plan_wanted_ = true;
    }
    if (files_.behind(store_)) catch_up_soon();
    turn_soon();
  }

  void await_signals() {
    for (const int signo : {SIGTERM, SIGINT, SIGHUP}) signals_.add(signo);
    wait_for_signal();
  }
  void wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int signo) {
      if (error) return;
      if (signo == SIGHUP) {
        log_.notice("HUP: the files are read again");
        reconfigure();
      } else {
        log_.notice(signo == SIGTERM ? "TERM" : "INT");
        begin_end(DaemonEnd::stopped);
      }
      wait_for_signal();
    });
  }

  // Jobs go on; whatever has come is saved, and the files are as the store says.
  void begin_end(DaemonEnd how) {
    if (ending_) return;
    end_ = how;
    wire::JobEvent event;
    event.set_at_us(wall_now().us);
    event.mutable_mbd_die()->set_host(configuration_->host);
    turn_.take({effect::RecordEvent{std::move(event)}});
    plan_wanted_ = false;
    ending_ = true;
    commit();
    io::StoreBatch last;
    files_.note(last);
    if (const auto noted = store_.commit(last); !noted) log_.error(noted.error().text);
    links_.shut_down();
    loop_.stop();
  }

  const DaemonSetup& setup_;
  io::Log& log_;
  std::shared_ptr<const Configuration> configuration_;
  boost::asio::io_context loop_{1};
  io::JobStore store_;
  sched::Book book_;
  sched::SnapshotKeeper keeper_;
  Turn turn_;
  io::Links links_;
  HostLinks hosts_;
  Clients clients_;
  Waiters waiters_;
  EventFiles files_;
  LoadWatch load_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer wake_;

  sched::Effects changed_before_loading_;
  std::vector<std::function<void()>> questions_;  // of this turn
  bool turn_posted_ = false, more_came_ = false;
  int laps_ = 0;
  bool plan_wanted_ = false;
  bool waiters_due_ = false;
  Duration last_plan_{};
  Steady::time_point plan_not_before_{};
  std::optional<WallTime> next_look_;
  bool store_failing_ = false;
  std::optional<Steady::time_point> unsaved_since_;
  bool catching_up_ = false;
  bool load_good_ = false, load_said_ = false;
  Steady::time_point load_heard_{};
  bool ending_ = false;
  DaemonEnd end_ = DaemonEnd::stopped;
};

// LSB_SHAREDIR/CLUSTER: the first start makes it.
Result<void> make_directory(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    if (mkdir(path.substr(0, end).c_str(), 0755) != 0 && errno != EEXIST)
      return internal_error(path.substr(0, end) + ": cannot be made: " + std::strerror(errno));
  if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST)
    return internal_error(path + ": cannot be made: " + std::strerror(errno));
  return {};
}

}  // namespace

Result<DaemonEnd> run_daemon(const DaemonSetup& setup, io::Log& log, const std::function<void()>& ready) {
  const auto key = io::load_cluster_key(setup.configuration->settings().key_file);
  if (!key) return key.error();
  if (const auto made = make_directory(setup.configuration->directory); !made) return made.error();
  auto store = io::JobStore::open(setup.configuration->directory);
  if (!store) return internal_error(store.error().text);
  Daemon daemon(setup, *key, std::move(*store), log);
  return daemon.run(ready);
}

}  // namespace rollcall::mbatchd
