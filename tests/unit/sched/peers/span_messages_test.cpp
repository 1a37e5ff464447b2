// What another cluster tells of the hosts of its job.
#include "sched/policy/peers/span_messages.hpp"

#include <gtest/gtest.h>

#include "sched/policy/values/spans.hpp"

namespace rollcall::sched::peers {
namespace {

wire::JobSpan good() {
  wire::JobSpan span;
  span.set_key(std::string(32, '\1'));
  span.set_task_key(std::string(32, '\2'));
  span.set_relay("0123456789abcdef0123456789abcdef");
  for (const char* host : {"n1", "n2"}) {
    auto& place = *span.add_places();
    place.set_host(host);
    place.set_slots(2);
    place.add_addresses("10.0.0.1");
    place.add_addresses("fe80::1");
    place.set_port(6883);
  }
  return span;
}

TEST(SpanMessages, BelievesWhatCanBeTrue) { EXPECT_TRUE(check(good())); }

TEST(SpanMessages, RefusesWhatCannotBeTrue) {
  const auto wrong = [](const char* what, auto change) {
    wire::JobSpan span = good();
    change(span);
    EXPECT_FALSE(check(span)) << what;
  };
  wrong("a short key", [](auto& span) { span.set_key("short"); });
  wrong("no key for tasks", [](auto& span) { span.clear_task_key(); });
  wrong("a short key of a host", [](auto& span) { span.mutable_places(1)->set_task_key("short"); });
  wrong("a relay with a path", [](auto& span) { span.set_relay("../../../../../../../../etc/passwd"); });
  wrong("a relay in capitals", [](auto& span) { span.set_relay(std::string(32, 'A')); });
  wrong("one host", [](auto& span) { span.mutable_places()->RemoveLast(); });
  wrong("a host twice", [](auto& span) { span.mutable_places(1)->set_host("n1"); });
  wrong("a line in a name", [](auto& span) { span.mutable_places(1)->set_host("n2\nn3 1 10.0.0.9"); });
  wrong("no slot", [](auto& span) { span.mutable_places(1)->set_slots(0); });
  wrong("many slots", [](auto& span) { span.mutable_places(1)->set_slots(2'000'000); });
  wrong("no port", [](auto& span) { span.mutable_places(1)->set_port(0); });
  wrong("no such port", [](auto& span) { span.mutable_places(1)->set_port(65536); });
  wrong("no address", [](auto& span) { span.mutable_places(1)->clear_addresses(); });
  wrong("a name for an address", [](auto& span) { span.mutable_places(1)->set_addresses(0, "n2.example"); });
  wrong("two addresses in one",
        [](auto& span) { span.mutable_places(1)->set_addresses(0, "10.0.0.1,10.0.0.2"); });
  wrong("many addresses", [](auto& span) {
    for (int i = 0; i < 8; ++i) span.mutable_places(1)->add_addresses("10.0.0.1");
  });
}

TEST(OrderSpans, AnOrderWaitsUntilAllHostsOfTheJobAreNamed) {
  EXPECT_EQ(span_of_order(std::nullopt, false), OrderSpan::none) << "all its hosts are ours";
  EXPECT_EQ(span_of_order(std::nullopt, true), OrderSpan::waits)
      << "a part whose span was lost with a restart";
  wire::JobSpan span;
  span.add_places()->add_addresses("10.0.0.1");
  span.add_places()->set_cluster("east");
  for (const bool part : {false, true}) EXPECT_EQ(span_of_order(span, part), OrderSpan::waits);
  span.mutable_places(1)->add_addresses("10.0.0.2");
  for (const bool part : {false, true}) EXPECT_EQ(span_of_order(span, part), OrderSpan::stamped);
}

}  // namespace
}  // namespace rollcall::sched::peers
