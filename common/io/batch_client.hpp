// BatchClient: sends requests to mbatchd and reads their answers. Blocking; one connection carries all requests of a client.
//
// It knows where mbatchd is (BatchSettings::mbd_host), and retries while mbatchd is away. A request that cannot be sent is tried
// LSB_NTRIES times, a second apart, with one line to `say`. A request that was sent is repeated only if that is safe: a question,
// or a submission, which has a token by which mbatchd recognises it (batch.proto). Such a request goes with a ticket where the
// user has one (ticket_file.hpp), and again without it where mbatchd does not accept it. The commands know what is asked and how
// answers look.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/io/daemon_client.hpp"
#include "common/io/ticket_file.hpp"
#include "common/wire/batch.pb.h"

namespace rollcall::io {

struct BatchError {
  enum class Kind {
    unreachable,  // no answer, or the connection broke: the line names the host, and says whether it is down
    unknown,      // the connection broke after the request was sent: its outcome is not known
    refused,      // mbatchd refused: `refusal` tells why
    ours,         // cannot be sent: no key, a request that is too large
  };
  Kind kind = Kind::unreachable;
  std::string text;  // one line
  wire::BatchReply::Refusal refusal;
};

// An answer with its parts joined, or why there is none.
struct BatchAnswer {
  wire::BatchReply reply;
  std::optional<BatchError> error;
};

struct BatchProtocol {
  using Out = wire::ToMbatchd;
  using In = wire::FromMbatchd;
  static constexpr bool kMustProve = true;
  static void introduce(Out& message, const std::string& credential) { message.set_munge(credential); }
  static std::optional<std::string> divisible(const Out& message) {
    return message.request().SerializeAsString();
  }
  static bool is_answer(const In& message) { return message.has_reply(); }
};

class BatchClient {
 public:
  static constexpr int kUsualTries = 30, kNoLimit = 0;
  struct Patience {
    std::chrono::milliseconds each{10000};  // for mbatchd to accept, and to send the next part of an answer
    int tries =
        kUsualTries;  // kNoLimit: none until the request has been sent; then a submission's token bounds it
    std::function<void(const std::string&)>
        say{};  // gets one line while the client waits for mbatchd; none: silent
  };

  // Errors: invalid ports and directories of lsf.conf. tries: LSB_NTRIES of the environment, else of lsf.conf, else
  // `usual_tries`.
  static Result<BatchClient> of(const conf::ClusterFiles& files, std::function<void(const std::string&)> say,
                                int usual_tries = kUsualTries);
  BatchClient(const conf::ClusterFiles& files, conf::BatchSettings settings, Patience patience);

  // Hands every part of the answer to `take`, in order. A refusal is the error. Not for AwaitJob.
  using Take = std::function<void(wire::BatchReply& part)>;
  std::optional<BatchError> ask(wire::BatchRequest request, const Take& take);
  // The same with all parts in one.
  BatchAnswer ask(wire::BatchRequest request);

  // Waits without a time limit (AwaitJob, AwaitCondition) and hands over every part, until the last one or until `take` gives
  // false. When the connection breaks or mbatchd's host goes silent, it says so once for each outage, waits for mbatchd, and asks
  // again. A frozen mbatchd is waited for: its host's kernel still answers. `wake`: a descriptor that ends the waiting when it
  // becomes readable; -1: none.
  enum class Awaited { over, enough, woken };
  struct AwaitResult {
    Awaited how = Awaited::over;
    std::optional<BatchError> error;
  };
  AwaitResult await(wire::BatchRequest request, const std::function<bool(wire::BatchReply& part)>& take,
                    int wake = -1);

  const conf::BatchSettings& settings() const { return settings_; }
  // The official name of this host, as requests carry it.
  const std::string& from_host() const { return from_host_; }

 private:
  Talked<void> connect(bool may_have_ticket);
  using Clock = std::chrono::steady_clock;
  struct Tries {
    int most = 0;                            // 0: no limit
    std::optional<Clock::time_point> until;  // none: no limit
  };
  std::optional<BatchError> connect_patiently(Tries tries, int wake, bool may_have_ticket);
  void hang_up();
  void keep_ticket(const std::string& bytes) const;
  Talked<void> send(const wire::BatchRequest& request);
  Talked<std::optional<wire::BatchReply>> next_part(std::optional<int> wake);
  std::optional<BatchError> ask_once(const wire::BatchRequest& request, const Take& take);
  BatchError gone(const TalkError& error) const;
  void tell_outage(const TalkError& error);
  void say_once(const std::string& line);

  const conf::ClusterFiles* files_;
  conf::BatchSettings settings_;
  Patience patience_;
  std::string from_host_;
  std::optional<DaemonClient<BatchProtocol>> talk_;
  std::optional<TicketFile> tickets_;  // none: lsf.conf turns tickets off
  bool ticket_failed_ = false;         // then this client goes on without
  bool wants_ticket_ = false;          // the connection could have begun with one
  bool said_ = false;
};

}  // namespace rollcall::io
