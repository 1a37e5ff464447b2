#include "elim/lim/daemon.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "common/base/event_pump.hpp"
#include "common/io/child.hpp"
#include "common/io/daemon_loop.hpp"
#include "common/io/links.hpp"
#include "common/io/memory_reserve.hpp"
#include "common/io/program_place.hpp"
#include "common/io/random_bytes.hpp"
#include "elim/lim/clients.hpp"
#include "elim/lim/elim_logs.hpp"
#include "elim/lim/melim_child.hpp"
#include "elim/lim/melim_orders.hpp"
#include "elim/lim/metrics.hpp"
#include "elim/lim/own_host.hpp"
#include "elim/lim/peer_talk.hpp"

namespace rollcall::lim {
namespace {

using Control = wire::Request::Control;
using Reply = wire::Reply;

Duration monotonic_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

constexpr std::size_t kRunBytes = 16;  // unique to this run of this LIM

std::int64_t wall_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

Reply done(std::string text) {
  Reply reply;
  reply.set_last(true);
  reply.mutable_done()->set_text(std::move(text));
  return reply;
}

io::LinkLimits limits_of(const Configuration& configuration) {
  io::LinkLimits limits;
  limits.time_to_prove = configuration.files.cluster.parameters.probe_timeout;
  limits.dial_patience = configuration.files.cluster.parameters.probe_timeout;
  return limits;
}

class Daemon {
 public:
  Daemon(const DaemonSetup& setup, const io::ClusterKey& key, io::Log& log)
      : setup_(setup),
        log_(log),
        configuration_(setup.configuration),
        loop_(
            log, "LIM",
            {[this] { reconfigure(); }, [this] { end_all(); }, [this] { io::reap_others(loop_.context()); }}),
        clock_(monotonic_now(), load::kSampleInterval),
        lim_(rules()),
        own_host_(log),
        links_(loop_.context(), key, limits_of(*configuration_),
               {[this](io::LinkId link, const io::LinkPeer& peer) { opened(link, peer); },
                [this](io::LinkId link, std::string_view payload) { return message(link, payload); },
                [this](io::LinkId link, io::LinkEnd how, const std::string& why) { ended(link, how, why); },
                [this](const std::string& line) { log_.warning(line); }}),
        peers_(loop_.context(), links_, log, io::random_bytes(kRunBytes),
               [this](Event event) { happened(std::move(event)); }),
        clients_(
            loop_.context(), links_, lim_, log,
            {[this] { return now(); }, [this](Event event) { happened(std::move(event)); },
             [this](const Control& control, const std::string& who) { return carry_out(control, who); }}),
        metrics_(loop_.context(), lim_, clients_, log),
        timer_(loop_.context()) {}

  Result<io::DaemonEnd> run(const std::function<void()>& ready) {
    const auto port = links_.listen(static_cast<std::uint16_t>(configuration_->files.settings.lim_port));
    if (!port) return port.error();
    start_melim();
    peers_.configure(configuration_);
    clients_.configure(configuration_);
    metrics_.configure(*configuration_);
    own_host_.configure(*configuration_);
    loop_.await_signals();
    happened(event::FactsFound{own_host_.facts()});
    sample();
    happened(event::Started{});
    log_.notice("LIM " ROLLCALL_VERSION " of cluster " + configuration_->files.cluster.name + " on " +
                configuration_->host + ", port " + std::to_string(*port));
    ready();
    return loop_.run();
  }

 private:
  std::shared_ptr<const LimRules> rules() const {
    return std::make_shared<LimRules>(
        lim_rules(configuration_->files, configuration_->host, configuration_->digest));
  }
  TimePoint now() { return clock_.now(monotonic_now()); }

  // ---- the stepper

  // Events that come while MELIM ends (last values of its elims, a look-up, a dial) are ignored.
  void happened(Event event) {
    if (loop_.ending()) return;
    const bool stepped = io::changing(
        [&] { return pump_.happened(std::move(event), [this](const Event& next) { take(next); }); });
    if (!stepped) return;
    const auto deadline = next_deadline(lim_);
    if (deadline && *deadline < armed_for_) arm();
  }

  void take(const Event& event) {
    if (log_.writes(io::Level::debug)) log_.debug("event: " + text(event));
    for (const auto& effect : step(lim_, event, now())) {
      if (log_.writes(io::Level::debug)) log_.debug("effect: " + text(effect));
      std::visit([this](const auto& e) { carry_out(e); }, effect);
    }
  }

  void carry_out(const effect::Dial& e) { peers_.dial(e.host); }
  void carry_out(const effect::CloseLink& e) { peers_.close(e.connection); }
  void carry_out(const effect::Welcome& e) { peers_.welcome(e); }
  void carry_out(const effect::SendRegister& e) { peers_.send_register(e.connection, registration(lim_)); }
  void carry_out(const effect::SendReport& e) { peers_.send_report(e.connection, e.report); }
  void carry_out(const effect::SendAnnounce& e) { peers_.announce(e.connection); }
  void carry_out(const effect::SendRenew& e) { peers_.renew(e.connection); }
  void carry_out(const effect::SendOrders& e) { peers_.send_orders(e.connection, e.resources); }
  void carry_out(const effect::OrderMelim& e) {
    melim_order_ = e;
    order_melim();
  }
  void carry_out(const effect::Note& e) {
    const io::Level levels[] = {io::Level::debug, io::Level::info, io::Level::warning};
    log_.line(levels[static_cast<int>(e.severity)], e.text);
  }

  // ---- links

  void opened(io::LinkId link, const io::LinkPeer& peer) {
    using Caller = io::ClusterChannel::Caller;
    switch (peer.caller) {
      case Caller::daemon:
        return peers_.opened(link, peer);
      case Caller::owner:
      case Caller::anyone:
      case Caller::ticket:
        return clients_.opened(link, peer);
      case Caller::peer:
        return links_.close(link);  // LIM does not talk with other clusters
    }
  }
  Result<void> message(io::LinkId link, std::string_view payload) {
    const auto taken = clients_.message(link, payload);
    return taken ? peers_.message(link, payload) : taken;
  }
  void ended(io::LinkId link, io::LinkEnd how, const std::string& why) {
    clients_.ended(link);
    peers_.ended(link, how, why);
  }

  // ---- MELIM

  void start_melim() {
    MelimProgram program;
    program.path = server_directory(*configuration_) + "/melim";
    if (access(program.path.c_str(), X_OK) != 0) program.path = io::program_directory() + "/melim";
    program.open_files = setup_.open_files;
    program.mask = setup_.mask;
    const auto account = elim_account(configuration_->files);
    if (!account) return log_.error(account.error().text);
    elim_account_ = *account;
    program.identity = account->identity;
    if (geteuid() == 0 && !program.identity)
      log_.warning(
          "elims run as root: section ClusterAdmins of lsf.cluster names nobody else as the first "
          "administrator");
    melim_ = std::make_unique<MelimChild>(
        loop_.context(), std::move(program), MelimPauses{}, log_,
        MelimChild::Handler{
            [this](const wire::MelimReport& report) { happened(event::ElimsReported{report}); },
            [this](const std::string& how) { happened(event::MelimLost{how}); }, [this] { loop_.stop(); }});
  }

  void order_melim() {
    if (!melim_ || !melim_order_ || loop_.ending()) return;
    if (elim_account_.identity && !melim_order_->resources.empty()) make_logs();
    melim_->order(melim_orders(*configuration_, own_host_.facts(), elim_account_, *melim_order_));
  }

  void make_logs() {
    const auto made =
        make_elim_logs(configuration_->files.settings.log_dir, configuration_->host, *elim_account_.identity);
    const std::string trouble = made ? "" : made.error().text;
    if (!trouble.empty() && trouble != log_trouble_) log_.warning("logs of elims: " + trouble);
    log_trouble_ = trouble;
  }

  // ---- time

  // One timer for both: the next sample, and the stepper's deadline.
  void arm() {
    const TimePoint at = now();
    const auto deadline = next_deadline(lim_);
    armed_for_ = std::max(at, std::min(sample_at_, deadline.value_or(sample_at_)));
    timer_.expires_after(armed_for_ - at);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (error || loop_.ending()) return;
      armed_for_ = TimePoint{Duration::max()};
      if (now() >= sample_at_)
        sample();
      else
        happened(event::Tick{});
      arm();
    });
  }

  void sample() {
    const TimePoint at = now();
    sample_at_ = at + (sampled_ ? load::kSampleInterval : load::kFirstInterval);
    sampled_ = true;
    auto sampled = own_host_.sample(at);
    if (sampled.changed) happened(event::FactsFound{*sampled.changed});
    // Windows begin and end with a minute.
    if (std::exchange(minute_, sampled.load.wall.minute) != sampled.load.wall.minute) look_at_conditions();
    happened(sampled.load);
    happened(event::Tick{});
    arm();
  }

  // Closes the port first: elims may take their time to end, and clients must not wait for them.
  void end_all() {
    links_.shut_down();
    metrics_.shut_down();
    timer_.cancel();
    if (melim_)
      melim_->shut_down();
    else
      loop_.stop();
  }

  // ---- controls

  Reply carry_out(const Control& control, const std::string& who) {
    log_.notice(who + ": " + Control::Action_Name(control.action()));
    switch (control.action()) {
      case Control::LOCK:
        happened(event::LockAsked{
            control.seconds(),
            control.seconds() == 0 ? 0 : wall_us() + std::int64_t{control.seconds()} * 1'000'000});
        return done("Host is locked");
      case Control::UNLOCK:
        happened(event::UnlockAsked{});
        return done("Host is unlocked");
      case Control::SHUTDOWN:
        loop_.begin_end_soon(io::DaemonEnd::stopped);
        return done("LIM ends");
      case Control::RESTART:
        return restart();
      case Control::RECONFIG:
        return reconfigure();
      case Control::DEBUG:
        return set_log_level(control.text());
      default:
        return refusal(Reply::Refusal::FAILED, "this LIM does not know what is asked");
    }
  }

  Reply set_log_level(const std::string& word) {
    // "usual": as LSF_LOG_MASK has it.
    const auto level = io::parse_level(word == "usual" ? configuration_->files.settings.log_mask : word);
    if (!level)
      return refusal(Reply::Refusal::FAILED, "found the level " + word + ", expected LOG_ERR ... LOG_DEBUG");
    log_.set_last(*level);
    return done("the log level is " + word);
  }

  // With unreadable files the new LIM would end at once, and the host would have none.
  Reply restart() {
    const auto loaded = load_configuration(setup_.env_dir);
    if (!loaded.configuration) {
      for (const auto& line : first_of(loaded.errors)) log_.error(line);
      log_.error("LIM does not start again with these files");
      return refusal(Reply::Refusal::BAD_CONFIGURATION, joined(first_of(loaded.errors)));
    }
    loop_.begin_end_soon(io::DaemonEnd::restart);
    return done("LIM starts again");
  }

  Reply reconfigure() { return take(load_configuration(setup_.env_dir), "new files are in force"); }

  // Loads the files again where a #if time() of them has changed.
  void look_at_conditions() {
    const auto kept = refused_ ? refused_ : configuration_->kept;
    if (!kept->outdated()) return;
    auto loaded = load_configuration_anew(*kept);
    refused_ = loaded.kept;
    told_.keep_new(loaded.errors, loaded.warnings);
    take(loaded, "a #if time() of the files has changed what is in force");
  }

  // A set with a fatal error changes nothing.
  Reply take(const LoadedConfiguration& loaded, const char* what) {
    for (const auto& line : first_of(loaded.warnings)) log_.warning(line);
    for (const auto& line : first_of(loaded.errors)) log_.error(line);
    if (!loaded.configuration) {
      log_.error("the files are not taken; what was in force stays");
      return refusal(Reply::Refusal::BAD_CONFIGURATION, joined(first_of(loaded.errors)));
    }
    for (const auto& what_changed : what_needs_a_restart(*configuration_, *loaded.configuration))
      log_.warning(what_changed + " has changed: it is in force after lsadmin limrestart");
    configuration_ = loaded.configuration;
    refused_.reset();
    if (const auto level = io::parse_level(configuration_->files.settings.log_mask)) log_.set_last(*level);
    own_host_.configure(*configuration_);
    happened(event::Reconfigured{rules()});
    happened(event::FactsFound{own_host_.facts()});
    peers_.configure(configuration_);
    clients_.configure(configuration_);
    metrics_.configure(*configuration_);
    order_melim();
    log_.notice(what);
    return done(joined(first_of(loaded.warnings)));
  }

  const DaemonSetup& setup_;
  io::Log& log_;
  std::shared_ptr<const Configuration> configuration_;
  io::DaemonLoop loop_;
  JobClock clock_;
  Lim lim_;
  OwnHost own_host_;
  io::Links links_;
  PeerTalk peers_;
  Clients clients_;
  Metrics metrics_;
  std::unique_ptr<MelimChild> melim_;  // none: no elim may run here
  ElimAccount elim_account_;
  std::string log_trouble_;  // told once
  std::optional<effect::OrderMelim> melim_order_;
  boost::asio::steady_timer timer_;
  EventPump<Event> pump_;
  TimePoint sample_at_;
  bool sampled_ = false;
  int minute_ = -1;  // of the day, when #if time() was looked at
  std::shared_ptr<const conf::FileSnapshot>
      refused_;  // the present files, decided at an hour at which they have errors
  conf::ToldLines told_;
  TimePoint armed_for_{Duration::max()};
};

}  // namespace

Result<io::DaemonEnd> run_daemon(const DaemonSetup& setup, io::Log& log, const std::function<void()>& ready) {
  const auto key = io::load_cluster_key(setup.configuration->files.settings.key_file);
  if (!key) return key.error();
  Daemon daemon(setup, *key, log);
  return daemon.run(ready);
}

}  // namespace rollcall::lim
