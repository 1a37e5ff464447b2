// Whatever comes, in whatever order: the Book stays sound, and a Book made again from what was saved is the same.
#include <rapidcheck/gtest.h>

#include "sched/policy/jobs/job_life.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

// Every number is equally likely, in small cases as well.
template <class T>
T any_of(T first, T past) {
  return *rc::gen::resize(100, rc::gen::inRange<T>(first, past));
}

const ConfigView& site() {
  static const ConfigView view = site_files("CLEAN_PERIOD = 60\nMAX_JOB_REQUEUE = 3\n");
  return view;
}

// What a store has of the effects, when everything of a turn is committed.
struct Saved {
  std::map<std::uint64_t, std::shared_ptr<const wire::Submission>> submissions;
  std::set<std::uint64_t> payloads;
  std::map<JobKey, wire::JobRecord> jobs;
  std::map<std::string, wire::ControlState> controls;

  void take(const Book& book, const Effects& effects) {
    for (const Effect& effect : effects) {
      RC_ASSERT(!text(effect).empty());
      if (const auto* save = std::get_if<effect::SaveJob>(&effect))
        if (const Job* job = book.jobs().find(save->key)) jobs[save->key] = job->record;
      if (const auto* save = std::get_if<effect::SaveSubmission>(&effect))
        if (const auto* kept = book.jobs().submission(save->number)) submissions[save->number] = kept->asked;
      if (const auto* save = std::get_if<effect::SavePayload>(&effect)) payloads.insert(save->row.number);
      if (const auto* drop = std::get_if<effect::DropPayload>(&effect)) payloads.erase(drop->number);
      if (const auto* gone = std::get_if<effect::RemoveJob>(&effect)) jobs.erase(key_of(gone->record.key()));
      if (const auto* control = std::get_if<effect::SaveControl>(&effect))
        controls[(control->state.host() ? "h" : "q") + control->state.name()] = control->state;
    }
  }
};

std::string without_usage(wire::JobRecord record) {
  record.clear_usage();
  return record.SerializeAsString();
}

// That a host begins an attempt is not saved for itself (docs/decisions/0049): until the job's next change a restart
// finds it starting still, and its host says it again. Never the other way round.
wire::JobRecord after_begun(wire::JobRecord restarted, const wire::JobRecord& present) {
  if (!restarted.starting() || present.starting()) return restarted;
  restarted = jobs::with_present_seconds(std::move(restarted), {present.status_us()});
  restarted.set_status_us(present.status_us());
  restarted.set_starting(false);
  return restarted;
}

class World {
 public:
  World() { book.configure(site(), now); }

  void step() {
    now.us += any_of<std::int64_t>(0, 20'000'000);
    switch (any_of(0, 13)) {
      case 0:
      case 1:
        return submit();
      case 2:
      case 3:
        return dispatch();
      case 4:
      case 5:
      case 6:
        return host_speaks();
      case 7:
        return hello();
      case 8:
        return took(book.hosts().host_gone(any_host(), now));
      case 9:
        return people();
      case 10:
        return took(book.tick(now));
      case 11:
        return scheduler();
      default:
        return changes();
    }
  }

  void check() {
    RC_CLASSIFY(!book.jobs().with_status(wire::STATUS_DONE).empty(), "some are done");
    RC_CLASSIFY(!book.jobs().with_status(wire::STATUS_EXIT).empty(), "some have exited");
    RC_CLASSIFY(!book.jobs().with_status(wire::STATUS_RUN).empty(), "some run");
    RC_CLASSIFY(!book.jobs().with_status(wire::STATUS_UNKWN).empty(), "some are unknown");
    RC_ASSERT(book.broken_invariant() == "");
    std::set<std::uint64_t> named;
    for (const auto& [number, kept] : book.jobs().submissions())
      for (const auto row : wire::payload_rows(*book.jobs().submission(number)->asked)) named.insert(row);
    RC_ASSERT(saved.payloads == named);
    Book again;
    again.configure(site(), now);
    again.rows().load_counters(book.rows().next_job_id(), book.rows().next_submission());
    for (const auto& [number, asked] : saved.submissions) again.rows().load_submission(number, asked);
    for (const auto& [key, record] : saved.jobs) again.rows().load_job(record);
    for (const auto& [name, state] : saved.controls) again.rows().load_control(state);
    again.rows().loaded(now);
    RC_ASSERT(again.broken_invariant() == "");
    RC_ASSERT(again.jobs().size() == book.jobs().size());
    RC_ASSERT(again.rows().next_job_id() == book.rows().next_job_id());
    for (const auto& [key, record] : saved.jobs) {
      RC_ASSERT(book.jobs().find(key) != nullptr);
      const wire::JobRecord& present = book.jobs().find(key)->record;
      RC_ASSERT(without_usage(after_begun(again.jobs().find(key)->record, present)) ==
                without_usage(present));
      RC_ASSERT(again.jobs().dependency_state(*again.jobs().find(key)) ==
                book.jobs().dependency_state(*book.jobs().find(key)));
    }
    RC_ASSERT(again.jobs().submissions().size() == book.jobs().submissions().size());
    for (const auto row : saved.payloads) RC_ASSERT(again.rows().uses_payload(row));
    for (const auto& who : {kAnn, kBob, kRoot})
      RC_ASSERT(again.jobs().stored_bytes(who.user) == book.jobs().stored_bytes(who.user));
    for (const char* queue : {"normal", "special", "talk"}) {
      RC_ASSERT(again.jobs().queue_counts(queue) == book.jobs().queue_counts(queue));
      RC_ASSERT(again.jobs().pending_of(queue) == book.jobs().pending_of(queue));
      RC_ASSERT(again.jobs().queue_control(queue).open == book.jobs().queue_control(queue).open);
    }
  }

 private:
  void took(const Effects& effects) {
    saved.take(book, effects);
    book.jobs().pack();
  }
  void took(const Applied& applied) { took(applied.effects); }

  static std::string any_host() { return *rc::gen::element<std::string>("hostA", "hostB", "hostC"); }
  static Identity any_person() { return *rc::gen::element(kAnn, kAnn, kBob, kEve, kRoot); }
  JobKey any_key() {
    if (saved.jobs.empty() || any_of(0, 10) == 0) return {any_of(1, 20), any_of(0, 4)};
    auto it = saved.jobs.begin();
    std::advance(it, any_of<std::size_t>(0, saved.jobs.size()));
    return it->first;
  }
  Attempt any_attempt(JobKey key) {
    const Job* job = book.jobs().find(key);
    const std::uint64_t present = job ? job->record.attempt() : 0;
    return {key, any_of(0, 8) == 0 ? present + 1 : present};
  }
  std::string host_of(JobKey key) {
    const Job* job = book.jobs().find(key);
    return job && job->record.hosts_size() > 0 && any_of(0, 8) != 0 ? job->record.hosts(0).name()
                                                                    : any_host();
  }

  void submit() {
    wire::Submit request;
    auto& asked = *request.add_jobs();
    asked = any_of(0, 3) == 0 ? array_job(any_of(1, 4)) : plain_job();
    if (*rc::gen::arbitrary<bool>()) asked.set_job_name(*rc::gen::element<std::string>("arr", "b", "b2"));
    if (any_of(0, 4) != 0) asked.add_environment("A=1");
    if (any_of(0, 4) == 0) asked.set_script("true");
    if (any_of(0, 4) == 0) asked.set_hold(true);
    if (any_of(0, 4) == 0) asked.set_rerunnable(true);
    if (any_of(0, 4) == 0) asked.set_terminate_us(now.us + 50'000'000);
    if (any_of(0, 4) == 0) asked.set_begin_us(now.us + 20'000'000);
    if (any_of(0, 4) == 0)
      asked.set_dependency(*rc::gen::element<std::string>(
          "done(1)", "ended(\"b*\")", "exit(2, > 1) || done(3)", "numdone(arr, >= 1)", "!started(b)"));
    if (asked.indices_size() > 0 && any_of(0, 2) == 0) asked.set_dependency("done(arr[*])");
    took(book.commands().submit(request, any_person(), now));
  }

  void dispatch() {
    std::vector<std::string> hosts{any_host()};
    if (const std::string other = any_host(); *rc::gen::arbitrary<bool>() && other != hosts[0])
      hosts.push_back(other);
    took(book.hosts().dispatch(any_key(), on_hosts(hosts), now));
  }

  HostReport any_report(JobKey key) {
    const Attempt attempt = any_attempt(key);
    switch (any_of(0, 12)) {
      case 8:
      case 9:
        return report::Prepared{{attempt}};
      case 10:
        return report::NotPrepared{attempt, "no room"};
      case 11:
        return report::Begun{{attempt}};
      case 0:
      case 1:
        return report::Running{attempt, any_of(1, 5), 0, 0, {}, {}, {}};
      case 2:
        return report::Stopped{attempt};
      case 3:
        return report::Resumed{attempt};
      case 4: {
        report::Used used{attempt, {}};
        used.usage.set_memory_kb(5);
        return used;
      }
      case 5:
        return report::PostOver{attempt, *rc::gen::arbitrary<bool>()};
      default: {
        using How = report::Over::How;
        report::Over over;
        over.attempt = attempt;
        over.how = any_of(0, 2) == 0 ? How::ended : static_cast<How>(any_of(0, 6));
        over.exit_status = *rc::gen::element(0, 0, 256, 77 << 8, 78 << 8, 137 << 8);
        over.end_us = now.us - *rc::gen::element<std::int64_t>(0, 5'000'000);
        over.post_follows = any_of(0, 4) == 0;
        return over;
      }
    }
  }
  void host_speaks() {
    const JobKey key = any_key();
    const HostReport report = any_report(key);
    took(book.hosts().host_told(host_of(key), report, now));
  }

  void hello() {
    report::HostCame came;
    came.knows_go = *rc::gen::arbitrary<bool>();
    const std::string host = any_host();
    for (const JobKey key : book.jobs().on_host(host)) {
      if (any_of(0, 3) == 0) continue;
      came.jobs.push_back({any_attempt(key), static_cast<report::Held::State>(any_of(0, 6)),
                           book.jobs().find(key)->record.hosts(0).name() == host});
    }
    took(book.hosts().host_told(host, came, now));
  }

  void people() {
    wire::SignalJobs request;
    set_key(*request.mutable_filter()->add_keys(), any_key());
    request.set_action(static_cast<wire::SignalJobs::Action>(any_of(0, 7)));
    request.set_signal(*rc::gen::element(9, 10, 15, 18, 19));
    request.set_hold(*rc::gen::arbitrary<bool>());
    request.set_done_too(*rc::gen::arbitrary<bool>());
    request.set_exit_too(*rc::gen::arbitrary<bool>());
    request.set_running_too(*rc::gen::arbitrary<bool>());
    request.set_only_done(any_of(0, 5) == 0);
    request.add_hosts(any_host());
    took(book.commands().signal_jobs(request, any_person(), now));
  }

  static std::uint32_t any_reason() {
    return *rc::gen::element<std::uint32_t>(wire::SUSPEND_LOAD, wire::SUSPEND_WINDOW, wire::SUSPEND_PREEMPT,
                                            wire::SUSPEND_LOAD | wire::SUSPEND_PREEMPT);
  }
  void scheduler() {
    if (*rc::gen::arbitrary<bool>())
      took(book.hosts().suspend(any_key(), {any_reason(), "x", {7, 0}}, now));
    else
      took(book.hosts().resume(any_key(), {any_reason()}, now));
  }

  void changes() {
    switch (any_of(0, 4)) {
      case 0: {
        wire::MoveJob move;
        set_key(*move.mutable_key(), any_key());
        move.set_to_bottom(*rc::gen::arbitrary<bool>());
        move.set_position(any_of(1, 4));
        return took(book.commands().move_job(move, any_person(), now));
      }
      case 1: {
        wire::SwitchJobs to;
        set_key(*to.mutable_filter()->add_keys(), any_key());
        to.set_queue(*rc::gen::element<std::string>("normal", "special", "talk"));
        return took(book.commands().switch_jobs(to, any_person(), now));
      }
      case 2: {
        wire::ModifyJobs modify;
        set_key(*modify.mutable_filter()->add_keys(), any_key());
        modify.mutable_changed()->set_job_name("b");
        modify.mutable_changed()->set_dependency("ended(1)");
        modify.mutable_changed()->add_environment("B=1");
        modify.add_fields(*rc::gen::element<std::int32_t>(
            wire::Submission::kJobNameFieldNumber, wire::Submission::kDependencyFieldNumber,
            wire::Submission::kEnvironmentFieldNumber, wire::Submission::kScriptFieldNumber,
            wire::Submission::kTerminateUsFieldNumber, 999));
        return took(book.commands().modify_jobs(modify, any_person(), now));
      }
      default: {
        wire::ControlBatch control;
        control.set_action(static_cast<wire::ControlBatch::Action>(any_of(0, 6)));
        control.add_names(*rc::gen::element<std::string>("normal", "special", "hostA", "big"));
        return took(book.commands().control(control, any_person(), now));
      }
    }
  }

  WallTime now = wall_seconds(1'000'000);
  Book book;
  Saved saved;
};

RC_GTEST_PROP(BookProperty, IsSoundAndIsTheSameAfterARestart, ()) {
  World world;
  const int steps = any_of(1, 150);
  for (int i = 0; i < steps; ++i) world.step();
  world.check();
}

RC_GTEST_PROP(DependencyProperty, PrintedConditionReadsBack, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("(", ")", "!", "&&", "||", "done(1)", "ended(\"a b\")", "exit(3, >= 2)",
                                    "12", "numdone(7, *)", "started(x[*])"));
  std::string text;
  for (const auto& word : words) text += word + " ";
  const auto parsed = jobs::Dependency::parse(text);
  if (!parsed) return;
  const auto again = jobs::Dependency::parse(parsed->text());
  RC_ASSERT(static_cast<bool>(again));
  RC_ASSERT(again->text() == parsed->text());
}

}  // namespace
}  // namespace rollcall::sched::book
