#include "sched/policy/lease/export_text.hpp"

#include <optional>

#include "common/conf/words.hpp"

namespace rollcall::sched::lease {
namespace {

using conf::HostExport;
using conf::SharedResourceExport;

// A horizontal section.
class Writer {
 public:
  explicit Writer(std::string name) { section_.name = std::move(name); }

  void set(const std::string& keyword, std::string text) {
    if (!text.empty()) row_.set(keyword, {std::move(text), {}});
  }
  void set(const std::string& keyword, std::optional<int> number) {
    if (number) set(keyword, std::to_string(*number));
  }
  void set(const std::string& keyword, const std::vector<conf::Share>& shares) {
    std::string text;
    for (const conf::Share& share : shares)
      text += "[" + share.name + ", " + std::to_string(static_cast<long>(share.amount)) + "]";
    set(keyword, "(" + text + ")");
  }
  conf::Section take() {
    section_.rows.push_back(std::move(row_));
    return std::move(section_);
  }

 private:
  conf::Section section_;
  conf::Row row_;
};

// One pair of parentheses round a whole value is taken off when it is read.
std::string wrapped(const std::string& select) {
  return select.starts_with('(') ? "(" + select + ")" : select;
}

conf::Section section_of(const HostExport& row) {
  Writer section("HostExport");
  if (row.hosts.empty())
    section.set("RES_SELECT", wrapped(row.select));
  else
    section.set("PER_HOST", conf::join(row.hosts));
  section.set("NHOSTS", row.host_count);
  section.set("DISTRIBUTION", row.distribution);
  section.set("SLOTS", row.slots);
  section.set("MEM", row.memory_mb);
  section.set("SWP", row.swap_mb);
  if (row.shared) section.set("TYPE", "shared");
  return section.take();
}

conf::Section section_of(const SharedResourceExport& row) {
  Writer section("SharedResourceExport");
  section.set("NAME", row.name);
  section.set("NINSTANCES", row.instances);
  section.set("DISTRIBUTION", row.distribution);
  return section.take();
}

}  // namespace

std::string export_text(const conf::LsbResources& resources) {
  conf::SectionFile file;
  for (const HostExport& row : resources.host_exports) file.sections.push_back(section_of(row));
  for (const SharedResourceExport& row : resources.resource_exports) file.sections.push_back(section_of(row));
  return conf::section_text(file);
}

conf::LsbResources read_export_text(std::string_view text, const std::string& name) {
  conf::Problems problems;
  return conf::read_lsb_resources(conf::parse_sections(text, name, {}, problems), {}, problems);
}

}  // namespace rollcall::sched::lease
