// Answers to questions about a part: texts of one's own jobs, jobs by group, hosts by group, limits.
#include "sched/policy/events/history_selection.hpp"
#include "tests/unit/sched/answers/answers_fixture.hpp"

namespace rollcall::sched::answers {
namespace {

wire::Submission job_with_texts() {
  auto asked = book::plain_job();
  asked.set_script("#!/bin/sh\n#BSUB -n 1\nsleep 1\n");
  asked.add_environment("TOKEN=secret");
  return asked;
}

TEST_F(Answers, TheOwnerOfAJobMaySeeItsScriptOrItsEnvironment) {
  const auto id = submit_seen(job_with_texts());
  wire::BatchRequest request;
  request.mutable_jobs()->mutable_filter()->add_keys()->set_id(id);
  request.mutable_jobs()->set_scripts(true);
  auto reply = whole(request);
  ASSERT_EQ(reply.jobs().jobs_size(), 1);
  EXPECT_EQ(reply.jobs().jobs(0).script(), "#!/bin/sh\n#BSUB -n 1\nsleep 1\n");
  EXPECT_EQ(reply.jobs().jobs(0).environment_size(), 0);
  request.mutable_jobs()->set_scripts(false);
  request.mutable_jobs()->set_environments(true);
  reply = whole(request);
  EXPECT_EQ(reply.jobs().jobs(0).script(), "");
  ASSERT_EQ(reply.jobs().jobs(0).environment_size(), 1);
  EXPECT_EQ(reply.jobs().jobs(0).environment(0), "TOKEN=secret");
}

TEST_F(Answers, OnlyTheOwnerGetsScriptAndEnvironment) {
  const auto id = submit_seen(job_with_texts());
  wire::BatchRequest request;
  request.mutable_jobs()->mutable_filter()->add_keys()->set_id(id);
  request.mutable_jobs()->set_environments(true);
  // An administrator, another user, and one whose name was given to somebody else since.
  for (const Identity& who : {book::kRoot, book::kBob, Identity{1099, 100, "ann", {}, false}}) {
    const auto reply = whole(request, who);
    EXPECT_EQ(reply.refusal().why(), wire::BatchReply::Refusal::NOT_ALLOWED) << who.user;
    EXPECT_EQ(reply.refusal().text(), "Job <" + std::to_string(id) + ">: User permission denied");
    EXPECT_EQ(reply.SerializeAsString().find("secret"), std::string::npos);
  }
}

TEST_F(Answers, TextLargerThanAFrameIsRefused) {
  auto asked = book::plain_job();
  asked.add_environment("LONG=" + std::string(700 * 1024, 'x'));
  const auto id = submit_seen(asked);
  wire::BatchRequest request;
  request.mutable_jobs()->mutable_filter()->add_keys()->set_id(id);
  request.mutable_jobs()->set_environments(true);
  EXPECT_EQ(whole(request).refusal().text(),
            "Job <" + std::to_string(id) + ">: the script or environment is too long to be shown");
}

TEST_F(Answers, JobsAreChosenByDescriptionAndGroup) {
  auto asked = book::plain_job();
  asked.set_description("lake survey");
  asked.set_job_group("/a");
  const auto id = submit_seen(asked);
  submit_seen(book::plain_job());
  wire::BatchRequest request;
  auto& filter = *request.mutable_jobs()->mutable_filter();
  filter.set_description("lake*");
  EXPECT_EQ(ids(whole(request)), std::to_string(id) + " ");
  filter.set_description("sea*");
  EXPECT_EQ(ids(whole(request)), "");
  filter.clear_description();
  filter.set_job_group("/a");
  EXPECT_EQ(ids(whole(request)), std::to_string(id) + " ");
  filter.clear_job_group();
  filter.set_service_class("gold");
  EXPECT_EQ(ids(whole(request)), "");
}

// The site's files with something changed in lsb.*.
template <class Change>
ConfigView changed_site(const Change& change) {
  ConfigView view = book::site_files();
  auto lsb = std::make_shared<conf::LsbFiles>(*view.lsb);
  change(*lsb);
  view.lsb = lsb;
  return view;
}

TEST_F(Answers, HostsOfACondensedGroupSaySoUnlessTheyAreNamed) {
  const auto config = changed_site([](conf::LsbFiles& lsb) { lsb.hosts.groups.at(0).condensed = true; });
  book->configure(config, now);
  keeper.configure(cycle::placement_rules(config.cluster, config.lsb));
  wire::BatchRequest request;
  request.mutable_hosts();
  const auto group_of = [&](int host) {
    const auto reply = whole(request);
    const auto& words = reply.hosts().hosts(host).words();
    const auto at = words.find("condensed");
    return at == words.end() ? std::string("-") : at->second;
  };
  EXPECT_EQ(group_of(0) + " " + group_of(1) + " " + group_of(2), "- big big");
  request.mutable_hosts()->add_hosts("big");
  EXPECT_EQ(group_of(0) + " " + group_of(1), "big big");
  request.mutable_hosts()->set_hosts(0, "hostB");
  EXPECT_EQ(group_of(0), "-");
}

TEST_F(Answers, ManyHostsComeInPartsWithTheirColumnsOnce) {
  wire::BatchRequest request;
  request.mutable_hosts()->set_load(true);
  for (int i = 0; i < 500; ++i) request.mutable_hosts()->add_hosts("hostA");
  const auto all = parts(request);
  ASSERT_EQ(all.size(), 3U);
  wire::BatchReply merged;
  for (const auto& part : all) merged.MergeFrom(part);
  EXPECT_EQ(merged.hosts().hosts_size(), 500);
  EXPECT_GT(merged.hosts().index_names_size(), 0);
  EXPECT_EQ(merged.hosts().hosts(499).total_size(), merged.hosts().index_names_size());
}

TEST_F(Answers, QueuesAreChosenByHostOrGroup) {
  const auto config = changed_site([](conf::LsbFiles& lsb) {
    conf::HostItem item;
    item.name = "hostA";
    lsb.queues.at(1).hosts.push_back(item);
  });
  book->configure(config, now);
  keeper.configure(cycle::placement_rules(config.cluster, config.lsb));
  wire::BatchRequest request;
  const auto names = [&](const char* host) {
    request.mutable_queues()->set_host(host);
    const auto reply = whole(request);
    std::string text = reply.refusal().text();
    for (const auto& queue : reply.queues().queues()) text += queue.name() + " ";
    return text;
  };
  EXPECT_EQ(names("hosta"), "normal special talk ");
  EXPECT_EQ(names("hostB"), "normal talk ");
  EXPECT_EQ(names("big"), "normal talk ");
  EXPECT_EQ(names("nosuch"), "nosuch: No such host or host group");
}

TEST_F(Answers, QueuesSayWhatTheyCouldHaveByPreemptionWhenAsked) {
  const auto config = changed_site([](conf::LsbFiles& lsb) {
    lsb.queues.at(1).priority = 40;
    lsb.queues.at(1).preemption.preemptive.emplace();
  });
  book->configure(config, now);
  keeper.configure(cycle::placement_rules(config.cluster, config.lsb));
  const auto id = submit_seen(book::plain_job());
  dispatch({id, 0});
  runs({id, 0});
  keeper.job({id, 0});
  cycle::Snapshot& snapshot = keeper.snapshot();
  for (HostNumber host = 0; host < snapshot.rules().hosts.size(); ++host)
    snapshot.host(host).unavailable = false;
  wire::BatchRequest request;
  request.mutable_queues();
  EXPECT_FALSE(whole(request).queues().queues(0).has_preemptable_slots()) << "it costs a look at all jobs";
  request.mutable_queues()->set_preemptable(true);
  const auto reply = whole(request);
  ASSERT_EQ(reply.queues().queues(0).name(), "special");
  EXPECT_EQ(reply.queues().queues(0).preemptable_slots(), 1);
  EXPECT_EQ(reply.queues().queues(1).name(), "normal");
  EXPECT_FALSE(reply.queues().queues(1).has_preemptable_slots()) << "it preempts no queue";
}

TEST_F(Answers, AJobThatRunsLongerThanItsQueueExpectsSaysSo) {
  const auto config = changed_site([](conf::LsbFiles& lsb) {
    lsb.queues.at(0).overrun_minutes = 2;
    lsb.queues.at(0).shown = {{"JOB_OVERRUN", "2"}};
  });
  book->configure(config, now);
  keeper.configure(cycle::placement_rules(config.cluster, config.lsb));
  const auto id = submit_seen(book::plain_job());
  dispatch({id, 0});
  runs({id, 0});
  const auto exceptions = [&](std::int64_t seconds) {
    const AnswerView later{book->jobs(), book->hosts(), keeper.snapshot(),
                           WallTime{now.us + seconds * 1'000'000}};
    return job_view(later, *book->jobs().find({id, 0}), nullptr).exceptions();
  };
  EXPECT_EQ(exceptions(60), "");
  EXPECT_EQ(exceptions(180), "overrun");
  wire::BatchRequest request;
  request.mutable_queues()->add_queues("normal");
  EXPECT_EQ(whole(request).queues().queues(0).lines().at("JOB_OVERRUN"), "2");
}

class LimitAnswers : public Answers {
 protected:
  LimitAnswers() {
    const auto config = changed_site([](conf::LsbFiles& lsb) {
      lsb.queues.at(0).queue_limit = 3;
      lsb.queues.at(0).host_limit = 2;
      lsb.queues.at(0).user_limit = 9;
    });
    book->configure(config, now);
    keeper.configure(cycle::placement_rules(config.cluster, config.lsb));
  }
  void run_on(const std::string& host) {
    const auto id = submit_seen(book::plain_job());
    dispatch({id, 0}, {host});
    keeper.job({id, 0});
  }
  std::string rows(const wire::AskLimits& ask) {
    wire::BatchRequest request;
    *request.mutable_limits() = ask;
    const auto reply = whole(request);
    std::string text = reply.refusal().text();
    for (const auto& row : reply.limits().rows()) {
      text += row.name();
      const auto add = [&text](const char* heading, const auto& names) {
        text += std::string(" | ") + heading;
        for (const auto& name : names) text += " " + name;
        if (names.empty()) text += " -";
      };
      add("USERS", row.users());
      add("QUEUES", row.queues());
      add("HOSTS", row.hosts());
      add("PROJECTS", row.projects());
      if (!row.applications().empty()) add("APPS", row.applications());
      for (const auto& amount : row.amounts()) {
        text += " | " + amount.kind();
        if (amount.has_taken()) text += " " + std::to_string(static_cast<int>(amount.taken())) + " of";
        text += " " + std::to_string(static_cast<int>(amount.most()));
      }
      text += "\n";
    }
    return text;
  }
};

TEST_F(LimitAnswers, AreOfQueuesUsersAndEachHost) {
  run_on("hostA");
  run_on("hostA");
  run_on("hostB");
  wire::AskLimits ask;
  const std::string queue = "QJOB_LIMIT | USERS - | QUEUES normal | HOSTS - | PROJECTS - | SLOTS 3 of 3\n";
  const std::string user = "UJOB_LIMIT | USERS ann | QUEUES normal | HOSTS - | PROJECTS - | SLOTS 3 of 9\n";
  const std::string hosts_a =
      "HJOB_LIMIT | USERS - | QUEUES normal | HOSTS hostA | PROJECTS - | SLOTS 2 of 2\n";
  const std::string hosts_b =
      "HJOB_LIMIT | USERS - | QUEUES normal | HOSTS hostB | PROJECTS - | SLOTS 1 of 2\n";
  const std::string all = rows(ask);
  for (const auto& row : {queue, user, hosts_a, hosts_b})
    EXPECT_NE(all.find(row), std::string::npos) << row << "\nin\n" << all;
  ask.set_host("hosta");
  EXPECT_NE(rows(ask).find(hosts_a), std::string::npos) << rows(ask);
  EXPECT_EQ(rows(ask).find(hosts_b), std::string::npos);
  ask.set_host("nosuch");
  EXPECT_EQ(rows(ask), "nosuch: No such host");
  ask.clear_host();
  ask.set_user("bob");
  EXPECT_EQ(rows(ask).find("USERS ann"), std::string::npos);
  EXPECT_NE(rows(ask).find(queue), std::string::npos);
}

// Limits of lsb.resources: PER_APP once gave one row for all applications, and -n found none of the names in the file.
TEST_F(LimitAnswers, OfLsbResourcesHaveTheirNamesAndARowForEachApplication) {
  const auto config = changed_site([](conf::LsbFiles& lsb) {
    conf::ResourceLimit limit;
    limit.name = "limit1";
    limit.consumers["PER_APP"] = {"all"};
    limit.amounts["SLOTS"] = {{6, false, {}}};
    limit.amounts["JOBS"] = {{4, false, {}}};
    lsb.resources.limits.push_back(limit);
    limit.name.clear();
    limit.consumers = {{"PROJECTS", {"p", "q"}}};
    lsb.resources.limits.push_back(limit);
  });
  book->configure(config, now);
  keeper.configure(cycle::placement_rules(config.cluster, config.lsb));
  cycle::PlacedJob placed;
  placed.placement.hosts = {{0, 1}};
  for (const char* application : {"cfd", "cfd", "fem"}) {
    cycle::Demand demand;
    demand.queue = "normal";
    demand.user = "ann";
    demand.project = "p";
    demand.application = application;
    placed.demand = keeper.snapshot().demand(demand);
    ++placed.key.id;
    keeper.snapshot().place(placed);
  }
  wire::AskLimits ask;
  ask.set_name("limit1");
  EXPECT_EQ(rows(ask),
            "limit1 | USERS - | QUEUES - | HOSTS - | PROJECTS - | APPS cfd | JOBS 2 of 4 | SLOTS 2 of 6\n"
            "limit1 | USERS - | QUEUES - | HOSTS - | PROJECTS - | APPS fem | JOBS 1 of 4 | SLOTS 1 of 6\n");
  ask.set_application("fem");
  EXPECT_EQ(rows(ask),
            "limit1 | USERS - | QUEUES - | HOSTS - | PROJECTS - | APPS fem | JOBS 1 of 4 | SLOTS 1 of 6\n");
  ask.clear_application();
  ask.set_name("NONAME000");
  EXPECT_EQ(rows(ask),
            "NONAME000 | USERS - | QUEUES - | HOSTS - | PROJECTS p q | JOBS 3 of 4 | SLOTS 3 of 6\n");
}

TEST_F(LimitAnswers, UnusedLimitsAreShownWhereTheyAreAskedFor) {
  wire::AskLimits ask;
  EXPECT_EQ(rows(ask), "");
  ask.set_unused_too(true);
  EXPECT_NE(rows(ask).find("QJOB_LIMIT | USERS - | QUEUES normal | HOSTS - | PROJECTS - | SLOTS 0 of 3\n"),
            std::string::npos)
      << rows(ask);
  ask.set_unused_too(false);
  ask.set_configured(true);
  EXPECT_NE(rows(ask).find("QJOB_LIMIT | USERS - | QUEUES normal | HOSTS - | PROJECTS - | SLOTS 3\n"),
            std::string::npos)
      << rows(ask);
}

TEST(HistoryFilters, AreThoseOfBjobs) {
  wire::Submission asked;
  asked.set_user("ann");
  asked.set_application("solver");
  asked.set_job_group("/a");
  asked.set_description("lake");
  wire::JobEvent::Finish finish;
  *finish.mutable_asked() = asked;
  wire::AskEvents events;
  wire::AskFinished finished;
  const auto both = [&] {
    *finished.mutable_filter() = events.filter();
    EXPECT_EQ(events::fits(finished, book::kAnn, finish), events::fits(events, book::kAnn, asked));
    return events::fits(events, book::kAnn, asked);
  };
  EXPECT_TRUE(both());
  auto& filter = *events.mutable_filter();
  filter.set_application("solver");
  filter.set_job_group("/a");
  filter.set_description("l*");
  EXPECT_TRUE(both());
  filter.set_application("other");
  EXPECT_FALSE(both());
  filter.clear_application();
  filter.set_job_group("/b");
  EXPECT_FALSE(both());
  filter.clear_job_group();
  filter.set_description("sea");
  EXPECT_FALSE(both());
  filter.clear_description();
  filter.set_service_class("gold");
  EXPECT_FALSE(both());
}

}  // namespace
}  // namespace rollcall::sched::answers
