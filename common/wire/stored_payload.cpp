#include "common/wire/stored_payload.hpp"

#include <array>
#include <utility>

namespace rollcall::wire {
namespace {

// At most four rows of one submission. The numbers are in stores, so they must not change.
constexpr std::uint64_t kRows = 4;

using Place = const StoredPayload& (Submission::*)() const;
constexpr std::array<std::pair<bool (Submission::*)() const, Place>, kRows> kPlaces{{
    {&Submission::has_environment_at, &Submission::environment_at},
    {&Submission::has_script_at, &Submission::script_at},
    {&Submission::has_spooled_input_at, &Submission::spooled_input_at},
    {&Submission::has_esub_output_at, &Submission::esub_output_at},
}};

PayloadRow row_of(const Submission& part, std::uint64_t number, StoredPayload& place) {
  PayloadRow row{number, part.SerializeAsString()};
  place.set_number(number);
  place.set_bytes(row.body.size());
  return row;
}

}  // namespace

// Fields are released, not cleared: a cleared one keeps its memory.
std::vector<PayloadRow> take_payload(Submission& asked, std::uint64_t submission) {
  const std::uint64_t first = submission * kRows;
  std::vector<PayloadRow> rows;
  if (asked.environment_size() > 0) {
    Submission part;
    part.mutable_environment()->Swap(asked.mutable_environment());
    rows.push_back(row_of(part, first, *asked.mutable_environment_at()));
  }
  if (!asked.script().empty()) {
    Submission part;
    part.set_allocated_script(asked.release_script());
    rows.push_back(row_of(part, first + 1, *asked.mutable_script_at()));
  }
  if (asked.has_spooled_input()) {
    Submission part;
    part.set_allocated_spooled_input(asked.release_spooled_input());
    rows.push_back(row_of(part, first + 2, *asked.mutable_spooled_input_at()));
  }
  if (!asked.esub_output().empty()) {
    Submission part;
    part.set_allocated_esub_output(asked.release_esub_output());
    rows.push_back(row_of(part, first + 3, *asked.mutable_esub_output_at()));
  }
  return rows;
}

std::vector<std::uint64_t> payload_rows(const Submission& asked) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [has, place] : kPlaces)
    if ((asked.*has)()) numbers.push_back((asked.*place)().number());
  return numbers;
}

bool names_payload(const Submission& asked) {
  for (const auto& [has, place] : kPlaces)
    if ((asked.*has)()) return true;
  return false;
}

void forget_payload_rows(Submission& asked) {
  asked.clear_environment_at();
  asked.clear_script_at();
  asked.clear_spooled_input_at();
  asked.clear_esub_output_at();
}

bool put_payload(Submission& asked, const std::string& body) { return asked.MergeFromString(body); }

std::uint64_t whole_bytes(const Submission& asked) {
  std::uint64_t bytes = asked.ByteSizeLong();
  for (const auto& [has, place] : kPlaces)
    if ((asked.*has)()) bytes += (asked.*place)().bytes();
  return bytes;
}

}  // namespace rollcall::wire
