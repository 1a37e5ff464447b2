#include "res/daemon/daemon.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <sstream>

#include "common/io/child.hpp"
#include "common/io/daemon_loop.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/links.hpp"
#include "common/io/memory_reserve.hpp"
#include "common/io/random_bytes.hpp"
#include "common/wire/batch.pb.h"
#include "res/daemon/clients.hpp"
#include "res/daemon/jobs.hpp"

namespace rollcall::res {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{100}, kLastPause{2000};  // between two attempts to connect to mbatchd
constexpr milliseconds kLastPauseRefused{15'000};  // if mbatchd ends the connection without a welcome
constexpr milliseconds kPortPatience{2000};
constexpr std::chrono::seconds kBeat{5};

constexpr std::size_t kRunBytes = 16;  // random, so unique among all runs of all RES

// Without the host's name, which other clusters may not know.
std::vector<std::string> reachable_addresses() {
  std::istringstream words(io::reachable_as());
  std::vector<std::string> addresses;
  std::string word;
  std::getline(words, word, ',');
  while (std::getline(words, word, ',')) addresses.push_back(word);
  return addresses;
}

class Daemon {
 public:
  Daemon(const DaemonSetup& setup, const io::ClusterKey& key, JobDirectories directories, io::Log& log)
      : setup_(setup),
        log_(log),
        configuration_(setup.configuration),
        loop_(log, "RES",
              {[this] { reconfigure(); }, [this] { end_soon(); },
               [this] { io::reap_others(loop_.context()); }}),
        links_(loop_.context(), key, {},
               {[this](io::LinkId link, const io::LinkPeer& peer) { opened(link, peer); },
                [this](io::LinkId link, std::string_view payload) { return message(link, payload); },
                [this](io::LinkId link, io::LinkEnd how, const std::string& why) { ended(link, how, why); },
                [this](const std::string& line) { log_.warning(line); }, &jobs_.spans()}),
        jobs_(loop_.context(), std::move(directories), setup.mask, setup.open_files, log,
              {[this](const wire::FromRes& told) { tell(told); }}),
        clients_(loop_.context(), links_, jobs_, log,
                 {[this](const wire::ControlRes& control) { return carry_out(control); }}),
        redial_(loop_.context()),
        beat_(loop_.context()),
        run_(io::random_bytes(kRunBytes)) {
    jobs_.configure(configuration_);
    clients_.configure(configuration_);
  }

  Result<io::DaemonEnd> run(const std::function<void()>& ready) {
    const auto port = listen();
    if (!port) return port.error();
    loop_.await_signals();
    jobs_.make_cgroups();
    jobs_.adopt();
    log_.notice("RES " ROLLCALL_VERSION " of cluster " + configuration_->files.cluster.name + " on " +
                configuration_->host + ", port " + std::to_string(*port));
    dial();
    beat();
    ready();
    const auto end = loop_.run();
    jobs_.leave();
    return end;
  }

 private:
  // Retries for kPortPatience: a program that a killed RES was just starting may hold the port for an instant.
  Result<std::uint16_t> listen() {
    const auto until = std::chrono::steady_clock::now() + kPortPatience;
    for (;;) {
      auto port = links_.listen(static_cast<std::uint16_t>(configuration_->batch.res_port));
      if (port || std::chrono::steady_clock::now() >= until) return port;
      poll(nullptr, 0, 20);
    }
  }

  void beat() {
    jobs_.beat();
    beat_.expires_after(kBeat);
    beat_.async_wait([this](const boost::system::error_code& error) {
      if (!error) beat();
    });
  }

  // ---- mbatchd

  void dial() {
    // Do not dial while jobs are being forgotten: the hello would name jobs whose ends mbatchd would never hear.
    if (jobs_.forgetting()) return redial();
    const auto& files = configuration_->files;
    const std::string& host = configuration_->batch.mbd_host;
    mbatchd_ = links_.dial(files.names.address(host).value_or(host),
                           static_cast<std::uint16_t>(configuration_->batch.mbd_port));
    connected_ = false;
  }

  void redial() {
    redial_.expires_after(pause_);
    pause_ = std::min(pause_ * 2, refused_ ? kLastPauseRefused : kLastPause);
    redial_.async_wait([this](const boost::system::error_code& error) {
      if (!error) dial();
    });
  }

  void called(io::LinkId link, const io::LinkPeer& peer) {
    using Caller = io::ClusterChannel::Caller;
    switch (peer.caller) {
      case Caller::owner:
      case Caller::anyone:
      case Caller::ticket:
        return clients_.opened(link, peer);
      case Caller::daemon:
      case Caller::peer:
        return links_.close(link);  // no daemon dials a RES
    }
  }

  void opened(io::LinkId link, const io::LinkPeer& peer) {
    if (!peer.dialled) return called(link, peer);
    connected_ = true;
    welcome_ = false;
    wire::FromRes told;
    auto& hello = *told.mutable_hello();
    hello = jobs_.hello();
    hello.set_host(configuration_->host);
    hello.set_run(run_);
    hello.set_version(ROLLCALL_VERSION);
    hello.set_port(static_cast<std::uint32_t>(configuration_->batch.res_port));
    for (auto& address : reachable_addresses()) hello.add_addresses(std::move(address));
    tell(told);
    log_.info("mbatchd on " + configuration_->batch.mbd_host + " answers");
  }

  Result<void> message(io::LinkId link, std::string_view payload) {
    if (link != mbatchd_) return clients_.message(link, payload);
    wire::FromMbatchd message;
    if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return internal_error("found a message that cannot be read, expected FromMbatchd");
    if (!message.has_engine()) return {};
    wire::ToRes order;
    if (!order.ParseFromString(message.engine()))
      return internal_error("found a message that cannot be read, expected ToRes");
    if (order.has_ping()) {
      wire::FromRes told;
      told.mutable_pong()->set_number(order.ping().number());
      tell(told);
      return {};
    }
    if (order.has_restart()) {
      loop_.begin_end(order.restart().stop() ? io::DaemonEnd::stopped : io::DaemonEnd::restart);
      return {};
    }
    if (const auto done = io::changing([&] { return jobs_.order(order); }); !done) return done.error();
    if (order.has_welcome()) {
      welcome_ = true;
      refused_ = said_ = false;
      pause_ = kFirstPause;
    }
    return {};
  }

  void ended(io::LinkId link, io::LinkEnd, const std::string& why) {
    if (link != mbatchd_) return clients_.ended(link);
    const std::string mbatchd = "mbatchd on " + configuration_->batch.mbd_host;
    // mbatchd does not know this host, or knows it at another address: its log says why.
    refused_ = connected_ && !welcome_;
    if (connected_ && welcome_)
      log_.warning("the connection with " + mbatchd + " ended: " + why);
    else if (!said_)
      log_.warning(mbatchd +
                   (refused_ ? " does not take this host (its log says why): " : " does not answer: ") + why);
    said_ = true;
    connected_ = false;
    mbatchd_ = 0;
    redial();
  }

  void tell(const wire::FromRes& told) {
    if (!connected_) return;  // the hello after the next connection tells it again
    wire::ToMbatchd message;
    message.set_engine(told.SerializeAsString());
    links_.send(mbatchd_, message.SerializeAsString());
  }

  // ---- controls

  // Forgets the jobs only while mbatchd is away: a connected mbatchd must end them itself.
  Result<std::string> forget(bool sure) {
    const std::string& host = configuration_->host;
    if (connected_ && welcome_)
      return configuration_error("RES on " + host + " obeys mbatchd on " + configuration_->batch.mbd_host +
                                 ": there is nothing to forget; bkill ends jobs");
    if (!sure) return jobs_.what_forgetting_loses();
    jobs_.forget_all();
    pause_ = kFirstPause;
    return "RES on " + host + " ends its jobs and forgets them";
  }

  Result<std::string> carry_out(const wire::ControlRes& control) {
    switch (control.action()) {
      case wire::ControlRes::STATUS:
        return "RES on " + configuration_->host + " has " + std::to_string(jobs_.count()) +
               " jobs, and mbatchd on " + configuration_->batch.mbd_host +
               (connected_ ? " answers" : " does not answer");
      case wire::ControlRes::SHUTDOWN:
        loop_.begin_end_soon(io::DaemonEnd::stopped);
        return "RES on " + configuration_->host + " ends; its jobs go on";
      case wire::ControlRes::RESTART:
        loop_.begin_end_soon(io::DaemonEnd::restart);
        return "RES on " + configuration_->host + " starts again";
      case wire::ControlRes::DEBUG: {
        // "usual": back to LSF_LOG_MASK.
        const bool usual = control.text() == "usual";
        const auto level = io::parse_level(usual ? configuration_->files.settings.log_mask : control.text());
        if (!level)
          return configuration_error("found the level " + control.text() +
                                     ", expected LOG_ERR ... LOG_DEBUG");
        log_.set_last(*level);
        return "the log level is " + control.text();
      }
      case wire::ControlRes::FORGET:
        return forget(control.text() == "yes");
      default:
        return configuration_error("this RES does not know what is asked");
    }
  }

  void reconfigure() {
    const auto loaded = load_configuration(setup_.env_dir);
    for (const auto& line : loaded.warnings) log_.warning(line);
    for (const auto& line : loaded.errors) log_.error(line);
    if (!loaded.configuration) return log_.error("the files are not taken; what was in force stays");
    configuration_ = loaded.configuration;
    jobs_.configure(configuration_);
    clients_.configure(configuration_);
    log_.notice("new files are in force");
    pause_ = kFirstPause;
    if (mbatchd_ == 0) redial();  // mbatchd may accept this host with the new files
  }

  // Waits a moment, so that answers under way are sent first.
  void end_soon() {
    auto timer = std::make_shared<boost::asio::steady_timer>(loop_.context(), milliseconds(50));
    timer->async_wait([this, timer](const boost::system::error_code&) {
      links_.shut_down();
      loop_.stop();
    });
  }

  const DaemonSetup& setup_;
  io::Log& log_;
  std::shared_ptr<const Configuration> configuration_;
  io::DaemonLoop loop_;
  io::Links links_;
  Jobs jobs_;
  Clients clients_;
  boost::asio::steady_timer redial_;
  boost::asio::steady_timer beat_;
  std::string run_;
  io::LinkId mbatchd_ = 0;
  bool connected_ = false, welcome_ = false, refused_ = false, said_ = false;
  milliseconds pause_ = kFirstPause;
};

}  // namespace

Result<io::DaemonEnd> run_daemon(const DaemonSetup& setup, io::Log& log, const std::function<void()>& ready) {
  const auto& configuration = *setup.configuration;
  const auto key = io::load_cluster_key(configuration.files.settings.key_file);
  if (!key) return key.error();
  auto directories = JobDirectories::open(configuration.batch.job_dir, configuration.host);
  if (!directories) return directories.error();
  Daemon daemon(setup, *key, std::move(*directories), log);
  return daemon.run(ready);
}

}  // namespace rollcall::res
