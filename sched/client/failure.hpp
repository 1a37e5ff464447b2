// Failure: why a request of this room has no result, and Answered<T>: a result or its Failure. Values. The caller prints `text`, or
// hands the kind on as an error code.
#pragma once

#include <boost/system/result.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/io/batch_client.hpp"

namespace rollcall::client {

struct Failure {
  enum class Kind {
    unreachable,  // mbatchd or the host does not answer: try again later
    unknown,      // the connection broke after an order was sent: whether it was carried out is unknown
    refused,      // mbatchd or the host refused: `refusal` says why
    no_match,     // no job matches
    garbled,      // the answer is to another question
    ours,         // the request cannot be made here: no key, too large, an invalid lsf.conf
  };
  Kind kind = Kind::unreachable;
  std::string text;  // one line
  wire::BatchReply::Refusal refusal{};
};

// LSF's own message, printed without the command's name, which commands put before other messages.
inline bool stands_alone(const Failure& failure) {
  return failure.kind == Failure::Kind::refused || failure.kind == Failure::Kind::no_match;
}

Failure failure_of(io::BatchError error);

// boost::system::result asks for this when .value() is called on a failure.
[[noreturn]] inline void throw_exception_from_error(const Failure& failure, const boost::source_location&) {
  throw std::runtime_error(failure.text);
}

template <class T>
using Answered = boost::system::result<T, Failure>;

}  // namespace rollcall::client
