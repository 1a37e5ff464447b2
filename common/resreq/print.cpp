// The normal form. Parentheses stand only where the tree needs them; binary operators have blanks round them, so that
// nothing printed reads as the old syntax or as a host name with '-'.
#include <charconv>

#include "common/resreq/parse_select.hpp"

namespace rollcall::resreq {
namespace {

std::string quoted(const std::string& value) {
  const char quote = value.find('\'') == std::string::npos ? '\'' : '"';
  return quote + value + quote;
}

std::string word(const std::string& value) { return plain_name(value) ? value : quoted(value); }

std::string print(const Number& number) {
  if (!number.written.empty()) return number.written;
  char buffer[64];
  const auto [end, problem] = std::to_chars(std::begin(buffer), std::end(buffer), number.value);
  return std::string(buffer, end) + (number.sized ? "M" : "");
}

class Printer {
 public:
  void operator()(const Number& number) { out += print(number); }
  void operator()(const Text& text) { out += quoted(text.value); }
  void operator()(const Name& name) { out += name.value; }
  void operator()(const Defined& defined) { out += "defined(" + defined.name + ")"; }
  void operator()(const Unary& unary) {
    out += text(unary.op);
    child(*unary.operand, kUnaryLevel);
  }
  void operator()(const Chain& chain) {
    const int own = level(chain.rest.front().op);
    child(*chain.first, own);
    for (const auto& [op, operand] : chain.rest) {
      out.append(" ").append(text(op)).append(" ");
      child(*operand, own);
    }
  }
  // With parentheses where it binds no tighter than what it stands in.
  void child(const Expression& expression, int parent_level) {
    const auto* chain = std::get_if<Chain>(&expression.node);
    const bool parentheses = chain && level(chain->rest.front().op) <= parent_level;
    if (parentheses) out += '(';
    std::visit(*this, expression.node);
    if (parentheses) out += ')';
  }

  std::string out;
};

std::string duration_text(int seconds) {
  return seconds % 60 == 0 ? std::to_string(seconds / 60) : std::to_string(seconds) + "s";
}

std::string print(const UsageString& string) {
  std::string out;
  for (const Usage& usage : string.usages) {
    if (!out.empty()) out += ':';
    out += usage.name;
    if (usage.value) out += "=" + print(*usage.value);
  }
  if (string.duration) out += ":duration=" + duration_text(*string.duration);
  if (string.decay) out += *string.decay ? ":decay=1" : ":decay=0";
  return out;
}

// Words with ':' between them, between the brackets of a section.
class Words {
 public:
  void add(std::string_view key, const std::string& value) { add(std::string(key) + "=" + value); }
  void add(const std::string& word) {
    if (!text_.empty()) text_ += ':';
    text_ += word;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string print(const Span& span) {
  Words words;
  if (span.hosts) words.add("hosts", std::to_string(*span.hosts));
  if (span.ptile) words.add("ptile", std::to_string(*span.ptile));
  if (span.ptile_slots) {
    std::string value = "'!'";
    for (const auto& [type, number] : span.ptile_by) value += "," + word(type) + ":" + std::to_string(number);
    words.add("ptile", value);
  }
  return words.text();
}

std::string print(const std::vector<SameKey>& same) {
  Words words;
  for (const SameKey& key : same) words.add(key.name);
  return words.text();
}

std::string print(const ComputeUnits& cu) {
  Words words;
  if (!cu.type.empty()) words.add("type", word(cu.type));
  if (!cu.pref.empty()) words.add("pref", cu.pref);
  if (cu.maxcus) words.add("maxcus", std::to_string(*cu.maxcus));
  if (cu.usablecuslots) words.add("usablecuslots", std::to_string(*cu.usablecuslots));
  if (cu.balance) words.add("balance");
  if (cu.excl) words.add("excl");
  return words.text();
}

// core(1,same=numa)*1:cpubind=numa, with all numbers, as bjobs -l shows it.
std::string print(const Affinity& affinity) {
  const AffinityUnit& unit = affinity.unit;
  std::string text = unit.unit + "(" + std::to_string(unit.number);
  if (!unit.same.empty()) text += ",same=" + unit.same;
  if (!unit.exclusive.empty()) {
    const std::string scope = unit.exclusive_scope.empty() ? "" : "," + unit.exclusive_scope;
    text += ",exclusive=(" + unit.exclusive + scope + ")";
  }
  Words words;
  words.add(text + ")*" + std::to_string(unit.count));
  if (!affinity.cpubind.empty()) words.add("cpubind", affinity.cpubind);
  if (!affinity.membind.empty()) words.add("membind", affinity.membind);
  if (!affinity.distribute.empty()) words.add("distribute", affinity.distribute);
  return words.text();
}

// "-mem" alone would read as the old syntax: no memory.
bool reads_as_old(const Expression& expression) {
  const auto* unary = std::get_if<Unary>(&expression.node);
  return unary && unary->op == Operator::negate && std::holds_alternative<Name>(unary->operand->node);
}

}  // namespace

std::string print(const Expression& expression) {
  Printer printer;
  std::visit(printer, expression.node);
  return reads_as_old(expression) ? "(" + printer.out + ")" : printer.out;
}

std::string print(const std::vector<OrderKey>& order) {
  Words words;
  for (const OrderKey& key : order) words.add((key.reversed ? "-" : "") + key.name);
  return words.text();
}

std::string print(const Rusage& rusage) {
  std::string text;
  for (const auto& alternative : rusage.alternatives) {
    if (!text.empty()) text += " || ";
    for (std::size_t i = 0; i < alternative.strings.size(); ++i)
      text += (i > 0 ? "," : "") + print(alternative.strings[i]);
  }
  return text;
}

std::string print(const ResReq& resreq) {
  std::string text;
  const auto section = [&text](const char* name, const std::string& content) {
    text.append(text.empty() ? "" : " ").append(name).append("[").append(content).append("]");
  };
  if (resreq.select) section("select", print(*resreq.select));
  if (!resreq.order.empty()) section("order", print(resreq.order));
  if (resreq.rusage) section("rusage", print(*resreq.rusage));
  if (resreq.span) section("span", print(*resreq.span));
  if (!resreq.same.empty()) section("same", print(resreq.same));
  if (resreq.cu) section("cu", print(*resreq.cu));
  if (resreq.affinity) section("affinity", print(*resreq.affinity));
  return text;
}

}  // namespace rollcall::resreq
