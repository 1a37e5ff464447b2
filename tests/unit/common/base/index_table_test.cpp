// The table of resources: built-in ones with fixed numbers, the site's behind them.
#include "common/base/index_table.hpp"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

TEST(IndexTable, TheBuiltInIndicesHaveTheirNumbers) {
  const IndexTable table;
  const char* const names[] = {"r15s", "r1m", "r15m", "ut", "pg", "io", "ls", "it", "tmp", "swp", "mem"};
  for (ResourceId id = 0; id < kBuiltInIndices; ++id) {
    EXPECT_EQ(table.at(id).name, names[id]);
    EXPECT_EQ(table.find(names[id]), id);
    EXPECT_TRUE(table.at(id).dynamic() && table.at(id).built_in);
    EXPECT_EQ(table.at(id).type, ResourceType::numeric);
  }
  EXPECT_EQ(table.find("mem"), mem);
  EXPECT_EQ(*table.at(ls).interval, 30);
  EXPECT_EQ(*table.at(tmp).interval, 120);
}

TEST(IndexTable, TheStaticOnesFollow) {
  const IndexTable table;
  std::string names;
  for (ResourceId id = kBuiltInIndices; id < table.size(); ++id) {
    EXPECT_FALSE(table.at(id).dynamic());
    names += table.at(id).name + " ";
  }
  EXPECT_EQ(
      names,
      "ncpus nprocs ncores nthreads ndisks maxmem maxswp maxtmp cpuf rexpri server type model status hname ");
  EXPECT_EQ(table.built_in(), table.size());
  EXPECT_EQ(table.at(*table.find("ncpus")).order, ResourceOrder::decreasing);
  EXPECT_EQ(table.at(*table.find("rexpri")).order, ResourceOrder::none);
}

TEST(IndexTable, AliasesMeanTheFormalName) {
  const IndexTable table;
  EXPECT_EQ(table.find("cpu"), r1m);
  EXPECT_EQ(table.find("idle"), it);
  EXPECT_EQ(table.find("login"), ls);
  EXPECT_EQ(table.find("logins"), ls);
  EXPECT_EQ(table.find("swap"), swp);
  EXPECT_EQ(table.find("Mem"), std::nullopt) << "resource names have case";
  EXPECT_EQ(formal_name("scratch"), "scratch");
}

TEST(IndexTable, TheSitesOwnAreBehindTheBuiltIn) {
  IndexTable table;
  const ResourceId id = table.add({.name = "scratch", .type = ResourceType::numeric, .interval = 30});
  EXPECT_EQ(id, table.built_in());
  EXPECT_EQ(table.find("scratch"), id);
  EXPECT_EQ(table.size(), id + 1);
  EXPECT_FALSE(table.at(id).built_in);
}

TEST(IndexTable, ReservedNames) {
  for (const char* name :
       {"cpu", "login", "r1m", "hname", "define_ncpus_cores", "server", "swap", "nthreads"})
    EXPECT_TRUE(reserved_resource_name(name)) << name;
  for (const char* name : {"scratch", "R1M", "mytmp"}) EXPECT_FALSE(reserved_resource_name(name)) << name;
}

}  // namespace
}  // namespace rollcall
