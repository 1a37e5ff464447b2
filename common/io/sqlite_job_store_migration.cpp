#include "common/io/sqlite_job_store_migration.hpp"

#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "common/io/sqlite_job_store_rows.hpp"
#include "common/wire/stored_payload.hpp"

namespace rollcall::io::rows {
namespace {

constexpr int kRowsOfATransaction = 500;
constexpr std::size_t kBytesOfATransaction = 8 << 20;  // of scripts of a megabyte these are few

std::unordered_set<long long> live_submissions(soci::session& sql) {
  std::unordered_set<long long> live;
  long long number = 0;
  soci::statement rows =
      (sql.prepare << "select distinct submission from jobs where live = 1", soci::into(number));
  rows.execute();
  while (rows.fetch()) live.insert(number);
  return live;
}

struct Row {
  long long number = 0;
  wire::Submission asked;
};

std::vector<Row> rows_after(soci::session& sql, long long after) {
  std::vector<Row> found;
  long long number = 0;
  Body body(sql);
  soci::statement rows =
      (sql.prepare << "select number, body from submissions where number > :after "
                      "order by number limit :most",
       soci::use(after), soci::use(kRowsOfATransaction), soci::into(number), soci::into(body.blob));
  rows.execute();
  for (std::size_t bytes = 0; bytes < kBytesOfATransaction && rows.fetch();) {
    Row& row = found.emplace_back();
    row.number = number;
    bytes += body.bytes().size();
    if (!row.asked.ParseFromString(body.bytes()))
      throw std::runtime_error("table submissions, row " + std::to_string(number) +
                               ": found bytes that cannot be read, expected a message");
  }
  return found;
}

void move(soci::session& sql, Row& row, bool live) {
  const auto parts = wire::take_payload(row.asked, static_cast<std::uint64_t>(row.number));
  if (parts.empty()) return;
  if (live)
    for (const auto& part : parts) {
      PutPayload put(sql);
      put.number = static_cast<long long>(part.number);
      put.body.take_bytes(part.body);
      put.run.execute(true);
    }
  else
    wire::forget_payload_rows(row.asked);
  Body body(sql);
  body.take(row.asked);
  sql << "update submissions set body = :body where number = :number", soci::use(body.blob),
      soci::use(row.number);
}

}  // namespace

void move_payloads(soci::session& sql) {
  const auto live = live_submissions(sql);
  for (long long after = 0;;) {
    soci::transaction transaction(sql);
    auto rows = rows_after(sql, after);
    if (rows.empty()) return;
    for (auto& row : rows) move(sql, row, live.contains(row.number));
    transaction.commit();
    after = rows.back().number;
  }
}

}  // namespace rollcall::io::rows
