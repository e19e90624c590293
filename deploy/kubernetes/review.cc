#include "deploy/kubernetes/review.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <nlohmann/json.hpp>

#include "base/escape.h"

namespace retrial::deploy {
namespace {

constexpr auto kVersion = "admission.k8s.io/v1";

std::string text_at(const Json& of, const char* key) {
  return of.is_object() && of.contains(key) && of[key].is_string() ? of[key].get<std::string>() : std::string();
}

std::string base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  auto size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                              reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

struct Answer {
  Json response;
  explicit Answer(const std::string& uid) : response{{"uid", uid}, {"allowed", true}} {}
  void patch(const std::string& operations) {
    if (operations.empty()) return;
    response["patchType"] = "JSONPatch";
    response["patch"] = base64(operations);
  }
  void deny(const std::string& why) {
    response["allowed"] = false;
    response["status"] = {{"code", 400}, {"reason", "BadRequest"}, {"message", "retrial: " + why}};
  }
  // A sign that stays where it can be seen: kubectl shows the warning once, and to whoever made the pod alone.
  void skip(const Json& pod, const std::string& why) {
    response["warnings"] = Json::array({"retrial: not injected: " + why});
    auto add = Json::array();
    if (child(child(pod, "metadata"), "annotations").is_null())
      add.push_back({{"op", "add"}, {"path", "/metadata/annotations"}, {"value", Json::object()}});
    add.push_back({{"op", "add"}, {"path", "/metadata/annotations/retrial~1skipped"}, {"value", why}});
    patch(add.dump());
  }
  std::string body() const {
    return Json{{"apiVersion", kVersion}, {"kind", "AdmissionReview"}, {"response", response}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
  }
};

bool asks(const Json& pod) {
  auto annotations = child(child(pod, "metadata"), "annotations");
  return text_at(annotations, "retrial/inject") == "true";
}

}  // namespace

Result<Reviewed> review(std::string_view body, const InjectSettings& settings) {
  auto asked = Json::parse(body, nullptr, false);
  auto request = child(asked, "request");
  auto uid = text_at(request, "uid");
  if (text_at(asked, "kind") != "AdmissionReview" || !request.is_object() || uid.empty())
    return fail("expected an AdmissionReview with a request and its uid", "body", Blame::client);
  if (text_at(asked, "apiVersion") != kVersion)
    return fail(fmt::format("expected {}, got \"{}\"", kVersion, text_at(asked, "apiVersion")), "apiVersion",
                Blame::client);
  Answer answer(uid);
  auto kind = child(request, "kind");
  auto space = text_at(request, "namespace");
  auto object = child(request, "object");
  auto metadata = child(object, "metadata");
  auto name = text_at(metadata, "name").empty() ? text_at(metadata, "generateName") + "…" : text_at(metadata, "name");
  auto what = fmt::format("{} {}/{}", text_at(kind, "kind"), space, name);
  auto done = [&](std::string_view said) {
    return Reviewed{answer.body(), one_line(fmt::format("{}: {}", what, said))};
  };
  bool pod =
      text_at(kind, "kind") == "Pod" && text_at(kind, "group").empty() && text_at(request, "subResource").empty();
  if (!pod || text_at(request, "operation") != "CREATE" || !object.is_object())
    return done("is no pod that is created");

  auto injected = inject(object, "", space, settings);
  if (injected) {
    answer.patch(injected->patch);
    return done(injected->said);
  }
  auto why = one_line(injected.error().line());  // names in it may hold anything: this is asked before they are checked
  if (asks(object) || injected.error().on.starts_with("annotation "))
    answer.deny(why);
  else
    answer.skip(object, why);
  return done((answer.response["allowed"] == false ? "denied: " : "not injected: ") + why);
}

}  // namespace retrial::deploy
