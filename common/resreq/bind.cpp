// From the tree to the program: one walk, one BoundPart for each operand of the outermost &&.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/base/host_list.hpp"
#include "common/resreq/parse_select.hpp"
#include "common/resreq/program.hpp"

namespace rollcall::resreq {
namespace {

OpCode code_of(Operator op) {
  switch (op) {
    case Operator::negate:
      return OpCode::negate;
    case Operator::no:
      return OpCode::no;
    case Operator::times:
      return OpCode::times;
    case Operator::over:
      return OpCode::over;
    case Operator::plus:
      return OpCode::plus;
    case Operator::minus:
      return OpCode::minus;
    case Operator::above:
      return OpCode::above;
    case Operator::below:
      return OpCode::below;
    case Operator::at_least:
      return OpCode::at_least;
    case Operator::at_most:
      return OpCode::at_most;
    case Operator::unequal:
      return OpCode::unequal;
    default:
      return OpCode::equal;
  }
}

// The instruction pushes a value; the others work on values that are on the stack.
bool pushes(OpCode code) { return code <= OpCode::known_word; }

bool in_megabytes(std::string_view formal) {
  return formal == "mem" || formal == "swp" || formal == "tmp" || formal == "maxmem" || formal == "maxswp" ||
         formal == "maxtmp";
}

const Name* as_name(const Expression& expression) { return std::get_if<Name>(&expression.node); }

// One side of a comparison: the resource that stands there alone; empty for anything else.
struct Side {
  std::optional<ResourceId> id;
  const ResourceDefinition* definition = nullptr;

  bool is(ResourceType type) const { return definition && definition->type == type; }
};

class Compiler {
 public:
  explicit Compiler(const BindContext& context) : context_(context), indices_(*context.indices) {}

  // False after an error.
  bool part(const Expression& expression, BoundPart& part) {
    part_ = &part;
    stack_ = 0;
    part.text = print(expression);
    return value(expression);
  }
  const std::optional<ParseError>& error() const { return error_; }

 private:
  bool fail(const Expression& at, std::string found, std::string_view expected) {
    if (!error_)
      error_ =
          ParseError{"found " + std::move(found) + ", expected " + std::string(expected), at.place.offset};
    return false;
  }

  bool emit(Instruction instruction) {
    if (pushes(instruction.code))
      ++stack_;
    else if (instruction.code >= OpCode::times)
      --stack_;
    part_->program.deepest = std::max(part_->program.deepest, stack_);
    part_->program.instructions.push_back(instruction);
    return true;
  }

  void ask(ResourceId id) {
    const auto known = [id](const Asked& asked) { return asked.id == id; };
    const ResourceDefinition& definition = indices_.at(id);
    if (std::none_of(part_->asked.begin(), part_->asked.end(), known))
      part_->asked.push_back({id, definition.name, definition.type});
  }

  Side side(const Expression& expression) const {
    Side side;
    if (const Name* name = as_name(expression)) side.id = indices_.find(name->value);
    if (side.id) side.definition = &indices_.at(*side.id);
    return side;
  }

  bool value(const Expression& expression) {
    return std::visit([&](const auto& node) { return value(expression, node); }, expression.node);
  }
  bool value(const Expression&, const Number& number) {
    return emit({.code = OpCode::constant, .value = number.value});
  }
  bool value(const Expression& at, const Text& text) {
    return fail(at, "the word " + printable(text.value),
                "a number, or a resource with == or != before the word");
  }
  bool value(const Expression& at, const Name& name) {
    const auto id = indices_.find(name.value);
    if (!id) return unknown(at, name.value);
    const ResourceType type = indices_.at(*id).type;
    if (type == ResourceType::string)
      return fail(at, "the string resource " + printable(name.value), "== or != and a word behind it");
    ask(*id);
    return emit({.code = type == ResourceType::boolean ? OpCode::has : OpCode::number, .id = *id});
  }
  bool value(const Expression& at, const Defined& defined) {
    const auto id = indices_.find(defined.name);
    if (!id) return unknown(at, defined.name);
    ask(*id);
    return emit({.code = OpCode::has, .id = *id});
  }
  bool value(const Expression&, const Unary& unary) {
    return value(*unary.operand) && emit({.code = code_of(unary.op)});
  }
  bool value(const Expression&, const Chain& chain) {
    const Operator op = chain.rest.front().op;
    if (op == Operator::both || op == Operator::either) return junction(chain, op);
    if (!pair(*chain.first, chain.rest.front())) return false;
    for (std::size_t i = 1; i < chain.rest.size(); ++i) {
      const auto& link = chain.rest[i];
      if (!value(*link.operand) || !emit({.code = code_of(link.op)})) return false;
    }
    return true;
  }

  bool unknown(const Expression& at, const std::string& name) {
    return fail(at, printable(name), "a resource of this cluster");
  }

  // a && b && c: an operand that decides the result skips the rest.
  bool junction(const Chain& chain, Operator op) {
    const OpCode skip = op == Operator::both ? OpCode::skip_if_false : OpCode::skip_if_true;
    std::vector<std::size_t> skips;
    if (!value(*chain.first)) return false;
    for (const auto& link : chain.rest) {
      skips.push_back(part_->program.instructions.size());
      emit({.code = skip});
      if (!value(*link.operand)) return false;
    }
    emit({.code = OpCode::truth});
    const auto behind = static_cast<std::uint32_t>(part_->program.instructions.size());
    for (const std::size_t place : skips) part_->program.instructions[place].text = behind;
    return true;
  }

  // The first two operands of a chain: only they can be words, a ut in per cent, or the two sides of "=".
  bool pair(const Expression& left, const Chain::Link& link) {
    const Expression& right = *link.operand;
    const Side a = side(left), b = side(right);
    const bool words =
        link.op == Operator::equal || link.op == Operator::unequal || link.op == Operator::fits;
    if (words && a.is(ResourceType::string)) return word(*a.id, right, link.op);
    if (words && b.is(ResourceType::string)) return word(*b.id, left, link.op);
    const bool compares =
        level(link.op) == level(Operator::equal) || level(link.op) == level(Operator::above);
    if (!compares) return value(left) && value(right) && emit({.code = code_of(link.op)});
    if (!operand(left, b) || !operand(right, a)) return false;
    return emit({.code = link.op == Operator::fits ? fitting(a, b) : code_of(link.op)});
  }

  // "=": at least that much of a decreasing resource (mem), at most that much of an increasing one (ut).
  static OpCode fitting(const Side& a, const Side& b) {
    const Side& resource = a.definition ? a : b;
    const ResourceOrder order = resource.definition ? resource.definition->order : ResourceOrder::none;
    if (order == ResourceOrder::none) return OpCode::equal;
    const bool shrinks = order == ResourceOrder::decreasing;
    return shrinks == (&resource == &a) ? OpCode::at_least : OpCode::at_most;
  }

  // One side of a comparison, and the resource that stands alone on the other.
  bool operand(const Expression& expression, const Side& other) {
    const auto* number = std::get_if<Number>(&expression.node);
    if (!number || !other.definition) return value(expression);
    const ResourceDefinition& definition = *other.definition;
    if (number->sized && definition.built_in && !in_megabytes(definition.name))
      return fail(expression, printable(number->written),
                  "a number without a unit beside " + definition.name);
    const bool percent = definition.built_in && definition.name == "ut" && number->value > 1;
    return emit({.code = OpCode::constant, .value = percent ? number->value / 100 : number->value});
  }

  bool word(ResourceId id, const Expression& other, Operator op) {
    const auto* text = std::get_if<Text>(&other.node);
    const Name* name = as_name(other);
    if (!text && !name) return not_a_word(id, other);
    ask(id);
    const bool refused = op == Operator::unequal;
    std::string wanted = text ? text->value : name->value;
    const std::string& resource = indices_.at(id).name;
    if (resource == "type" || resource == "model") {
      if (wanted == "any") return emit({.code = OpCode::known_word, .id = id}) && (!refused || emit_never());
      if (wanted == "local") wanted = resource == "type" ? context_.local_type : context_.local_model;
    }
    if (resource == "hname" && context_.official_host)
      wanted = context_.official_host(wanted).value_or(wanted);
    part_->program.words.push_back(std::move(wanted));
    return emit({.code = refused ? OpCode::other_word : OpCode::same_word,
                 .id = id,
                 .text = static_cast<std::uint32_t>(part_->program.words.size() - 1)});
  }

  // type != any: no host.
  bool emit_never() { return emit({.code = OpCode::constant}) && emit({.code = OpCode::times}); }

  bool not_a_word(ResourceId id, const Expression& other) {
    if (const auto* number = std::get_if<Number>(&other.node))
      return fail(other, "the number " + printable(number->written),
                  "a word for " + indices_.at(id).name + ", '" + number->written + "' in quotes");
    return fail(other, "an expression",
                "a word for " + indices_.at(id).name + ", in quotes where it has a \"-\"");
  }

  const BindContext& context_;
  const IndexTable& indices_;
  BoundPart* part_ = nullptr;
  std::size_t stack_ = 0;
  std::optional<ParseError> error_;
};

// What decides about the default type.
struct Named {
  bool type = false;
  bool other = false;  // a model, a string, a Boolean
};

class Naming {
 public:
  explicit Naming(const IndexTable& indices) : indices_(indices) {}
  void operator()(const Number&) {}
  void operator()(const Text&) {}
  void operator()(const Name& name) { note(name.value); }
  void operator()(const Defined& defined) { note(defined.name); }
  void operator()(const Unary& unary) { std::visit(*this, unary.operand->node); }
  void operator()(const Chain& chain) {
    std::visit(*this, chain.first->node);
    const Expression* before = chain.first.get();
    for (const auto& link : chain.rest) {
      // The bare word behind type== is no resource, though one may have its name.
      const Name* name = as_name(*before);
      const auto id = name ? indices_.find(name->value) : std::nullopt;
      const bool word = id && indices_.at(*id).type == ResourceType::string;
      if (!word || !as_name(*link.operand)) std::visit(*this, link.operand->node);
      before = link.operand.get();
    }
  }

  Named named;

 private:
  void note(const std::string& name) {
    const auto id = indices_.find(name);
    if (!id) return;
    if (indices_.at(*id).name == "type") named.type = true;
    if (indices_.at(*id).type != ResourceType::numeric) named.other = true;
  }

  const IndexTable& indices_;
};

}  // namespace

ExpressionPointer with_default_type(const ExpressionPointer& select, const IndexTable& indices) {
  Naming naming(indices);
  if (select) std::visit(naming, select->node);
  if (naming.named.type) return select;
  const auto leaf = [](const char* word) {
    return std::make_shared<const Expression>(Expression{Name{word}, {}});
  };
  Chain chain{leaf("type"), {{Operator::equal, leaf(naming.named.other ? "any" : "local")}}};
  return both(select, std::make_shared<const Expression>(Expression{std::move(chain), {}}));
}

class Binder {
 public:
  static BindResult bind(const ExpressionPointer& select, const BindContext& context) {
    BindResult result;
    auto code = std::make_shared<BoundSelect::Code>();
    if (select) {
      Compiler compiler(context);
      if (!add(*select, compiler, *code)) {
        result.error = compiler.error();
        return result;
      }
    }
    result.select.emplace();
    result.select->code_ = std::move(code);
    return result;
  }

 private:
  static bool add(const Expression& expression, Compiler& compiler, BoundSelect::Code& code) {
    const auto* chain = std::get_if<Chain>(&expression.node);
    if (!chain || chain->rest.front().op != Operator::both)
      return compiler.part(expression, code.parts.emplace_back());
    if (!add(*chain->first, compiler, code)) return false;
    for (const auto& link : chain->rest)
      if (!add(*link.operand, compiler, code)) return false;
    return true;
  }
};

BindResult bind(const ExpressionPointer& select, const BindContext& context) {
  return Binder::bind(context.default_type_local ? with_default_type(select, *context.indices) : select,
                      context);
}

}  // namespace rollcall::resreq
