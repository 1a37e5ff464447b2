// AnswerPart: one part of an answer, in an arena that is freed at once; or none. A value that is moved.
//
// A part of a long list consists of some hundred objects and strings. To allocate and free each of them on the heap would cost
// mbatchd more than all other work on them.
#pragma once

#include <memory>

#include "common/wire/batch.pb.h"

namespace rollcall::sched::answers {

class AnswerPart {
 public:
  AnswerPart() = default;  // none
  // Copies a short reply.
  AnswerPart(const wire::BatchReply& reply) : AnswerPart(empty()) { **this = reply; }
  static AnswerPart empty() {
    AnswerPart part;
    part.whole_ = std::make_unique<Whole>();
    return part;
  }

  explicit operator bool() const { return whole_ != nullptr; }
  wire::BatchReply& operator*() { return *whole_->message->mutable_reply(); }
  wire::BatchReply* operator->() { return whole_->message->mutable_reply(); }
  const wire::BatchReply* operator->() const { return &whole_->message->reply(); }
  // The message to send.
  wire::FromMbatchd& message() { return *whole_->message; }

 private:
  struct Whole {
    google::protobuf::Arena memory{sizes()};
    wire::FromMbatchd* message = google::protobuf::Arena::CreateMessage<wire::FromMbatchd>(&memory);
  };
  static google::protobuf::ArenaOptions sizes() {
    google::protobuf::ArenaOptions sizes;
    sizes.start_block_size = 16 * 1024;
    sizes.max_block_size = 128 * 1024;
    return sizes;
  }

  std::unique_ptr<Whole> whole_;
};

}  // namespace rollcall::sched::answers
