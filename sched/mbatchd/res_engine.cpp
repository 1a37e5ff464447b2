#include "sched/mbatchd/res_engine.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sched/mbatchd/res_links.hpp"
#include "sched/mbatchd/res_translation.hpp"
#include "sched/policy/values/kept_back.hpp"

namespace rollcall::mbatchd {
namespace {

class ResEngine : public Engine {
 public:
  explicit ResEngine(EngineSetup setup)
      : setup_(std::move(setup)),
        hosts_(setup_.loop, setup_.links, setup_.log, setup_.term,
               {[this](const std::string& host, const wire::FromRes& said) { hear(host, said); },
                [this](const std::string& host, Duration silent) { lost(host, silent); },
                [this](const std::string& host, const std::string& why) {
                  setup_.told(host, sched::report::NotOurs{why});
                },
                setup_.has_attempts}) {}

  void configure(std::shared_ptr<const Configuration> configuration) override {
    hosts_.configure(std::move(configuration));
  }
  bool reaches(const std::string& host) const override { return hosts_.connected(host); }
  bool has_room(const std::string& host) const override { return hosts_.has_room(host); }
  bool restart(const std::string& host, bool stop) override {
    wire::ToRes message;
    message.mutable_restart()->set_stop(stop);
    return hosts_.send(host, std::move(message));
  }
  void let_go(const std::string& host) override { hosts_.let_go(host); }

  void start(const std::string& host, sched::order::Start order) override {
    const sched::Attempt attempt = order.attempt;
    wire::ToRes message = to_res(std::move(order));
    if (stamp(host, attempt, message)) send(host, std::move(message));
  }
  void expect(const std::string& host, const sched::order::Expect& order) override {
    wire::ToRes message = to_res(order);
    if (stamp(host, order.attempt, message)) send(host, std::move(message));
  }
  // All go-aheads of a turn leave in one message.
  void go(const std::string& host, const sched::Attempt& attempt) override {
    gos_[host].push_back(attempt);
    if (std::exchange(gos_posted_, true)) return;
    boost::asio::post(setup_.loop, [this] {
      gos_posted_ = false;
      for (const auto& [named, attempts] : std::exchange(gos_, {})) hosts_.send(named, mbatchd::go(attempts));
    });
  }
  // RES would answer that it knows no such attempt. The signal comes again behind the order.
  void signal(const std::string& host, const sched::order::Signal& order) override {
    if (kept_back_.signal_leaves(host, order.attempt)) send(host, to_res(order));
  }
  void acknowledge(const std::string& host, const sched::Attempt& attempt) override {
    send(host, acknowledgement(attempt));
  }
  void release(const std::string& host, const sched::Attempt& attempt) override {
    kept_back_.released(host, attempt);
    send(host, mbatchd::release(attempt, setup_.is_part && setup_.is_part(attempt)));
  }

  bool read(const std::string& host, const sched::Attempt& attempt, std::uint64_t number,
            const wire::PieceAsked& asked) override {
    return hosts_.send(host, reading(attempt, number, asked));
  }
  bool file(const std::string& host, std::uint64_t number, const FileOnHost& file) override {
    wire::ToRes message;
    auto& piece = *message.mutable_file();
    piece.set_number(number);
    piece.set_user(file.user);
    piece.set_uid(file.uid);
    *piece.mutable_asked() = file.asked;
    piece.set_path(file.path);
    piece.set_name(file.name);
    piece.set_append(file.append);
    piece.set_transfer(file.transfer);
    return hosts_.send(host, std::move(message));
  }

  bool name_grants(const std::string& host, const sched::lease::GrantQuestion& question) override {
    return knows_leases_.contains(host) && hosts_.send(host, to_res(question));
  }

  std::optional<HostPlace> place_of(const std::string& host) const override {
    const auto place = places_.find(host);
    return place == places_.end() ? std::nullopt : std::optional(place->second);
  }

  void opened(io::LinkId link, const io::LinkPeer& peer) override { hosts_.opened(link, peer); }
  bool has(io::LinkId link) const override { return hosts_.has(link); }
  Result<void> message(io::LinkId link, std::string_view engine) override {
    wire::FromRes said;
    if (!said.ParseFromArray(engine.data(), static_cast<int>(engine.size())))
      return internal_error("found a message that cannot be read, expected FromRes");
    return hosts_.message(link, said);
  }
  void ended(io::LinkId link, const std::string& why) override {
    if (hosts_.has(link)) setup_.log.info("a RES has gone: " + why);
    hosts_.ended(link);
  }
  void drained(io::LinkId link) override {
    if (const auto host = hosts_.host_of(link); !host.empty()) setup_.room(host);
  }

 private:
  // Orders arrive in their order: a go-ahead that waits for the end of the turn leaves first.
  void send(const std::string& host, wire::ToRes order) {
    if (const auto waiting = gos_.extract(host)) hosts_.send(host, mbatchd::go(waiting.mapped()));
    hosts_.send(host, std::move(order));
  }
  void hear(const std::string& host, const wire::FromRes& said) {
    if (said.has_hello()) {
      tell_connected(host);
      note_place(host, said.hello());
      said.hello().knows_leases() ? void(knows_leases_.insert(host)) : void(knows_leases_.erase(host));
    }
    if (said.has_refused()) setup_.log.error("RES of " + host + " refuses an order: " + said.refused().why());
    if (said.left_behind().directories() > 0)
      setup_.log.warning("RES of " + host + " could not remove the files of ended jobs; \"bhosts -l " + host +
                         "\" shows which");
    if (said.has_not_prepared())
      setup_.log.warning("RES of " + host + " cannot take job " +
                         std::to_string(said.not_prepared().job().key().id()) + ": " +
                         said.not_prepared().why());
    if (said.has_read() && setup_.piece) setup_.piece(host, said.read().number(), said.read().piece());
    if (said.has_grants() && setup_.grants_held) setup_.grants_held(host, grants_of(said.grants()));
    if (const auto report = report_of(said)) setup_.told(host, *report);
  }
  // A RES of an older release starts a job on lent slots as any other one. False: the order cannot leave, as what the hosts of the job
  // share is not known.
  bool stamp(const std::string& host, const sched::Attempt& attempt, wire::ToRes& order) {
    if (setup_.grants_of && knows_leases_.contains(host)) put_grants(setup_.grants_of(host, attempt), order);
    auto span = setup_.span_of ? setup_.span_of(attempt) : std::nullopt;
    const auto leaves = sched::span_of_order(span, setup_.is_part && setup_.is_part(attempt));
    kept_back_.ordered(host, attempt, leaves);
    if (leaves == sched::OrderSpan::waits) {
      setup_.log.info("the order of job " + sched::text(attempt.job) + " for " + host +
                      " waits: where all hosts of the job are reached was not told yet");
      setup_.awaits_span(host, attempt);
      return false;
    }
    if (leaves == sched::OrderSpan::none) return true;
    put_span(std::move(*span), order);
    return true;
  }
  void note_place(const std::string& host, const wire::FromRes::ResHello& hello) {
    places_.erase(host);
    if (hello.knows_spans() && !hello.addresses().empty())
      places_[host] = {{hello.addresses().begin(), hello.addresses().end()},
                       static_cast<std::uint16_t>(hello.port())};
  }
  // A host's return is logged at the level of its loss, so that a log that has the one has the other.
  void tell_connected(const std::string& host) {
    if (lost_.erase(host) > 0)
      setup_.log.warning("RES of " + host + " is connected again");
    else
      setup_.log.notice("RES of " + host + " is connected");
  }
  void lost(const std::string& host, Duration silent) {
    gos_.erase(host);
    kept_back_.gone(host);
    knows_leases_.erase(host);
    places_.erase(host);
    setup_.log.warning("RES of " + host + " is not connected any more");
    lost_.insert(host);
    setup_.gone(host, silent);
  }

  EngineSetup setup_;
  ResLinks hosts_;
  std::map<std::string, std::vector<sched::Attempt>> gos_;  // of this turn, by host
  bool gos_posted_ = false;
  std::set<std::string> knows_leases_;  // connected hosts whose RES keeps numbers of grants
  std::map<std::string, HostPlace>
      places_;  // of connected hosts that take part in jobs on hosts of several clusters
  sched::KeptBack kept_back_;
  std::set<std::string> lost_;  // told in the log, and not connected again since
};

}  // namespace

std::unique_ptr<Engine> make_res_engine(EngineSetup setup) {
  return std::make_unique<ResEngine>(std::move(setup));
}

}  // namespace rollcall::mbatchd
