#include "sched/policy/events/event_field_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "common/base/host_list.hpp"
#include "sched/policy/events/event_options.hpp"
#include "sched/policy/values/submit_values.hpp"

namespace rollcall::sched::events::event_words {
namespace {

constexpr std::int64_t kLastSecond = 253'402'300'799;  // of the year 9999
constexpr std::int64_t kMostSlots = 10'000'000;        // of a host

std::optional<double> number_of(const std::string& word) {
  double value = 0;
  const char* end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

// "4*hostA", "hostA".
std::pair<std::string, std::int64_t> host_of(const std::string& item) {
  const auto star = item.find('*');
  std::int64_t slots = 0;
  if (star == std::string::npos || star + 1 == item.size()) return {item, 1};
  const auto read = std::from_chars(item.data(), item.data() + star, slots);
  if (read.ec != std::errc() || read.ptr != item.data() + star || slots < 1 || slots > kMostSlots)
    return {item, 1};
  return {item.substr(star + 1), slots};
}

}  // namespace

void EventFieldReader::fail(const std::string& expected) {
  if (trouble_) return;
  trouble_ = "field " + std::to_string(at_ + 1) + ": found " +
             (more() ? printable(fields_[at_].substr(0, 60)) : "the end of the line") + ", expected " +
             expected;
}

// Replaces control characters by "?": the texts of any file may go to a terminal.
std::string EventFieldReader::text() {
  if (!more()) fail("a text");
  if (trouble_) return {};
  std::string word = fields_[at_++];
  const auto speaks = [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; };
  std::replace_if(word.begin(), word.end(), speaks, '?');
  return word;
}

double EventFieldReader::real() {
  const auto value = more() ? number_of(fields_[at_]) : std::nullopt;
  if (!value) fail("a number");
  if (trouble_) return 0;
  ++at_;
  return *value;
}

// Some releases write whole numbers with a decimal point.
std::int64_t EventFieldReader::number() {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(std::clamp(real(), -kMost, kMost));
}

std::int32_t EventFieldReader::small() {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(number(), Limits::min(), Limits::max()));
}

std::int64_t EventFieldReader::moment_us() {
  return std::clamp<std::int64_t>(number(), 0, kLastSecond) * 1'000'000;
}

bool EventFieldReader::is_number(std::size_t ahead) const {
  return ahead < left() && number_of(fields_[at_ + ahead]).has_value();
}

bool EventFieldReader::skip(std::size_t count) {
  if (count > left()) fail("more fields");
  if (!trouble_) at_ += count;
  return !trouble_;
}

void take_limits(EventFieldReader& words, wire::Limits& limits) {
  const auto take = [&words](auto set) {
    if (const auto value = words.number(); value >= 0) set(value);
  };
  take([&](std::int64_t value) { limits.set_cpu_s(value); });
  take([&](std::int64_t value) { limits.set_file_kb(value); });
  take([&](std::int64_t value) { limits.set_data_kb(value); });
  take([&](std::int64_t value) { limits.set_stack_kb(value); });
  take([&](std::int64_t value) { limits.set_core_kb(value); });
  take([&](std::int64_t value) { limits.set_memory_kb(value); });
  words.skip(3);
  take([&](std::int64_t value) { limits.set_run_s(value); });
  words.skip(1);
}

void take_asked_hosts(EventFieldReader& words, wire::Submission& asked) {
  for (std::int64_t count = words.number(); count > 0 && !words.trouble(); --count) {
    const std::string item = words.text();
    const auto read = parse_asked_hosts(item);
    if (read && read->size() == 1)
      *asked.add_asked_hosts() = read->front();
    else
      asked.add_asked_hosts()->set_name(item);
  }
}

void take_hosts(EventFieldReader& words, ExecHosts& hosts) {
  std::unordered_map<std::string, wire::ExecHost*> known;
  for (std::int64_t count = words.number(); count > 0 && !words.trouble(); --count) {
    const auto [name, slots] = host_of(words.text());
    auto& host = known[name];
    if (host == nullptr) {
      host = hosts.Add();
      host->set_name(name);
    }
    host->set_slots(static_cast<std::uint32_t>(std::min(host->slots() + slots, kMostSlots)));
  }
}

void take_usage(EventFieldReader& words, wire::JobUsage& usage) {
  usage.set_user_s(std::max(0.0, words.real()));
  usage.set_system_s(std::max(0.0, words.real()));
  words.skip(17);
}

// An element is "name[3]", the whole of an array "name[1-10]%5".
void take_job_name(const std::string& name, std::int32_t index, wire::Submission& asked) {
  asked.set_job_name(name);
  const std::string own = "[" + std::to_string(index) + "]";
  if (index > 0 && name.ends_with(own)) {
    asked.set_job_name(name.substr(0, name.size() - own.size()));
  } else if (const auto array = parse_array_name(name); array && !array->indices.empty()) {
    asked.set_job_name(array->name);
    asked.set_array_slots(array->slots);
    for (const auto& range : array->indices) *asked.add_indices() = range;
  }
}

void take_option_bits(std::int64_t options, std::int64_t options2, wire::Submission& asked) {
  namespace bit = submission_bit;
  asked.set_exclusive((options & bit::exclusive) != 0);
  asked.set_mail_at_start((options & bit::mail_at_start) != 0);
  asked.set_mail_report((options & bit::mail_report) != 0);
  if ((options & bit::rerunnable) != 0) asked.set_rerunnable(true);
  asked.set_hold((options & bit::hold) != 0);
  asked.set_waits((options & bit::waits) != 0);
  if ((options & bit::terminal) != 0)
    asked.set_interactive(wire::Submission::TERMINAL);
  else if ((options & bit::interactive) != 0)
    asked.set_interactive(wire::Submission::PLAIN);
  asked.set_output_overwrite((options2 & 1) != 0);
  asked.set_error_overwrite((options2 & 2) != 0);
}

}  // namespace rollcall::sched::events::event_words
