// GPUs: what -gpu asks for, who counts them, and which devices a job gets.
#include "sched/policy/values/gpus.hpp"

#include <gmock/gmock.h>

#include <map>

#include "sched/policy/book/book.hpp"
#include "sched/policy/values/submit_values.hpp"
#include "tests/support/site_view.hpp"

namespace rollcall::sched {
namespace {

using testing::HasSubstr;

ConfigView site(const std::string& resources, const std::string& map) {
  conf::MemoryFiles files;
  files.files = {
      {"/c/lsf.conf", "LSF_LOGDIR=/l\nLSB_SHAREDIR=/s\n"},
      {"/c/lsf.shared",
       "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin HostType\nTYPENAME\nX86_64\nEnd "
       "HostType\nBegin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\n" +
           resources + "End Resource\n"},
      {"/c/lsf.cluster.lab",
       "Begin Host\nHOSTNAME type\nhostA X86_64\nhostB X86_64\nEnd Host\nBegin "
       "ResourceMap\nRESOURCENAME LOCATION\n" +
           map + "End ResourceMap\n"},
      {"/c/lsbatch/lab/configdir/lsb.params", "Begin Parameters\nDEFAULT_QUEUE = normal\nEnd Parameters\n"},
      {"/c/lsbatch/lab/configdir/lsb.hosts",
       "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\nbig (hostA hostB)\nEnd HostGroup\n"},
      {"/c/lsbatch/lab/configdir/lsb.users",
       "Begin UserGroup\nGROUP_NAME GROUP_MEMBER\ndev (ann bob)\nEnd UserGroup\n"},
      {"/c/lsbatch/lab/configdir/lsb.queues", "Begin Queue\nQUEUE_NAME = normal\nEnd Queue\n"}};
  return site_view(files);
}
ConfigView gpu_site() {
  return site("ngpus Numeric 30 N (GPUs)\nscratch Numeric 30 N (x)\n",
              "ngpus [default]\nscratch [default]\n");
}

TEST(Gpus, RequestIsReadFromGpuOption) {
  const auto request = [](const char* text) { return gpu_request(*parse_gpu(text)); };
  EXPECT_EQ(request("-").count, 1);
  EXPECT_EQ(request("mode=exclusive_process").count, 1);
  EXPECT_EQ(request("num=4:mode=shared:j_exclusive=yes").count, 4);
  EXPECT_FALSE(request("num=4").per_task);
  EXPECT_FALSE(request("num=4/host").per_task);
  EXPECT_TRUE(request("num=2/task:mode=shared").per_task);
  EXPECT_EQ(gpu_request("").count, 0);
  EXPECT_EQ(resreq::print(gpu_requirement({3, false}, "hw_gpus")), "rusage[hw_gpus=3]");
}

TEST(Gpus, CountIsAResourceOfTheSite) {
  EXPECT_EQ(gpu_resource(*gpu_site().cluster), "ngpus");
  EXPECT_EQ(gpu_resource(*site("hw_gpus Numeric 30 N (x)\nngpus_physical Numeric 30 N (x)\n",
                               "hw_gpus [default]\nngpus_physical [default]\n")
                              .cluster),
            "ngpus_physical");
  // A resource that no host has, and one that is no number.
  EXPECT_EQ(
      gpu_resource(*site("ngpus Numeric 30 N (x)\nother Numeric 30 N (x)\n", "other [default]\n").cluster),
      "");
  EXPECT_EQ(gpu_resource(*site("ngpus String 30 () (x)\n", "ngpus [default]\n").cluster), "");
}

JobDevices older(const std::string& gpus) {
  wire::JobRecord record;
  record.set_gpus(gpus);
  return devices_of(record);
}

TEST(Gpus, DevicesAreTheLowestThatAreFree) {
  using Held = std::map<std::string, std::set<std::uint32_t>>;
  const auto chosen = [](std::vector<Placement::Reservation> kept, Held held) {
    Placement placement;
    placement.reservations = std::move(kept);
    choose_devices(placement, std::string("ngpus"),
                   [&held](const HostId& host) { return held[host.text()]; });
    wire::JobRecord record;
    put(placement, record);
    return gpus_text(devices_of(record));
  };
  const auto kept = [](const char* host, double amount, const char* resource = "ngpus") {
    return Placement::Reservation{resource, HostId(host), amount, {}, false};
  };
  EXPECT_EQ(chosen({kept("hostA", 2), kept("hostB", 1)}, {}), "hostA 0,1;hostB 0");
  EXPECT_EQ(chosen({kept("hostA", 3)}, {{"hostA", {1, 3}}, {"hostB", {0}}}), "hostA 0,2,4");
  EXPECT_EQ(chosen({kept("hostA", 1), kept("hostA", 2)}, {{"hostA", {1}}}), "hostA 0,2,3");
  EXPECT_EQ(chosen({kept("hostA", 1, "mem")}, {}), "");
  EXPECT_EQ(chosen({kept("hostA", 0.5)}, {}), "");  // half a device is not chosen
  EXPECT_EQ(chosen({kept("hostA", 1e18)}, {}), "");
}

TEST(Gpus, OfRecordsOfOlderStoresAreRead) {
  wire::JobRecord record;
  EXPECT_TRUE(devices_of(record).empty());
  record.set_gpus("hostA 0,1;hostAB 2");
  EXPECT_EQ(gpus_on(record, "hostAB"), "2");
  EXPECT_EQ(gpus_on(record, "hostA"), "0,1");
  EXPECT_EQ(gpus_on(record, "host"), "");
  EXPECT_EQ(gpus_text(devices_of(record)), "hostA 0,1;hostAB 2");
  EXPECT_TRUE(older(";; ;hostA;hostA x,-1,99999;").empty()) << "entries without a valid device";
  wire::DevicesOn on;
  on.set_host("hostB");
  on.add_devices(7);
  *record.add_gpu_devices() = on;
  EXPECT_EQ(gpus_text(devices_of(record)), "hostB 7") << "the new field counts";
}

class GpuBook : public testing::Test {
 protected:
  GpuBook() {
    book.configure(gpu_site(), now);
    book.set_term(1);
    book.rows().loaded(now);
  }
  ~GpuBook() override { EXPECT_EQ(book.broken_invariant(), ""); }

  std::int32_t submitted(const std::string& gpu) {
    wire::Submit request;
    auto& asked = *request.add_jobs();
    asked.set_command("x");
    asked.set_from_type("X86_64");
    asked.set_gpu(gpu);
    const auto reply = book.commands().submit(request, {1001, 100, "ann", {}, false}, now).reply;
    said = reply.submitted().jobs(0);
    return said.id();
  }
  void dispatch(std::int32_t id, const std::vector<std::uint32_t>& gpus) {
    event::Dispatched plan;
    plan.placement.hosts = {{HostId("hostA"), 1}};
    const auto count = static_cast<double>(gpus.size());
    if (!gpus.empty()) plan.placement.reservations = {{"ngpus", HostId("hostA"), count, {}, false}};
    if (!gpus.empty()) plan.placement.devices = {{HostId("hostA"), gpus}};
    book.hosts().dispatch({id, 0}, plan, now);
  }
  std::string gpus_of(std::int32_t id) {
    const Job& job = *book.jobs().find({id, 0});
    const auto order = book.hosts().start_order({{id, 0}, "hostA", job.record.attempt()});
    return order ? order->gpus : "no order";
  }

  book::Book book;
  WallTime now{1'000'000'000'000'000};
  wire::BatchReply::Accepted said;
};

TEST_F(GpuBook, TheRequestBecomesAReservation) {
  const auto id = submitted("num=2/task:mode=shared:j_exclusive=no");
  EXPECT_THAT(book.jobs().combined_resreq(*book.jobs().find({id, 0})), HasSubstr("rusage[ngpus=2]"));
  EXPECT_THAT(said.notices(0), HasSubstr("ngpus=2"));
}

TEST_F(GpuBook, AHostIsToldTheDevicesThatTheCycleChose) {
  const auto first = submitted("num=1:mode=shared:j_exclusive=no"), other = submitted("");
  dispatch(first, {3});
  dispatch(other, {});
  EXPECT_EQ(gpus_of(first), "3");
  EXPECT_EQ(gpus_of(other), "");
}

TEST_F(GpuBook, BrunTakesDevicesToo) {
  const auto first = submitted("num=1:mode=shared:j_exclusive=no"),
             second = submitted("num=2:mode=shared:j_exclusive=no");
  dispatch(first, {0});
  book.hosts().host_told("hostA", report::HostCame{}, now);
  wire::SignalJobs force;
  force.mutable_filter()->add_keys()->set_id(second);
  force.set_action(wire::SignalJobs::FORCE);
  force.add_hosts("hostA");
  book.commands().signal_jobs(force, {0, 0, "root", {}, true}, now);
  EXPECT_EQ(gpus_text(devices_of(book.jobs().find({second, 0})->record)), "hostA 1,2");
  EXPECT_EQ(book.jobs().find({second, 0})->record.reserved_size(), 1);
}

TEST(Gpus, AreRefusedWhereNoResourceCountsThem) {
  book::Book book;
  const WallTime now{1'000'000'000'000'000};
  book.configure(site("other Numeric 30 N (x)\n", "other [default]\n"), now);
  book.rows().loaded(now);
  wire::Submit request;
  request.add_jobs()->set_command("x");
  request.mutable_jobs(0)->set_gpu("num=1:mode=shared:j_exclusive=no");
  const auto reply = book.commands().submit(request, {1001, 100, "ann", {}, false}, now).reply;
  EXPECT_THAT(reply.submitted().jobs(0).refusal().text(), HasSubstr("found no host that counts GPUs"));
}

}  // namespace
}  // namespace rollcall::sched
