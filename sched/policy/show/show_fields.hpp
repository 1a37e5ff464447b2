// show_fields: tables of -o for commands that have all rows in memory (bqueues, bhosts, busers): fields, each with the function for
// its value. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/base/output_format.hpp"
#include "sched/policy/show/show_queues.hpp"

namespace rollcall::sched::show {

template <class Row>
struct ShownField {
  OutputField field;
  std::string (*value)(const Row&);
};

template <class Row, class Rows>
Result<std::string> fields_text(const std::vector<ShownField<Row>>& known, const Rows& rows,
                                const std::string& format, FieldForm form, const std::string& command,
                                const std::string& count_key) {
  std::vector<OutputField> fields;
  std::string all;
  for (const auto& field : known) {
    fields.push_back(field.field);
    all += field.field.name + ": ";
  }
  const auto chosen = OutputFormat::parse(format == "all" ? all : format, fields);
  if (!chosen) return chosen.error();
  std::string text = form.header && !form.json ? chosen->header(fields) : "";
  std::vector<std::string> records;
  for (const Row& row : rows) {
    std::vector<std::string> values;
    JsonRecord record;
    for (const auto& field : chosen->chosen()) {
      values.push_back(known[field.field].value(row));
      record.emplace_back(fields[field.field].header, values.back());
    }
    if (form.json)
      records.push_back(json_record(record));
    else
      text += chosen->line(values, fields);
  }
  return form.json ? json_document(command, count_key, records) : text;
}

}  // namespace rollcall::sched::show
