#include "common/base/host_list.hpp"
#include "common/resreq/evaluate.hpp"

namespace rollcall::resreq {
namespace {

std::optional<ParseError> wrong(const std::string& name, Place place, const char* expected) {
  return ParseError{"found " + printable(name) + ", expected " + expected, place.offset};
}

// Where lsf.shared does not say, every resource is consumable except the built-in static ones (ncpus, maxmem).
bool consumable(const ResourceDefinition& definition) {
  return definition.consumable.value_or(!definition.built_in || definition.dynamic());
}

std::optional<ParseError> check(const Usage& usage, const IndexTable& indices, const Syntax& syntax) {
  const auto id = indices.find(usage.name);
  if (!id) return wrong(usage.name, usage.place, "a resource of this cluster");
  const ResourceDefinition& definition = indices.at(*id);
  if (definition.type != ResourceType::numeric) return wrong(usage.name, usage.place, "a numeric resource");
  if (syntax.strict && !consumable(definition))
    return wrong(usage.name, usage.place, "a consumable resource (LSF_STRICT_RESREQ)");
  return std::nullopt;
}

std::optional<ParseError> check(const SameKey& key, const IndexTable& indices) {
  const auto id = indices.find(key.name);
  if (!id) return wrong(key.name, key.place, "a resource of this cluster");
  if (indices.at(*id).dynamic()) return wrong(key.name, key.place, "a static resource");
  return std::nullopt;
}

}  // namespace

std::optional<ParseError> check_names(const ResReq& resreq, const IndexTable& indices, const Syntax& syntax) {
  if (resreq.rusage)
    for (const auto& alternative : resreq.rusage->alternatives)
      for (const auto& string : alternative.strings)
        for (const Usage& usage : string.usages)
          if (auto error = check(usage, indices, syntax)) return error;
  for (const SameKey& key : resreq.same)
    if (auto error = check(key, indices)) return error;
  return std::nullopt;
}

}  // namespace rollcall::resreq
