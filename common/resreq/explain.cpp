#include "common/resreq/explain.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/resreq/program.hpp"

namespace rollcall::resreq {
namespace {

constexpr std::size_t kDeepestIndent = 40;  // levels; deeper lines are indented no further

class Tree {
 public:
  void line(const std::string& text) {
    out.append(2 * std::min(depth_, kDeepestIndent), ' ').append(text) += '\n';
  }
  void operator()(const Number& number) {
    const std::string written = number.written.empty() ? number_text(number.value) : number.written;
    line(number.sized ? written + " (" + number_text(number.value) + " MB)" : written);
  }
  void operator()(const Text& text) { line("'" + text.value + "'"); }
  void operator()(const Name& name) { line(name.value); }
  void operator()(const Defined& defined) { line("defined(" + defined.name + ")"); }
  void operator()(const Unary& unary) {
    line(std::string(text(unary.op)));
    below([&] { show(*unary.operand); });
  }
  // Of one operator its operands; of several each operand below the operator before it.
  void operator()(const Chain& chain) {
    const Operator op = chain.rest.front().op;
    const bool one =
        std::all_of(chain.rest.begin(), chain.rest.end(), [op](auto& link) { return link.op == op; });
    if (one) {
      line(std::string(text(op)));
      below([&] { show(*chain.first); });
    } else {
      show(*chain.first);
    }
    for (const auto& link : chain.rest) {
      if (!one) line(std::string(text(link.op)));
      below([&] { show(*link.operand); });
    }
  }
  void show(const Expression& expression) { std::visit(*this, expression.node); }
  template <class Inside>
  void below(Inside inside) {
    ++depth_;
    inside();
    --depth_;
  }

  std::string out;

 private:
  std::size_t depth_ = 0;
};

void show(Tree& tree, const UsageString& string) {
  for (const Usage& usage : string.usages) {
    std::string text = usage.name;
    if (usage.value) {
      text += " = " + (usage.value->written.empty() ? number_text(usage.value->value) : usage.value->written);
      if (usage.value->sized) text += " (" + number_text(usage.value->value) + " MB)";
    } else {
      text += " (intensive: one task per host)";
    }
    tree.line(text);
  }
  if (string.duration) tree.line("for " + std::to_string(*string.duration) + " s");
  if (string.decay) tree.line(*string.decay ? "decaying" : "not decaying");
}

void show(Tree& tree, const Rusage& rusage) {
  if (rusage.alternatives.size() == 1 && rusage.alternatives[0].strings.size() == 1)
    return show(tree, rusage.alternatives[0].strings[0]);
  for (std::size_t i = 0; i < rusage.alternatives.size(); ++i) {
    if (i > 0) tree.line("or");
    const auto& strings = rusage.alternatives[i].strings;
    for (std::size_t s = 0; s < strings.size(); ++s) {
      if (s > 0) tree.line("and");
      tree.below([&] { show(tree, strings[s]); });
    }
  }
}

// What the normal form puts between the brackets of its one section.
std::string content(const ResReq& section) {
  const std::string text = print(section);
  const std::size_t open = text.find('[');
  return text.substr(open + 1, text.size() - open - 2);
}

// Sections without a tree of their own: one line for each word. A ":" inside a word (ptile='!',HP:8) stays.
void show_words(Tree& tree, const std::string& words) {
  for (std::size_t begin = 0; begin < words.size();) {
    std::size_t end = std::min(words.find(':', begin), words.size());
    if (words.compare(begin, 6, "ptile=") == 0) end = words.size();
    tree.line(words.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::string value_text(const Asked& asked, const HostView& host) {
  if (asked.type == ResourceType::boolean) return host.has(asked.id) ? "yes" : "no";
  if (asked.type == ResourceType::numeric) return number_text(host.number(asked.id));
  const std::string_view word = host.word(asked.id);
  return word.empty() ? "-" : std::string(word);
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "-";
  char buffer[64];
  const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  const auto [end, problem] =
      whole ? std::to_chars(std::begin(buffer), std::end(buffer), static_cast<long long>(value))
            : std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::general, 6);
  return std::string(buffer, end);
}

std::string gave(const BoundPart& part, const HostView& host) {
  std::string text;
  for (const Asked& asked : part.asked) {
    if (part.asked.size() > 1) text.append(text.empty() ? "" : ", ").append(asked.name).append(" ");
    text += value_text(asked, host);
  }
  return text;
}

std::string BoundSelect::explain(const HostView& host) const {
  std::string text;
  for (const Part& part : parts(host)) {
    if (!text.empty()) text += '\n';
    text += (part.holds ? "yes  " : "no   ") + part.text;
    if (!part.gave.empty()) text += ": " + part.gave;
  }
  return text;
}

std::string rows(const std::vector<HostAnswer>& answers) {
  std::size_t width = 0;
  for (const auto& answer : answers) width = std::max(width, answer.host.size());
  std::string text;
  for (const auto& answer : answers) {
    std::string why;
    for (const Part& part : answer.parts) {
      if (part.holds) continue;
      why += (why.empty() ? "" : "; ") + part.text;
      if (!part.gave.empty()) why += ": " + part.gave;
    }
    text.append(answer.host)
        .append(width - answer.host.size() + 2, ' ')
        .append(why.empty() ? "yes" : "no   " + why) += '\n';
  }
  return text;
}

std::string tree(const ResReq& resreq) {
  Tree tree;
  const auto section = [&tree](const char* name, auto inside) {
    tree.line(name);
    tree.below(inside);
  };
  if (resreq.select) section("select", [&] { tree.show(*resreq.select); });
  if (!resreq.order.empty()) section("order", [&] { show_words(tree, print(resreq.order)); });
  if (resreq.rusage) section("rusage", [&] { show(tree, *resreq.rusage); });
  const auto words = [&](const char* name, auto member, bool given) {
    ResReq alone;
    alone.*member = resreq.*member;
    if (given) section(name, [&] { show_words(tree, content(alone)); });
  };
  words("span", &ResReq::span, resreq.span.has_value());
  words("same", &ResReq::same, !resreq.same.empty());
  words("cu", &ResReq::cu, resreq.cu.has_value());
  words("affinity", &ResReq::affinity, resreq.affinity.has_value());
  return tree.out;
}

}  // namespace rollcall::resreq
