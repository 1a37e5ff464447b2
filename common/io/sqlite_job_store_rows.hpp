// sqlite_job_store_rows: the tables of mbatchd's store and its statements for single rows, each with its bindings. Private to
// sqlite_job_store.cpp.
//
// A statement is prepared when it is first needed, and again after a failure.
#pragma once

#include <soci/soci.h>

#include <optional>
#include <string>

#include "common/wire/job.pb.h"

namespace rollcall::io::rows {

// Plain SQL, except for the type of `body` and `record`, and two choices for fewer page writes in each commit: an `integer
// primary key` has 64 bits and no separate index, and a `without rowid` table is its own index. Stores made without them work
// too.
constexpr const char* kTables[] = {
    "create table meta (name varchar(40) primary key, value bigint not null) without rowid",
    "create table submissions (number integer primary key, body blob not null)",
    "create table jobs (id bigint not null, idx bigint not null, submission bigint not null, live integer "
    "not null, "
    "end_us bigint not null, record blob not null, primary key (id, idx))",
    "create index jobs_live on jobs (id, idx) where live = 1",
    "create table controls (kind varchar(20) not null, name varchar(255) not null, value blob not null, "
    "primary key (kind, name))",
    "create table events (seq integer primary key, at_us bigint not null, id bigint not null, idx bigint not "
    "null, "
    "kind integer not null, body blob not null)",
    "create index events_of_job on events (id, seq)",
    "create index job_finishes on events (seq) where kind = 14",
};
// Newer table: made if it does not exist. Older programs ignore it.
constexpr const char* kTokenTable =
    "create table if not exists tokens (token varchar(200) primary key, at_us bigint not null, answer blob "
    "not null) "
    "without rowid";

// The schema 1 had payloads in the rows of `submissions`: sqlite_job_store_migration.cpp.
constexpr const char* kPayloadTable =
    "create table if not exists payloads (number integer primary key, body blob not null)";

// Newer index: finished jobs by their end, to find old ones. Older programs maintain it.
constexpr const char* kEndIndex = "create index if not exists jobs_ended on jobs (end_us) where live = 0";

// A message as a column. SOCI keeps a reference to the blob, so each statement has its own.
class Body {
 public:
  explicit Body(soci::session& sql) : blob(sql) {}
  template <class Message>
  void take(const Message& message) {
    message.SerializeToString(&bytes_);
    take_bytes(bytes_);
    if (bytes_.capacity() > kKept) bytes_ = {};  // do not keep a large buffer for ever
  }
  void take_bytes(const std::string& bytes) {
    blob.trim(0);
    blob.write(0, bytes.data(), bytes.size());
  }
  const std::string& bytes() {
    bytes_.resize(blob.get_len());
    if (!bytes_.empty()) blob.read(0, bytes_.data(), bytes_.size());
    return bytes_;
  }
  soci::blob blob;

 private:
  static constexpr std::size_t kKept = 64 * 1024;
  std::string bytes_;
};

// A numbered row with one body.
struct PutBody {
  PutBody(soci::session& sql, const char* insert)
      : body(sql), run((sql.prepare << insert, soci::use(number), soci::use(body.blob))) {}
  long long number = 0;
  Body body;
  soci::statement run;
};
struct GetBody {
  GetBody(soci::session& sql, const char* select)
      : body(sql), run((sql.prepare << select, soci::use(number), soci::into(body.blob))) {}
  long long number = 0;
  Body body;
  soci::statement run;
};
struct PutSubmission : PutBody {
  explicit PutSubmission(soci::session& sql)
      : PutBody(sql, "insert into submissions (number, body) values (:number, :body)") {}
};
struct GetSubmission : GetBody {
  explicit GetSubmission(soci::session& sql)
      : GetBody(sql, "select body from submissions where number = :number") {}
};
struct PutPayload : PutBody {
  explicit PutPayload(soci::session& sql)
      : PutBody(sql, "insert or replace into payloads (number, body) values (:number, :body)") {}
};
struct GetPayload : GetBody {
  explicit GetPayload(soci::session& sql)
      : GetBody(sql, "select body from payloads where number = :number") {}
};
struct PutJob {
  explicit PutJob(soci::session& sql)
      : record(sql),
        run((sql.prepare << "insert into jobs (id, idx, submission, live, end_us, record) "
                            "values (:id, :idx, :submission, :live, :end_us, :record) "
                            "on conflict (id, idx) do update set submission = excluded.submission, "
                            "live = excluded.live, end_us = excluded.end_us, record = excluded.record",
             soci::use(id), soci::use(index), soci::use(submission), soci::use(live), soci::use(end),
             soci::use(record.blob))) {}
  long long id = 0, index = 0, submission = 0, end = 0;
  int live = 0;
  Body record;
  soci::statement run;
};
struct PutEvent {
  explicit PutEvent(soci::session& sql)
      : body(sql),
        run((sql.prepare << "insert into events (seq, at_us, id, idx, kind, body) "
                            "values (:seq, :at_us, :id, :idx, :kind, :body)",
             soci::use(seq), soci::use(at), soci::use(id), soci::use(index), soci::use(kind),
             soci::use(body.blob))) {}
  long long seq = 0, at = 0, id = 0, index = 0;
  int kind = 0;
  Body body;
  soci::statement run;
};
struct PutControl {
  explicit PutControl(soci::session& sql)
      : value(sql),
        run((sql.prepare << "insert into controls (kind, name, value) values (:kind, :name, :value) "
                            "on conflict (kind, name) do update set value = excluded.value",
             soci::use(kind), soci::use(name), soci::use(value.blob))),
        remove((sql.prepare << "delete from controls where kind = :kind and name = :name", soci::use(kind),
                soci::use(name))) {}
  std::string kind, name;
  Body value;
  soci::statement run, remove;
};
struct PutToken {
  explicit PutToken(soci::session& sql)
      : answer(sql),
        run((sql.prepare
                 << "insert into tokens (token, at_us, answer) values (:token, :at_us, :answer) "
                    "on conflict (token) do update set at_us = excluded.at_us, answer = excluded.answer",
             soci::use(token), soci::use(at), soci::use(answer.blob))) {}
  std::string token;
  long long at = 0;
  Body answer;
  soci::statement run;
};
struct ForgetTokens {
  explicit ForgetTokens(soci::session& sql)
      : run((sql.prepare << "delete from tokens where at_us < :before", soci::use(before))) {}
  long long before = 0;
  soci::statement run;
};
struct DropPayload {
  explicit DropPayload(soci::session& sql)
      : run((sql.prepare << "delete from payloads where number = :number", soci::use(number))) {}
  long long number = 0;
  soci::statement run;
};
struct PutNumber {
  explicit PutNumber(soci::session& sql)
      : run((sql.prepare << "insert into meta (name, value) values (:name, :value) "
                            "on conflict (name) do update set value = excluded.value",
             soci::use(name), soci::use(value))) {}
  std::string name;
  long long value = 0;
  soci::statement run;
};
struct GetJobs {
  explicit GetJobs(soci::session& sql)
      : record(sql),
        run((sql.prepare << "select record from jobs where id = :id and idx > :idx order by idx limit :most",
             soci::use(id), soci::use(after), soci::use(most), soci::into(record.blob))) {}
  long long id = 0, after = 0, most = 0;
  Body record;
  soci::statement run;
};
struct GetEvents {
  GetEvents(soci::session& sql, const char* condition, bool by_job)
      : body(sql),
        run(by_job
                ? soci::statement((sql.prepare << text(condition), soci::use(after), soci::use(from),
                                   soci::use(to), soci::use(id), soci::use(most), soci::into(seq),
                                   soci::into(body.blob)))
                : soci::statement((sql.prepare << text(condition), soci::use(after), soci::use(from),
                                   soci::use(to), soci::use(most), soci::into(seq), soci::into(body.blob)))) {
  }
  static std::string text(const char* condition) {
    return std::string("select seq, body from events where seq > :after and at_us >= :lo and at_us <= :hi") +
           condition + " order by seq limit :most";
  }
  long long after = 0, from = 0, to = 0, id = 0, most = 0, seq = 0;
  Body body;
  soci::statement run;
};

struct Statements {
  std::optional<PutSubmission> put_submission;
  std::optional<PutJob> put_job;
  std::optional<PutEvent> put_event;
  std::optional<PutControl> put_control;
  std::optional<PutToken> put_token;
  std::optional<ForgetTokens> forget_tokens;
  std::optional<PutNumber> put_number;
  std::optional<PutPayload> put_payload;
  std::optional<DropPayload> drop_payload;
  std::optional<GetPayload> get_payload;
  std::optional<GetSubmission> get_submission;
  std::optional<GetJobs> get_jobs;
  std::optional<GetEvents> all_events, job_events, finishes, job_finishes;
};

template <class Statement, class... Extra>
Statement& ready(std::optional<Statement>& place, soci::session& sql, Extra... extra) {
  if (!place) place.emplace(sql, extra...);
  return *place;
}

}  // namespace rollcall::io::rows
