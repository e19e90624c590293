#include "trace/store/store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "base/text.h"
#include "trace/executions.h"
#include "trace/store/store_columns.h"
#include "trace/store/store_rows.h"

namespace retrial::trace {
namespace {

constexpr std::int64_t kVersion = 13, kOldest = 6;  // written; read
constexpr std::int64_t kApplication = 0x5254524c;   // "RTRL"

// What belongs to something: the run (or the result, or the section of the report) stands before it.
template <class T>
struct Of {
  std::uint64_t run = 0;
  std::uint64_t result = 0;
  std::string section;
  T it;
};
// The same, to be written from where it lies.
template <class T>
struct OfThat {
  std::uint64_t run = 0;
  std::uint64_t result = 0;
  std::string_view section;
  const T& it;
};
struct KeyValue {
  std::string key, value;
};

// Every table, once.
struct Tables {
  explicit Tables(sqlite::Database& db) : db_(db) {}
  sqlite::Database& db_;
#define RETRIAL_TABLE(type, member, name, ...)                             \
  Table<type, decltype([](auto& io, auto& row) { __VA_ARGS__; })> member { \
    db_, name, {}                                                          \
  }
  RETRIAL_TABLE(Run, run, "run", columns::of_run(io, row));
  RETRIAL_TABLE(Of<Exchange>, exchange, "exchange", io("run", row.run); columns::of_exchange(io, row.it));
  RETRIAL_TABLE(Of<Stage>, stage, "stage", io("run", row.run); columns::of_stage(io, row.it));
  RETRIAL_TABLE(Of<Jump>, jump, "jump", io("run", row.run); columns::of_jump(io, row.it));
  RETRIAL_TABLE(Of<ConnectionFault>, connection_fault, "connection_fault", io("run", row.run);
                columns::of_connection_fault(io, row.it));
  RETRIAL_TABLE(Of<TestResult>, result, "test_result", io("run", row.run); io("n", row.result);
                columns::of_result(io, row.it));
  RETRIAL_TABLE(Of<Thrown>, thrown, "thrown", io("run", row.run); io("result", row.result);
                columns::of_thrown(io, row.it));
  RETRIAL_TABLE(Of<Finding>, finding, "finding", io("section", row.section); columns::of_finding(io, row.it));
  RETRIAL_TABLE(Of<Judged>, judged, "judged", io("section", row.section); columns::of_judged(io, row.it));
  RETRIAL_TABLE(CaseRecord, plan, "plan", columns::of_case(io, row));
  RETRIAL_TABLE(ServiceSeen, service, "service", columns::of_service(io, row));
  RETRIAL_TABLE(RetryLocation, retry, "retry_location", columns::of_retry(io, row));
  RETRIAL_TABLE(KeyValue, campaign, "campaign", io("key", row.key); io("value", row.value));
#undef RETRIAL_TABLE

  Result<void> create() {
    Result<void> ok;
    auto make = [&](auto&... table) { (void)((ok = table.create()).has_value() && ...); };
    make(run, exchange, stage, jump, connection_fault, result, thrown, finding, judged, plan, service, retry, campaign);
    return ok;
  }
};

// A campaign's own fields as keys and values.
struct ToKeys {
  std::vector<KeyValue>& rows;
  template <class T>
  void operator()(std::string_view key, const T& value) {
    if constexpr (std::integral<T>)
      rows.push_back({std::string(key), std::to_string(value)});
    else if constexpr (Listed<T>)
      rows.push_back({std::string(key), lines(value)});
    else
      rows.push_back({std::string(key), value});
  }
  template <class T>
  void late(std::string_view key, const T& value) {
    (*this)(key, value);
  }
};
struct FromKeys {
  const std::vector<KeyValue>& rows;
  bool good = true;
  template <class T>
  void operator()(std::string_view key, T& value) {
    auto row = std::ranges::find(rows, key, &KeyValue::key);
    if (row == rows.end()) return void(good = false);
    if constexpr (std::integral<T>) {
      auto number = to_int(row->value);
      good &= number.has_value();
      value = number.value_or(0);
    } else if constexpr (Listed<T>) {
      good &= from_lines(row->value, value);
    } else {
      value = row->value;
    }
  }
  // A key that older stores do not have.
  template <class T>
  void late(std::string_view key, T& value) {
    if (std::ranges::count(rows, key, &KeyValue::key)) (*this)(key, value);
  }
};

// For whoever looks with the sqlite3 shell. `attempt` shows each call's attempts with the gap before them.
constexpr const char* kForPeople = R"(
CREATE UNIQUE INDEX run_id ON run(id);
CREATE UNIQUE INDEX IF NOT EXISTS exchange_id ON exchange(run, id);
CREATE INDEX exchange_call ON exchange(run, call, attempt);
CREATE INDEX exchange_operation ON exchange(operation);
CREATE INDEX exchange_fired ON exchange(run, id) WHERE fired;
CREATE INDEX result_test ON test_result(test);
CREATE INDEX finding_verdict ON finding(verdict);
CREATE VIEW attempt AS
  SELECT run, call, attempt, confidence, test, site_file || ':' || site_line AS site, operation,
         CASE WHEN fired THEN fault ELSE 'pass' END AS fault, service_status, client_status, ending,
         (begun - lag(told) OVER (PARTITION BY run, call ORDER BY attempt)) / 1e6 AS gap_ms, id AS exchange
  FROM exchange ORDER BY run, call, attempt;
)";

}  // namespace

struct StoreWriter::Impl {
  Impl(std::filesystem::path name, sqlite::Database opened) : file(std::move(name)), db(std::move(opened)) {
    tables.emplace(db);
  }
  ~Impl() {
    std::error_code error;
    if (!whole) std::filesystem::remove(part_of(file), error);
  }
  static std::filesystem::path part_of(std::filesystem::path file) { return file += ".part"; }

  template <class Row>
  void put(auto& table, const Row& row) {
    if (ok) ok = table.add(row);
  }
  void put(const Run& run) {
    put(tables->run, run);
    for (auto& e : run.exchanges) put(tables->exchange, OfThat<Exchange>{.run = run.id, .it = e});
    for (auto& s : run.stages) put(tables->stage, OfThat<Stage>{.run = run.id, .it = s});
    for (auto& j : run.jumps) put(tables->jump, OfThat<Jump>{.run = run.id, .it = j});
    for (auto& c : run.connection_faults)
      put(tables->connection_fault, OfThat<ConnectionFault>{.run = run.id, .it = c});
    std::uint64_t n = 0;
    for (auto& r : run.results) {
      put(tables->result, OfThat<TestResult>{.run = run.id, .result = ++n, .it = r});
      for (auto& t : r.chain) put(tables->thrown, OfThat<Thrown>{.run = run.id, .result = n, .it = t});
    }
  }
  void put(const CampaignRecord& campaign) {
    for (auto& f : campaign.findings) put(tables->finding, OfThat<Finding>{.section = "finding", .it = f});
    for (auto& f : campaign.notes) put(tables->finding, OfThat<Finding>{.section = "note", .it = f});
    for (auto& j : campaign.clean) put(tables->judged, OfThat<Judged>{.section = "clean", .it = j});
    for (auto& j : campaign.not_judged) put(tables->judged, OfThat<Judged>{.section = "not judged", .it = j});
    for (auto& c : campaign.cases) put(tables->plan, c);
    for (auto& s : campaign.services) put(tables->service, s);
    for (auto& at : campaign.retries) put(tables->retry, at);
    std::vector<KeyValue> keys;
    ToKeys to_keys{keys};
    columns::of_campaign(to_keys, campaign);
    for (auto& k : keys) put(tables->campaign, k);
  }

  std::filesystem::path file;
  sqlite::Database db;
  std::optional<Tables> tables;
  Result<void> ok;
  bool whole = false;
};

Result<std::unique_ptr<StoreWriter>> StoreWriter::open(const std::filesystem::path& file) {
  auto part = Impl::part_of(file);
  std::error_code error;
  std::filesystem::remove(part, error);
  auto db = sqlite::Database::create(part);
  if (!db) return std::unexpected(db.error());
  auto impl = std::make_unique<Impl>(file, std::move(*db));
  // No journal: the file is thrown away if anything fails, and takes its name when it is whole.
  impl->ok =
      impl->db.run(fmt::format("PRAGMA journal_mode = OFF; PRAGMA application_id = {}; PRAGMA user_version = {}; BEGIN",
                               kApplication, kVersion));
  if (impl->ok) impl->ok = impl->tables->create();
  if (!impl->ok) return std::unexpected(impl->ok.error());
  return std::unique_ptr<StoreWriter>(new StoreWriter(std::move(impl)));
}
StoreWriter::StoreWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StoreWriter::~StoreWriter() = default;

void StoreWriter::add(const Run& run) { impl_->put(run); }
void StoreWriter::add(std::uint64_t run, const Exchange& exchange) {
  impl_->put(impl_->tables->exchange, OfThat<Exchange>{.run = run, .it = exchange});
}
void StoreWriter::correlated(std::uint64_t run, const std::vector<Exchange>& exchanges) {
  auto& w = *impl_;
  if (w.ok) w.ok = w.db.run("CREATE UNIQUE INDEX IF NOT EXISTS exchange_id ON exchange(run, id)");
  for (auto& e : exchanges)
    if (w.ok)
      w.ok = w.db.run(
          fmt::format("UPDATE exchange SET call = {}, attempt = {}, confidence = '{}' WHERE run = {} AND id = {}",
                      e.call, e.attempt, show(e.confidence), run, e.id));
}
Result<void> StoreWriter::end(const CampaignRecord& campaign, const std::vector<Run>& runs) {
  auto& w = *impl_;
  for (auto& run : runs) w.put(run);
  w.put(campaign);
  if (w.ok) w.ok = w.db.run(std::string(kForPeople) + "COMMIT");
  w.tables.reset();
  if (w.ok) w.ok = w.db.close();
  if (!w.ok) return w.ok;
  std::error_code error;
  std::filesystem::rename(Impl::part_of(w.file), w.file, error);
  if (error) return fail_errno("cannot write the campaign's store", error.value(), w.file, Blame::user);
  w.whole = true;
  return {};
}

Result<void> write_store(const std::filesystem::path& file, const CampaignRecord& campaign,
                         const std::vector<Run>& runs) {
  auto writer = StoreWriter::open(file);
  return writer ? (*writer)->end(campaign, runs) : std::unexpected(writer.error());
}

namespace {

Result<void> check(sqlite::Database& db, const std::filesystem::path& file) {
  std::error_code error;
  auto bytes = std::filesystem::file_size(file, error);
  if (bytes == 0) return sqlite::damaged("it is empty", file);
  auto application = db.number("PRAGMA application_id");
  if (!application) return std::unexpected(application.error());
  if (*application != kApplication)
    return fail("this is an SQLite file, but none that Retrial wrote", file, Blame::user);
  auto version = db.number("PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  if (*version < kOldest || *version > kVersion)
    return fail(fmt::format("this was written by another version of Retrial: its format is {}, {} to {} are read here",
                            *version, kOldest, kVersion),
                file, Blame::user);
  auto pages = db.number("PRAGMA page_count"), size = db.number("PRAGMA page_size");
  if (!pages || !size || error || static_cast<std::uint64_t>(*pages * *size) != bytes)
    return sqlite::damaged("it is not as long as it says", file);
  return {};
}

// Which runs are wanted, as an SQL condition on the column that names them.
using Wanted = std::function<std::string(std::string_view column)>;
std::string all_of_them(std::string_view) { return "true"; }

// Rows of runs come in the order of the runs; `find` gives the one that a row belongs to.
Result<std::vector<Run>> read_runs(Tables& tables, const Wanted& wanted, const EachExchange& each_exchange) {
  std::vector<Run> runs;
  Result<void> ok;
  auto each = [&](auto& table, auto keep, std::string_view column = "run") {
    if (ok) ok = table.each(keep, wanted(column));
  };
  std::size_t at = 0;
  auto find = [&](std::uint64_t id) -> Run* {
    for (std::size_t tried = 0; tried < runs.size(); tried++, at = (at + 1) % runs.size())
      if (runs[at].id == id) return &runs[at];
    return nullptr;
  };
  auto into = [&](auto member) {
    return [&find, member](auto& row) {
      auto* run = find(row.run);
      if (run) (run->*member).push_back(std::move(row.it));
      return run != nullptr;
    };
  };
  each(tables.run, [&](Run& run) { return runs.push_back(std::move(run)), true; }, "id");
  if (each_exchange)
    each(tables.exchange, [&](Of<Exchange>& row) { return each_exchange(row.run, std::move(row.it)), true; });
  else
    each(tables.exchange, into(&Run::exchanges));
  for (auto& run : runs)
    if (!std::ranges::is_sorted(run.exchanges, {}, &Exchange::id)) std::ranges::sort(run.exchanges, {}, &Exchange::id);
  each(tables.stage, into(&Run::stages));
  each(tables.jump, into(&Run::jumps));
  each(tables.connection_fault, into(&Run::connection_faults));
  each(tables.result, into(&Run::results));
  each(tables.thrown, [&](Of<Thrown>& row) {
    auto* run = find(row.run);
    if (!run || row.result == 0 || row.result > run->results.size()) return false;
    run->results[row.result - 1].chain.push_back(std::move(row.it));
    return true;
  });
  if (!ok) return std::unexpected(ok.error());
  std::ranges::sort(runs, {}, &Run::id);
  return runs;
}

Result<CampaignRecord> read_campaign(Tables& tables) {
  CampaignRecord c;
  Result<void> ok;
  auto each = [&](auto& table, auto keep) {
    if (ok) ok = table.each(keep);
  };
  auto keep_in = [](auto& list) { return [&list](auto& row) { return list.push_back(std::move(row)), true; }; };
  auto section = [](auto& first, std::string_view name, auto& second) {
    return [&first, name, &second](auto& row) {
      return (row.section == name ? first : second).push_back(std::move(row.it)), true;
    };
  };
  each(tables.finding, section(c.findings, "finding", c.notes));
  each(tables.judged, section(c.clean, "clean", c.not_judged));
  each(tables.plan, keep_in(c.cases));
  each(tables.service, keep_in(c.services));
  auto has_retries = tables.db_.number("SELECT count(*) FROM sqlite_master WHERE name = 'retry_location'");
  if (!has_retries) return std::unexpected(has_retries.error());
  if (*has_retries) each(tables.retry, keep_in(c.retries));  // since version 10
  std::vector<KeyValue> keys;
  each(tables.campaign, keep_in(keys));
  if (!ok) return std::unexpected(ok.error());
  FromKeys from_keys{keys};
  columns::of_campaign(from_keys, c);
  if (!from_keys.good) return sqlite::damaged("a key of campaign is missing");
  return c;
}

// `read`: what is read of it.
Result<Stored> read(const std::filesystem::path& file, const std::function<Result<Stored>(Tables&)>& read) {
  auto db = sqlite::Database::read_only(file);
  if (!db) return std::unexpected(db.error());
  if (auto ok = check(*db, file); !ok) return std::unexpected(ok.error());
  Tables tables(*db);
  auto stored = read(tables);
  if (!stored && stored.error().on.empty()) stored.error().on = file;
  return stored;
}

}  // namespace

bool is_damage(const Error& error) { return error.what.starts_with(sqlite::kDamaged); }

Result<Stored> read_store(const std::filesystem::path& file, const EachExchange& each) {
  return read(file, [&](Tables& tables) -> Result<Stored> {
    auto runs = read_runs(tables, all_of_them, each);
    if (!runs) return std::unexpected(runs.error());
    auto campaign = read_campaign(tables);
    if (!campaign) return std::unexpected(campaign.error());
    return Stored{std::move(*campaign), std::move(*runs)};
  });
}

Result<Stored> read_evidence(const std::filesystem::path& file) {
  return read(file, [&](Tables& tables) -> Result<Stored> {
    auto campaign = read_campaign(tables);
    if (!campaign) return std::unexpected(campaign.error());
    std::map<std::uint64_t, std::set<std::string>> tests;
    for (auto& f : campaign->findings) {
      for (auto run : {f.run, f.reference}) tests[run].insert(f.test);
      for (auto& row : campaign->cases)  // of growth every size is evidence
        if (is_stressed(row.policy) && is_case_of(row, f))
          for (auto run : row.runs) tests[run].insert(f.test);
    }
    auto named = fmt::format("{}", fmt::join(tests | std::views::keys, ","));
    auto runs = read_runs(tables, [&](auto column) { return fmt::format("{} IN ({})", column, named); }, {});
    if (!runs) return std::unexpected(runs.error());
    for (auto& run : *runs)
      std::erase_if(run.exchanges, [&](auto& e) {
        return !e.tag.test.empty() && !tests[run.id].contains(std::string(test_of(e.tag.test)));
      });
    return Stored{std::move(*campaign), std::move(*runs)};
  });
}

}  // namespace retrial::trace
