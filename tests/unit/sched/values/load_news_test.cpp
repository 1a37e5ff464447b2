// LoadNews out of the four answers of a LIM that does not know AskCluster.
#include "sched/policy/values/load_news.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/load_vector.hpp"

namespace rollcall::sched {
namespace {

using testing::ElementsAre;

void add_load(wire::Reply& answer, const char* host, std::initializer_list<float> values) {
  auto& load = *answer.mutable_loads()->add_hosts();
  load.set_host(host);
  for (const float value : values) load.add_values(value);
}

TEST(LoadNews, JoinsFourAnswers) {
  FourAnswers answers;
  answers.hosts.mutable_hosts()->add_hosts()->set_name("hostA");
  answers.shared.mutable_shareds()->add_shareds()->set_resource("licences");
  for (auto* loads : {answers.effective.mutable_loads(), answers.normalised.mutable_loads()})
    for (const char* name : {"mem", "r15s", "r1m"}) loads->add_names(name);
  add_load(answers.effective, "hostA", {500, 4, 3});
  add_load(answers.effective, "hostB", {600, 2, 1});
  add_load(answers.normalised, "hostB", {600, 1, 0.5F});  // LIM sorts by load: another order
  add_load(answers.normalised, "hostA", {500, 2, 1.5F});

  const LoadNews news = load_news_of(std::move(answers));
  ASSERT_EQ(news.hosts().hosts_size(), 1);
  EXPECT_EQ(news.hosts().hosts(0).name(), "hostA");
  ASSERT_EQ(news.shareds().shareds_size(), 1);
  EXPECT_EQ(news.shareds().shareds(0).resource(), "licences");
  ASSERT_EQ(news.loads().hosts_size(), 2);
  EXPECT_THAT(news.loads().hosts(0).values(), ElementsAre(500, 4, 3));
  EXPECT_THAT(news.loads().hosts(0).normalised(), ElementsAre(2, 1.5F, kUnknownLoad)) << "r15s r1m r15m";
  EXPECT_THAT(news.loads().hosts(1).normalised(), ElementsAre(1, 0.5F, kUnknownLoad));
}

TEST(LoadNews, LeavesOutQueuesOfAHostThatIsInOneAnswerOnly) {
  FourAnswers answers;
  add_load(answers.effective, "hostA", {1});
  const LoadNews news = load_news_of(std::move(answers));
  ASSERT_EQ(news.loads().hosts_size(), 1);
  EXPECT_EQ(news.loads().hosts(0).normalised_size(), 0);
}

}  // namespace
}  // namespace rollcall::sched
