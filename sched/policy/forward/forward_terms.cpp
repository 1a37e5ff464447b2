#include "sched/policy/forward/forward_terms.hpp"

#include <algorithm>

#include "common/resreq/explain.hpp"

namespace rollcall::sched::forward {
namespace {

using resreq::Chain;
using resreq::Operator;

void add_once(std::vector<std::string>& words, std::string word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
}

// A name or a quoted word.
std::optional<std::string_view> word_of(const resreq::Expression& expression) {
  if (const auto* name = std::get_if<resreq::Name>(&expression.node)) return name->value;
  if (const auto* text = std::get_if<resreq::Text>(&expression.node)) return text->value;
  return std::nullopt;
}

bool is_name(const resreq::Expression& expression, std::string_view name) {
  const auto* found = std::get_if<resreq::Name>(&expression.node);
  return found != nullptr && found->value == name;
}

std::optional<ValueTerm::Is> comparison(Operator op) {
  switch (op) {
    case Operator::equal:
      return ValueTerm::Is::equal;
    case Operator::unequal:
      return ValueTerm::Is::unequal;
    case Operator::above:
      return ValueTerm::Is::above;
    case Operator::at_least:
      return ValueTerm::Is::at_least;
    case Operator::below:
      return ValueTerm::Is::below;
    case Operator::at_most:
      return ValueTerm::Is::at_most;
    default:
      return std::nullopt;
  }
}

class Terms {
 public:
  Terms(const IndexTable& indices, std::string_view local_type, ForwardJob& job)
      : indices_(indices), local_type_(local_type), job_(job) {}

  // The depth is at most resreq::kDeepestNesting.
  void add(const resreq::Expression& expression) {
    if (const auto* name = std::get_if<resreq::Name>(&expression.node)) return add_boolean(name->value);
    if (const auto* defined = std::get_if<resreq::Defined>(&expression.node))
      return add_boolean(defined->name);
    if (const auto* chain = std::get_if<Chain>(&expression.node)) add(*chain);
  }

 private:
  void add(const Chain& chain) {
    const Operator op = chain.rest.front().op;
    if (op == Operator::both) {
      add(*chain.first);
      for (const Chain::Link& link : chain.rest) add(*link.operand);
    } else if (chain.rest.size() == 1) {
      if (!is_name(*chain.first, "type"))
        add_value(*chain.first, comparison(op), *chain.rest.front().operand);
      else if (op == Operator::equal || op == Operator::fits)
        add_type(word_of(*chain.rest.front().operand));
    }
  }
  void add_value(const resreq::Expression& resource, std::optional<ValueTerm::Is> is,
                 const resreq::Expression& asked) {
    const auto* name = std::get_if<resreq::Name>(&resource.node);
    if (name == nullptr || !is || !told_between_clusters(name->value)) return;
    ValueTerm term{.name = name->value, .is = *is, .word = {}, .number = {}};
    if (const auto* number = std::get_if<resreq::Number>(&asked.node)) {
      term.number = number->value;
      term.word = number->written.empty() ? resreq::number_text(number->value) : number->written;
    } else if (const auto word = word_of(asked); word && *is <= ValueTerm::Is::unequal) {
      term.word = *word;
    } else {
      return;
    }
    if (std::find(job_.values.begin(), job_.values.end(), term) == job_.values.end())
      job_.values.push_back(std::move(term));
  }
  // A numeric or string resource of a site, or one that only another cluster knows.
  bool told_between_clusters(std::string_view name) const {
    const auto id = indices_.find(name);
    return !id || (*id >= indices_.built_in() && indices_.at(*id).type != ResourceType::boolean);
  }
  void add_type(std::optional<std::string_view> type) {
    if (!type || *type == "any") return;
    if (*type != "local")
      add_once(job_.types, std::string(*type));
    else if (local_type_.empty())
      job_.unknown_type = true;
    else
      add_once(job_.types, std::string(local_type_));
  }
  void add_boolean(const std::string& name) {
    const auto id = indices_.find(name);
    if (!id || indices_.at(*id).type == ResourceType::boolean) add_once(job_.booleans, name);
  }

  const IndexTable& indices_;
  std::string_view local_type_;
  ForwardJob& job_;
};

}  // namespace

void add_terms(const resreq::ResReq& resreq, const IndexTable& indices, std::string_view local_type,
               ForwardJob& job) {
  if (resreq.select) Terms(indices, local_type, job).add(*resreq.select);
  job.same_type |= std::any_of(resreq.same.begin(), resreq.same.end(),
                               [](const resreq::SameKey& key) { return key.name == "type"; });
}

}  // namespace rollcall::sched::forward
