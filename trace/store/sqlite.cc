#include "trace/store/sqlite.h"

#include <sqlite3.h>

#include <utility>

namespace retrial::trace::sqlite {
namespace {

std::unexpected<Error> failed(sqlite3* db, const std::string& on) {
  int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return fail("this is no SQLite file, so none that Retrial wrote", on, Blame::user);
    case SQLITE_CORRUPT:
      return damaged(sqlite3_errmsg(db), on);
    case SQLITE_CANTOPEN:
      return fail_errno("cannot open the file", sqlite3_system_errno(db), on, Blame::user);
    case SQLITE_FULL:
      return fail("the disk is full", on, Blame::user);
    default:
      return fail("SQLite: " + std::string(db ? sqlite3_errmsg(db) : "out of memory"), on);
  }
}

}  // namespace

void Statement::Close::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
Statement::Statement(sqlite3* db, sqlite3_stmt* statement, std::string on)
    : db_(db), statement_(statement), on_(std::move(on)) {}

// A bind can only fail for an index that is not there or no memory; insert() then fails too.
void Statement::bind(std::int64_t value) { sqlite3_bind_int64(statement_.get(), ++at_, value); }
void Statement::bind(double value) { sqlite3_bind_double(statement_.get(), ++at_, value); }
void Statement::bind(std::string_view text) {
  // Text that no text can be goes in as a blob, so that the sqlite3 shell does not cut it at a NUL.
  auto size = text.size();
  auto* at = size ? text.data() : "";
  if (text.find('\0') == text.npos)
    sqlite3_bind_text64(statement_.get(), ++at_, at, size, SQLITE_STATIC, SQLITE_UTF8);
  else
    sqlite3_bind_blob64(statement_.get(), ++at_, at, size, SQLITE_STATIC);
}
void Statement::bind_null() { sqlite3_bind_null(statement_.get(), ++at_); }
Result<void> Statement::insert() {
  if (at_ != sqlite3_bind_parameter_count(statement_.get()))
    return fail("SQLite: a row has too many or too few values", on_);
  at_ = 0;
  if (sqlite3_step(statement_.get()) != SQLITE_DONE) return failed(db_, on_);
  sqlite3_reset(statement_.get());
  return {};
}

Result<bool> Statement::step() {
  at_ = 0;
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return failed(db_, on_);
  }
}
std::int64_t Statement::integer() { return sqlite3_column_int64(statement_.get(), at_++); }
double Statement::real() { return sqlite3_column_double(statement_.get(), at_++); }
std::string Statement::text() {
  auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), at_));
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), at_++));
  return bytes ? std::string(bytes, size) : std::string();
}
bool Statement::null() const { return sqlite3_column_type(statement_.get(), at_) == SQLITE_NULL; }
bool Statement::more() const { return at_ < sqlite3_column_count(statement_.get()); }

void Database::Close::operator()(sqlite3* db) const { sqlite3_close(db); }
Database::Database(sqlite3* db, std::string on) : db_(db), on_(std::move(on)) {}

Result<Database> Database::open(const std::filesystem::path& file, int flags) {
  sqlite3* db = nullptr;
  int code = sqlite3_open_v2(file.c_str(), &db, flags, nullptr);
  Database opened(db, file);
  if (code != SQLITE_OK) return failed(db, file);
  return opened;
}
Result<Database> Database::create(const std::filesystem::path& file) {
  return open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE);
}
Result<Database> Database::read_only(const std::filesystem::path& file) { return open(file, SQLITE_OPEN_READONLY); }
Result<void> Database::run(const std::string& sql) {
  if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return failed(db_.get(), on_);
  return {};
}
Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return failed(db_.get(), on_);
  return Statement(db_.get(), statement, on_);
}
Result<std::int64_t> Database::number(const std::string& sql) {
  auto statement = prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  auto row = statement->step();
  if (!row) return std::unexpected(row.error());
  return *row ? statement->integer() : 0;
}
Result<void> Database::close() {
  if (sqlite3_close(db_.get()) != SQLITE_OK) return failed(db_.get(), on_);
  (void)db_.release();
  return {};
}

}  // namespace retrial::trace::sqlite
