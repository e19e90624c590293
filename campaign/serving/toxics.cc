#include "campaign/serving/toxics.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text.h"

namespace retrial::campaign {
namespace {
using Json = nlohmann::ordered_json;

struct Kind {
  std::string_view type;
  std::vector<std::string_view> attributes;
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kAll = {{"latency", {"latency", "jitter"}},
                                         {"bandwidth", {"rate"}},
                                         {"timeout", {"timeout"}},
                                         {"reset_peer", {"timeout"}},
                                         {"slicer", {"average_size", "size_variation", "delay"}},
                                         {"limit_data", {"bytes"}},
                                         {"slow_close", {"delay"}}};
  return kAll;
}

std::unexpected<Refused> refuse(std::string why) { return std::unexpected(Refused{400, std::move(why)}); }

Granted<std::string> fault_of(const std::string& type, const Json& a, bool upstream) {
  auto n = [&](const char* key) { return a.at(key).get<std::int64_t>(); };
  if (type == "latency") {  // of either direction: an answer is late by as much
    auto latency = n("latency"), jitter = n("jitter");
    if (jitter == 0) return fmt::format("delay({}ms)", latency);
    return fmt::format("delay(uniform, {}ms, {}ms)", std::max<std::int64_t>(0, latency - jitter), latency + jitter);
  }
  if (upstream)
    return refuse(fmt::format(
        "stream: a toxic of type {} is for downstream here: faults of requests are not what it means", type));
  if (type == "bandwidth") {  // KB a second, a tenth of a second's at once, as Toxiproxy does
    return fmt::format("bandwidth({}, {})", n("rate") * 1000, n("rate") * 100);
  }
  if (type == "limit_data") return fmt::format("close(in-body, {})", n("bytes"));
  if (type == "slow_close")
    return refuse("type: slow_close means nothing here: connections are kept for the next request");
  if (type == "slicer") {
    if (n("delay") < 1000)
      return refuse("attributes.delay: expected at least 1000 (microseconds): less is not seen here");
    return fmt::format("drip({}, {}ms)", n("average_size"), n("delay") / 1000);
  }
  if (n("timeout") != 0)
    return refuse(fmt::format("attributes.timeout: expected 0: what is {} is so at once here, or for ever",
                              type == "timeout" ? "silent" : "reset"));
  return type == "timeout" ? "stall" : "reset(after-request)";
}

}  // namespace

Granted<Toxic> read_toxic(std::string_view text, const Toxic* before) {
  auto json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return refuse("bad request body: expected a JSON object");
  Toxic toxic = before ? *before : Toxic{};
  auto read = [&](const char* key, std::string& into) {
    if (!json.contains(key) || json[key] == "" || (before && std::string_view(key) != "stream")) return true;
    if (!json[key].is_string()) return false;
    into = json[key].get<std::string>();
    return true;
  };
  if (!read("name", toxic.name) || !read("type", toxic.type) || !read("stream", toxic.stream))
    return refuse("bad request body: expected texts for name, type and stream");
  auto kind = std::ranges::find(kinds(), toxic.type, &Kind::type);
  if (kind == kinds().end()) return refuse(fmt::format("invalid toxic type: \"{}\"", toxic.type.substr(0, 40)));
  if (toxic.stream != "upstream" && toxic.stream != "downstream")
    return refuse("stream was invalid, can be either upstream or downstream");
  if (toxic.name.empty()) toxic.name = toxic.type + "_" + toxic.stream;
  if (json.contains("toxicity")) {
    if (!json["toxicity"].is_number() || json["toxicity"] < 0 || json["toxicity"] > 1)
      return refuse(
          fmt::format("toxicity: expected a number from 0 to 1, found {}", json["toxicity"].dump().substr(0, 40)));
    toxic.toxicity = json["toxicity"].get<double>();
  }
  auto said = json.value("attributes", Json::object());
  auto known = before ? Json::parse(before->attributes) : Json::object();
  if (!said.is_object()) return refuse("attributes: expected an object");
  for (auto& [key, value] : said.items()) {
    if (std::ranges::find(kind->attributes, key) == kind->attributes.end())
      return refuse(fmt::format("attributes.{}: unknown for a toxic of type {}", key.substr(0, 40), toxic.type));
    if (!value.is_number() || value < 0 || value > 1e15)
      return refuse(fmt::format("attributes.{}: expected a number, found {}", key, value.dump().substr(0, 40)));
    known[key] = static_cast<std::int64_t>(value.get<double>());
  }
  for (auto key : kind->attributes)
    if (!known.contains(key)) known[std::string(key)] = 0;
  toxic.attributes = known.dump();
  return toxic;
}

std::string as_json(const Toxic& toxic) {
  return Json{{"attributes", Json::parse(toxic.attributes)},
              {"name", toxic.name},
              {"type", toxic.type},
              {"stream", toxic.stream},
              {"toxicity", toxic.toxicity}}
      .dump();
}

Granted<std::string> faults_of(const Toxic& toxic) {
  auto fault = fault_of(toxic.type, Json::parse(toxic.attributes), toxic.stream == "upstream");
  if (!fault || toxic.toxicity == 1) return fault;
  if (toxic.toxicity == 0) return "pass";
  return fmt::format("{}% of {}", toxic.toxicity * 100, *fault);
}

}  // namespace retrial::campaign
