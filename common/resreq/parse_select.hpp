// The select expression of a requirement: later and old (colon) syntax. The grammar is at the top of parse.cpp.
#pragma once

#include "common/resreq/cursor.hpp"

namespace rollcall::resreq {

// The expression that begins at the cursor, which afterwards stands behind it and behind blanks. Null where there is none
// (at "]" or the end) or an error (cursor.failed()).
ExpressionPointer parse_select(Cursor& in, const Syntax& syntax);

// The name of the section that begins here ("select[", "rusage ["), "" where none does.
std::string_view section_here(const Cursor& in);

// How deep parentheses and unary operators stand in one another when the expression is printed.
int nesting(const Expression& expression);

// How tightly an operator binds: 0 for ||, up to 5 for * and /, kUnaryLevel for the unary ones.
inline constexpr int kUnaryLevel = 6;
int level(Operator op);

}  // namespace rollcall::resreq
