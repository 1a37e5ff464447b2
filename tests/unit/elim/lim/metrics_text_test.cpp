// The metrics page, byte for byte, and in pieces for many hosts; who may control a LIM.
#include "elim/policy/lim/metrics_text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "common/base/who_may_control.hpp"
#include "elim/policy/lim/control_right.hpp"

namespace rollcall::lim {
namespace {

struct FakeHost {
  std::string name, status;
  bool up = true;
  std::map<std::size_t, double> numbers;
  std::map<std::size_t, std::string> words;
  std::map<std::size_t, double> ages;
  std::vector<MetricsElim> elims;
};

class FakeView : public MetricsView {
 public:
  MetricsCluster cluster() const override { return {"test", "n1", "0.1"}; }
  std::size_t hosts() const override { return all.size(); }
  std::size_t indices() const override { return names.size(); }
  std::string_view host(std::size_t host) const override { return all[host].name; }
  std::string_view index(std::size_t index) const override { return names[index]; }
  bool up(std::size_t host) const override { return all[host].up; }
  std::string status(std::size_t host) const override { return all[host].status; }
  std::optional<double> number(std::size_t host, std::size_t index) const override {
    return find(all[host].numbers, index);
  }
  std::string_view word(std::size_t host, std::size_t index) const override {
    const auto found = all[host].words.find(index);
    return found == all[host].words.end() ? std::string_view() : std::string_view(found->second);
  }
  std::optional<double> age_seconds(std::size_t host, std::size_t index) const override {
    return find(all[host].ages, index);
  }
  std::vector<MetricsElim> elims(std::size_t host) const override { return all[host].elims; }

  std::vector<std::string> names{"r1m", "mem", "state"};
  std::vector<FakeHost> all;

 private:
  static std::optional<double> find(const std::map<std::size_t, double>& in, std::size_t index) {
    const auto found = in.find(index);
    return found == in.end() ? std::nullopt : std::optional(found->second);
  }
};

std::string page(const MetricsView& view) {
  MetricsText text(view);
  std::string all;
  while (const auto piece = text.next()) all += *piece;
  return all;
}

TEST(MetricsText, IsThisByteForByte) {
  FakeView view;
  view.all = {{"n1",
               "ok",
               true,
               {{0, 0.25}, {1, 2048}},
               {{2, "say \"hi\"\\\n"}},
               {{0, 1.5}},
               {{"elim.a", "running", 2, 1}}},
              {"n2", "unavail", false, {}, {}, {}, {}}};
  EXPECT_EQ(page(view), R"(# HELP rollcall_cluster_info The cluster and its master.
# TYPE rollcall_cluster_info gauge
rollcall_cluster_info{cluster="test",master="n1",version="0.1"} 1
# HELP rollcall_host_up 1 where the host's LIM reports to the master.
# TYPE rollcall_host_up gauge
rollcall_host_up{host="n1"} 1
rollcall_host_up{host="n2"} 0
# HELP rollcall_host_status The host's status as lsload shows it.
# TYPE rollcall_host_status gauge
rollcall_host_status{host="n1",status="ok"} 1
rollcall_host_status{host="n2",status="unavail"} 1
# HELP rollcall_load A numeric load index, in its own unit.
# TYPE rollcall_load gauge
rollcall_load{host="n1",index="r1m"} 0.25
rollcall_load{host="n1",index="mem"} 2048
# HELP rollcall_load_info A String load index.
# TYPE rollcall_load_info gauge
rollcall_load_info{host="n1",index="state",value="say \"hi\"\\\n"} 1
# HELP rollcall_load_age_seconds Time since the value was last told.
# TYPE rollcall_load_age_seconds gauge
rollcall_load_age_seconds{host="n1",index="r1m"} 1.5
# HELP rollcall_elim_state What an elim does.
# TYPE rollcall_elim_state gauge
rollcall_elim_state{host="n1",elim="elim.a",state="running"} 1
# HELP rollcall_elim_restarts_total How often an elim was started again.
# TYPE rollcall_elim_restarts_total counter
rollcall_elim_restarts_total{host="n1",elim="elim.a"} 2
# HELP rollcall_elim_errors_total Strings of an elim that were refused.
# TYPE rollcall_elim_errors_total counter
rollcall_elim_errors_total{host="n1",elim="elim.a"} 1
)");
}

TEST(MetricsText, AFamilyIsWholeAndAPieceIsSmallForManyHosts) {
  FakeView view;
  for (int i = 0; i < 5000; ++i)
    view.all.push_back({"host" + std::to_string(i), "ok", true, {{0, 1.0 * i}}, {}, {}, {}});
  MetricsText text(view);
  std::string all;
  std::size_t pieces = 0;
  while (const auto piece = text.next()) {
    EXPECT_LT(piece->size(), 128U * 1024);
    all += *piece;
    ++pieces;
  }
  EXPECT_GT(pieces, 5U);
  EXPECT_EQ(all.find("# TYPE rollcall_load gauge"), all.rfind("# TYPE rollcall_load gauge")) << "said once";
  EXPECT_LT(all.find("rollcall_load{host=\"host0\""), all.find("rollcall_load{host=\"host4999\""));
  EXPECT_EQ(all.find("rollcall_host_up", all.find("rollcall_load{")), std::string::npos)
      << "families stand together";
}

TEST(MetricsText, NoHostsAreNoSamples) {
  FakeView view;
  EXPECT_EQ(page(view).find("rollcall_load{"), std::string::npos);
}

TEST(MetricsText, NumbersAsTheFormatWritesThem) {
  EXPECT_EQ(metrics_number(0.1), "0.1");
  EXPECT_EQ(metrics_number(-3), "-3");
  EXPECT_EQ(metrics_number(1e20), "1e+20");
  EXPECT_EQ(metrics_number(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(metrics_number(-std::numeric_limits<double>::infinity()), "-Inf");
}

TEST(ControlRight, IsRootsTheAdministratorsAndTheOwners) {
  constexpr uid_t kOwner = 500;
  const std::vector<std::string> administrators{"lsfadmin", "ann"};
  EXPECT_TRUE(may_control({true, std::nullopt, ""}, kOwner, administrators)) << "who holds the key";
  EXPECT_TRUE(may_control({false, 0, "root"}, kOwner, {}));
  EXPECT_TRUE(may_control({false, kOwner, ""}, kOwner, {}));
  EXPECT_TRUE(may_control({false, 700, "ann"}, kOwner, administrators));
}

TEST(ControlRight, IsNobodyElses) {
  EXPECT_FALSE(may_control({false, std::nullopt, "lsfadmin"}, 500, {"lsfadmin"})) << "a name without a proof";
  EXPECT_FALSE(may_control({false, 700, "bob"}, 500, {"lsfadmin"}));
  EXPECT_FALSE(may_control({false, 700, ""}, 500, {""}))
      << "a user without a name is no nameless administrator";
}

TEST(ControlRight, WhoMayIsToldWithoutSayingRootTwice) {
  EXPECT_EQ(who_may_control(0, "root"), "only root and the cluster's administrators may do this");
  EXPECT_EQ(who_may_control(500, "ann"), "only root, the cluster's administrators and ann may do this");
  EXPECT_EQ(who_may_control(500, ""), "only root, the cluster's administrators and user 500 may do this");
}

}  // namespace
}  // namespace rollcall::lim
