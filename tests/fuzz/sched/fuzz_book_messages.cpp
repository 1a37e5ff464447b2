// What clients and hosts may send mbatchd, in any order: the Book hears it and stays sound, whatever it is. So do the
// orders that follow from it, as RES would get them.
//
//   input = { kind length bytes }     length: two bytes, low one first, of what follows
//   kind % 8: 0 a BatchRequest of ann, 1 of bob, 2 of root; 3 a FromRes of hostA, 4 of hostB; 5 a job is given hosts (bytes:
//             its id, its index, which hosts); 6 time passes (bytes: seconds); 7 a host is lost
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/wire/submitted_jobs.hpp"
#include "sched/mbatchd/res_translation.hpp"
#include "sched/policy/book/book.hpp"
#include "sched/policy/jobs/request_bounds.hpp"
#include "tests/support/site_view.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::book;
using namespace rollcall::sched::jobs;

namespace {

ConfigView site() {
  conf::MemoryFiles files;
  files.files = {
      {"/c/lsf.conf", "LSF_LOGDIR=/l\nLSB_SHAREDIR=/s\n"},
      {"/c/lsf.shared",
       "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin HostType\nTYPENAME\nX86_64\nEnd HostType\n"
       "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nngpus Numeric 30 N (GPUs)\nEnd "
       "Resource\n"},
      {"/c/lsf.cluster.lab",
       "Begin Host\nHOSTNAME type\nhostA X86_64\nhostB X86_64\nEnd Host\n"
       "Begin ResourceMap\nRESOURCENAME LOCATION\nngpus [default]\nEnd ResourceMap\n"},
      {"/c/lsbatch/lab/configdir/lsb.params", "Begin Parameters\nDEFAULT_QUEUE = normal\nEnd Parameters\n"},
      {"/c/lsbatch/lab/configdir/lsb.hosts",
       "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\nbig (hostA hostB)\nEnd HostGroup\n"},
      {"/c/lsbatch/lab/configdir/lsb.users",
       "Begin UserGroup\nGROUP_NAME GROUP_MEMBER\ndev (ann bob)\nEnd UserGroup\n"},
      {"/c/lsbatch/lab/configdir/lsb.queues",
       "Begin Queue\nQUEUE_NAME = normal\nPRIORITY = 30\nREQUEUE_EXIT_VALUES = 77 EXCLUDE(78)\nRUNLIMIT = 10 "
       "60\n"
       "PRE_EXEC = /bin/true\nEnd Queue\nBegin Queue\nQUEUE_NAME = special\nUSERS = dev\nEXCLUSIVE = Y\nEnd "
       "Queue\n"}};
  return site_view(files);
}

const Identity kAnn{1001, 100, "ann", {}, false};
const Identity kBob{1002, 100, "bob", {}, false};
const Identity kRoot{0, 0, "root", {}, true};

// Every order becomes the message that RES would get.
struct Orders : Engine {
  void start(const std::string&, order::Start order) override { use(mbatchd::to_res(std::move(order))); }
  void expect(const std::string&, const order::Expect& order) override { use(mbatchd::to_res(order)); }
  void go(const std::string&, const Attempt& attempt) override { use(mbatchd::go({attempt})); }
  void signal(const std::string&, const order::Signal& order) override { use(mbatchd::to_res(order)); }
  void acknowledge(const std::string&, const Attempt& attempt) override {
    use(mbatchd::acknowledgement(attempt));
  }
  void release(const std::string&, const Attempt& attempt) override { use(mbatchd::release(attempt)); }
  static void use(const wire::ToRes& message) {
    if (message.ByteSizeLong() == 0) std::abort();
  }
};

class Batch {
 public:
  Batch() {
    static const ConfigView files = site();
    book_.configure(files, now_);
    book_.set_term(1);
    book_.rows().loaded(now_);
    for (const char* host : {"hostA", "hostB"})
      follow(book_.hosts().host_told(host, report::HostCame{}, now_));
  }

  void ask(const wire::BatchRequest& request, const Identity& who) {
    using Request = wire::BatchRequest;
    switch (request.request_case()) {
      case Request::kSubmit:
        return answer(book_.commands().submit(request.submit(), who, now_));
      case Request::kSignal:
        return answer(book_.commands().signal_jobs(request.signal(), who, now_));
      case Request::kMove:
        return answer(book_.commands().move_job(request.move(), who, now_));
      case Request::kSwitchJobs:
        return answer(book_.commands().switch_jobs(request.switch_jobs(), who, now_));
      case Request::kModify:
        return answer(book_.commands().modify_jobs(request.modify(), who, now_));
      case Request::kControl:
        return answer(book_.commands().control(request.control(), who, now_));
      case Request::kJobs:
        (void)book_.jobs().select(request.jobs().filter(), who);
        return;
      case Request::kAwait:
        if (const auto condition = book_.jobs().condition(request.await().condition(), who))
          (void)book_.jobs().state_of(*condition);
        return;
      default:
        return;
    }
  }
  void hear(const char* host, const wire::FromRes& message) {
    if (const auto report = mbatchd::report_of(message)) follow(book_.hosts().host_told(host, *report, now_));
  }
  void dispatch(JobKey key, unsigned where) {
    event::Dispatched plan;
    for (const char* host : {"hostA", "hostB"}) {
      if ((where & (host[4] == 'A' ? 1U : 2U)) == 0) continue;
      plan.placement.hosts.push_back({HostId(host), 1});
      if ((where & 4U) == 0) continue;
      plan.placement.reservations.push_back({"ngpus", HostId(host), 1, {}, false});
      plan.placement.devices.push_back({HostId(host), {where >> 3}});
    }
    if (!plan.placement.hosts.empty()) follow(book_.hosts().dispatch(key, plan, now_));
  }
  void pass(unsigned seconds) {
    now_.us += std::int64_t{seconds} * 1'000'000;
    follow(book_.tick(now_));
  }
  void lose(const char* host) { follow(book_.hosts().host_gone(host, now_)); }

  void check() const {
    if (!book_.broken_invariant().empty()) std::abort();
  }

 private:
  void answer(const Applied& applied) {
    if (!applied.reply.last()) std::abort();
    follow(applied.effects);
  }
  void follow(const Effects& effects) {
    for (const auto& effect : effects) {
      if (text(effect).empty()) std::abort();
      book_.hosts().carry_out(effect, engine_, [](const auto& asked) { return asked; });
    }
  }

  Book book_;
  Orders engine_;
  WallTime now_{1'795'275'000'000'000};
};

template <class Message>
bool parse(Message& message, std::string_view bytes) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

unsigned byte(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

void take(Batch& batch, unsigned kind, std::string_view bytes) {
  wire::BatchRequest request;
  wire::FromRes told;
  switch (kind % 8) {
    case 0:
    case 1:
    case 2:
      if (too_many_jobs(bytes)) return;
      if (!parse(request, bytes) || out_of_bounds(request)) return;
      if (wire::submitted_jobs(bytes) < static_cast<std::uint64_t>(request.submit().jobs_size()))
        std::abort();
      batch.ask(request, kind % 8 == 0 ? kAnn : kind % 8 == 1 ? kBob : kRoot);
      return;
    case 3:
    case 4:
      if (parse(told, bytes)) batch.hear(kind % 8 == 3 ? "hostA" : "hostB", told);
      return;
    case 5:
      return batch.dispatch(
          {static_cast<std::int32_t>(byte(bytes, 0)), static_cast<std::int32_t>(byte(bytes, 1))},
          byte(bytes, 2));
    case 6:
      return batch.pass(byte(bytes, 0) * 16);
    default:
      return batch.lose(byte(bytes, 0) % 2 == 0 ? "hostA" : "hostB");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 64 * 1024) return 0;
  Batch batch;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (rest.size() >= 3) {
    const unsigned kind = byte(rest, 0);
    const std::string_view bytes = rest.substr(3, byte(rest, 1) | byte(rest, 2) << 8);
    rest.remove_prefix(3 + bytes.size());
    take(batch, kind, bytes);
    batch.check();
  }
  return 0;
}
