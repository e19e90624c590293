#include "campaign/fleet/exchange_table.h"

#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "campaign/fleet/fleet.h"
#include "campaign/judging/afterwards.h"
#include "proxy/codec/protobuf.h"
#include "proxy/out/span.h"
#include "trace/recording/segment.h"
#include "trace/status.h"
#include "trace/store/store.h"

namespace retrial::campaign {
namespace {
using trace::Exchange;
using Writer = trace::ParquetWriter;
using Type = Writer::Type;

// What a row is made of.
struct Row {
  const Exchange& e;
  std::string_view member;
  std::uint64_t run = 0;
  Nanos began = 0;             // Unix time, of the fleet's clock
  std::optional<Nanos> error;  // of that
};
// A column: puts its value, or nothing where it is not known.
struct Field {
  Writer::Column column;
  void (*put)(Writer& to, std::size_t column, const Row& row);
};

void text(Writer& to, std::size_t column, std::string_view value) {
  if (value.empty()) return;
  using proxy::Protobuf;
  to.put(column, Protobuf::is_ascii(value) ? value : std::string_view(Protobuf::as_utf8(value)));
}
void count(Writer& to, std::size_t column, std::uint64_t value) { to.put(column, static_cast<std::int64_t>(value)); }
void since(Writer& to, std::size_t column, Nanos from, Nanos at) {
  if (from && at >= from) to.put(column, static_cast<double>(at - from) / kMillisecond);
}
void status(Writer& to, std::size_t column, int status, bool grpc) {
  if (status == 0 || trace::is_grpc(status) != grpc) return;
  to.put(column, std::int64_t{grpc ? trace::grpc_code_of(status) : status});
}

constexpr Field kFields[] = {
    {{"member", Type::text, true}, [](auto& to, auto c, auto& r) { text(to, c, r.member); }},
    {{"run", Type::number, true}, [](auto& to, auto c, auto& r) { count(to, c, r.run); }},
    {{"exchange", Type::number, true}, [](auto& to, auto c, auto& r) { count(to, c, r.e.id); }},
    {{"connection", Type::number, true}, [](auto& to, auto c, auto& r) { count(to, c, r.e.connection); }},
    {{"begun", Type::time, true}, [](auto& to, auto c, auto& r) { to.put(c, std::int64_t{r.began / 1000}); }},
    {{"begun_ns", Type::number, true}, [](auto& to, auto c, auto& r) { to.put(c, std::int64_t{r.began}); }},
    {{"begun_error_ns", Type::number},
     [](auto& to, auto c, auto& r) {
       if (r.error) to.put(c, std::int64_t{*r.error});
     }},
    {{"service", Type::text, true}, [](auto& to, auto c, auto& r) { text(to, c, r.e.service); }},
    {{"host", Type::text}, [](auto& to, auto c, auto& r) { text(to, c, r.e.host); }},
    {{"method", Type::text}, [](auto& to, auto c, auto& r) { text(to, c, r.e.method); }},
    {{"target", Type::text}, [](auto& to, auto c, auto& r) { text(to, c, r.e.target); }},
    {{"operation", Type::text}, [](auto& to, auto c, auto& r) { text(to, c, r.e.operation); }},
    {{"profile", Type::text}, [](auto& to, auto c, auto& r) { text(to, c, r.e.profile); }},
    {{"call", Type::number},
     [](auto& to, auto c, auto& r) {
       if (r.e.call) count(to, c, r.e.call);
     }},
    {{"attempt", Type::number},
     [](auto& to, auto c, auto& r) {
       if (r.e.call) to.put(c, std::int64_t{r.e.attempt});
     }},
    {{"confidence", Type::text},
     [](auto& to, auto c, auto& r) {
       if (r.e.call) text(to, c, trace::show(r.e.confidence));
     }},
    {{"status", Type::number}, [](auto& to, auto c, auto& r) { status(to, c, r.e.client_status, false); }},
    {{"service_status", Type::number}, [](auto& to, auto c, auto& r) { status(to, c, r.e.service_status, false); }},
    {{"grpc_status", Type::number}, [](auto& to, auto c, auto& r) { status(to, c, r.e.client_status, true); }},
    {{"service_grpc_status", Type::number}, [](auto& to, auto c, auto& r) { status(to, c, r.e.service_status, true); }},
    {{"ending", Type::text, true}, [](auto& to, auto c, auto& r) { text(to, c, trace::show(r.e.ending)); }},
    {{"failed", Type::yes, true}, [](auto& to, auto c, auto& r) { to.put(c, trace::told_failure(r.e)); }},
    {{"fault", Type::text},
     [](auto& to, auto c, auto& r) {
       if (!trace::is_pass(r.e.fault)) text(to, c, trace::show(r.e.fault));
     }},
    {{"fired", Type::yes, true}, [](auto& to, auto c, auto& r) { to.put(c, r.e.fired); }},
    {{"evidence", Type::text}, [](auto& to, auto c, auto& r) { text(to, c, r.e.evidence); }},
    {{"ms", Type::real}, [](auto& to, auto c, auto& r) { since(to, c, r.e.begun, r.e.told); }},
    {{"service_ms", Type::real}, [](auto& to, auto c, auto& r) { since(to, c, r.e.begun, r.e.answered); }},
    {{"request_bytes", Type::number, true}, [](auto& to, auto c, auto& r) { count(to, c, r.e.request_bytes); }},
    {{"response_bytes", Type::number, true}, [](auto& to, auto c, auto& r) { count(to, c, r.e.response_bytes); }},
    {{"trace_id", Type::text},
     [](auto& to, auto c, auto& r) {
       if (auto p = proxy::trace_parent_of(r.e)) text(to, c, p->trace);
     }},
    {{"parent_span_id", Type::text},
     [](auto& to, auto c, auto& r) {
       if (auto p = proxy::trace_parent_of(r.e)) text(to, c, p->span);
     }},
    {{"request_id", Type::text},
     [](auto& to, auto c, auto& r) { text(to, c, trace::find(r.e.request_headers, "x-request-id")); }},
    {{"call_site", Type::text},
     [](auto& to, auto c, auto& r) {
       if (r.e.tag.site) text(to, c, trace::show(*r.e.tag.site));
     }},
    {{"test", Type::text}, [](auto& to, auto c, auto& r) { text(to, c, r.e.tag.test); }},
};
constexpr auto kColumns = [] {
  std::array<Writer::Column, std::size(kFields)> columns{};
  for (std::size_t i = 0; i < columns.size(); i++) columns[i] = kFields[i].column;
  return columns;
}();

Result<void> put(Writer& to, const Row& row) {
  for (std::size_t i = 0; i < std::size(kFields); i++) kFields[i].put(to, i, row);
  return to.end_row();
}

// A recording of `serve`. Which calls its exchanges are of is found as they are read.
Result<void> put_served(Writer& to, const Member& member, const FleetClocks& clocks) {
  auto name = member.folder.string();
  bool several = clocks.all().size() > 1;
  Afterwards afterwards;
  Result<void> ok;
  auto read = trace::read_segments(
      member.folder, {.head = [&](auto run, Exchange& e) { afterwards.head(run, e); },
                      .over =
                          [&](auto run, Exchange&& e) {
                            afterwards.over(run, e);
                            auto* start = member.start(run);
                            if (!ok || !start) return;
                            Row row{.e = e, .member = name, .run = run, .began = start->wall.of(e.begun), .error = {}};
                            row.began = clocks.of(start->clock, row.began);
                            if (auto& clock = clocks.all()[start->clock]; several && clock.tied)
                              row.error = clock.error;
                            ok = put(to, row);
                          }});
  if (!read) return std::unexpected(read.error());
  return ok;
}

// A folder of `observe` or `run`: its store says all of it.
Result<void> put_stored(Writer& to, const std::filesystem::path& folder, const trace::Stored& stored) {
  auto name = folder.string();
  for (auto& run : stored.runs) {
    proxy::WallTime wall{run.began, run.wall_began};
    for (auto& e : run.exchanges)
      if (auto ok = put(to, {.e = e, .member = name, .run = run.id, .began = wall.of(e.begun), .error = {}}); !ok)
        return ok;
  }
  return {};
}

}  // namespace

std::span<const Writer::Column> exchange_columns() { return kColumns; }

Result<Exported> export_parquet(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& file) {
  std::vector<std::filesystem::path> served;
  std::vector<std::pair<std::filesystem::path, trace::Stored>> campaigns;
  Exported out;
  for (auto& folder : folders) {
    if (holds_segments(folder)) {
      served.push_back(folder);
    } else if (auto stored = trace::read_store(folder / "campaign.db"); stored) {
      campaigns.emplace_back(folder, std::move(*stored));
    } else {
      out.left.push_back(std::filesystem::exists(folder / "campaign.db")
                             ? stored.error().line()
                             : folder.string() + ": holds no trace of ours: neither campaign.db nor segments");
    }
  }
  auto fleet = read_fleet(served);
  out.left.insert(out.left.end(), fleet.left.begin(), fleet.left.end());
  out.members = fleet.members.size() + campaigns.size();
  out.clocks = clocks_line(fleet);
  if (out.members == 0)
    return fail(out.left.size() == 1 ? out.left.front() : out.left.front() + "; the other folders hold none either", {},
                Blame::user);
  auto to = Writer::create(file, kColumns, {{"retrial.fleet", fleet_json(fleet)}});
  if (!to) return std::unexpected(to.error());
  for (auto& member : fleet.members)
    if (auto ok = put_served(**to, member, fleet.clocks); !ok) return std::unexpected(ok.error());
  for (auto& [folder, stored] : campaigns)
    if (auto ok = put_stored(**to, folder, stored); !ok) return std::unexpected(ok.error());
  if (auto ok = (*to)->end(); !ok) return std::unexpected(ok.error());
  out.rows = (*to)->rows();
  return out;
}

}  // namespace retrial::campaign
