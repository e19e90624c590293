#pragma once
#include <fmt/format.h>

#include <concepts>
#include <deque>
#include <functional>
#include <optional>

#include "trace/store/sqlite.h"
#include "trace/store/store_text.h"

// What store_columns.h's lists of columns are run over (its `Io`): a table's schema, writing a row, reading one.
namespace retrial::trace {

// The schema of a table: column names and types.
struct Schema {
  std::string text;
  int count = 0;
  void add(std::string_view name, std::string_view type) {
    text += fmt::format("{}{} {}", count++ ? ", " : "", name, type);
  }

  template <class T>
  void operator()(std::string_view name, const T&) {
    if constexpr (std::integral<T>)
      add(name, "INTEGER NOT NULL");
    else if constexpr (std::floating_point<T>)
      add(name, "REAL NOT NULL");
    else
      add(name, "TEXT NOT NULL");
  }
  void operator()(std::string_view name, const std::optional<CallSite>&) {
    add(fmt::format("{}_file", name), "TEXT");
    add(fmt::format("{}_line", name), "INTEGER");
    add(fmt::format("{}_function", name), "TEXT");
  }
  void callers(std::string_view name, const std::optional<CallSite>&) { add(name, "TEXT NOT NULL"); }
  template <class E>
  void word(std::string_view name, E, E) {
    add(name, "TEXT NOT NULL");
  }
  template <class E>
  void number(std::string_view name, E, E) {
    add(name, "INTEGER NOT NULL");
  }
  void shown(std::string_view name, std::string_view) { add(name, "TEXT NOT NULL"); }
  template <class T>
  void late(std::string_view name, const T& value) {
    (*this)(name, value);
  }
};

struct Binder {
  sqlite::Statement& row;
  std::deque<std::string> kept{};  // texts made for this row

  template <class T>
  void operator()(std::string_view, const T& value) {
    if constexpr (std::integral<T>)
      row.bind(static_cast<std::int64_t>(value));
    else if constexpr (std::floating_point<T>)
      row.bind(static_cast<double>(value));
    else if constexpr (Listed<T>)
      row.bind(std::string_view(kept.emplace_back(lines(value))));
    else
      row.bind(std::string_view(value));
  }
  void operator()(std::string_view, const std::optional<CallSite>& site) {
    if (site) {
      row.bind(std::string_view(site->file));
      row.bind(static_cast<std::int64_t>(site->line));
      row.bind(std::string_view(site->function));
    } else {
      for (int i = 0; i < 3; i++) row.bind_null();
    }
  }
  void callers(std::string_view, const std::optional<CallSite>& site) {
    row.bind(site ? std::string_view(site->callers) : std::string_view());
  }
  template <class E>
  void word(std::string_view, E value, E) {
    row.bind(show(value));
  }
  template <class E>
  void number(std::string_view, E value, E) {
    row.bind(static_cast<std::int64_t>(value));
  }
  template <class T>
  void late(std::string_view name, const T& value) {
    (*this)(name, value);
  }
  void shown(std::string_view, std::string text) { row.bind(std::string_view(kept.emplace_back(std::move(text)))); }
};

struct Reader {
  sqlite::Statement& row;
  bool good = true;

  template <class T>
  void operator()(std::string_view, T& value) {
    if constexpr (std::integral<T>)
      value = static_cast<T>(row.integer());
    else if constexpr (std::floating_point<T>)
      value = row.real();
    else if constexpr (Listed<T>)
      good &= from_lines(row.text(), value);
    else
      value = row.text();
  }
  void operator()(std::string_view, std::optional<CallSite>& site) {
    bool none = row.null();
    CallSite read{row.text(), static_cast<int>(row.integer()), row.text()};
    if (!none) site = std::move(read);
  }
  // Late, as below; behind the site itself.
  void callers(std::string_view, std::optional<CallSite>& site) {
    if (!row.more()) return;
    auto callers = row.text();
    if (site) site->callers = std::move(callers);
  }
  template <class E>
  void word(std::string_view, E& value, E last) {
    auto word = row.text();
    for (int i = 0; i <= static_cast<int>(last); i++)
      if (show(static_cast<E>(i)) == word) return void(value = static_cast<E>(i));
    good = false;
  }
  template <class E>
  void number(std::string_view, E& value, E last) {
    auto n = row.integer();
    bool known = n >= 0 && n <= static_cast<std::int64_t>(last);
    if (known) value = static_cast<E>(n);
    good &= known;
  }
  void shown(std::string_view, std::string_view) { (void)row.integer(); }
  // A last column that stores of an earlier version do not have.
  template <class T>
  void late(std::string_view name, T& value) {
    if (row.more()) (*this)(name, value);
  }
};

// The rows of one table. `fields(io, value)` lists its columns.
template <class T, class Fields>
class Table {
 public:
  Table(sqlite::Database& db, std::string name, Fields fields) : db_(db), name_(std::move(name)), fields_(fields) {}

  Result<void> create() {
    Schema schema;
    T none{};
    fields_(schema, none);
    auto ok = db_.run(fmt::format("CREATE TABLE {} ({})", name_, schema.text));
    if (!ok) return ok;
    std::string marks = "?";
    for (int i = 1; i < schema.count; i++) marks += ",?";
    auto statement = db_.prepare(fmt::format("INSERT INTO {} VALUES ({})", name_, marks));
    if (!statement) return std::unexpected(statement.error());
    insert_.emplace(std::move(*statement));
    return {};
  }
  // Of a T, or of anything with the same members.
  template <class Row>
  Result<void> add(const Row& row) {
    Binder binder{*insert_};
    fields_(binder, row);
    return insert_->insert();
  }
  // Those that `where` (an SQL condition) lets through, in the order in which they were added.
  Result<void> each(const std::function<bool(T&)>& keep, std::string_view where = "true") {
    auto rows = db_.prepare(fmt::format("SELECT * FROM {} WHERE {} ORDER BY rowid", name_, where));
    if (!rows) return std::unexpected(rows.error());
    for (;;) {
      auto row = rows->step();
      if (!row) return std::unexpected(row.error());
      if (!*row) return {};
      Reader reader{*rows};
      T value{};
      fields_(reader, value);
      if (!reader.good || !keep(value)) return sqlite::damaged(fmt::format("a row of {} cannot be read", name_));
    }
  }

 private:
  sqlite::Database& db_;
  std::string name_;
  Fields fields_;
  std::optional<sqlite::Statement> insert_;
};

}  // namespace retrial::trace
