#include "common/resreq/evaluate.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "common/resreq/explain.hpp"
#include "common/resreq/program.hpp"

namespace rollcall::resreq {
namespace {

constexpr std::size_t kUsualStack = 32;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double quotient(double a, double b) { return b == 0 ? kUnknown : a / b; }
// NaN compares false by itself, but for !=.
double unequal(double a, double b) { return a < b || a > b; }

double arithmetic(OpCode code, double a, double b) {
  switch (code) {
    case OpCode::times:
      return a * b;
    case OpCode::over:
      return quotient(a, b);
    case OpCode::plus:
      return a + b;
    case OpCode::minus:
      return a - b;
    case OpCode::above:
      return a > b;
    case OpCode::below:
      return a < b;
    case OpCode::at_least:
      return a >= b;
    case OpCode::at_most:
      return a <= b;
    case OpCode::equal:
      return a == b;
    case OpCode::unequal:
      return unequal(a, b);
    default:
      return kUnknown;
  }
}

double ask(const Instruction& instruction, const Program& program, const HostView& host) {
  if (instruction.code == OpCode::constant) return instruction.value;
  if (instruction.code == OpCode::number) return host.number(instruction.id);
  if (instruction.code == OpCode::has) return host.has(instruction.id);
  const std::string_view word = host.word(instruction.id);
  if (instruction.code == OpCode::known_word) return !word.empty();
  const std::string& wanted = program.words[instruction.text];
  if (instruction.code == OpCode::same_word) return !word.empty() && word == wanted;
  return !word.empty() && !wanted.empty() && word != wanted;
}

double run_on(double* stack, const Program& program, const HostView& host) {
  std::size_t depth = 0;
  const auto& instructions = program.instructions;
  for (std::size_t at = 0; at < instructions.size(); ++at) {
    const Instruction& instruction = instructions[at];
    switch (instruction.code) {
      case OpCode::constant:
      case OpCode::number:
      case OpCode::has:
      case OpCode::same_word:
      case OpCode::other_word:
      case OpCode::known_word:
        stack[depth++] = ask(instruction, program, host);
        continue;
      default:
        break;
    }
    double& top = stack[depth - 1];
    switch (instruction.code) {
      case OpCode::negate:
        top = -top;
        break;
      case OpCode::no:
        top = !truth(top);
        break;
      case OpCode::truth:
        top = truth(top);
        break;
      case OpCode::skip_if_false:
      case OpCode::skip_if_true:
        if (truth(top) == (instruction.code == OpCode::skip_if_true)) {
          top = truth(top);
          at = instruction.text - 1;  // the loop adds one
        } else {
          --depth;
        }
        break;
      default:
        --depth;
        stack[depth - 1] = arithmetic(instruction.code, stack[depth - 1], stack[depth]);
    }
  }
  return stack[0];
}

}  // namespace

double run(const Program& program, const HostView& host) {
  if (program.deepest <= kUsualStack) {
    std::array<double, kUsualStack> stack;
    return run_on(stack.data(), program, host);
  }
  std::vector<double> stack(program.deepest);
  return run_on(stack.data(), program, host);
}

bool BoundSelect::matches(const HostView& host) const {
  if (!code_) return true;
  for (const BoundPart& part : code_->parts)
    if (!truth(run(part.program, host))) return false;
  return true;
}

double BoundSelect::number(const HostView& host) const {
  return code_ && code_->parts.size() == 1 ? run(code_->parts.front().program, host) : kUnknown;
}

std::vector<Part> BoundSelect::parts(const HostView& host) const {
  std::vector<Part> parts;
  if (!code_) return parts;
  for (const BoundPart& part : code_->parts)
    parts.push_back({part.text, truth(run(part.program, host)), gave(part, host)});
  return parts;
}

}  // namespace rollcall::resreq
