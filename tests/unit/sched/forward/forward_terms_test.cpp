// What of a resource requirement chooses a remote queue.
#include "sched/policy/forward/forward_terms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/policy/forward/value_terms.hpp"

namespace rollcall::sched::forward {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ForwardJob terms(std::string_view text, std::string_view local_type = "") {
  IndexTable indices;
  indices.add({.name = "licences", .type = ResourceType::numeric});
  indices.add({.name = "gpu", .type = ResourceType::boolean});
  const auto resreq = resreq::parse(text);
  EXPECT_FALSE(resreq.error) << text;
  ForwardJob job;
  add_terms(resreq.value, indices, local_type, job);
  return job;
}

TEST(ForwardTerms, TypesAreUnderstood) {
  EXPECT_THAT(terms("select[type==X86]").types, ElementsAre("X86"));
  EXPECT_THAT(terms("type=='X86' && mem>500").types, ElementsAre("X86"));
  EXPECT_THAT(terms("select[type==any]").types, IsEmpty());
  EXPECT_FALSE(terms("select[type==any]").unknown_type);
  EXPECT_THAT(terms("select[type==local]", "ARM").types, ElementsAre("ARM"));
  EXPECT_FALSE(terms("select[type==local]", "ARM").unknown_type);
}

// A master that has just started has not heard its LIM.
TEST(ForwardTerms, TheTypeOfTheSubmissionHostMayBeUnknown) {
  EXPECT_TRUE(terms("select[type==local]").unknown_type);
  EXPECT_THAT(terms("select[type==local]").types, IsEmpty());
}

TEST(ForwardTerms, BooleansAreUnderstood) {
  EXPECT_THAT(terms("select[bigmem && defined(gpu) && bigmem]").booleans, ElementsAre("bigmem", "gpu"));
  EXPECT_THAT(terms("select[(bigmem && (gpu))]").booleans, ElementsAre("bigmem", "gpu"));
}

TEST(ForwardTerms, SameTypeIsUnderstood) {
  EXPECT_TRUE(terms("same[type]").same_type);
  EXPECT_TRUE(terms("same[model:type]").same_type);
  EXPECT_FALSE(terms("same[model]").same_type);
}

std::vector<std::string> values_of(std::string_view text) {
  std::vector<std::string> said;
  for (const ValueTerm& term : terms(text).values)
    said.push_back(forward::text(term) + (term.number ? "" : " word"));
  return said;
}

// Those of a site's own resources, and of resources that only another cluster knows.
TEST(ForwardTerms, ValuesAreUnderstood) {
  EXPECT_THAT(values_of("select[licences>=5 && licences<20 && licences>=5]"),
              ElementsAre("licences>=5", "licences<20"));
  EXPECT_THAT(values_of("select[os==rhel8 && os!='rhel 7' && version==8]"),
              ElementsAre("os==rhel8 word", "os!=rhel 7 word", "version==8"));
  EXPECT_THAT(values_of("select[licences>5 && licences<=7.5]"), ElementsAre("licences>5", "licences<=7.5"));
  for (const char* text : {"mem>500", "model==X86", "ncpus>=4", "licences>=5 || os==rhel8", "!(licences>=5)",
                           "gpu==1", "5<licences", "licences*2>5", "os>rhel"})
    EXPECT_THAT(values_of(std::string("select[") + text + "]"), IsEmpty()) << text;
}

TEST(ForwardTerms, OtherTermsHaveNoEffect) {
  for (const char* text : {"", "select[mem>500]", "select[licences]", "select[defined(mem)]", "select[!gpu]",
                           "select[gpu || bigmem]", "select[type!=X86]", "select[type==X86==ARM]",
                           "select[!(type==X86)]", "select[model==X86]", "order[mem] span[hosts=1]"}) {
    const ForwardJob job = terms(text, "ARM");
    EXPECT_THAT(job.types, IsEmpty()) << text;
    EXPECT_THAT(job.booleans, IsEmpty()) << text;
    EXPECT_FALSE(job.same_type) << text;
  }
}

}  // namespace
}  // namespace rollcall::sched::forward
