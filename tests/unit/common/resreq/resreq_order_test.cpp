// The order of hosts: direction by resource, keys from the left, unknown ones last.
#include <gtest/gtest.h>

#include "tests/unit/common/resreq/resreq_host.hpp"

namespace rollcall::resreq {
namespace {

std::vector<std::size_t> order_of(const std::vector<TestHost>& hosts, std::string_view section) {
  const auto bound = bind_order(parsed(section).order, cluster());
  if (bound.error) throw std::runtime_error(caret_lines(section, *bound.error));
  std::vector<const HostView*> views;
  for (const auto& host : hosts) views.push_back(&host);
  return sorted(views, bound.order);
}

using Places = std::vector<std::size_t>;

TEST(Order, LeastLoadedFirst) {
  const std::vector<TestHost> hosts{TestHost({{"r15s", 2}, {"mem", 10}}),
                                    TestHost({{"r15s", 1}, {"mem", 30}}),
                                    TestHost({{"r15s", 3}, {"mem", 20}})};
  EXPECT_EQ(order_of(hosts, "order[r15s]"), (Places{1, 0, 2}));
  EXPECT_EQ(order_of(hosts, "order[mem]"), (Places{1, 2, 0}));
  EXPECT_EQ(order_of(hosts, "order[-r15s]"), (Places{2, 0, 1}));
  EXPECT_EQ(order_of(hosts, "order[-mem]"), (Places{0, 2, 1}));
}

TEST(Order, TheFirstKeyCountsMost) {
  const std::vector<TestHost> hosts{TestHost({{"ut", 0.5}, {"mem", 10}}),
                                    TestHost({{"ut", 0.5}, {"mem", 30}}),
                                    TestHost({{"ut", 0.1}, {"mem", 1}})};
  EXPECT_EQ(order_of(hosts, "order[ut:mem]"), (Places{2, 1, 0}));
  EXPECT_EQ(order_of(hosts, "order[mem:ut]"), (Places{1, 0, 2}));
}

TEST(Order, UnknownIsLastInBothDirections) {
  const std::vector<TestHost> hosts{TestHost({}), TestHost({{"mem", 5}}), TestHost({}),
                                    TestHost({{"mem", 9}})};
  EXPECT_EQ(order_of(hosts, "order[mem]"), (Places{3, 1, 0, 2}));
  EXPECT_EQ(order_of(hosts, "order[-mem]"), (Places{1, 3, 0, 2}));
}

TEST(Order, DefaultsToRunQueueThenPaging) {
  const auto bound = bind_order({}, cluster());
  ASSERT_FALSE(bound.error);
  ASSERT_EQ(bound.order.keys.size(), 2u);
  EXPECT_EQ(bound.order.keys[0].id, ResourceId{r15s});
  EXPECT_EQ(bound.order.keys[1].id, ResourceId{pg});
  EXPECT_FALSE(bound.order.keys[0].descending || bound.order.keys[1].descending);
}

TEST(Order, KnowsAliasesAndTheSitesOwn) {
  const auto bound = bind_order(parsed("order[cpu:-scratch]").order, cluster());
  ASSERT_FALSE(bound.error);
  EXPECT_EQ(bound.order.keys[0].id, ResourceId{r1m});
  EXPECT_EQ(bound.order.keys[1].id, *cluster().find("scratch"));
  EXPECT_FALSE(bound.order.keys[1].descending);
}

TEST(Order, TakesAResourceOnce) {
  const auto bound = bind_order(parsed("order[cpu:mem:-r1m]").order, cluster());
  ASSERT_EQ(bound.order.keys.size(), 2u);
  EXPECT_FALSE(bound.order.keys[0].descending);
}

TEST(Order, NamesResourcesThatCannotOrder) {
  const auto unknown = bind_order(parsed("order[mem:-foo]").order, cluster());
  ASSERT_TRUE(unknown.error);
  EXPECT_EQ(unknown.error->text, "found \"foo\", expected a resource of this cluster");
  EXPECT_EQ(unknown.error->offset, 10u);
  EXPECT_EQ(bind_order(parsed("order[type]").order, cluster()).error->text,
            "found \"type\", expected a numeric resource");
  EXPECT_TRUE(bind_order(parsed("order[linux]").order, cluster()).error);
}

}  // namespace
}  // namespace rollcall::resreq
