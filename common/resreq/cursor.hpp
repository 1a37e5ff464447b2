// Cursor: where the parser of a requirement stands in its text, and the first error it met. The words that all sections
// share: names, numbers, quoted words. Not a parser: the grammar is in parse.cpp. Owned by one parse() call.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/resreq/resreq.hpp"

namespace rollcall::resreq {

bool is_digit(char c);
bool begins_name(char c);
bool continues_name(char c);
// A whole word of these: a resource, a host type.
bool plain_name(std::string_view word);

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }
  std::size_t place() const { return at_; }
  void go_to(std::size_t place) { at_ = place; }
  bool at_end() const { return at_ == text_.size(); }
  // The byte here or `ahead` bytes on; '\0' behind the end (no text holds one).
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_blanks();
  bool take(std::string_view symbol);    // past blanks, `symbol` and the blanks behind it, where it is there
  bool expect(std::string_view symbol);  // the same; where it is not, an error
  std::optional<std::string_view> take_name();  // a plain name, where there is one
  // A number with or without a unit; nothing and no error where none begins here.
  std::optional<Number> take_number();
  // 'word' or "word"; nothing and no error where no quote is here.
  std::optional<std::string> take_quoted();
  // A whole number without sign from `least`; `expected` is for the error.
  std::optional<int> whole(int least, int most, std::string_view expected);
  // A plain name or a quoted word.
  std::optional<std::string> word(std::string_view expected);

  // False and an error where a list has as many words as it may have.
  bool room_in_list(std::size_t words);

  // The first error stays. `fail` at what stands here, false so that it can be returned.
  bool fail(std::string_view expected) { return fail_at(at_, expected); }
  bool fail_at(std::size_t place, std::string_view expected);
  bool fail_at(std::size_t place, std::string found, std::string_view expected);
  bool fail_with(std::size_t place, std::string text);  // the whole line is given
  bool failed() const { return error_.has_value(); }
  const std::optional<ParseError>& error() const { return error_; }

 private:
  std::string found_at(std::size_t place) const;
  bool take_unit(Number& number);

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<ParseError> error_;
};

// A number alone, as take_number reads it: the whole of `word`.
std::optional<Number> whole_number_word(std::string_view word);

// The first thing wrong with the bytes of a requirement: too many, a control character, no UTF-8.
std::optional<ParseError> bytes_error(std::string_view text);
// How many bytes the character at the beginning of `text` has; 0 where it is not UTF-8.
std::size_t utf8_length(std::string_view text);

}  // namespace rollcall::resreq
