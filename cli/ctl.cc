#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "campaign/report/words.h"
#include "cli/admin_options.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {
using Json = nlohmann::ordered_json;
constexpr int kRefused = 1;

struct Ctl {
  AdminOptions options;
  std::string name, inject, file, ttl, why, if_match, only;
  std::vector<std::string> match;
  bool json = false, once = false;

  // Asks, and shows what was answered; a refusal is one line.
  int ask(std::string_view method, const std::string& target, const std::string& body = {},
          const std::function<void(const Json&)>& show = {}) const {
    auto client = options.client();
    if (!client) return complain(client.error().line(), kUsage);
    auto condition = if_match.empty() ? "" : "If-Match: " + if_match + "\r\n";
    auto answer = client->ask(method, target, body, condition);
    if (!answer) return complain(answer.error().line(), kUsage);
    auto said = Json::parse(answer->body, nullptr, false);
    if (answer->status >= 300) {
      auto error = said.is_object() ? said.value("error", answer->body) : std::string(trim(answer->body));
      return complain(fmt::format("{} ({})", error, answer->status), kRefused);
    }
    if (!show || json)
      fmt::print("{}", answer->body);
    else
      show(said);
    return kFine;
  }
};

std::string text(const Json& json, const char* key) {
  auto at = json.find(key);
  return at == json.end() || !at->is_string() ? "" : at->get<std::string>();
}

void show_state(const Json& state) {
  auto why = text(state, "why");
  auto left = state.value("seconds_left", Json());
  auto rules = state.value("rules", std::uint64_t{0});
  fmt::print("{}{}{}{}, {}\n", text(state, "mode"), why.empty() ? "" : ": " + why,
             left.is_number() ? ", for " + show_duration(left.get<std::int64_t>() * kSecond) + " more" : "",
             state.value("draining", false) ? ", draining" : "", campaign::report::counted(rules, "rule"));
}

void show_rules(const Json& answer) {
  for (auto& rule : answer["rules"]) {
    std::string match;
    for (auto& [key, value] : rule["match"].items())
      match += fmt::format(" {}={}", key, value.is_string() ? value.get<std::string>() : value.dump());
    auto& counts = rule["counts"];
    fmt::print("{} {:<24} {}{}{}  (fired {} of {} planned, {} withheld)\n", rule["enabled"] == true ? "on " : "off",
               text(rule, "name"), text(rule, "inject"), match.empty() ? "" : "  for", match,
               counts["fired"].get<std::uint64_t>(), counts["planned"].get<std::uint64_t>(),
               counts["withheld"].get<std::uint64_t>());
  }
}

void show_services(const Json& answer) {
  fmt::print("{:<28}{:>9}{:>9}{:>8}{:>8}{:>10}{:>10}\n", "service", "req/s", "faults", "own err", "5xx", "p50 ms",
             "p99 ms");
  for (auto& one : answer["services"]) {
    if (!one.contains("last_minute")) continue;
    auto& minute = one["last_minute"];
    auto& told = minute["told"];
    fmt::print("{:<28}{:>9.1f}{:>9}{:>8}{:>8}{:>10.2f}{:>10.2f}\n", text(one, "service"),
               minute["requests"].get<double>() / 60, minute["fired"].get<std::uint64_t>(),
               minute["own_errors"].get<std::uint64_t>(), told.value("5xx", 0), minute["p50_ms"].get<double>(),
               minute["p99_ms"].get<double>());
  }
  std::cout.flush();
}

// The body of a rule: what the file holds, or what the options say.
Result<std::string> body_of(const Ctl& ctl) {
  if (!ctl.file.empty()) {
    std::ifstream in(ctl.file == "-" ? "/dev/stdin" : ctl.file);
    if (!in) return fail("cannot be read", ctl.file, Blame::user);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  if (ctl.inject.empty())
    return fail("expected --inject FAULTS, or --file FILE with the rule in JSON", "put", Blame::user);
  Json rule{{"inject", ctl.inject}};
  for (auto& pair : ctl.match) {
    auto equals = pair.find('=');
    if (equals == pair.npos) return fail("expected KEY=VALUE, such as service=queue", "--match " + pair, Blame::user);
    auto key = pair.substr(0, equals), value = pair.substr(equals + 1);
    rule["match"][key] = key == "opt_in" ? Json(value == "true") : Json(value);
  }
  return rule.dump();
}

int put(const Ctl& ctl) {
  auto body = body_of(ctl);
  if (!body) return complain(body.error().line(), kUsage);
  return ctl.ask("PUT", "/v1/rules/" + ctl.name, *body, [](const Json& rule) { show_rules(Json{{"rules", {rule}}}); });
}

// Event by event, one line each, until it ends or is interrupted.
int follow(const Ctl& ctl, const std::function<bool(std::string_view event, std::string_view data)>& take) {
  auto client = ctl.options.client();
  if (!client) return complain(client.error().line(), kUsage);
  std::string event;
  auto answer = client->follow("/v1/events", [&](std::string_view line) {
    if (line.starts_with("event: ")) event = line.substr(7);
    return !line.starts_with("data: ") || take(event, line.substr(6));
  });
  if (!answer) return complain(answer.error().line(), kUsage);
  return answer->status == 200 ? kFine : complain(fmt::format("{} ({})", trim(answer->body), answer->status), kRefused);
}

int tail(const Ctl& ctl) {
  return follow(ctl, [&](std::string_view event, std::string_view data) {
    if (!ctl.only.empty() && event != ctl.only) return true;
    if (ctl.only.empty() && event == "services") return true;
    fmt::print("{} {}\n", event, data);
    std::fflush(stdout);
    return true;
  });
}

int top(const Ctl& ctl) {
  if (ctl.once) return ctl.ask("GET", "/v1/services", {}, show_services);
  return follow(ctl, [](std::string_view event, std::string_view data) {
    if (event != "services") return true;
    if (isatty(STDOUT_FILENO)) fmt::print("\x1b[H\x1b[2J");
    show_services(Json::parse(data, nullptr, false));
    return true;
  });
}

std::string wish(const Ctl& ctl) {
  Json wish = Json::object();
  if (!ctl.ttl.empty()) wish["ttl"] = ctl.ttl;
  if (!ctl.why.empty()) wish["why"] = ctl.why;
  return wish.empty() ? "" : wish.dump();
}

}  // namespace

void add_ctl(CLI::App& app, int& status) {
  auto ctl = std::make_shared<Ctl>();
  auto* command = app.add_subcommand(
      "ctl", "an operator's hands on a running `retrial serve`: rules, halt, resume, tail, top, metrics");
  ctl->options.add_to(*command);
  command->add_flag("--json", ctl->json, "what was answered, as it is");
  command->require_subcommand(1);
  command->fallthrough();
  auto verb = [ctl, &status](CLI::App* at, const char* name, const char* what, std::function<int()> run) {
    auto* made = at->add_subcommand(name, what);
    made->callback([&status, run = std::move(run)] { status = run(); });
    return made;
  };
  auto to = [ctl](const char* method, const char* target) {
    return [ctl, method, target] { return ctl->ask(method, target, wish(*ctl), show_state); };
  };
  verb(command, "state", "whether faults are on, and until when", to("GET", "/v1/state"));
  verb(command, "halt", "turn all faults off, now", to("POST", "/v1/halt"))
      ->add_option("--why", ctl->why, "for the log");
  for (auto* one : {verb(command, "resume", "turn faults on, until the time is over", to("POST", "/v1/resume")),
                    verb(command, "renew", "keep them on for that long from now on", to("POST", "/v1/renew"))})
    one->add_option("--ttl", ctl->ttl, "for how long, such as 5m (default: [safety] ttl)");
  verb(command, "drain", "end as on SIGTERM", to("POST", "/v1/drain"));
  verb(command, "tail", "what happens, a line each, until it is interrupted", [ctl] {
    return tail(*ctl);
  })->add_option("--only", ctl->only, "this event alone: state, rules, services, finding, lost");
  verb(command, "top", "services of the last minute, renewed each second", [ctl] {
    return top(*ctl);
  })->add_flag("--once", ctl->once, "once, and end");
  verb(command, "metrics", "what Prometheus would be told", [ctl] { return ctl->ask("GET", "/metrics"); });
  auto* rules = command->add_subcommand("rules", "all rules, or one of them changed");
  rules->callback([ctl, rules, &status] {
    if (rules->get_subcommands().empty()) status = ctl->ask("GET", "/v1/rules", {}, show_rules);
  });
  auto one = [ctl](const char* method, const char* behind) {
    return [ctl, method, behind] {
      return ctl->ask(method, "/v1/rules/" + ctl->name + behind, {}, [](const Json& rule) {
        if (rule.is_object()) show_rules(Json{{"rules", {rule}}});
      });
    };
  };
  verb(rules, "get", "a rule", one("GET", ""))->add_option("NAME", ctl->name, "of the rule")->required();
  auto* putting = verb(rules, "put", "a rule, new or in place of the one of that name", [ctl] { return put(*ctl); });
  putting->add_option("--inject", ctl->inject, "faults, e.g. 'error(503) x 2, then pass'");
  putting->add_option("--match", ctl->match, "KEY=VALUE, such as service=queue; may be given again");
  putting->add_option("--file", ctl->file, "the rule in JSON; - is the standard input");
  for (auto* named : {putting, verb(rules, "delete", "a rule", one("DELETE", "")),
                      verb(rules, "enable", "a rule", one("POST", "/enable")),
                      verb(rules, "disable", "a rule", one("POST", "/disable"))}) {
    named->add_option("NAME", ctl->name, "of the rule")->required();
    named->add_option("--if-match", ctl->if_match, "only where it is still the one with this ETag");
  }
}

}  // namespace retrial::cli
