// LeaseOutTest: LeaseOut beside a Book, with a store in memory, the RES of two hosts and a consumer `west` that says what the test wants.
// hostA and hostB are lent with two slots each, and three of four licences.
#pragma once

#include <optional>

#include "common/io/local_time.hpp"
#include "sched/mbatchd/lease_out.hpp"
#include "tests/fakes/memory_job_store.hpp"
#include "tests/unit/sched/mbatchd/forward_fixture.hpp"

namespace rollcall::mbatchd {

class LeaseOutTest : public ForwardShellTest {
 protected:
  static sched::ConfigView provider_files(const std::string& resources,
                                          const std::string& hosts = "hostA X86_64\nhostB X86_64\n") {
    conf::MemoryFiles files;
    files.files = {
        {"/c/lsf.conf", "LSF_LOGDIR=/l\nLSB_SHAREDIR=/s\n"},
        {"/c/lsf.shared",
         "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin HostType\nTYPENAME\nX86_64\nEnd HostType\n"
         "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nlic Numeric () N (licences)\n"
         "End Resource\n"},
        {"/c/lsf.cluster.lab",
         "Begin Host\nHOSTNAME type\n" + hosts + "End Host\n" +
             "Begin ResourceMap\nRESOURCENAME LOCATION\nlic (4@[all])\nEnd ResourceMap\n"},
        {"/c/lsbatch/lab/configdir/lsb.params", "Begin Parameters\nDEFAULT_QUEUE = normal\nEnd Parameters\n"},
        {"/c/lsbatch/lab/configdir/lsb.hosts", ""},
        {"/c/lsbatch/lab/configdir/lsb.users", ""},
        {"/c/lsbatch/lab/configdir/lsb.queues", "Begin Queue\nQUEUE_NAME = normal\nEnd Queue\n"},
        {"/c/lsbatch/lab/configdir/lsb.resources", resources}};
    return sched::site_view(files);
  }
  static std::string hosts_lent() {
    return "Begin HostExport\nPER_HOST = hostA hostB\nSLOTS = 2\nDISTRIBUTION = ([west, 1])\nEnd "
           "HostExport\n";
  }
  static std::string licences_lent(int count) {
    return "Begin SharedResourceExport\nNAME = lic\nNINSTANCES = " + std::to_string(count) +
           "\nDISTRIBUTION = ([west, 1])\nEnd SharedResourceExport\n";
  }

  LeaseOutTest() {
    configuration = configuration_of(provider_files(hosts_lent() + licences_lent(3)));
    book = std::make_unique<sched::book::Book>();
    book->configure(configuration->files, now);
    book->set_term(1);
    book->rows().loaded(now);
    keeper.emplace(book->jobs(), book->hosts());
    keeper->configure(configuration->rules);
    begin();
  }
  // mbatchd starts, with what the store has.
  void begin() {
    out.reset();
    store.reset();
    store = *disk.open();
    out.emplace(book->jobs(), book->forwards(), *keeper, *store, log, handler());
    ASSERT_TRUE(store->load({[](auto) {}, [](auto) {}, [this](auto row) { out->load(row); }, {}}));
    questions.clear();
    reads(configuration);
  }
  LeaseOut::Handler handler() {
    return {[this](const std::string&, wire::PeerMessage message) {
              said.push_back(std::move(message));
              return true;
            },
            [this](const sched::Effects& changed) { follows(changed); },
            [] {},
            [this] { ++planned; },
            [](const std::string&) { return true; },
            [this](const std::string& host, const sched::lease::GrantQuestion& question) {
              questions[host] = question;
              return true;
            },
            [](const std::string&) { return std::nullopt; }};
  }
  // As mbatchd does with what the Book has changed.
  void follows(const sched::Effects& changed) {
    std::set<sched::JobKey> jobs;
    for (const auto& one : changed)
      if (const auto* save = std::get_if<sched::effect::SaveJob>(&one)) jobs.insert(save->key);
    if (jobs.empty()) return;
    for (const auto key : jobs) keeper->job(key);
    out->touched(jobs);
    out->changed(jobs);
  }
  void reads(std::shared_ptr<const Configuration> files) {
    configuration = std::move(files);
    book->configure(configuration->files, now);
    keeper->configure(configuration->rules);
    out->configure(configuration);
    sched::LoadNews news;
    for (const char* name : {"hostA", "hostB"}) {
      auto& facts = *news.mutable_hosts()->add_hosts();
      facts.set_name(name);
      facts.set_type("X86_64");
      facts.set_ncpus(4);
      if (const auto memory = memory_mb.find(name); memory != memory_mb.end())
        facts.set_maxmem(memory->second);
      facts.set_server(true);
      auto& load = *news.mutable_loads()->add_hosts();
      load.set_host(name);
      if (const auto free = free_mb.find(name); free != free_mb.end()) load.add_values(free->second);
    }
    if (!free_mb.empty()) news.mutable_loads()->add_names("mem");
    keeper->load(std::move(news));
    out->load_came();
    flush();
  }
  void exports(const std::string& resources) { reads(configuration_of(provider_files(resources))); }
  void flush() { out->flush(); }

  // RES of the host has every number that it was told on its disk.
  void res_answers(const std::string& host) {
    const auto asked = questions.find(host);
    if (asked == questions.end()) return;
    sched::lease::GrantsOnHost answer;
    answer.question = asked->second.number;
    answer.newest = asked->second.newest;
    out->held(host, answer);
    flush();
  }
  void res_comes(const std::string& host) {
    tells(host, sched::report::HostCame{});
    keeper->connected(host, true);
    out->host_came(host, {});
    flush();
    res_answers(host);
  }
  sched::lease::LeaseReport lease() const {
    const auto reports = out->reports();
    return reports.empty() ? sched::lease::LeaseReport{} : reports.front();
  }
  // Licences that jobs of ours cannot have.
  double lent() const {
    const auto& snapshot = keeper->snapshot();
    return snapshot.shared_told(0) - snapshot.shared_number(0);
  }
  wire::LeaseAnswer answer(const std::map<std::string, int>& uses, bool acknowledges = true) const {
    wire::LeaseAnswer answer;
    answer.set_lease(lease().id.number);
    answer.set_wants(true);
    if (acknowledges) {
      answer.mutable_acknowledged()->set_term(lease().number.term);
      answer.mutable_acknowledged()->set_counter(lease().number.counter);
    }
    for (const auto& [host, slots] : uses) {
      auto& used = *answer.add_uses();
      used.set_host(host);
      used.set_slots(slots);
    }
    return answer;
  }
  void west_answers() {
    ASSERT_TRUE(out->heard("west", answer({})));
    flush();
  }
  // The lease is made, and west has it.
  void lends() {
    for (const char* host : {"hostA", "hostB"}) res_comes(host);
    out->serves("west");
    ASSERT_TRUE(out->heard("west", answer({}, false)));
    flush();
    for (const char* host : {"hostA", "hostB"}) res_answers(host);
    west_answers();
    ASSERT_EQ(lease().phase, sched::lease::Phase::active);
  }
  wire::ForwardOffer offer(int id, const std::string& host, std::uint64_t counter, double licences) const {
    wire::ForwardOffer offer;
    offer.mutable_attempt()->mutable_key()->set_id(id);
    offer.mutable_attempt()->set_attempt(1);
    offer.mutable_attempt()->set_lent_host(host);
    auto& slots = *offer.mutable_lent();
    slots.set_lease(lease().id.number);
    slots.mutable_under()->set_term(lease().number.term);
    slots.mutable_under()->set_counter(counter);
    slots.set_host(host);
    slots.set_slots(1);
    slots.set_queue("night");
    if (licences > 0) {
      auto& reserved = *offer.add_reserved();
      reserved.set_name("lic");
      reserved.set_amount(licences);
    }
    return offer;
  }
  // "": accepted. Else why not.
  std::string start(const wire::ForwardOffer& offer) {
    auto answered = out->start("west", offer, sched::book::plain_job(), sched::book::kAnn, now);
    follows(answered.effects);
    return answered.said.over ? answered.said.over->why() : "";
  }
  std::string start(int id, const std::string& host, double licences) {
    return start(offer(id, host, lease().number.counter, licences));
  }

  // The job here of the consumer's one.
  sched::JobKey job_of(int id) const {
    wire::ForwardAttempt attempt;
    attempt.mutable_key()->set_id(id);
    attempt.set_attempt(1);
    return book->forwards().job_of("west", attempt).value_or(sched::JobKey{});
  }

  io::test::MemoryDisk disk;
  std::unique_ptr<io::JobStore> store;
  std::shared_ptr<const Configuration> configuration;
  std::optional<sched::answers::SnapshotKeeper> keeper;
  std::optional<LeaseOut> out;
  int planned = 0;                                               // cycles that it has asked for
  std::map<std::string, std::uint64_t> memory_mb;                // that LIM tells of a host
  std::map<std::string, float> free_mb;                          // likewise, mem; of all hosts or of none
  std::map<std::string, sched::lease::GrantQuestion> questions;  // the last one of each host
};

}  // namespace rollcall::mbatchd
