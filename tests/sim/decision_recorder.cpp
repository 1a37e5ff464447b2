// decision_recorder: what the Book and the scheduling cycle decide, as digests that a refactoring must not change.
//
//   decision_recorder book|plans FIRST LAST        a line for each hundred seeds: "book 1-100 0123456789abcdef"
//   decision_recorder book|plans SEED --trace      what the digest of that seed is made of, to be compared with diff
//
// book: the effects of a BookWorld (daemons that die, people who kill and requeue), each as its text with the bytes of what
// it carries, and at the end what the store has. plans: four cycles over a random cluster, each plan as its text, and why the
// others pend. Neither has GPUs: which device a job gets is tested by gpus_test.
//
// `tests/sim/decisions.txt` has the digests of the first seeds, which the test decisions_unchanged compares; the long form is
// nightly_decisions_unchanged. A change that is meant replaces the file, and its commit says what changed and why.
// Exit: 0, 1 where a world breaks a promise of its own, 2 for wrong words.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>

#include "sched/policy/cycle/scenario.hpp"
#include "tests/sim/book_world.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched {
namespace {

constexpr int kBlock = 100;

// FNV-1a: no library's hash stays the same between its releases.
class Digest {
 public:
  void add(std::string_view line) {
    for (const char c : line) step(static_cast<unsigned char>(c));
    step('\n');
  }
  std::uint64_t value() const { return value_; }

 private:
  void step(unsigned char byte) { value_ = (value_ ^ byte) * 1099511628211ULL; }
  std::uint64_t value_ = 14695981039346656037ULL;
};

using Line = std::function<void(std::string_view)>;

std::string bytes_of(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

// ---------------------------------------------------------------- the Book

// The text of an effect has no payload: what it carries is added by its bytes.
std::string effect_line(const Effect& effect, const book::Book& book) {
  std::string line = text(effect);
  if (const auto* event = std::get_if<effect::RecordEvent>(&effect)) line += " " + bytes_of(event->event);
  if (const auto* gone = std::get_if<effect::RemoveJob>(&effect)) line += " " + bytes_of(gone->record);
  if (const auto* state = std::get_if<effect::SaveControl>(&effect)) line += " " + bytes_of(state->state);
  if (const auto* order = std::get_if<effect::OrderSignal>(&effect))
    line += " " + bytes_of(order->signal.sent);
  if (const auto* save = std::get_if<effect::SaveJob>(&effect))
    if (const Job* job = book.jobs().find(save->key)) line += " " + bytes_of(job->record);
  return line;
}

void fill(BookWorld& world) {
  for (int i = 0; i < 12; ++i) {
    auto asked = i % 4 == 3 ? book::array_job(3) : book::plain_job();
    if (i % 5 == 4) {
      asked.set_min_slots(2);
      asked.set_max_slots(2);
    }
    asked.set_rerunnable(i % 6 == 5);
    world.submit(asked);
    for (int k = 0; k < 6; ++k) world.turn();
  }
}

bool record_book(std::uint32_t seed, const Line& line) {
  WorldChances chances;
  chances.people = seed % 2 == 0;
  if (seed % 3 == 0) chances.shepherd_dies = 5;
  if (seed % 3 == 1) chances.freezes = 4;
  if (seed % 5 == 0) chances.host_restarts = 1;
  if (seed % 5 == 1) chances.refuses = 5;
  if (seed % 5 == 2) chances.older_hosts = 20;
  BookWorld world(book::site_files("CLEAN_PERIOD = 1000000\n"), seed, chances);
  world.watch([&](const Effect& effect, const book::Book& book) { line(effect_line(effect, book)); });
  fill(world);
  for (int i = 0; i < 300; ++i) world.turn();
  world.settle(20'000);
  for (const std::int32_t id : world.acknowledged())
    for (const JobKey key : world.book().jobs().elements(id))
      line("kept " + text(key) + " " + bytes_of(world.book().jobs().find(key)->record));
  line("trouble " + world.trouble());
  return world.trouble().empty();
}

// ---------------------------------------------------------------- plans

// Draws one at a time, in the order of the statements: the same scenario for a seed whatever compiler made this.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  int number(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<std::uint32_t>(most - least + 1));
  }
  const char* one_of(std::initializer_list<const char*> words) {
    return words.begin()[number(0, static_cast<int>(words.size()) - 1)];
  }

 private:
  std::mt19937 random_;
};

void add_queue(Draw& draw, std::string& text, const char* name) {
  text += std::string("Begin Queue\nQUEUE_NAME = ") + name + "\nPRIORITY = ";
  text += std::to_string(draw.number(1, 3)) + "\nEXCLUSIVE = Y\n";
  text += draw.one_of({"", "", "QJOB_LIMIT = 4\n", "UJOB_LIMIT = 3\n", "HJOB_LIMIT = 2\n",
                       "PJOB_LIMIT = 0.5\n", "RES_REQ = select[mem>150] order[mem]\n", "r1m = 1.0/2.0\n",
                       "DISPATCH_WINDOW = 0:00-13:00\n"});
  text += "End Queue\n";
}

void add_machines(Draw& draw, std::string& text) {
  text += "Begin Machine\nHOST_NAME STATUS NCPUS r15s r1m pg mem it\n";
  const int hosts = draw.number(1, 6);
  for (int host = 1; host <= hosts; ++host) {
    text += "h" + std::to_string(host) + " ";
    text += draw.one_of({"ok", "ok", "ok", "ok", "closed", "unavail"});
    text += " " + std::to_string(draw.number(1, 5)) + " 0.";
    text += std::to_string(draw.number(0, 9)) + " ";
    text += draw.one_of({"0.2", "1.5", "3"});
    text += " 0 " + std::to_string(100 * draw.number(1, 12)) + " 0\n";
  }
  text += "End Machine\n";
}

void add_jobs(Draw& draw, std::string& text) {
  text +=
      "Begin Pending\nJOB USER QUEUE PROJECT SLOTS RES_REQ EXCLUSIVE ARRAY_SLOTS ORDER EXCLUDED HOSTS "
      "BEGIN\n";
  const int jobs = draw.number(1, 14);
  for (int id = 1; id <= jobs; ++id) {
    const int slots = draw.number(1, 4);
    const bool array = draw.number(0, 2) == 0;
    text += std::to_string(id);
    if (array) text += "[1-" + std::to_string(draw.number(2, 6)) + "]";
    text += std::string(" ") + draw.one_of({"ann", "bob"});
    text += std::string(" ") + draw.one_of({"low", "high"});
    text += std::string(" ") + draw.one_of({"p", "q"});
    text += " " + std::to_string(slots);
    if (draw.number(0, 1) == 0) text += "," + std::to_string(slots + 2);
    text +=
        std::string(" ") +
        draw.one_of({"-", "-", "\"select[mem>300]\"", "\"rusage[mem=200]\"", "\"order[mem] rusage[mem=150]\"",
                     "\"rusage[lic=1]\"", "\"span[hosts=1]\"", "\"span[ptile=2]\"", "\"span[ptile='!']\"",
                     "\"rusage[mem=900||mem=100]\"", "\"rusage[mem=100:duration=1m:decay=1]\"",
                     "\"rusage[r1m=1]\"", "\"select[mem>200] order[r1m:mem] span[hosts=1]\""});
    text += std::string(" ") + draw.one_of({"-", "-", "-", "-", "Y"});
    text += std::string(" ") + (array ? draw.one_of({"-", "2"}) : "-");
    text += " " + std::to_string(draw.number(1, 5));
    text += std::string(" ") + draw.one_of({"-", "-", "-", "(h1)"});
    text += std::string(" ") + draw.one_of({"-", "-", "(h1 h2+1 others)", "(h1! all)"});
    text += std::string(" ") + draw.one_of({"-", "-", "-", "-", "30"}) + "\n";
  }
  text += "End Pending\n";
}

std::string drawn_scenario(Draw& draw) {
  std::string text =
      "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING RELEASE DESCRIPTION\nlic Numeric () N Y ()\n"
      "End Resource\nBegin ResourceMap\nRESOURCENAME LOCATION\nlic (";
  text += std::to_string(draw.number(0, 4)) + "@[all])\nEnd ResourceMap\n";
  text += "Begin Host\nHOST_NAME MXJ JL/U r1m\ndefault ";
  text += std::string(draw.one_of({"!", "3", "!"})) + " ";
  text += std::string(draw.one_of({"()", "2"})) + " ";
  text += std::string(draw.one_of({"()", "1.0/2.0"})) + "\nEnd Host\n";
  add_queue(draw, text, "low");
  add_queue(draw, text, "high");
  text += draw.one_of({"", "Begin User\nUSER_NAME MAX_JOBS JL/P\nann 3 1\ndefault 5 -\nEnd User\n"});
  text += draw.one_of({"", "Begin Limit\nNAME = one\nPER_USER = all\nMEM = 700\nEnd Limit\n",
                       "Begin Limit\nNAME = one\nHOSTS = h1 h2\nJOBS = 2\nEnd Limit\n",
                       "Begin Limit\nNAME = one\nPER_HOST = all\nPROJECTS = p\nSLOTS = 1\nEnd Limit\n",
                       "Begin Limit\nNAME = one\nRESOURCE = [lic, 1]\nEnd Limit\n"});
  add_machines(draw, text);
  add_jobs(draw, text);
  return text;
}

void some_end(Draw& draw, cycle::Snapshot& snapshot) {
  std::vector<JobKey> keys;
  for (const auto& [key, job] : snapshot.placed_jobs()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  for (const JobKey key : keys)
    if (draw.number(0, 2) == 0) snapshot.forget(key);
}

bool record_plans(std::uint32_t seed, const Line& line) {
  Draw draw(seed);
  const std::string text = drawn_scenario(draw);
  line(text);
  auto scenario = cycle::read_scenario(text, "scenario");
  if (!scenario) {
    line("refused: " + scenario.error().text);
    return false;
  }
  cycle::Snapshot& snapshot = scenario->snapshot;
  WallTime now = scenario->now;
  for (int round = 0; round < 4; ++round) {
    const cycle::Plan plan = cycle::schedule(snapshot, now);
    line(cycle::text_of(plan, snapshot, now));
    line("next look " + (plan.next_look ? std::to_string(plan.next_look->us) : "never"));
    cycle::apply(plan, now, snapshot);
    line(cycle::pending_text(snapshot, now));
    some_end(draw, snapshot);
    now.us += 20'000'000;
  }
  return true;
}

// ---------------------------------------------------------------- words of the command line

using Record = bool (*)(std::uint32_t seed, const Line& line);

int trace(Record record, std::uint32_t seed) {
  const auto print = [](std::string_view line) {
    for (const char c : line)
      if (c == '\n' || (c >= ' ' && c <= '~'))
        std::putchar(c);
      else
        std::printf("\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    std::putchar('\n');
  };
  return record(seed, print) ? 0 : 1;
}

int digests(const char* name, Record record, std::uint32_t first, std::uint32_t last) {
  bool sound = true;
  for (std::uint32_t begin = first; begin <= last; begin += kBlock) {
    const std::uint32_t end = std::min(last, begin + kBlock - 1);
    Digest digest;
    for (std::uint32_t seed = begin; seed <= end; ++seed)
      sound &= record(seed, [&digest](std::string_view line) { digest.add(line); });
    std::printf("%s %u-%u %016llx\n", name, begin, end, static_cast<unsigned long long>(digest.value()));
    std::fflush(stdout);
  }
  return sound ? 0 : 1;
}

}  // namespace
}  // namespace rollcall::sched

int main(int argc, char** argv) {
  using namespace rollcall::sched;
  const std::string_view what = argc == 4 ? argv[1] : "";
  const Record record = what == "book" ? record_book : what == "plans" ? record_plans : nullptr;
  if (record == nullptr) {
    std::fprintf(stderr, "usage: decision_recorder book|plans FIRST LAST, or SEED --trace\n");
    return 2;
  }
  const auto first = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  if (std::string_view(argv[3]) == "--trace") return trace(record, first);
  return digests(argv[1], record, first, static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10)));
}
