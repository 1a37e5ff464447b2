#include "common/io/sqlite_job_store.hpp"

#include <errno.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sqlite3.h>

#include <algorithm>
#include <stdexcept>

#include "common/io/sqlite_job_store_files.hpp"
#include "common/io/sqlite_job_store_forget.hpp"
#include "common/io/sqlite_job_store_migration.hpp"
#include "common/io/sqlite_job_store_rows.hpp"
#include "common/io/stored_events.hpp"

namespace rollcall::io {

using namespace rows;

namespace {

using Kind = StoreError::Kind;

constexpr long long kSchema = 2;
constexpr long long kSchemaWithoutPayloads = 1;  // read and migrated: sqlite_job_store_migration.hpp
constexpr int kLogPages = 4000;  // pages of the log after which changes are moved into the database file
constexpr std::size_t kLogBytes =
    32 + (kLogPages + 100) * (24 + 4096);  // with room for one turn; SQLite, "File Format", 4
constexpr const char* kNumberNames[kStoreNumbers] = {"next_job",       "next_submission", "events_seq",
                                                     "events_size",    "accounts_seq",    "accounts_size",
                                                     "events_finished"};
constexpr int kFinish = wire::JobEvent::kFinish;
static_assert(kFinish == 14, "the index job_finishes and its queries name this number");

class SqliteJobStore final : public JobStore {
 public:
  SqliteJobStore(std::string path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  // Must run before anything else.
  StoreResult<void> start() {
    return guarded([&] { begin(); });
  }

  std::uint64_t term() const override { return term_; }
  std::int64_t number(StoreNumber which) const override { return numbers_[static_cast<std::size_t>(which)]; }
  std::uint64_t last_event() const override { return last_event_; }

  StoreResult<void> load(const StoreVisitor& visitor) override {
    return guarded([&] { read_all(visitor); });
  }

  StoreResult<std::uint64_t> commit(StoreBatch& batch) override {
    if (batch.empty()) return last_event_;
    std::uint64_t seq = last_event_;
    const auto written = guarded([&] {
      soci::transaction transaction(sql_);
      for (const auto& submission : batch.submissions) put(submission);
      for (const auto& payload : batch.payloads) put(*payload);
      for (const auto number : batch.drop_payloads) drop_payload(number);
      for (const auto& record : batch.jobs) put(record);
      for (const auto& control : batch.controls) put(control);
      for (auto& event : batch.events) put(++seq, event);
      if (batch.forget_tokens_before) forget_tokens(*batch.forget_tokens_before);
      for (const auto& token : batch.tokens) put(token);
      for (std::size_t i = 0; i < kStoreNumbers; ++i)
        if (batch.numbers[i] && (!numbers_sure_ || *batch.numbers[i] != numbers_[i]))
          put_number(kNumberNames[i], *batch.numbers[i]);
      transaction.commit();
    });
    numbers_sure_ = static_cast<bool>(written);
    if (!written) return written.error();
    for (std::size_t i = 0; i < kStoreNumbers; ++i)
      if (batch.numbers[i]) numbers_[i] = *batch.numbers[i];
    return last_event_ = seq;
  }

  StoreResult<Forgotten> forget(const Forget& asked) override {
    Forgotten forgotten;
    Forget what = asked;
    // New events are numbered after the last one.
    what.events_until = std::min(what.events_until, last_event_ - std::min<std::uint64_t>(last_event_, 1));
    const auto done = guarded([&] {
      soci::transaction transaction(sql_);
      forgotten = forgetting_.step(sql_, what);
      transaction.commit();
    });
    if (forgotten.submissions > 0) last_read_ = {};
    if (done) return forgotten;
    forgetting_.again();
    return done.error();
  }

  StoreResult<std::shared_ptr<const wire::Submission>> submission(std::uint64_t number) override {
    return read<std::shared_ptr<const wire::Submission>>(
        [&](auto& asked) { asked = get_submission(number); });
  }
  StoreResult<std::string> payload(std::uint64_t number) override {
    return read<std::string>([&](auto& body) { body = get_payload(number); });
  }
  StoreResult<std::vector<StoredEvent>> events(const EventQuery& query) override {
    return read<std::vector<StoredEvent>>([&](auto& found) { read_events(query, found); });
  }
  StoreResult<std::vector<wire::JobRecord>> jobs(int id, int after_index, std::size_t most) override {
    return read<std::vector<wire::JobRecord>>([&](auto& found) { read_jobs(id, after_index, most, found); });
  }
  StoreResult<int> highest_job() override {
    return read<int>([&](auto& id) { id = read_highest_job(); });
  }

 private:
  // ---- specific to SQLite

  void connect() {
    if (path_.find('"') != std::string::npos || path_.find('\n') != std::string::npos)
      throw std::runtime_error("found a quotation mark in the name, expected none");
    sql_.open(soci::sqlite3, "db=\"" + path_ + "\"");
    sqlite3_busy_timeout(handle(), 0);
    // Exclusive: no shared memory file, and no other program may write. Checkpoints are rarer than the default: each costs two
    // more flushes to disk.
    sql_ << "pragma locking_mode = exclusive";
    std::string mode;
    sql_ << "pragma journal_mode = wal", soci::into(mode);
    if (mode != "wal") throw std::runtime_error("found the journal mode " + mode + ", expected wal");
    sql_ << "pragma synchronous = full";
    sql_ << "pragma wal_autocheckpoint = " << kLogPages;
    sql_ << "pragma foreign_keys = off";
  }
  bool has_tables() {
    int tables = 0;
    sql_ << "select count(*) from sqlite_master where type = 'table'", soci::into(tables);
    return tables > 0;
  }
  bool has_meta() {
    int tables = 0;
    sql_ << "select count(*) from sqlite_master where type = 'table' and name = 'meta'", soci::into(tables);
    return tables == 1;
  }
  sqlite_api::sqlite3* handle() {
    return static_cast<soci::sqlite3_session_backend*>(sql_.get_backend())->conn_;
  }
  Kind kind_of(const soci::soci_error& error) {
    const auto* of_sqlite = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
    const int code = of_sqlite == nullptr ? SQLITE_ERROR : of_sqlite->result() & 0xff;
    if (code == SQLITE_FULL) return Kind::disk_full;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) return Kind::in_use;
    if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN) {
      const int why = sqlite3_system_errno(handle());
      if (why == ENOSPC || why == EDQUOT) return Kind::disk_full;
    }
    return Kind::failed;
  }

  // ---- opening

  void begin() {
    connect();
    if (!has_tables()) {
      make_tables();
    } else if (!has_meta()) {
      throw std::runtime_error("found another program's database, expected mbatchd's");
    }
    read_meta();
    bring_up_to_date();
    soci::transaction transaction(sql_);
    sql_ << kTokenTable;
    put_number("term", static_cast<long long>(++term_));
    transaction.commit();
    // Zeros after this commit's frames: SQLite ignores frames with another salt.
    lengthen(path_ + "-wal", kLogBytes);
  }

  void make_tables() {
    soci::transaction transaction(sql_);
    for (const char* table : kTables) sql_ << table;
    put_number("rollcall_schema", kSchema);
    transaction.commit();
  }

  void read_meta() {
    std::string name;
    long long value = 0, schema = 0;
    soci::statement rows =
        (sql_.prepare << "select name, value from meta", soci::into(name), soci::into(value));
    rows.execute();
    while (rows.fetch()) {
      if (name == "rollcall_schema") schema = value;
      if (name == "term") term_ = static_cast<std::uint64_t>(value);
      for (std::size_t i = 0; i < kStoreNumbers; ++i)
        if (name == kNumberNames[i]) numbers_[i] = value;
    }
    schema_ = schema;
    if (schema != kSchema && schema != kSchemaWithoutPayloads)
      throw std::runtime_error("found version " + std::to_string(schema) + " of the tables, expected " +
                               std::to_string(kSchema));
    soci::indicator there = soci::i_null;
    sql_ << "select max(seq) from events", soci::into(value, there);
    last_event_ = there == soci::i_ok ? static_cast<std::uint64_t>(value) : 0;
  }

  void bring_up_to_date() {
    sql_ << kPayloadTable;
    sql_ << kEndIndex;
    if (schema_ == kSchema) return;
    move_payloads(sql_);
    put_number("rollcall_schema", kSchema);
  }

  // ---- one transaction

  void put(const StoredSubmission& submission) {
    auto& row = ready(statements_.put_submission, sql_);
    row.number = static_cast<long long>(submission.number);
    row.body.take(*submission.asked);
    row.run.execute(true);
  }
  void put(const wire::JobRecord& record) {
    auto& row = ready(statements_.put_job, sql_);
    row.id = record.key().id();
    row.index = record.key().index();
    row.submission = static_cast<long long>(record.submission());
    row.live = record.cleaned_us() == 0 ? 1 : 0;
    row.end = record.end_us();
    row.record.take(record);
    row.run.execute(true);
  }
  void put(const StoredPayload& payload) {
    auto& row = ready(statements_.put_payload, sql_);
    row.number = static_cast<long long>(payload.number);
    row.body.take_bytes(payload.body);
    row.run.execute(true);
  }
  void drop_payload(std::uint64_t number) {
    auto& row = ready(statements_.drop_payload, sql_);
    row.number = static_cast<long long>(number);
    row.run.execute(true);
  }
  std::string get_payload(std::uint64_t number) {
    auto& row = ready(statements_.get_payload, sql_);
    row.number = static_cast<long long>(number);
    row.run.execute();
    if (!row.run.fetch())
      throw std::runtime_error("table payloads: found no row " + std::to_string(number) +
                               ", expected a job's");
    std::string body = row.body.bytes();
    while (row.run.fetch()) continue;
    return body;
  }
  void put(const StoredControl& control) {
    auto& row = ready(statements_.put_control, sql_);
    row.kind = control.kind;
    row.name = control.name;
    row.value.take_bytes(control.value);
    (control.value.empty() ? row.remove : row.run).execute(true);
  }
  void put(const StoredToken& token) {
    auto& row = ready(statements_.put_token, sql_);
    row.token = token.token;
    row.at = token.at_us;
    row.answer.take_bytes(token.answer);
    row.run.execute(true);
  }
  void forget_tokens(std::int64_t before_us) {
    auto& rows = ready(statements_.forget_tokens, sql_);
    rows.before = before_us;
    rows.run.execute(true);
  }
  void put(std::uint64_t seq, wire::JobEvent& event) {
    auto& row = ready(statements_.put_event, sql_);
    row.seq = static_cast<long long>(seq);
    row.at = event.at_us();
    row.id = event.key().id();
    row.index = event.key().index();
    row.kind = static_cast<int>(event.what_case());
    {
      const WithoutAsked without(event);
      row.body.take(event);
    }
    row.run.execute(true);
  }
  void put_number(const char* name, long long value) {
    auto& row = ready(statements_.put_number, sql_);
    row.name = name;
    row.value = value;
    row.run.execute(true);
  }

  // ---- events hold no submission but name it (stored_events.hpp)

  // Elements of an array are next to each other: the last submission is cached.
  void put_asked_back(wire::JobEvent& event) {
    const auto number = submission_of(event);
    if (number == 0) return;
    const auto asked = get_submission(number);
    if (asked) put_asked(event, *asked);
  }

  std::shared_ptr<const wire::Submission> get_submission(std::uint64_t number) {
    if (last_read_.asked && last_read_.number == number) return last_read_.asked;
    auto& row = ready(statements_.get_submission, sql_);
    row.number = static_cast<long long>(number);
    row.run.execute();
    auto asked = std::make_shared<wire::Submission>();
    if (!row.run.fetch()) return nullptr;
    parse(*asked, row.body.bytes(), "submissions", row.number);
    while (row.run.fetch()) continue;
    last_read_ = {number, asked};
    return asked;
  }

  // ---- reading

  template <class Message>
  void parse(Message& message, const std::string& bytes, const char* table, long long row) {
    if (!message.ParseFromString(bytes))
      throw std::runtime_error(std::string("table ") + table + ", row " + std::to_string(row) +
                               ": found bytes that cannot be read, expected a message");
  }

  void read_all(const StoreVisitor& visitor) {
    Body body(sql_);
    long long number = 0;
    soci::statement submissions =
        (sql_.prepare << "select number, body from submissions where number in "
                         "(select submission from jobs where live = 1) order by number",
         soci::into(number), soci::into(body.blob));
    submissions.execute();
    while (submissions.fetch()) {
      auto asked = std::make_shared<wire::Submission>();
      parse(*asked, body.bytes(), "submissions", number);
      visitor.submission({static_cast<std::uint64_t>(number), std::move(asked)});
    }
    soci::statement jobs = (sql_.prepare << "select id, record from jobs where live = 1 order by id, idx",
                            soci::into(number), soci::into(body.blob));
    jobs.execute();
    while (jobs.fetch()) {
      wire::JobRecord record;
      parse(record, body.bytes(), "jobs", number);
      visitor.job(std::move(record));
    }
    std::string kind, name;
    soci::statement controls = (sql_.prepare << "select kind, name, value from controls order by kind, name",
                                soci::into(kind), soci::into(name), soci::into(body.blob));
    controls.execute();
    while (controls.fetch()) visitor.control({kind, name, body.bytes()});
    if (!visitor.token) return;
    soci::statement tokens = (sql_.prepare << "select token, at_us, answer from tokens order by at_us, token",
                              soci::into(name), soci::into(number), soci::into(body.blob));
    tokens.execute();
    while (tokens.fetch()) visitor.token({name, number, body.bytes()});
  }

  GetEvents& statement_for(const EventQuery& query) {
    if (query.finishes && query.id)
      return ready(statements_.job_finishes, sql_, " and id = :id and kind = 14", true);
    if (query.finishes) return ready(statements_.finishes, sql_, " and kind = 14", false);
    if (query.id) return ready(statements_.job_events, sql_, " and id = :id", true);
    return ready(statements_.all_events, sql_, "", false);
  }

  void read_events(const EventQuery& query, std::vector<StoredEvent>& found) {
    auto& rows = statement_for(query);
    rows.after = static_cast<long long>(query.after);
    rows.from = query.from_us;
    rows.to = query.to_us;
    rows.id = query.id.value_or(0);
    rows.most = static_cast<long long>(query.most);
    rows.run.execute();
    while (rows.run.fetch()) {
      StoredEvent event{static_cast<std::uint64_t>(rows.seq), {}};
      parse(event.event, rows.body.bytes(), "events", rows.seq);
      found.push_back(std::move(event));
    }
    for (auto& event : found) put_asked_back(event.event);
  }

  void read_jobs(int id, int after_index, std::size_t most, std::vector<wire::JobRecord>& found) {
    auto& rows = ready(statements_.get_jobs, sql_);
    rows.id = id;
    rows.after = after_index;
    rows.most = static_cast<long long>(most);
    rows.run.execute();
    while (rows.run.fetch()) parse(found.emplace_back(), rows.record.bytes(), "jobs", id);
  }

  int read_highest_job() {
    long long id = 0;
    soci::indicator there = soci::i_null;
    sql_ << "select max(id) from jobs", soci::into(id, there);
    return there == soci::i_ok ? static_cast<int>(id) : 0;
  }

  // Turns SOCI's exceptions into errors. A failed statement must not be used again.
  template <class Action>
  StoreResult<void> guarded(Action action) {
    try {
      action();
      return {};
    } catch (const soci::soci_error& error) {
      const Kind kind = kind_of(error);
      statements_ = {};
      return StoreError{kind, path_ + ": " + error.get_error_message()};
    } catch (const std::exception& error) {
      statements_ = {};
      return StoreError{Kind::failed, path_ + ": " + error.what()};
    }
  }
  template <class Value, class Action>
  StoreResult<Value> read(Action action) {
    Value value{};
    const auto done = guarded([&] { action(value); });
    if (!done) return done.error();
    return value;
  }

  std::uint64_t term_ = 0;
  long long schema_ = 0;  // as it was found
  std::uint64_t last_event_ = 0;
  std::array<std::int64_t, kStoreNumbers> numbers_{};  // as stored; not after a failed commit
  bool numbers_sure_ = true;

  std::string path_;
  Descriptor lock_;
  soci::session sql_;
  Statements statements_;  // after the session: destroyed first
  StoredSubmission last_read_;
  StoreForgetting forgetting_;
};

}  // namespace

StoreResult<std::unique_ptr<JobStore>> open_sqlite_job_store(const std::string& directory) {
  auto lock = lock_directory(directory);
  if (!lock) return lock.error();
  const std::string path = directory + "/jobs.db";
  if (const auto file = open_own(path); !file)
    return file.error();  // SQLite makes its other files with this mode
  auto store = std::make_unique<SqliteJobStore>(path, std::move(*lock));
  if (const auto started = store->start(); !started) return started.error();
  return store;
}

}  // namespace rollcall::io
