// What the master of another cluster may say of jobs, in any order: what passes the checks reaches the Book, which stays sound, and
// whatever the peer lies, no job of it is root's. Its counters are refused, or stay in their range, and a choice by them can be shown.
//
//   input = { length bytes }     length: two bytes, low one first, of what follows: a PeerMessage; an empty one: a job is forwarded,
//                                the leases are withdrawn, time passes
// An input has at most kMostMessages, and the Book is checked behind the last: its check looks at every job, so inputs of many
// messages would cost seconds. What breaks it in the middle, breaks it at the end of a shorter input.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sched/mbatchd/forward_wire.hpp"
#include "sched/policy/book/book.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/forward/verdict_text.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/forward_messages.hpp"
#include "sched/policy/peers/lease_messages.hpp"
#include "sched/policy/peers/span_messages.hpp"
#include "sched/policy/peers/user_map.hpp"
#include "tests/support/site_view.hpp"

using namespace rollcall;
using namespace rollcall::sched;

namespace {

constexpr int kMostMessages = 64;
constexpr int kMostSlots = 100;  // of a lease on one host

ConfigView site() {
  conf::MemoryFiles files;
  files.files = {
      {"/c/lsf.conf", "LSF_LOGDIR=/l\nLSB_SHAREDIR=/s\n"},
      {"/c/lsf.shared",
       "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin HostType\nTYPENAME\nX86_64\nEnd HostType\n"},
      {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME type\nhostA X86_64\nhostB X86_64\nEnd Host\n"},
      {"/c/lsbatch/lab/configdir/lsb.params", "Begin Parameters\nDEFAULT_QUEUE = normal\nEnd Parameters\n"},
      {"/c/lsbatch/lab/configdir/lsb.hosts",
       "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\nbig (hostA)\nEnd HostGroup\n"},
      {"/c/lsbatch/lab/configdir/lsb.users",
       "Begin UserGroup\nGROUP_NAME GROUP_MEMBER\ndev (ann)\nEnd UserGroup\n"},
      {"/c/lsbatch/lab/configdir/lsb.queues",
       "Begin Queue\nQUEUE_NAME = normal\nRCVJOBS_FROM = east\nSNDJOBS_TO = normal@east\nIMPT_JOBBKLG = "
       "3\nEnd Queue\n"}};
  return site_view(files);
}

const std::vector<conf::UserMapping> kRows{
    {{"root"}, {"eve@east"}, conf::UserMapping::Direction::import_jobs, {}},
    {{"ann"}, {"eve@east"}, conf::UserMapping::Direction::import_jobs, {}}};
const Identity kAnn{1001, 100, "ann", {}, false};
const Identity kRoot{0, 0, "root", {}, true};

// Every order for the other cluster becomes a message.
struct Orders : Engine {
  void start(const std::string&, order::Start order) override { use(peers::offer_of(order)); }
  void expect(const std::string&, const order::Expect&) override {}
  void go(const std::string&, const Attempt&) override {}
  void signal(const std::string&, const order::Signal& order) override { use(peers::signal_of(order)); }
  void acknowledge(const std::string&, const Attempt& attempt) override {
    use(peers::acknowledge_of(attempt, nullptr));
  }
  void release(const std::string&, const Attempt& attempt) override { use(peers::recall_of(attempt)); }
  static void use(const wire::PeerMessage& message) {
    if (message.ByteSizeLong() == 0) std::abort();
  }
};

class Cluster {
 public:
  Cluster() {
    static const ConfigView files = site();
    book_.configure(files, now_);
    book_.set_term(1);
    book_.rows().loaded(now_);
    told(report::HostCame{});
    for (const char* const host : {"hostA", "hostB"})
      follow(book_.hosts().host_told(host, report::HostCame{}, now_));
  }

  void hear(const wire::PeerMessage& message) {
    using What = wire::PeerMessage::WhatCase;
    switch (message.what_case()) {
      case What::kOffer:
        return offered(message.offer());
      case What::kSignal:
        return follow(book_.forwards().signal("east", message.signal(), now_).effects);
      case What::kRecall:
        return follow(book_.forwards().recall("east", message.recall(), now_).effects);
      case What::kAcknowledge:
        return follow(book_.forwards().acknowledge("east", message.acknowledge(), now_));
      case What::kHeld:
        told(peers::came_of(message.held()));
        for (const auto& state : message.held().running()) stands(state);
        for (const auto& over : message.held().over()) ended(over);
        return;
      case What::kState:
        return stands(message.state());
      case What::kOver:
        return ended(message.over());
      case What::kFigures:
        return counted(message.figures());
      default:
        withdraw_leases();
        return forward();
    }
  }

  void check() const {
    if (!book_.broken_invariant().empty()) std::abort();
    for (const JobKey key : book_.forwards().held_for("east"))
      if (book_.jobs().find(key)->asked->uid() == 0) std::abort();
  }

 private:
  void told(const HostReport& report) { follow(book_.hosts().host_told("@east", report, now_)); }
  void stands(const wire::ForwardState& state) {
    if (!peers::check(state.attempt())) return;
    if (auto job = peers::believed(state.job()))
      told(report::Elsewhere{peers::attempt_of(state.attempt()), *job});
  }
  void ended(const wire::ForwardOver& told_over) {
    if (!peers::check(told_over.attempt())) return;
    if (const auto over = peers::believed(told_over)) {
      told(peers::over_of(*over));
      if (const auto post = peers::post_over_of(*over)) told(*post);
    }
  }
  void offered(const wire::ForwardOffer& offer) {
    if (!peers::check(offer.attempt())) return;
    const auto claim = peers::claim_of(offer);
    if (!claim) return;
    const auto names = [](const auto& words, const std::string& user) { return words.front() == user; };
    const auto user = peers::accepted({kRows, names}, "east", *claim);
    if (!user) return;
    wire::Submission asked = peers::crossing(offer.asked());
    asked.set_user(claim->user);
    const Identity& who = *user == "root" ? kRoot : kAnn;
    if (!book::lent_slots_of(offer).empty()) return lent(offer, asked, who);
    follow(book_.forwards().offer("east", offer, asked, who, now_).effects);
  }
  // What LeaseOut lets through: slots of hosts of ours, each host once, under the attempt's name.
  void lent(wire::ForwardOffer offer, const wire::Submission& asked, const Identity& who) {
    const auto slots = book::lent_slots_of(offer);
    if (offer.attempt().lent_host() != slots.front().host() || !peers::is_name(slots.front().queue()) ||
        offer.attempt().part() != (offer.part_size() != 0) ||
        (offer.part_size() != 0 && !peers::check(offer.span())))
      return;
    std::set<std::string> hosts;
    for (const auto& on : slots)
      if ((on.host() != "hostA" && on.host() != "hostB") || on.slots() < 1 || on.slots() > kMostSlots ||
          !hosts.insert(on.host()).second)
        return;
    offer.clear_asked();
    if (offer.has_programs()) *offer.mutable_programs() = peers::believed(offer.programs());
    const auto reserved = peers::believed_of_reserved(offer.reserved());
    offer.mutable_reserved()->Assign(reserved.begin(), reserved.end());
    auto answered = book_.forwards().start_on_lent_slots("east", offer, asked, who, now_);
    if (answered.said.state.has_value() == answered.said.over.has_value()) std::abort();
    follow(answered.effects);
  }
  void withdraw_leases() {
    for (const auto how : {book::ForwardedJobs::Recall::asks, book::ForwardedJobs::Recall::ends})
      for (const JobKey key : book_.forwards().held_for("east"))
        follow(book_.forwards().recall_lent(key, "the lease is withdrawn", now_, how));
  }
  void counted(const wire::QueueFigures& figures) {
    ++updates_;
    for (const auto& of_queue : figures.queues()) {
      const auto news = mbatchd::news_of("east", of_queue, {1, updates_});
      if (!news) continue;
      queues_.updated(*news, {});
      choose(news->name);
    }
  }
  void choose(const conf::RemoteQueue& queue) {
    forward::Settings settings;
    settings.choice.kind = conf::ForwardChoice::Kind::count_preemptable;
    forward::ForwardJob asks;
    asks.types = {"X86_64"};
    const auto queues = queues_.of({queue, {"normal", "east"}}, {"east"}, {});
    for (const auto& one : queues)
      if (one.figures && std::min({one.figures->slots.pending, one.figures->job_room.value_or(0),
                                   one.figures->slot_room.value_or(0)}) < 0)
        std::abort();
    const auto choice = forward::choose(asks, queues, settings);
    if (forward::table_of(choice, asks, queues, settings).empty()) std::abort();
  }
  void forward() {
    wire::Submit submit;
    submit.add_jobs()->set_command("true");
    auto applied = book_.commands().submit(submit, kAnn, now_);
    const JobKey key{applied.reply.submitted().jobs(0).id(), 0};
    follow(applied.effects);
    event::Dispatched event;
    event.placement.hosts.push_back({HostId::whole_cluster("east"), 1});
    event.forwarded.emplace().set_cluster("east");
    event.forwarded->set_queue("normal");
    event.forwarded->set_number(queues_.forwarded({"normal", "east"}, 1));
    if (key.id != 0) follow(book_.hosts().dispatch(key, event, now_));
    now_.us += 60'000'000;
    follow(book_.tick(now_));
  }
  void follow(const Effects& effects) {
    for (const auto& effect : effects) {
      if (text(effect).empty()) std::abort();
      book_.hosts().carry_out(effect, engine_, [](const auto& asked) { return asked; });
    }
  }

  book::Book book_;
  Orders engine_;
  forward::RemoteQueues queues_{1};
  std::uint64_t updates_ = 0;
  WallTime now_{1'795'275'000'000'000};
};

}  // namespace

// libFuzzer's usual schedule ("entropic") looks at the rare features of all inputs after each run. Here they are some 100,000, so that
// took twenty times as long as the run itself. The words of the command line come behind and win.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static char flag[] = "-entropic=0";
  static std::vector<char*> words(*argv, *argv + *argc);
  words.insert(words.begin() + 1, flag);
  words.push_back(nullptr);
  *argc = static_cast<int>(words.size()) - 1;
  *argv = words.data();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 64 * 1024) return 0;
  Cluster cluster;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (int number = 0; rest.size() >= 2 && number < kMostMessages; ++number) {
    const std::size_t length =
        static_cast<unsigned char>(rest[0]) + 256U * static_cast<unsigned char>(rest[1]);
    rest.remove_prefix(2);
    const auto bytes = rest.substr(0, length);
    rest.remove_prefix(bytes.size());
    wire::PeerMessage message;
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) continue;
    cluster.hear(message);
  }
  cluster.check();
  return 0;
}
