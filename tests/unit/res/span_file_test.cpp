// What the processes of a job on hosts of several clusters find in its directory.
#include "res/policy/span_file.hpp"

#include <gtest/gtest.h>

#include "common/wire/relay.hpp"
#include "res/policy/relay_name.hpp"

namespace rollcall::res {
namespace {

wire::JobSpan span_of_two() {
  wire::JobSpan span;
  span.set_key(std::string("\x00\xff", 2) + std::string(30, '\x10'));
  span.set_relay("0123456789abcdef0123456789abcdef");
  for (const char* host : {"n1", "n2"}) {
    auto& place = *span.add_places();
    place.set_host(host);
    place.add_addresses("10.0.0.1");
    place.add_addresses("fe80::1");
    place.set_port(6883);
  }
  span.mutable_places(0)->set_task_key(std::string(32, '\x11'));
  return span;
}

TEST(SpanFile, HasALineForEachHostThatCanBeReached) {
  wire::JobSpan span = span_of_two();
  EXPECT_EQ(span_text(span),
            "n1 6883 " + std::string(64, '1') + " 10.0.0.1,fe80::1\nn2 6883 - 10.0.0.1,fe80::1\n");
  const auto read = read_span(span_text(span));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (std::vector<SpanPlace>{{"n1", {"10.0.0.1", "fe80::1"}, 6883, std::string(64, '1')},
                                           {"n2", {"10.0.0.1", "fe80::1"}, 6883, ""}}));
  span.mutable_places(1)->clear_addresses();
  EXPECT_EQ(read_span(span_text(span))->size(), 1U);
}

TEST(SpanFile, RefusesMalformedLines) {
  for (const char* text :
       {"n1 6883 - 10.0.0.1", "n1 0 - 10.0.0.1\n", "n1 x - 10.0.0.1\n", "n1 70000 - 10.0.0.1\n",
        "n1 6883 10.0.0.1\n", "n1 6883 - 10.0.0.1 more\n", "n1 6883 11 10.0.0.1\n", "\n"})
    EXPECT_FALSE(read_span(text)) << text;
  EXPECT_TRUE(read_span("")->empty());
}

TEST(SpanFile, HasTheKeyAsTaskStarterReadsIt) {
  const std::string text = span_key_text(span_of_two());
  EXPECT_EQ(text.substr(0, 6), "00ff10");
  EXPECT_EQ(text.size(), 65U);
  EXPECT_EQ(text.back(), '\n');
}

TEST(SpanFile, NamesTheSameRelayOnHostsOfAllClusters) {
  wire::JobOrder first, other;
  *first.mutable_start()->mutable_span() = *other.mutable_expect()->mutable_span() = span_of_two();
  first.mutable_start()->mutable_job()->mutable_key()->set_id(12);
  other.mutable_expect()->mutable_job()->mutable_key()->set_id(7);
  other.set_uid(1000);
  EXPECT_EQ(relay_name(first), "rollcall/span/0123456789abcdef0123456789abcdef");
  EXPECT_EQ(relay_name(other), relay_name(first)) << "also where the site wants no relay";
  EXPECT_TRUE(wire::is_span_relay(relay_name(first)));
}

}  // namespace
}  // namespace rollcall::res
