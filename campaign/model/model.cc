#include "campaign/model/model.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/private_files.h"
#include "base/text.h"
#include "proxy/net/address.h"

namespace retrial::campaign {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kAnswer = 1000;           // tokens of an answer, at most
constexpr std::size_t kBytesOfToken = 2;         // at least, of source in English: an estimate that is not too low
constexpr Nanos kLongestAnswer = 120 * kSecond;  // a model may think for so long

Result<proxy::HttpAddress> address_of(std::string_view url, std::string& path) {
  bool tls = url.starts_with("https://");
  auto rest = url.substr(tls ? 8 : std::min<std::size_t>(7, url.size()));
  auto slash = std::min(rest.find('/'), rest.size());
  std::string host(rest.substr(0, slash));
  auto wrong = [&] {
    return fail("expected http://HOST/PATH or https://HOST/PATH, such as https://api.example.com/v1", std::string(url),
                Blame::user);
  };
  if ((!tls && !url.starts_with("http://")) || host.empty() || host.starts_with(':')) return wrong();
  path = rest.substr(slash);
  while (path.ends_with('/')) path.pop_back();
  auto colon = host.rfind(':');
  if (colon == host.npos || host.find(']', colon) != host.npos) host += tls ? ":443" : ":80";
  auto at = proxy::http_address_of((tls ? "https://" : "") + host);
  return at ? at : wrong();
}

bool is_this_machine(const std::string& host) {
  auto at = proxy::Address::parse(host.contains(':') ? "[" + host + "]:1" : host + ":1");
  return host == "localhost" || (at && at->loopback());
}

Json read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return in ? Json::parse(in, nullptr, false) : Json();
}

// What a failed answer says of itself, in one line.
std::string reason_in(const std::string& body) {
  auto json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("error")) return {};
  auto& error = json["error"];
  auto text = error.is_string() ? error.get<std::string>()
              : error.is_object() && error.contains("message") && error["message"].is_string()
                  ? error["message"].get<std::string>()
                  : std::string();
  auto line = text.substr(0, std::min<std::size_t>(text.find('\n'), 200));
  std::erase_if(line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });  // a terminal shows it
  return line.empty() ? line : ": " + line;
}

}  // namespace

Result<Model> Model::at(ModelOptions options) {
  std::string path;
  auto at = address_of(options.url, path);
  if (!at) return std::unexpected(at.error());
  if (!options.key.empty() && !at->tls && !is_this_machine(at->host))
    return fail("the key would be sent in the clear: expected https://", options.url, Blame::user);
  if (auto made = private_folder(options.folder); !made) return std::unexpected(made.error());
  return Model(std::move(options), std::move(*at), std::move(path));
}

Result<std::string> Model::refuse(std::string why) {
  if (account_.why_not.empty()) account_.why_not = why;
  account_.not_answered++;
  return fail(std::move(why), options_.url, Blame::service);
}

Result<std::string> Model::ask(const std::string& task, const std::string& question) {
  Json sent = {
      {"model", options_.name},
      {"temperature", 0},
      {"max_tokens", kAnswer},
      {"response_format", {{"type", "json_object"}}},
      {"messages", Json::array({{{"role", "system"}, {"content", task}}, {{"role", "user"}, {"content", question}}})}};
  auto body = sent.dump(-1, ' ', false, Json::error_handler_t::replace);
  auto file = options_.folder / (hex(fnv1a(options_.url + "\n" + body), 16) + ".json");
  auto kept = read(file);
  if (kept.is_object() && kept.value("sent", Json()) == Json::parse(body) && kept.value("answer", Json()).is_string()) {
    account_.from_folder++;
    return kept["answer"].get<std::string>();
  }
  if (!account_.why_not.empty()) return refuse(account_.why_not);
  auto estimate = static_cast<std::int64_t>(body.size() / kBytesOfToken) + kAnswer;
  if (account_.tokens + estimate > options_.tokens)
    return refuse(fmt::format("the next question may take {} tokens, and {} of {} are used", estimate, account_.tokens,
                              options_.tokens));
  auto write = [&](const Json& exchange) -> Result<void> {
    if (std::ofstream(file) << exchange.dump(2, ' ', false, Json::error_handler_t::replace) << std::flush) return {};
    return fail_errno("cannot be written", errno, file, Blame::us);
  };
  if (auto ok = write({{"sent", sent}}); !ok) return refuse(ok.error().line());  // nothing leaves without a trace
  auto answer = send(body, estimate);
  if (!answer) return answer;
  if (auto ok = write({{"sent", sent}, {"answer", *answer}}); !ok) return refuse(ok.error().line());
  return answer;
}

Result<std::string> Model::send(const std::string& body, std::int64_t estimate) {
  proxy::HttpClient client({.at = at_, .token = options_.key, .ca = {}, .timeout = kLongestAnswer});
  account_.sent++;
  auto got = client.ask("POST", path_ + "/chat/completions", body);
  if (!got) return refuse(got.error().what);
  if (got->status != 200) return refuse(fmt::format("{} was answered{}", got->status, reason_in(got->body)));
  auto json = Json::parse(got->body, nullptr, false);
  auto* usage = json.is_object() && json.contains("usage") && json["usage"].is_object() ? &json["usage"] : nullptr;
  bool counted = usage && usage->contains("total_tokens") && (*usage)["total_tokens"].is_number_unsigned();
  account_.tokens += counted ? (*usage)["total_tokens"].get<std::int64_t>() : estimate;
  auto at = "/choices/0/message/content"_json_pointer;
  if (!json.is_object() || !json.contains(at) || !json[at].is_string())
    return refuse("what was answered is no chat completion");
  return json[at].get<std::string>();
}

}  // namespace retrial::campaign
