// Program: one part of a select expression as a row of instructions for a machine with one stack of numbers. Pure; made by
// bind.cpp, run by evaluate.cpp.
//
// Every value is a double: false and true are 0 and 1, what is not known is NaN. Comparisons, "!" and what stands round
// && and || give 0 or 1. Jumps go forward only, so a program ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/resreq/evaluate.hpp"

namespace rollcall::resreq {

enum class OpCode : std::uint8_t {
  constant,    // push `value`
  number,      // push resource `id`
  has,         // push 1 where the host has `id`: a Boolean, or defined()
  same_word,   // push 1 where the word `id` is words[text]
  other_word,  // push 1 where it is known and another
  known_word,  // push 1 where it is known: type == any
  negate,
  no,
  truth,  // 0 or 1 of any number
  times,
  over,
  plus,
  minus,
  above,
  below,
  at_least,
  at_most,
  equal,
  unequal,
  skip_if_false,  // top is false: make it 0 and go to `text`; else pop
  skip_if_true    // top is true: make it 1 and go to `text`; else pop
};

struct Instruction {
  OpCode code{};
  ResourceId id = 0;
  std::uint32_t text = 0;  // of `words`, or an instruction
  double value = 0;
};

struct Program {
  std::vector<Instruction> instructions;
  std::vector<std::string> words;
  std::size_t deepest = 0;  // numbers on the stack at once
};

double run(const Program& program, const HostView& host);
inline bool truth(double value) { return value == value && value != 0; }

// A resource that a part asks for, as explain() names it.
struct Asked {
  ResourceId id = 0;
  std::string name;
  ResourceType type = ResourceType::numeric;
};
struct BoundPart {
  std::string text;
  Program program;
  std::vector<Asked> asked;  // in the order they are written, each once
};

struct BoundSelect::Code {
  std::vector<BoundPart> parts;  // all must hold
};

}  // namespace rollcall::resreq
