// Result<T>: a value, or the one line that says why there is none.
//
// Errors are values. Whoever passes one on adds what it knows ("lsf.conf:12: ..."); whoever shows it to a
// user prints exactly one line. This is not for logic errors: those are assertions.
#pragma once

#include <boost/system/result.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace rollcall {

// What an error means for the program's exit status (see exit_code_of).
enum class ErrorKind {
  internal,       // the program could not do its work: 1
  usage,          // the command line is invalid: 2
  configuration,  // a file of the site is invalid: 1
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string text;

  Error() = default;
  Error(ErrorKind k, std::string t) : kind(k), text(std::move(t)) {}
};

inline Error usage_error(std::string text) { return {ErrorKind::usage, std::move(text)}; }
inline Error configuration_error(std::string text) { return {ErrorKind::configuration, std::move(text)}; }
inline Error internal_error(std::string text) { return {ErrorKind::internal, std::move(text)}; }

// The exit codes of the field: 2 for a wrong command line, 1 for every other error.
inline int exit_code_of(const Error& error) { return error.kind == ErrorKind::usage ? 2 : 1; }

// boost::system::result asks for this when .value() is called on an error.
[[noreturn]] inline void throw_exception_from_error(const Error& error, const boost::source_location&) {
  throw std::runtime_error(error.text);
}

template <class T>
using Result = boost::system::result<T, Error>;

}  // namespace rollcall
