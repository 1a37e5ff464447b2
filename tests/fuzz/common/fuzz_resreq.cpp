// Any bytes as a resource requirement: one error with its place, or a requirement that prints and reads back, binds to the
// built-in resources or says what is wrong, and gives an answer for a host.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "common/resreq/explain.hpp"
#include "common/resreq/merge.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::resreq;
using rollcall::fuzz::require;

namespace {

// Knows some of everything and nothing of the rest.
class Host : public HostView {
 public:
  double number(ResourceId id) const override { return id % 3 == 0 ? NAN : id * 0.25; }
  std::string_view word(ResourceId id) const override { return id % 2 == 0 ? "x" : ""; }
  bool has(ResourceId id) const override { return id % 2 == 0; }
};

void require_error(std::string_view text, const ParseError& error) {
  require(error.offset <= text.size() && !error.text.empty() && error.text.find('\n') == std::string::npos);
  const std::string lines = caret_lines(text, error);
  require(std::count(lines.begin(), lines.end(), '\n') == 2);
}

void bind_and_run(std::string_view text, const ResReq& value, const IndexTable& table) {
  const BindContext context{.indices = &table,
                            .local_type = "x",
                            .local_model = "",
                            .default_type_local = true,
                            .official_host = {}};
  const auto bound = resreq::bind(value.select, context);
  require(bound.select.has_value() != bound.error.has_value());
  if (bound.error) return require_error(text, *bound.error);
  const Host host;
  bool all = true;
  for (const Part& part : bound.select->parts(host)) all = all && part.holds;
  require(all == bound.select->matches(host));
  const auto order = bind_order(value.order, table);
  if (order.error) return require_error(text, *order.error);
  require(sorted({&host, &host}, order.order).size() == 2);
}

void check(std::string_view text, const Syntax& syntax) {
  static const IndexTable table;
  const ParseResult first = parse(text, syntax);
  if (first.error) return require_error(text, *first.error);
  const std::string printed = print(first.value);
  // Blanks can make the normal form longer than what may be read.
  if (printed.size() <= kLongestText) {
    const ParseResult again = parse(printed, syntax);
    require(!again.error && again.value == first.value && print(again.value) == printed);
  }
  require(tree(first.value).empty() == printed.empty());
  static_cast<void>(check_names(first.value, table, syntax));
  bind_and_run(text, first.value, table);
  if (const auto merged = merge(first.value, first.value)) static_cast<void>(print(*merged));
  if (const auto over = job_over_queue(first.value, first.value, table))
    require(with_defaults(*over, table).select != nullptr);
  if (const auto over = job_over_files(first.value, first.value, first.value, table))
    static_cast<void>(print(*over));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  check(text, {});
  check(text, {.strict = true});
  return 0;
}
