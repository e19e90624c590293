#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

// SQLite, as far as the store needs it: errors as values, no more.
namespace retrial::trace::sqlite {

inline constexpr std::string_view kDamaged = "the file is damaged: ";
inline std::unexpected<Error> damaged(std::string_view why, std::string on = {}) {
  return fail(std::string(kDamaged).append(why), std::move(on), Blame::user);
}

class Statement {
 public:
  // Values of the next row are bound from left to right; insert() then writes it.
  void bind(std::int64_t value);
  void bind(double value);
  void bind(std::string_view text);  // any bytes; must stay until insert()
  void bind_null();
  Result<void> insert();

  // True while there is a row. Its columns are read from left to right.
  Result<bool> step();
  std::int64_t integer();
  double real();
  std::string text();
  bool null() const;  // is the next column NULL?
  bool more() const;  // is there a next column?

 private:
  friend class Database;
  Statement(sqlite3* db, sqlite3_stmt* statement, std::string on);
  struct Close {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, Close> statement_;
  std::string on_;
  int at_ = 0;
};

class Database {
 public:
  static Result<Database> create(const std::filesystem::path& file);  // there must be none
  static Result<Database> read_only(const std::filesystem::path& file);
  Result<void> run(const std::string& sql);
  Result<Statement> prepare(const std::string& sql);
  Result<std::int64_t> number(const std::string& sql);  // the one value that it gives
  Result<void> close();

 private:
  Database(sqlite3* db, std::string on);
  static Result<Database> open(const std::filesystem::path& file, int flags);
  struct Close {
    void operator()(sqlite3* db) const;
  };
  std::unique_ptr<sqlite3, Close> db_;
  std::string on_;
};

}  // namespace retrial::trace::sqlite
