// The grammar. BLANK is space, tab, carriage return, newline; it may stand between any two words, and need not.
//
//   resreq     = [ select ] { section }            a text before the first section is a select expression
//   section    = "select" "[" [ select ] "]"       sections in any order, with blanks between them or none
//              | "order" "[" [ ["-"] NAME { ":" ["-"] NAME } ] "]"
//              | "rusage" "[" [ rusage ] "]"
//              | "span" "[" span-word { ":" span-word } "]"
//              | "same" "[" [ NAME { ":" NAME } ] "]"
//              | "cu" "[" [ cu-word { ":" cu-word } ] "]"
//              | "affinity" "[" affinity "]"
//
//   select     = chain0 | old                      old only where it is all of the expression, and not when strict
//   chainN     = chainN+1 { opN chainN+1 }         N = 0 to 5, from the left to the right
//   op0..op5   = "||"   "&&"   "==" "!=" "="   ">" "<" ">=" "<="   "+" "-"   "*" "/"
//                                                  "=" as in the old syntax; not when strict
//   chain6     = { "-" | "!" } primary
//   primary    = "(" chain0 ")" | NUMBER | QUOTED | "defined" "(" NAME ")" | NAME
//                behind hname|type|model|status and == != =, not when strict, also WORD
//   old        = item { ":" item }                 ":" is and, "-" not; no blanks inside; a NAME alone is no old syntax
//   item       = ["-"] NAME [ "=" ( WORD | QUOTED ) ] | "-"          a lone "-" is type==any
//
//   rusage     = alternative { "||" alternative }
//   alternative= usages { "," usages }
//   usages     = usage { ":" usage }
//   usage      = NAME [ "=" NUMBER ] | "duration" "=" WHOLE [ "m" | "h" | "s" ] | "decay" "=" ( "0" | "1" )
//   span-word  = "hosts" "=" ( "1" | "-1" ) | "ptile" "=" ( WHOLE | ( "!" | "'!'" ) { "," TYPE ":" WHOLE } )
//   cu-word    = "type" "=" TYPE | "pref" "=" ( "config" | "maxavail" | "minavail" | "bestfit" )
//              | "maxcus" "=" WHOLE | "usablecuslots" "=" WHOLE | "balance" | "excl"
//   affinity   = unit [ "(" [ WHOLE ] { "," option } ")" ] [ "*" WHOLE ] { ":" binding }        no "," before the first
//   unit       = "numa" | "socket" | "core" | "thread" | "mcm" | "cpu"                           mcm = numa, cpu = thread
//   option     = "same" "=" unit | "exclusive" "=" ( unit | "(" unit [ "," ( "injob" | "alljobs" ) ] ")" )
//   binding    = "cpubind" "=" unit | "membind" "=" ( "localonly" | "localprefer" )
//              | "distribute" "=" ( "any" | "balance" | "pack" [ "(" unit "=" WHOLE ")" ] )
//
//   NAME       = ( LETTER | "_" ) { LETTER | DIGIT | "_" | "." }     LETTER: a-z, A-Z, and all of UTF-8 beyond ASCII
//   WORD       = { LETTER | DIGIT | "_" | "." | "-" }                not "-" first
//   TYPE       = NAME | QUOTED
//   NUMBER     = decimal [ exponent ] [ ( K M G T P E Z in either case ) [ "B" ] ]     with a unit it is in MB
//   QUOTED     = "'" bytes "'" | '"' bytes '"'                       without the quote itself
//   WHOLE      = digits, from 1 (of a duration from 0)
//
// A section that comes again means what another -R option would: select holds as well, order, rusage and same are merged
// (merge.hpp); span, cu and affinity stand once. Words behind a section that do not begin another
// section are an error, since a condition there would have no effect. Keywords are in small letters.
#include "common/resreq/cursor.hpp"
#include "common/resreq/merge.hpp"
#include "common/resreq/parse_sections.hpp"
#include "common/resreq/parse_select.hpp"
#include "common/resreq/resreq.hpp"

namespace rollcall::resreq {
namespace {

constexpr std::string_view kASection = "select[, order[, rusage[, span[, same[, cu[ or affinity[";

// The content of section `name`; false after an error.
bool parse_content(Cursor& in, std::string_view name, const Syntax& syntax, ResReq& section) {
  if (name == "select") section.select = parse_select(in, syntax);
  if (name == "order") return parse_order(in, section.order);
  if (name == "rusage") return parse_rusage(in, section.rusage);
  if (name == "span") return parse_span(in, section.span);
  if (name == "same") return parse_same(in, section.same);
  if (name == "cu") return parse_compute_units(in, section.cu);
  if (name == "affinity") return parse_affinity(in, section.affinity);
  return !in.failed();
}

bool parse_section(Cursor& in, const Syntax& syntax, ResReq& value) {
  const std::size_t begin = in.place();
  const std::string_view name = section_here(in);
  if (name.empty()) return in.fail(value.empty() ? kASection : "a section or the end");
  in.take_name();
  in.take("[");
  ResReq section;
  if (!parse_content(in, name, syntax, section)) return false;
  if (!in.take("]")) return in.fail(name == "select" ? "an operator or \"]\"" : "\"]\"");
  auto merged = merge(value, section);
  if (!merged) return in.fail_with(begin, merged.error().text);
  value = std::move(merged.value());
  return true;
}

// Two expressions that are not too deep can be so with && between them.
bool check_depth(Cursor& in, const ResReq& value) {
  return !value.select || nesting(*value.select) <= kDeepestNesting ||
         in.fail_at(value.select->place.offset,
                    "parentheses that are too deep with \"&&\" between the select sections",
                    "one level less");
}

bool parse_all(Cursor& in, const Syntax& syntax, ResReq& value) {
  in.skip_blanks();
  if (section_here(in).empty()) {
    const std::size_t begin = in.place();
    value.select = parse_select(in, syntax);
    // "foo[...]": the name is what is wrong, not the bracket.
    if (!in.failed() && in.peek() == '[') return in.fail_at(begin, kASection);
    if (!in.failed() && !in.at_end() && section_here(in).empty())
      return in.fail("an operator, a section or the end");
  }
  for (std::size_t sections = 0; !in.failed() && !in.at_end(); ++sections) {
    if (sections == kMostSections) return in.fail("at most " + std::to_string(kMostSections) + " sections");
    if (!parse_section(in, syntax, value)) return false;
  }
  return !in.failed() && check_depth(in, value);
}

void scale_usages(Rusage& rusage, const Syntax& syntax) {
  for (UsageAlternative& alternative : rusage.alternatives)
    for (UsageString& string : alternative.strings)
      for (Usage& usage : string.usages) {
        if (!usage.value || usage.value->sized) continue;
        if (usage.name == "mem" || usage.name == "swp") usage.value->value *= syntax.memory_mb;
        if (usage.name == "tmp") usage.value->value *= syntax.tmp_mb;
      }
}

}  // namespace

ParseResult parse(std::string_view text, const Syntax& syntax) {
  ParseResult result;
  result.error = bytes_error(text);
  if (result.error) return result;
  Cursor in(text);
  if (!parse_all(in, syntax, result.value)) result.error = in.error();
  if (result.value.rusage) scale_usages(*result.value.rusage, syntax);
  return result;
}

}  // namespace rollcall::resreq
