#include "sched/policy/show/show_job_fields.hpp"

#include <algorithm>

#include "sched/policy/show/job_field_table.hpp"

namespace rollcall::sched::show {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

const std::vector<OutputField>& output_fields() {
  static const std::vector<OutputField> fields = [] {
    std::vector<OutputField> made;
    for (const auto& field : job_fields())
      made.push_back({field.name, upper(field.name), field.width, words_of(field.aliases),
                      field.value == job_name_value});
    return made;
  }();
  return fields;
}

std::string all_names() {
  std::string names;
  for (const auto& field : job_fields()) names += std::string(field.name) + ": ";
  return names;
}

}  // namespace

JobFields::JobFields(OutputFormat format, FieldUnits units)
    : format_(std::move(format)), units_(std::move(units)) {
  for (const auto& chosen : format_.chosen()) {
    needs_submissions_ |= job_fields()[chosen.field].needs == FieldNeeds::submission;
    needs_reasons_ |= job_fields()[chosen.field].needs == FieldNeeds::reasons;
  }
}

Result<JobFields> JobFields::parse(const std::string& text, FieldUnits units) {
  auto format = OutputFormat::parse(text == "all" ? all_names() : text, output_fields());
  if (!format) return format.error();
  return JobFields(std::move(*format), std::move(units));
}

std::vector<std::string> JobFields::values(const JobView& job, const wire::Submission& asked,
                                           const ShowTime& time, const char* none) const {
  std::vector<std::string> values;
  FieldSource of{job, job.record(), asked, time, units_, ""};
  for (const auto& chosen : format_.chosen()) {
    of.unit = chosen.unit;
    values.push_back(job_fields()[chosen.field].value(of));
    if (values.back().empty()) values.back() = none;
  }
  return values;
}

std::string JobFields::header() const { return format_.header(output_fields()); }

std::string JobFields::line(const JobView& job, const wire::Submission& asked, const ShowTime& time) const {
  return format_.line(values(job, asked, time, "-"), output_fields());
}

std::string JobFields::json(const JobView& job, const wire::Submission& asked, const ShowTime& time) const {
  JsonRecord record;
  const auto values = this->values(job, asked, time, "");
  const FieldSource of{job, job.record(), asked, time, units_, ""};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t field = format_.chosen()[i].field;
    const FieldValue as_json = job_fields()[field].json;
    record.emplace_back(output_fields()[field].header,
                        as_json ? JsonValue::json(as_json(of)) : JsonValue(values[i]));
  }
  return json_record(record);
}

}  // namespace rollcall::sched::show
