// lshosts' tables, against lines of real LSF sessions with our own host names.
#include "elim/policy/show/show_hosts.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/base/load_vector.hpp"
#include "elim/policy/show/show_gpus.hpp"

namespace rollcall::elim::show {
namespace {

wire::Facts& add(Hosts& hosts, const std::string& name) {
  auto& host = *hosts.add_hosts();
  host.set_name(name);
  host.set_type("X86_64");
  host.set_model("Intel_E5");
  host.set_cpu_factor(12.5);
  host.set_ncpus(4);
  host.set_maxmem(15770);
  host.set_server(true);
  hosts.add_up(true);
  return host;
}

TEST(HostsTable, WideFormIsThatOfARealSession) {
  Hosts hosts;
  auto& host = add(hosts, "compute-rack07-node-0037x");
  host.add_booleans("mg");
  host.add_booleans("docker");
  add(hosts, "grid02").set_server(false);
  EXPECT_EQ(
      hosts_table(hosts, true),
      "HOST_NAME                       type       model  cpuf ncpus maxmem maxswp server RESOURCES\n"
      "compute-rack07-node-0037x        X86_64    Intel_E5  12.5     4  15.4G      -    Yes (mg docker)\n"
      "grid02                        X86_64    Intel_E5  12.5     4  15.4G      -     No ()\n");
}

TEST(HostsTable, NarrowFormCutsNamesTypesAndModels) {
  Hosts hosts;
  auto& host = add(hosts, "compute-rack07");
  host.set_type("LINUX_ARM64");
  host.set_model("EPYC_Genoa_9654");
  EXPECT_EQ(hosts_table(hosts, false),
            "HOST_NAME      type    model  cpuf ncpus maxmem maxswp server RESOURCES\n"
            "compute-rac LINUX_A EPYC_Gen  12.5     4  15.4G      -    Yes ()\n");
}

TEST(HostsTable, UnknownValueIsADash) {
  Hosts hosts;
  auto& host = *hosts.add_hosts();
  host.set_name("grid09");
  host.set_cpu_factor(1);
  EXPECT_EQ(hosts_table(hosts, true).substr(92),
            "grid09                             -           -   1.0     -      -      -     No ()\n");
}

// As of a borrowed host whose cluster is not connected.
TEST(HostsTable, AHostThatIsNotKnownHasNoNumbers) {
  Hosts hosts;
  hosts.add_hosts()->set_name("n2@east");
  EXPECT_EQ(hosts_table(hosts, true).substr(92),
            "n2@east                            -           -     -     -      -      -     No ()\n");
  const auto record = nlohmann::json::parse(hosts_json(hosts))["RECORDS"][0];
  for (const char* name : {"CPUF", "NCPUS", "NPROCS", "NCORES", "NTHREADS", "MAXMEM_MB"})
    EXPECT_TRUE(record[name].is_null()) << name;
}

TEST(HostsLong, ShowsThresholdsUnderTheirIndices) {
  Hosts hosts;
  auto& host = add(hosts, "grid01");
  host.add_booleans("mg");
  host.add_booleans("gpu");
  host.add_dedicated("gpu");
  auto& threshold = *host.add_thresholds();
  threshold.set_name("r1m");
  threshold.set_value(3.5);
  const std::string text = hosts_long(hosts, {"r15s", "r1m", "mem"});
  EXPECT_NE(text.find("HOST_NAME:  grid01\n"), std::string::npos) << text;
  EXPECT_NE(text.find("RESOURCES: mg !gpu\n"), std::string::npos) << text;
  EXPECT_NE(text.find("RUN_WINDOWS:  (always open)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("LOAD_THRESHOLDS:\n  r15s   r1m   mem\n     -   3.5     -\n"), std::string::npos)
      << text;
}

TEST(HostsTable, StaticValuesStandBesideTheBooleans) {
  Hosts hosts;
  auto& host = add(hosts, "grid01");
  host.add_booleans("mg");
  (*host.mutable_values())["rack"] = "r7";
  (*host.mutable_values())["patchrev"] = "4.5";
  EXPECT_NE(hosts_table(hosts, false).find("Yes (mg patchrev=4.5 rack=r7)\n"), std::string::npos);
  EXPECT_NE(hosts_table(hosts, true).find("Yes (mg patchrev=4.5 rack=r7)\n"), std::string::npos);
  EXPECT_NE(hosts_long(hosts, {}).find("RESOURCES: mg patchrev=4.5 rack=r7\n"), std::string::npos);
}

TEST(HostsGpus, HasTheColumnsOfARealSession) {
  Hosts hosts;
  add(hosts, "node01");
  auto& counted = add(hosts, "kilenc");
  Loads loads;
  for (const char* name : {"ngpus_physical", "gpu_driver", "gpu_maxfactor"}) loads.add_names(name);
  auto& load = *loads.add_hosts();
  load.set_host("kilenc");
  for (const float value : {2.0F, kUnknownLoad, 7.0F}) load.add_values(value);
  auto& driver = *load.add_words();
  driver.set_index(1);
  driver.set_value("396.37");
  (*counted.mutable_values())["gpu_model0"] = "TeslaV100_PCIE_16GB";
  EXPECT_EQ(hosts_gpus(hosts, loads, false),
            "HOST_NAME   gpu_id       gpu_model   gpu_driver   gpu_factor      numa_id\n"
            "kilenc           0 TeslaV100_PCIE_       396.37          7.0            -\n"
            "                 1               -       396.37          7.0            -\n");
}

TEST(HostsGpus, OfNoHostIsEmpty) {
  Hosts hosts;
  add(hosts, "node01");
  EXPECT_EQ(hosts_gpus(hosts, {}, false), "");
  (*hosts.mutable_hosts(0)->mutable_values())["ngpus"] = "0";
  EXPECT_EQ(hosts_gpus(hosts, {}, false), "");
  (*hosts.mutable_hosts(0)->mutable_values())["ngpus"] = "1e300";
  EXPECT_NE(hosts_gpus(hosts, {}, true), "") << "bounded";
}

TEST(HostsFields, AreThoseThatMonitorsAskFor) {
  Hosts hosts;
  auto& host = add(hosts, "grid01");
  host.add_booleans("mg");
  host.set_ncores(2);
  EXPECT_EQ(
      hosts_fields(hosts,
                   "HOST_NAME type model cpuf ncpus maxmem maxswp server nprocs ncores nthreads RESOURCES")
          .value(),
      "HOST_NAME type model cpuf ncpus maxmem maxswp server nprocs ncores nthreads RESOURCES\n"
      "grid01 X86_64 Intel_E5 12.5 4 15.4G - Yes - 2 - (mg)\n");
}

TEST(HostsTopology, TellsThatAHostHasNone) {
  Hosts hosts;
  add(hosts, "grid01").set_topology("Machine 16G\n  Package 0\n");
  add(hosts, "grid02");
  EXPECT_EQ(hosts_topology(hosts),
            "HOST_NAME:  grid01\nMachine 16G\n  Package 0\n\nHOST_NAME:  grid02\n(no topology is known)\n");
}

TEST(HostsJson, HasEveryFact) {
  Hosts hosts;
  auto& host = add(hosts, "grid01");
  (*host.mutable_values())["rack"] = "r7";
  const auto record = nlohmann::json::parse(hosts_json(hosts)).at("RECORDS").at(0);
  EXPECT_EQ(record.at("VALUES").at("rack"), "r7");
  EXPECT_EQ(record.at("MAXMEM_MB"), 15770);
  EXPECT_EQ(record.at("UP"), true);
}

TEST(SharedsTable, WrapsHostsUnderLocationAndSaysAll) {
  Shareds shareds;
  auto& profile = *shareds.add_shareds();
  profile.set_resource("profile");
  profile.set_value("mx2_16x128");
  profile.add_hosts("compute-rack07-node-0037");
  profile.add_hosts("grid02");
  auto& licence = *shareds.add_shareds();
  licence.set_resource("licence");
  licence.set_value("5");
  licence.set_all(true);
  EXPECT_EQ(shareds_table(shareds),
            "RESOURCE                                VALUE       LOCATION\n"
            "profile                            mx2_16x128       compute-rack07-node-0037\n"
            "                                                    grid02\n"
            "licence                                     5       ALL\n");
}

}  // namespace
}  // namespace rollcall::elim::show
