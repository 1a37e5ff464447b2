#include "elim/policy/show/show_information.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/base/index_table.hpp"
#include "common/base/table_cells.hpp"
#include "elim/policy/show/json_text.hpp"

namespace rollcall::elim::show {
namespace {

using Resource = wire::Reply::Resource;

const char* type_word(const Resource& resource) {
  static const char* const words[] = {"Numeric", "Boolean", "String"};
  return words[std::min<unsigned>(resource.type(), 2)];
}

const char* order_word(const Resource& resource) {
  static const char* const words[] = {"N/A", "Inc", "Dec"};
  return words[std::min<unsigned>(resource.order(), 2)];
}

std::string resource_row(const Resource& resource) {
  return left(resource.name(), 13) + right(type_word(resource), 8) + right(order_word(resource), 6) + "   " +
         resource.description() + '\n';
}

const char* yes_or_no(bool yes) { return yes ? "Yes" : "No"; }

std::string resource_block(const Resource& resource) {
  const std::string interval = std::to_string(resource.has_interval() ? resource.interval() : 0);
  const std::string consumable = resource.has_consumable() ? yes_or_no(resource.consumable()) : "N/A";
  return "RESOURCE_NAME:  " + resource.name() + "\nDESCRIPTION: " + resource.description() +
         "\nTYPE    ORDER  INTERVAL  BUILTIN  DYNAMIC  RELEASE  CONSUMABLE\n" + left(type_word(resource), 7) +
         right(order_word(resource), 6) + right(interval, 10) + right(yes_or_no(resource.built_in()), 9) +
         right(yes_or_no(resource.has_interval()), 9) + right(yes_or_no(resource.release()), 9) +
         right(consumable, 12) + '\n';
}

std::string models_text(const Information& information, bool with_architectures) {
  std::string text =
      std::string("MODEL_NAME             CPU_FACTOR") + (with_architectures ? "  ARCHITECTURE" : "") + '\n';
  for (const auto& model : information.models()) {
    char factor[32];
    std::snprintf(factor, sizeof factor, "%.2f", model.cpu_factor());
    text += left(model.name(), 20) + right(factor, 10);
    if (with_architectures) {
      text += "     (";
      for (const auto& word : model.architectures()) text += (text.back() == '(' ? "" : " ") + word;
      text += ')';
    }
    text += '\n';
  }
  return text;
}

const Resource* find(const Information& information, const std::string& name) {
  const auto formal = formal_name(name);
  for (const auto& resource : information.resources())
    if (resource.name() == formal) return &resource;
  return nullptr;
}

}  // namespace

std::string information_text(const Information& information, const InformationParts& parts) {
  std::string text;
  const auto gap = [&text] { text += text.empty() ? "" : "\n"; };
  if (parts.resources) {
    text += "RESOURCE_NAME   TYPE   ORDER  DESCRIPTION\n";
    for (const auto& resource : information.resources()) text += resource_row(resource);
  }
  if (parts.types) {
    gap();
    text += "TYPE_NAME\n";
    for (const auto& type : information.types()) text += type + '\n';
  }
  if (parts.models) {
    gap();
    text += models_text(information, parts.all_models);
  }
  return text;
}

Result<std::string> resources_text(const Information& information, const std::vector<std::string>& names,
                                   bool complete) {
  std::vector<const Resource*> chosen;
  for (const auto& name : names) {
    const Resource* resource = find(information, name);
    if (!resource) return usage_error(name + ": unknown resource name");
    chosen.push_back(resource);
  }
  if (names.empty())
    for (const auto& resource : information.resources()) chosen.push_back(&resource);
  std::string text = complete ? "" : "RESOURCE_NAME   TYPE   ORDER  DESCRIPTION\n";
  for (const Resource* resource : chosen) {
    if (complete && !text.empty()) text += '\n';
    text += complete ? resource_block(*resource) : resource_row(*resource);
  }
  return text;
}

std::string information_json(const Information& information) {
  nlohmann::ordered_json document{{"COMMAND", "lsinfo"}};
  auto& resources = document["RESOURCES"] = nlohmann::ordered_json::array();
  for (const auto& r : information.resources()) {
    nlohmann::ordered_json record{{"RESOURCE_NAME", r.name()},     {"TYPE", type_word(r)},
                                  {"ORDER", order_word(r)},        {"BUILTIN", r.built_in()},
                                  {"DYNAMIC", r.has_interval()},   {"RELEASE", r.release()},
                                  {"DESCRIPTION", r.description()}};
    if (r.has_interval()) record["INTERVAL"] = r.interval();
    if (r.has_consumable()) record["CONSUMABLE"] = r.consumable();
    resources.push_back(std::move(record));
  }
  document["TYPES"] = std::vector<std::string>(information.types().begin(), information.types().end());
  auto& models = document["MODELS"] = nlohmann::ordered_json::array();
  for (const auto& model : information.models())
    models.push_back({{"MODEL_NAME", model.name()},
                      {"CPU_FACTOR", model.cpu_factor()},
                      {"ARCHITECTURE", std::vector<std::string>(model.architectures().begin(),
                                                                model.architectures().end())}});
  return json_text(document);
}

}  // namespace rollcall::elim::show
