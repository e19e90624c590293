#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "campaign/serving/pages.h"
#include "campaign/serving/routes.h"
#include "trace/profiles/profile.h"
#include "trace/profiles/profile_table.h"

namespace retrial::campaign {
namespace {
using proxy::AdminRequest, proxy::AdminResponse;
using Json = nlohmann::ordered_json;

// The body of halt, resume and renew: {"ttl": "5m", "why": "…"}, or none.
struct Wish {
  Nanos ttl = 0;
  std::string why;
};
Granted<Wish> wish_of(const std::string& body) {
  Wish wish;
  if (trim(body).empty()) return wish;
  auto json = Json::parse(body, nullptr, false);
  if (!json.is_object()) return std::unexpected(Refused{400, "expected a JSON object, such as {\"ttl\": \"5m\"}"});
  for (auto& [key, value] : json.items()) {
    auto text = value.is_string() ? value.get<std::string>() : "";
    auto time = parse_duration(text);
    if (key == "why" && value.is_string())
      wish.why = text.substr(0, 200);
    else if (key == "ttl" && time && *time > 0 && *time <= SafetySettings::kMostTtl)
      wish.ttl = *time;
    else if (key == "ttl" || key == "why")
      return std::unexpected(
          Refused{400, fmt::format("{}: expected {}, found {}", key,
                                   key == "ttl" ? "a duration of at most 24h, such as \"5m\"" : "a text",
                                   value.dump().substr(0, 60))});
    else
      return std::unexpected(Refused{400, fmt::format("{}: unknown key, expected ttl or why", key.substr(0, 60))});
  }
  return wish;
}

AdminResponse state(Hands& hands) { return {.body = state_json(hands) + "\n"}; }

AdminResponse told(Hands& hands) {
  hands.publish("state", state_json(hands));
  return state(hands);
}

AdminResponse halt(Hands& hands, const AdminRequest& r, const std::string&) {
  auto wish = wish_of(r.body);
  if (!wish) return refusal(wish.error().status, wish.error().why);
  auto now = hands.server.safety().state();
  if (now.mode == proxy::Safety::Mode::halted) return state(hands);
  auto why = fmt::format("halted by {}{}{}", r.who, wish->why.empty() ? "" : ": ", wish->why);
  hands.server.halt(why);
  if (auto ok = hands.keep(false); !ok) hands.audit.tell(r.who, "could not follow", ok.error().line());
  hands.audit.tell(r.who, "halt", wish->why);
  return told(hands);
}

AdminResponse arm(Hands& hands, const AdminRequest& r, const Wish& wish, std::string_view what) {
  if (auto ok = hands.keep(true); !ok) return refusal(409, ok.error().line());
  hands.server.resume(wish.ttl);
  auto ttl = hands.server.safety().state().ttl;
  if (hands.audit.tell(r.who, what, ttl ? "for " + show_duration(ttl) : "without an end")) return told(hands);
  std::string why = "the audit log could not be written: without it faults are off";
  hands.server.halt(why);
  if (auto ok = hands.keep(false); !ok) why += "; " + ok.error().line();
  told(hands);
  return refusal(409, why);
}
AdminResponse resume(Hands& hands, const AdminRequest& r, const std::string&) {
  auto wish = wish_of(r.body);
  if (!wish) return refusal(wish.error().status, wish.error().why);
  if (hands.draining) return refusal(409, "it is draining: no fault begins any more");
  return arm(hands, r, *wish, "resume");
}
AdminResponse renew(Hands& hands, const AdminRequest& r, const std::string&) {
  auto wish = wish_of(r.body);
  if (!wish) return refusal(wish.error().status, wish.error().why);
  if (!hands.server.safety().on()) return refusal(409, "faults are off: resume turns them on");
  return arm(hands, r, *wish, "renew");
}

AdminResponse health(Hands& hands, const AdminRequest&, const std::string&) {
  if (hands.draining) return {.status = 503, .type = "text/plain", .body = "draining\n"};
  return {.type = "text/plain", .body = fmt::format("ok: {}\n", show(hands.server.safety().state().mode))};
}
AdminResponse get_state(Hands& hands, const AdminRequest&, const std::string&) { return state(hands); }
AdminResponse drain(Hands& hands, const AdminRequest& r, const std::string&) {
  if (!hands.draining) {
    hands.audit.tell(r.who, "drain");
    hands.drain();
  }
  return {.status = 202, .body = state_json(hands) + "\n"};
}
AdminResponse profiles(Hands&, const AdminRequest&, const std::string&) {
  auto all = Json::array();
  for (auto* profile : trace::builtin_profiles()) all.push_back(profile->name());
  return {.body = Json{{"profiles", std::move(all)}}.dump() + "\n"};
}
AdminResponse openapi(Hands&, const AdminRequest&, const std::string&) {
  return {.body = std::string(page_file("openapi.json"))};
}
AdminResponse events(Hands& hands, const AdminRequest&, const std::string&) {
  return {.body = fmt::format("event: state\ndata: {}\n\nevent: services\ndata: {}\n\n", state_json(hands),
                              services_json(hands)),
          .events = true};
}

AdminResponse page(std::string_view file, std::string_view type) {
  return {.type = std::string(type), .body = std::string(page_file(file))};
}
AdminResponse html(Hands&, const AdminRequest&, const std::string&) {
  return page("page.html", "text/html; charset=utf-8");
}
AdminResponse script(Hands&, const AdminRequest&, const std::string&) {
  return page("page.js", "text/javascript; charset=utf-8");
}
AdminResponse style(Hands&, const AdminRequest&, const std::string&) {
  return page("page.css", "text/css; charset=utf-8");
}

}  // namespace

std::string state_json(Hands& hands) {
  auto state = hands.server.safety().state();
  auto now = hands.clock.now();
  auto wall = [&](Nanos at) { return Json(utc(hands.clock.wall() - now + at)); };
  Json json{{"mode", show(state.mode)},
            {"why", state.why},
            {"since", wall(state.since)},
            {"until", state.until ? wall(state.until) : Json()},
            {"seconds_left", state.until ? Json(std::max<Nanos>(0, state.until - now) / kSecond) : Json()},
            {"draining", hands.draining},
            {"up_seconds", (now - hands.began) / kSecond},
            {"rules", hands.rules.entries().size()},
            {"rules_etag", hands.rules.etag()}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::span<const AdminRoute> state_routes() {
  static constexpr AdminRoute kRoutes[] = {
      {"GET", "/health", health},           {"GET", "/", html},
      {"GET", "/page/page.js", script},     {"GET", "/page/page.css", style},
      {"GET", "/v1/openapi.json", openapi}, {"GET", "/v1/state", get_state},
      {"POST", "/v1/halt", halt},           {"POST", "/v1/resume", resume},
      {"POST", "/v1/renew", renew},         {"POST", "/v1/drain", drain},
      {"GET", "/v1/profiles", profiles},    {"GET", "/v1/events", events},
  };
  return kRoutes;
}

}  // namespace retrial::campaign
