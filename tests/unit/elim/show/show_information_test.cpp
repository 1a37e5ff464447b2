// lsinfo, lsid and lsclusters.
#include "elim/policy/show/show_information.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "elim/policy/show/show_identity.hpp"

namespace rollcall::elim::show {
namespace {

Information information() {
  Information all;
  auto& swp = *all.add_resources();
  swp.set_name("swp");
  swp.set_order(2);
  swp.set_interval(15);
  swp.set_built_in(true);
  swp.set_release(true);
  swp.set_description("Available swap space (Mbytes) (alias: swap)");
  auto& mg = *all.add_resources();
  mg.set_name("mg");
  mg.set_type(1);
  mg.set_description("Management hosts");
  all.add_types("X86_64");
  auto& model = *all.add_models();
  model.set_name("Intel_E5");
  model.set_cpu_factor(12.5);
  model.add_architectures("x6_5417");
  return all;
}

TEST(Information, HasThreeParts) {
  EXPECT_EQ(information_text(information(), {}),
            "RESOURCE_NAME   TYPE   ORDER  DESCRIPTION\n"
            "swp           Numeric   Dec   Available swap space (Mbytes) (alias: swap)\n"
            "mg            Boolean   N/A   Management hosts\n"
            "\n"
            "TYPE_NAME\n"
            "X86_64\n"
            "\n"
            "MODEL_NAME             CPU_FACTOR\n"
            "Intel_E5                 12.50\n");
}

TEST(Information, PartsAreChosenAlone) {
  InformationParts parts;
  parts.resources = parts.types = false;
  parts.all_models = true;
  EXPECT_EQ(information_text(information(), parts),
            "MODEL_NAME             CPU_FACTOR  ARCHITECTURE\n"
            "Intel_E5                 12.50     (x6_5417)\n");
}

TEST(Information, NamedResourcesMayBeAliasesAndMustExist) {
  const auto text = resources_text(information(), {"swap"}, true).value();
  EXPECT_EQ(text,
            "RESOURCE_NAME:  swp\n"
            "DESCRIPTION: Available swap space (Mbytes) (alias: swap)\n"
            "TYPE    ORDER  INTERVAL  BUILTIN  DYNAMIC  RELEASE  CONSUMABLE\n"
            "Numeric   Dec        15      Yes      Yes      Yes         N/A\n");
  EXPECT_EQ(resources_text(information(), {"nothing"}, false).error().text, "nothing: unknown resource name");
}

TEST(Information, JsonHasAll) {
  const auto document = nlohmann::json::parse(information_json(information()));
  EXPECT_EQ(document.at("RESOURCES").size(), 2U);
  EXPECT_EQ(document.at("MODELS").at(0).at("ARCHITECTURE").at(0), "x6_5417");
}

Identity identity(const std::string& master) {
  Identity who;
  who.set_cluster("test1");
  who.set_master(master);
  who.set_first_candidate("grid01");
  who.set_administrator("lsfadmin");
  who.set_hosts(6);
  who.set_servers(5);
  return who;
}

TEST(Identity, IsReadByTheProgramsThatAskForIt) {
  const std::string text = identity_text(identity("grid01"), "Rollcall (LSF-compatible) 0.1.0, Nov 21 2026");
  EXPECT_TRUE(std::regex_search(text, std::regex("^.*\\s+([\\d\\.]+),.*\\n"))) << text;
  EXPECT_NE(text.find("\nMy cluster name is test1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nMy master name is grid01\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("stands in"), std::string::npos) << text;
}

TEST(Identity, SaysThatAStandInIsOne) {
  EXPECT_NE(
      identity_text(identity("grid02"), "x").find("It stands in for grid01, the first master candidate\n"),
      std::string::npos);
}

TEST(Clusters, OneRowForThisCluster) {
  EXPECT_EQ(clusters_table(identity("grid01"), false),
            "CLUSTER_NAME   STATUS   MASTER_HOST               ADMIN    HOSTS  SERVERS\n"
            "test1          ok       grid01                   lsfadmin        6        5\n");
  EXPECT_NE(clusters_table(identity(""), false).find("unavail"), std::string::npos);
}

}  // namespace
}  // namespace rollcall::elim::show
