// RemovedHosts: when the RES of a host that is no server any more is heard.
#include "sched/policy/book/removed_hosts.hpp"

#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

class RemovedHostsTest : public BookTest {
 protected:
  RemovedHostsTest() : removed(book->jobs()) {
    submit(plain_job());
    hello("hostA");
    dispatch({1, 0});
    runs({1, 0});
  }
  RemovedHosts removed;
};

TEST_F(RemovedHostsTest, AreHeardWhileAJobIsPlacedThere) {
  EXPECT_TRUE(removed.has_attempts("hostA", {}));
  EXPECT_FALSE(removed.has_attempts("hostB", {})) << "no job is there";
  EXPECT_THAT(removed.take_empty(), IsEmpty());
  ends({1, 0}, 0);
  EXPECT_THAT(removed.take_empty(), ElementsAre("hostA"));
  EXPECT_THAT(removed.take_empty(), IsEmpty()) << "once";
  EXPECT_FALSE(removed.has_attempts("hostA", {}));
}
TEST_F(RemovedHostsTest, AreHeardWhilePostExecutionRunsThere) {
  removed.has_attempts("hostA", {});
  report::Over over;
  over.attempt = {{1, 0}, 1};
  over.post_follows = true;
  tells("hostA", over);
  ASSERT_EQ(book->jobs().find({1, 0})->status(), wire::STATUS_DONE);
  EXPECT_THAT(removed.take_empty(), IsEmpty());
  tells("hostA", report::PostOver{{{1, 0}, 1}, false});
  EXPECT_THAT(removed.take_empty(), ElementsAre("hostA"));
}
// The job runs elsewhere by now: the attempt is ended when its RES comes.
TEST_F(RemovedHostsTest, AreHeardForAnAttemptThatIsToBeEnded) {
  using Keys = std::vector<JobKey>;
  EXPECT_FALSE(removed.has_attempts("hostB", Keys{{2, 0}})) << "the Book does not know the job";
  EXPECT_TRUE(removed.has_attempts("hostB", Keys{{1, 0}}));
  EXPECT_THAT(removed.take_empty(), IsEmpty());
  EXPECT_TRUE(removed.has_attempts("hostB", {})) << "the files are read again";
  EXPECT_FALSE(removed.has_attempts("hostB", Keys{})) << "it has come again without it";
}

}  // namespace
}  // namespace rollcall::sched::book
