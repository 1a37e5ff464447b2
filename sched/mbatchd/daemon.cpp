#include "sched/mbatchd/daemon.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>

#include "common/io/daemon_loop.hpp"
#include "common/io/local_time.hpp"
#include "common/io/peer_key_files.hpp"
#include "sched/mbatchd/active_configuration.hpp"
#include "sched/mbatchd/clients.hpp"
#include "sched/mbatchd/committer.hpp"
#include "sched/mbatchd/configuration_views.hpp"
#include "sched/mbatchd/controls.hpp"
#include "sched/mbatchd/daemon_status.hpp"
#include "sched/mbatchd/forgetting.hpp"
#include "sched/mbatchd/last_good_configuration.hpp"
#include "sched/mbatchd/load_watch.hpp"
#include "sched/mbatchd/memory_watch.hpp"
#include "sched/mbatchd/next_turn.hpp"
#include "sched/mbatchd/other_clusters.hpp"
#include "sched/mbatchd/piece_relay.hpp"
#include "sched/mbatchd/queries.hpp"
#include "sched/mbatchd/requests.hpp"
#include "sched/mbatchd/scheduler.hpp"
#include "sched/mbatchd/ticket_issuer.hpp"
#include "sched/mbatchd/waiting_orders.hpp"
#include "sched/policy/book/book.hpp"
#include "sched/policy/book/removed_hosts.hpp"
#include "sched/policy/values/order_router.hpp"

namespace rollcall::mbatchd {
namespace {

namespace effect = sched::effect;
using Steady = std::chrono::steady_clock;
using sched::JobKey;

constexpr Duration kLoadInterval = std::chrono::seconds(5);
constexpr Duration kLongestWait = std::chrono::seconds(60);  // the calendar clock may be set meanwhile

io::LinkLimits link_limits() {
  io::LinkLimits limits;
  limits.clients = 20'000;     // bsub -K waits as long as its job does
  limits.unsent = 64UL << 20;  // of a host that does not read; orders wait before that (WaitingOrders)
  return limits;
}

// Orders for hosts of this cluster, for other clusters, and for hosts borrowed from them.
class HereOrElsewhere : public sched::OrderRouter<sched::Engine> {
 public:
  HereOrElsewhere(sched::Engine& here, sched::Engine& elsewhere, sched::Engine& borrowed)
      : here_(here), elsewhere_(elsewhere), borrowed_(borrowed) {}

 private:
  sched::Engine* engine_of(const std::string& host) const override {
    const sched::HostId id(host);
    return id.is_cluster() ? &elsewhere_ : id.ours() ? &here_ : &borrowed_;
  }
  sched::Engine& here_;
  sched::Engine& elsewhere_;
  sched::Engine& borrowed_;
};

class Daemon {
 public:
  Daemon(const DaemonSetup& setup, const EngineMaker& make_engine, io::LoadedPeerKeys keys,
         std::unique_ptr<io::JobStore> store, io::Log& log)
      : log_(log),
        files_(setup.env_dir, setup.configuration, log,
               {[this] { return take_files(); }, [this] { loop_.begin_end_soon(io::DaemonEnd::restart); }}),
        loop_(log, "mbatchd", {[this] { files_.reconfigure(); }, [this] { end_all(); }}),
        keeper_(book_.jobs(), book_.hosts()),
        scheduler_(book_.jobs(), book_.hosts(), keeper_,
                   [this](sched::Effects effects) { changed(std::move(effects)); }),
        committer_(
            book_.rows(), std::move(store),
            conf::log_directory(*files_.configuration()->files.batch, files_.configuration()->settings()),
            log,
            {[this](const sched::Effect& order) { orders_.take(order); },
             [this](io::LinkId link, const wire::BatchReply& reply) { clients_.reply(link, reply); },
             [this](const std::set<JobKey>& jobs) {
               waiters_.changed(jobs);
               clusters_.jobs_changed(jobs);
             },
             [this](JobKey job) { keeper_.job(job); }, [this] { store_keeps_again(); },
             [this] { catch_up_soon(); }}),
        links_(loop_.context(), keys.accepts, link_limits(),
               {[this](io::LinkId link, const io::LinkPeer& peer) { opened(link, peer); },
                [this](io::LinkId link, std::string_view payload) { return message(link, payload); },
                [this](io::LinkId link, io::LinkEnd how, const std::string& why) { ended(link, how, why); },
                [this](const std::string& line) { log_.warning(line); },
                &tickets_,
                {},
                [this](io::LinkId link) { engine_->drained(link); }}),
        clusters_(
            loop_.context(), links_, book_.jobs(), book_.hosts(), book_.forwards(), keeper_,
            committer_.store(), std::move(keys), log,
            {[this]() -> Engine& { return *engine_; },
             [this](sched::Effects effects) { changed(std::move(effects)); },
             [this] {
               scheduler_.want();
               turn_soon();
             },
             [this] { turn_soon(); },
             [this](const std::string& host, const sched::HostReport& report) { host_told(host, report); },
             [this](const std::string& host) { host_gone(host, {}); },
             [this](JobKey job) { return key_reason(job); },
             [this](const std::string& cluster, const wire::PeerMessage& message) {
               pieces_.heard(cluster, message);
             },
             [this](const std::string& cluster) { pieces_.lost(cluster); }}),
        engine_(make_engine(
            {loop_.context(), links_, log, committer_.store().term(),
             [this](const std::string& host, const sched::HostReport& report) { host_told(host, report); },
             [this](const std::string& host, Duration silent) { host_gone(host, silent); },
             [this](const std::string& host) { orders_.room(host); },
             [this](const std::string& host, std::uint64_t number, const wire::Piece& piece) {
               pieces_.read(host, number, piece);
             },
             [this](const std::string& host, const sched::Attempt& attempt) {
               return clusters_.grants_of(host, attempt);
             },
             [this](const std::string& host, const sched::lease::GrantsOnHost& held) {
               clusters_.grants_held(host, held);
             },
             [this](const sched::Attempt& attempt) { return clusters_.span_of(attempt); },
             [this](const sched::Attempt& attempt) { return clusters_.is_part(attempt); },
             [this](const std::string& host, const sched::Attempt& attempt) {
               clusters_.await_span(host, attempt);
             },
             [this](const std::string& host, const std::optional<std::vector<JobKey>>& held) {
               return removed_hosts_.has_attempts(host, held);
             }})),
        pieces_(
            loop_.context(), book_.jobs(), book_.forwards(), links_,
            {[this](const std::string& cluster, wire::PeerMessage message) {
               return clusters_.say(cluster, std::move(message));
             },
             [this](const std::string& host, const sched::Attempt& attempt, std::uint64_t number,
                    const wire::PieceAsked& asked) { return engine_->read(host, attempt, number, asked); },
             [this](const std::string& host, std::uint64_t number, const FileOnHost& file) {
               return engine_->file(host, number, file);
             },
             [this](const std::string& host) { return servers_of(*files_.configuration()).contains(host); },
             [this](io::LinkId link, const wire::BatchReply& reply) { clients_.reply(link, reply); }}),
        clients_(loop_.context(), links_, tickets_, log,
                 {[this](io::LinkId link, const sched::Identity& who, const wire::BatchRequest& request) {
                   requests_.take(link, who, request);
                 }}),
        queries_(
            book_.jobs(), book_.hosts(), keeper_, committer_.store(),
            [this](const auto& asked) { return whole(asked); },
            {[this](JobKey job) { return clusters_.verdicts_of(job); }, [this] { return clusters_.rows(); },
             [this] { return clusters_.leases(); },
             [this](const sched::HostId& host) { return clusters_.load_of(host); },
             [this] { return clusters_.awaited(); }},
            links_, clients_),
        waiters_(book_.jobs(),
                 {[this](io::LinkId link, const wire::BatchReply& reply) { clients_.reply(link, reply); },
                  [this](JobKey job) { return queries_.reasons(job); },
                  [this](const sched::Job& job) { end_abandoned(job); }}),
        controls_(log, *engine_,
                  {[this] { return files_.reconfigure(); }, [this] { return files_.restart(); },
                   [this] { loop_.begin_end_soon(io::DaemonEnd::stopped); }, [this] { rebuild_events(); },
                   [this] {
                     return status_lines(*files_.configuration(), book_.jobs(), book_.hosts(), *engine_,
                                         committer_, keeper_.load_known()) +
                            clusters_.status();
                   },
                   [this](const std::string& cluster, bool only_say) {
                     return clusters_.forget(cluster, only_say);
                   }}),
        requests_(loop_.context(), book_.commands(), committer_, queries_, controls_, clients_, links_, log,
                  {[this](sched::Effects effects) { changed(std::move(effects)); }, [this] { turn_soon(); },
                   [this](io::LinkId link, JobKey job) { waiters_.submitted(link, job); },
                   [this]() -> const Configuration& { return *files_.configuration(); },
                   [this](std::size_t bytes) { return memory_.has(bytes); },
                   [this](const wire::ControlBatch& asked, const sched::Identity& who) {
                     return clusters_.write_off(asked, who);
                   },
                   [this](io::LinkId link, const sched::Identity& who, const wire::AskPiece& asked) {
                     pieces_.ask(link, who, asked);
                   },
                   [this]() -> const sched::cycle::Snapshot& { return keeper_.snapshot(); }}),
        load_(loop_.context(), [this](Result<sched::LoadNews> news) { heard_load(std::move(news)); }),
        wake_(loop_.context()) {}

  Result<io::DaemonEnd> run(const std::function<void()>& ready) {
    book_.set_term(committer_.store().term());
    book_.hosts().set_own_host(files_.configuration()->host);
    auto changed_at_first = book_.configure(files_.configuration()->files, wall_now());
    const auto of_peers = [this](const io::StoredControl& row) { return clusters_.load(row); };
    if (const auto loaded = committer_.load(book_.rows(), book_.jobs(), of_peers); !loaded)
      return loaded.error();
    if (const auto begun = clusters_.begin(files_.configuration()->settings().cluster); !begun)
      return begun.error();
    const auto port =
        links_.listen(static_cast<std::uint16_t>(files_.configuration()->files.batch->mbd_port));
    if (!port) return port.error();
    put_in_force();
    loop_.await_signals();
    changed(std::move(changed_at_first));
    changed(book_.rows().loaded(wall_now()));
    for (const auto& line : give_back()) log_.warning(line);
    changed({effect::RecordEvent{start_event(*files_.configuration(), wall_now())},
             effect::RecordEvent{indices_event(*files_.configuration(), wall_now())}});
    log_.notice("mbatchd " ROLLCALL_VERSION " of cluster " + files_.configuration()->settings().cluster +
                " on " + files_.configuration()->host + ", port " + std::to_string(*port) + ", term " +
                std::to_string(committer_.store().term()) + ", " + std::to_string(book_.jobs().size()) +
                " jobs");
    ready();
    return loop_.run();  // after a restart the daemon has what the store has
  }

 private:
  static WallTime wall_now() { return io::wall_now(); }

  // ---- start and configuration

  // Passes the files on to the parts that keep no state of their own.
  void put_in_force() {
    keeper_.configure(files_.configuration()->rules);
    book_.hosts().cpu_factors(keeper_.cpu_factors());
    engine_->configure(files_.configuration());
    clusters_.configure(files_.configuration());
    clients_.configure(files_.configuration());
    queries_.configure(files_.configuration());
    committer_.files().configure(file_ages_of(*files_.configuration()));
    forgetting_.configure(files_.configuration()->files.lsb->params.history_days);
    load_.watch(files_.configuration()->files.cluster, kLoadInterval);
    load_heard_ = Steady::now();
    scheduler_.want();
  }

  std::vector<std::string> take_files() {
    auto effects = book_.configure(files_.configuration()->files, wall_now());
    put_in_force();
    changed(std::move(effects));
    return give_back();
  }
  // Lines for the administrator.
  std::vector<std::string> give_back() {
    auto done = book_.forwards().give_back_of_removed_queues(wall_now());
    changed(std::move(done.effects));
    return std::move(done.lines);
  }

  // ---- links

  // The caller is treated by what it has proved, never by what it says.
  void opened(io::LinkId link, const io::LinkPeer& peer) {
    using Caller = io::ClusterChannel::Caller;
    switch (peer.caller) {
      case Caller::daemon:
        return engine_->opened(link, peer);
      case Caller::owner:
      case Caller::anyone:
      case Caller::ticket:
        return clients_.opened(link, peer);
      case Caller::peer:
        return clusters_.links().opened(link, peer);
    }
  }

  Result<void> message(io::LinkId link, std::string_view payload) {
    if (clusters_.links().has(link)) return clusters_.links().message(link, payload);
    wire::ToMbatchd message;
    if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return internal_error("found a message that cannot be read, expected ToMbatchd");
    if (clients_.has(link)) return clients_.message(link, message);
    if (!message.has_engine())
      return internal_error("found a client's message of a daemon, expected one of the engine's");
    const auto heard = engine_->message(link, message.engine());
    if (!heard) log_.error(heard.error().text);
    return heard;
  }

  void ended(io::LinkId link, io::LinkEnd how, const std::string& why) {
    if (clusters_.links().has(link)) return clusters_.links().ended(link, how, why);
    engine_->ended(link, why);
    pieces_.left(link);
    clients_.ended(link);
    if (how == io::LinkEnd::closed && waiters_.left(link, wall_now())) turn_soon();
    waiters_.ended(link);
    committer_.forget(link);
  }

  // Kills the job as its owner would: a bsub -I that was killed leaves a job whose output no client reads.
  void end_abandoned(const sched::Job& job) {
    const sched::Identity owner{job.asked->uid(), job.asked->gid(), job.asked->user(), {}, false};
    wire::SignalJobs kill;
    kill.mutable_filter()->add_keys()->set_id(job.key().id);
    kill.set_reason("its bsub is gone");
    log_.notice("job " + sched::text(job.key()) + " is ended: its bsub is gone");
    auto work = book_.commands().begin_signal(kill, owner);
    changed(book_.commands().signal_some(*work, 1, wall_now()).effects);
  }

  std::string key_reason(JobKey job) {
    const auto reasons = queries_.reasons(job);
    return reasons.empty() ? std::string() : reasons.front().text();
  }

  void host_told(const std::string& host, const sched::HostReport& report) {
    io::changing([&] {
      if (const auto* came = std::get_if<sched::report::HostCame>(&report)) {
        keeper_.connected(host, true);
        if (sched::HostId(host).ours()) clusters_.host_came(host, *came);
        scheduler_.want();
      }
      changed(book_.hosts().host_told(host, report, wall_now()));
      suspected_ = suspected_ && book_.hosts().suspects_itself();
    });
  }

  std::shared_ptr<const wire::Submission> whole(const std::shared_ptr<const wire::Submission>& asked) {
    auto read = committer_.whole(asked);
    if (!read) log_.error("cannot read the script and the environment of a job: " + read.error().text);
    return read ? *read : nullptr;
  }

  // A job whose payload cannot be read pends again, and says why.
  void give(const sched::Effect& order) {
    if (book_.hosts().carry_out(order, orders_of_all_, [this](const auto& asked) { return whole(asked); }))
      return;
    const auto& start = std::get<effect::OrderStart>(order);
    log_.error("job " + sched::text(start.key) + " is not started");
    sched::report::Over over;
    over.attempt = {start.key, start.attempt};
    over.how = sched::report::Over::How::not_started;
    over.why = "mbatchd cannot read the job's script and environment; see mbatchd's log";
    boost::asio::post(loop_.context(), [this, host = start.host, over] { host_told(host, over); });
  }

  void host_gone(const std::string& host, Duration silent) {
    io::changing([&] {
      orders_.gone(host);
      pieces_.gone(host);
      keeper_.connected(host, false);
      if (sched::HostId(host).ours()) clusters_.host_gone(host);
      changed(book_.hosts().host_gone(host, wall_now(), silent));
    });
  }

  void heard_load(Result<sched::LoadNews> news) {
    if (!loop_.ending())
      files_.look_at_conditions(wall_now());  // at every load interval, whether an answer came or not
    if (news) {
      if (!std::exchange(load_good_, true)) log_.notice("the master LIM answers");
      load_heard_ = Steady::now();
      keeper_.load(std::move(*news));
      clusters_.load_came();
      book_.hosts().cpu_factors(keeper_.cpu_factors());
      scheduler_.want();
      return turn_soon();
    }
    if (std::exchange(load_good_, false) || !load_said_) log_.warning("load: " + news.error().text);
    load_said_ = true;
    const auto& parameters = files_.configuration()->files.cluster->cluster.parameters;
    const Duration patience = parameters.exchange_interval * parameters.host_inactivity_limit;
    if (keeper_.load_known() && Steady::now() - load_heard_ > patience) {
      log_.error("no LIM has answered for too long: all hosts are unavailable");
      keeper_.load_lost();
      scheduler_.want();
      turn_soon();
    }
  }

  // ---- the turn

  void changed(sched::Effects effects) {
    if (effects.empty()) return;
    if (log_.writes(io::Level::debug))
      for (const auto& one : effects) log_.debug("effect: " + sched::text(one));
    const auto touched = committer_.take(std::move(effects));
    for (const auto key : touched.jobs) keeper_.job(key);
    for (const auto& state : touched.controls) keeper_.control(state);
    if (!touched.jobs.empty()) clusters_.jobs_touched(touched.jobs);
    if (!touched.controls.empty()) clusters_.hosts_changed();
    if (touched.schedule) scheduler_.want();
    turn_soon();
  }

  void turn_soon() {
    if (!loop_.ending()) next_turn_.soon();
  }

  void run_turn() {
    if (loop_.ending()) return;
    clusters_.settle();
    if (keeper_.forgets_returned(Steady::now())) put_in_force();
    requests_.jobs_came_back();
    if (scheduler_.quick()) plan();
    commit();
    // A long cycle runs after the answers have left.
    if (!committer_.failing() && !scheduler_.quick() && plan()) commit();
    queries_.answer_all(waiters_);
    requests_.go_on();
    if (!committer_.failing())  // what they are still to be told has left
      for (const auto& host : removed_hosts_.take_empty()) engine_->let_go(host);
    book_.jobs().pack();
    arm();
  }

  bool plan() {
    if (committer_.failing() || !scheduler_.make(wall_now())) return false;
    clusters_.planned(wall_now());
    queries_.planned();
    waiters_due_ = true;
    return true;
  }

  void commit() {
    if (!committer_.commit(loop_.ending() || !queries_.empty())) return;
    clusters_.flush(wall_now());
    if (std::exchange(waiters_due_, false)) waiters_.planned();
  }

  void store_keeps_again() {
    scheduler_.want();
    turn_soon();
  }

  // ---- event files that lag behind

  void rebuild_events() {
    committer_.files().rebuild(committer_.store());
    catch_up_soon();
  }

  void catch_up_soon() {
    if (std::exchange(catching_up_, true)) return;
    boost::asio::post(loop_.context(), [this] {
      catching_up_ = false;
      if (loop_.ending()) return;
      if (committer_.files().catch_up(committer_.store())) return catch_up_soon();
      arm();
    });
  }

  // ---- time

  // One timer for all deadlines.
  void arm() {
    if (loop_.ending()) return;
    const auto now = wall_now();
    Duration wait = kLongestWait;
    const auto until = [&](std::optional<WallTime> at) {
      if (at)
        wait =
            std::min(wait, Duration(std::chrono::microseconds(std::max<std::int64_t>(0, at->us - now.us))));
    };
    until(book_.next_deadline());
    until(waiters_.next_deadline());
    until(scheduler_.next_look());
    wait = clusters_.wait(wait, now, !committer_.failing());
    if (!committer_.failing()) wait = std::min(wait, scheduler_.wait().value_or(wait));
    wait = std::min(wait, committer_.wait().value_or(wait));
    if (!committer_.failing()) wait = std::min(wait, forgetting_.wait().value_or(wait));
    wake_.expires_after(wait);
    wake_.async_wait([this](const boost::system::error_code& error) {
      if (!error) woke();
    });
  }

  void woke() {
    if (!next_turn_.posted()) memory_.give_back();
    const auto now = wall_now();
    changed(
        book_.tick(now));  // also where nothing is due: the Book notices here that the calendar clock was set
    if (book_.hosts().suspects_itself() && !std::exchange(suspected_, true))
      log_.error("all hosts were lost at once: mbatchd itself may be cut off; no rerunnable job is given up");
    waiters_.tick(now);
    scheduler_.tick(now);
    clusters_.tick(now);
    committer_.files().tick();
    const bool behind = committer_.files().behind(committer_.store());
    if (behind) catch_up_soon();
    if (!committer_.failing()) forgetting_.step(committer_.store(), behind, now);
    turn_soon();
  }

  // Jobs go on. Saves what has arrived, and writes the event files up to what the store has.
  void end_all() {
    committer_.take({effect::RecordEvent{die_event(*files_.configuration(), wall_now())}});
    scheduler_.want_no_more();
    commit();
    committer_.note_files();
    links_.shut_down();
    loop_.stop();
  }

  io::Log& log_;
  ActiveConfiguration files_;
  io::DaemonLoop loop_;
  sched::book::Book book_;
  sched::book::RemovedHosts removed_hosts_{book_.jobs()};
  sched::answers::SnapshotKeeper keeper_;
  Scheduler scheduler_;
  Committer committer_;
  Forgetting forgetting_{log_};
  TicketIssuer tickets_;
  io::Links links_;
  OtherClusters clusters_;
  const std::unique_ptr<Engine> engine_;
  PieceRelay pieces_;
  HereOrElsewhere orders_of_all_{*engine_, clusters_.elsewhere(), clusters_.borrowed()};
  WaitingOrders orders_{{[this](const std::string& host) { return engine_->has_room(host); },
                         [this](const sched::Effect& order) { give(order); }}};
  Clients clients_;
  Queries queries_;
  Waiters waiters_;
  Controls controls_;
  Requests requests_;
  LoadWatch load_;
  boost::asio::steady_timer wake_;

  MemoryWatch memory_{log_};
  NextTurn next_turn_{loop_.context(), [this] { run_turn(); }};
  bool waiters_due_ = false;  // a cycle is over
  bool catching_up_ = false;
  bool suspected_ = false;
  bool load_good_ = false, load_said_ = false;
  Steady::time_point load_heard_{};
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

io::LoadedPeerKeys peer_keys_of(const Configuration& configuration, const io::ClusterKey& own) {
  std::vector<std::string> clusters;
  if (!configuration.peers.key_directory.empty())
    for (const auto& peer : configuration.peers.clusters) clusters.push_back(peer.name);
  return io::load_peer_keys(configuration.peers.key_directory, configuration.settings().cluster, own,
                            clusters);
}

}  // namespace

Result<io::DaemonEnd> run_daemon(const DaemonSetup& setup, const DaemonParts& parts, io::Log& log,
                                 const std::function<void()>& ready) {
  io::keep_freed_memory();  // MemoryWatch returns it at a quiet moment
  const auto key = io::load_cluster_key(setup.configuration->settings().key_file);
  if (!key) return key.error();
  if (const auto made = make_directory(setup.configuration->directory); !made) return made.error();
  auto keys = peer_keys_of(*setup.configuration, *key);
  for (const auto& [cluster, error] : keys.errors)
    log.error(error + "; cluster " + cluster + " is not connected");
  auto store = parts.store(setup.configuration->directory);
  if (!store) return internal_error(store.error().text);
  if (!setup.packed.empty()) keep_configuration(setup.configuration->directory, setup.packed, log);
  Daemon daemon(setup, parts.engine, std::move(keys), std::move(*store), log);
  return daemon.run(ready);
}

}  // namespace rollcall::mbatchd
