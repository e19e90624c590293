#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "deploy/kubernetes/pod.h"
#include "deploy/kubernetes/review.h"
#include "trace/profiles/yaml.h"

namespace retrial::deploy {
namespace {

Json read(const std::string& yaml) {
  auto json = trace::json_of_yaml(yaml, "pod.yaml");
  EXPECT_TRUE(json) << json.error().line();
  return Json::parse(*json);
}
Json pod(const std::string& annotations, const std::string& spec = "") {
  return read("kind: Pod\nmetadata: {name: app, annotations: {" + annotations +
              "}}\nspec: {containers: [{name: app, image: x" + (spec.empty() ? "" : ", " + spec) + "}]}\n");
}
Json patched(Json object, const Injection& done) {
  return done.patch.empty() ? object : object.patch(Json::parse(done.patch));
}
std::string names(const Json& containers) {
  std::string out;
  for (auto& c : containers) out += (out.empty() ? "" : " ") + c["name"].get<std::string>();
  return out;
}
std::string refused(const Json& object) {
  auto done = inject_object(object, "shop", {});
  return done ? "it was not refused: " + done->said : done.error().line();
}

TEST(Inject, puts_the_redirect_and_a_native_sidecar_before_what_a_pod_has) {
  auto object =
      read("kind: Pod\nmetadata: {name: app}\nspec: {initContainers: [{name: migrate}], containers: [{name: app}]}");
  auto done = inject_object(object, "", {});
  ASSERT_TRUE(done) << done.error().line();
  auto out = patched(object, *done);
  EXPECT_EQ(names(out["spec"]["initContainers"]), "retrial-redirect retrial migrate");
  EXPECT_EQ(out["spec"]["initContainers"][1]["restartPolicy"], "Always");
  EXPECT_EQ(out["spec"]["initContainers"][0]["securityContext"]["capabilities"]["add"], Json::array({"NET_ADMIN"}));
  EXPECT_EQ(done->said, "Pod app: injected, mode redirect");
}
TEST(Inject, changes_nothing_the_second_time) {
  auto object = pod("retrial/faults: '10% of error(503)'");
  auto once = patched(object, *inject_object(object, "", {}));
  auto twice = inject_object(once, "", {});
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->patch, "");
  EXPECT_EQ(twice->said, "Pod app: it is injected already");
  InjectSettings other;
  other.image = "retrial:2";
  EXPECT_EQ(inject_object(once, "", other)->patch, "");
}
TEST(Inject, finds_the_template_of_every_kind_of_workload) {
  for (std::string kind : {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"}) {
    auto object =
        read("kind: " + kind + "\nmetadata: {name: w}\nspec: {template: {spec: {containers: [{name: app}]}}}");
    auto out = patched(object, *inject_object(object, "", {}));
    EXPECT_EQ(names(out["spec"]["template"]["spec"]["initContainers"]), "retrial-redirect retrial") << kind;
  }
  auto cron = read("kind: CronJob\nspec: {jobTemplate: {spec: {template: {spec: {containers: [{name: app}]}}}}}");
  auto out = patched(cron, *inject_object(cron, "", {}));
  EXPECT_TRUE(out["spec"]["jobTemplate"]["spec"]["template"]["spec"].contains("initContainers"));
  auto list = read("kind: List\nitems: [{kind: Service}, {kind: Pod, spec: {containers: [{name: app}]}}]");
  out = patched(list, *inject_object(list, "", {}));
  EXPECT_TRUE(out["items"][1]["spec"].contains("initContainers"));
  EXPECT_FALSE(out["items"][0].contains("spec"));
}
TEST(Inject, without_net_admin_stands_in_for_services_by_name) {
  auto object = pod("retrial/mode: reverse, retrial/services: 'api:8080, web=https://web.other.svc'");
  auto done = inject_object(object, "shop", {});
  ASSERT_TRUE(done) << done.error().line();
  auto out = patched(object, *done)["spec"];
  EXPECT_EQ(names(out["initContainers"]), "retrial");
  auto words = out["initContainers"][0]["args"].dump();
  EXPECT_NE(words.find("127.0.1.1:8080=http://api.shop.svc:8080"), words.npos) << words;
  EXPECT_NE(words.find("127.0.1.2:443=https://web.other.svc"), words.npos) << words;
  EXPECT_EQ(out["hostAliases"][1]["hostnames"], Json::array({"web"}));
  EXPECT_EQ(out["securityContext"]["sysctls"][0]["name"], "net.ipv4.ip_unprivileged_port_start");
}
// Faults wait for a hand: `retrial ctl resume` in the sidecar.
TEST(Inject, gives_every_sidecar_an_admin_side_and_a_redirect_no_fault_for_everything) {
  for (auto* annotations :
       {"", "retrial/config: c", "retrial/faults: '10% of error(503)'",
        "retrial/mode: reverse, retrial/services: 'api:8080', retrial/faults: 'error(503) x 2, then pass'"}) {
    auto object = pod(annotations);
    auto done = inject_object(object, "shop", {});
    ASSERT_TRUE(done) << done.error().line();
    auto words = patched(object, *done)["spec"]["initContainers"].back()["args"];
    EXPECT_EQ(words[0], "serve");
    EXPECT_EQ(words[1], "--admin") << words;
  }
  EXPECT_EQ(refused(pod("retrial/faults: 'error(503) x 2, then pass'")).substr(0, 88),
            "Pod app, annotation retrial/faults: expected a percentage, such as \"10% of error(503)\": ");
}
TEST(Inject, refuses_what_it_does_not_understand_in_one_line) {
  EXPECT_EQ(refused(pod("retrial/mod: reverse")),
            "Pod app, annotation retrial/mod: is not known, did you mean retrial/mode?");
  EXPECT_NE(refused(pod("retrial/mode: sideways")).find("expected \"redirect\" or \"reverse\""), std::string::npos);
  EXPECT_NE(refused(pod("retrial/inject: true")).find("expected a text in quotes"), std::string::npos);
  EXPECT_NE(refused(pod("retrial/ports: '80, 70000'")).find("got \"70000\""), std::string::npos);
  EXPECT_NE(refused(pod("retrial/faults: 'eror(503)'")).find("did you mean `error`?"), std::string::npos);
  EXPECT_NE(refused(pod("retrial/mode: reverse")).find("retrial/services: is missing"), std::string::npos);
  EXPECT_NE(refused(pod("retrial/mode: reverse, retrial/services: 'api=http://api:8080'")).find("lead to itself"),
            std::string::npos);
  EXPECT_NE(refused(pod("", "securityContext: {runAsUser: 65532}")).find("is the proxy's"), std::string::npos);
  EXPECT_NE(refused(pod("", "ports: [{containerPort: 15001}]")).find("which is the proxy's"), std::string::npos);
  EXPECT_NE(
      refused(read("kind: Pod\nspec: {hostNetwork: true, containers: [{name: a}]}")).find("spec.hostNetwork: true"),
      std::string::npos);
  EXPECT_NE(
      refused(read("kind: Pod\nspec: {hostNetwork: yes, containers: [{name: a}]}")).find("expected true or false"),
      std::string::npos);
  EXPECT_NE(refused(read("kind: Pod\nspec: {containers: []}")).find("expected a list of containers"),
            std::string::npos);
  EXPECT_NE(refused(read("kind: Pod\nspec: {containers: [{name: retrial}]}")).find("this name is what ours has"),
            std::string::npos);
  EXPECT_NE(refused(read("kind: Pod\nspec: {os: {name: windows}, containers: [{name: a}]}")).find("expected linux"),
            std::string::npos);
}
TEST(Yaml, what_stands_for_nothing_in_braces_is_given_back_as_nothing) {
  auto documents = YamlDocuments::parse("a: {b: , c}\nd:\ne: ''\n", "f.yaml");
  ASSERT_TRUE(documents);
  auto before = documents->json(0)->dump();
  auto text = std::move(*documents).text();
  EXPECT_EQ(YamlDocuments::parse(text, "g.yaml")->json(0)->dump(), before) << text;
  EXPECT_NE(text.find("d:\n"), text.npos) << text;
  auto keyless = YamlDocuments::parse("a: 1\n---\nb:\n  ?\n  : x\n", "f.yaml");
  ASSERT_FALSE(keyless);
  EXPECT_EQ(keyless.error().line(), "f.yaml:4: expected a key before the colon");
}

TEST(Inject, keeps_every_scalar_of_a_manifest_as_it_was_written) {
  auto documents = YamlDocuments::parse(
      "kind: Pod\nspec:\n  containers:\n  - {name: app, args: [yes, \"no\", 1.10]}\n  volumes:\n  - configMap: "
      "{defaultMode: 0644}\n---\nkind: Service\n",
      "pod.yaml");
  ASSERT_TRUE(documents);
  ASSERT_EQ(documents->size(), 2u);
  auto done = inject_object(*documents->json(0), "", {});
  ASSERT_TRUE(documents->apply(0, done->patch));
  auto text = std::move(*documents).text();
  EXPECT_NE(text.find("args: [yes, \"no\", 1.10]"), text.npos) << text;
  EXPECT_NE(text.find("defaultMode: 0644"), text.npos) << text;
  EXPECT_NE(text.find("\n---\nkind: Service"), text.npos) << text;
  EXPECT_NE(text.find("restartPolicy: Always"), text.npos) << text;
}

Json request(Json object, std::string kind = "Pod", std::string operation = "CREATE") {
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", "u-1"},
            {"kind", {{"group", ""}, {"version", "v1"}, {"kind", kind}}},
            {"namespace", "shop"},
            {"operation", operation},
            {"dryRun", true},
            {"object", std::move(object)}}}};
}
Json answer(const Json& asked) {
  auto done = review(asked.dump(), {});
  EXPECT_TRUE(done) << done.error().line();
  return Json::parse(done->body)["response"];
}

TEST(Review, answers_a_pod_with_a_patch_and_the_requests_uid) {
  auto said = answer(request(pod("")));
  EXPECT_EQ(said["uid"], "u-1");
  EXPECT_EQ(said["allowed"], true);
  EXPECT_EQ(said["patchType"], "JSONPatch");
  EXPECT_EQ(said["patch"].get<std::string>().substr(0, 10), "W3sib3AiOi");  // [{"op":
}
TEST(Review, allows_what_is_no_pod_that_is_created_as_it_is) {
  for (auto& asked :
       {request(pod(""), "ConfigMap"), request(pod(""), "Pod", "UPDATE"), request(Json(), "Pod", "DELETE")}) {
    auto said = answer(asked);
    EXPECT_EQ(said["allowed"], true);
    EXPECT_FALSE(said.contains("patch"));
  }
}
TEST(Review, denies_annotations_that_cannot_be_followed_and_skips_pods_that_did_not_ask) {
  auto said = answer(request(pod("retrial/mod: reverse")));
  EXPECT_EQ(said["allowed"], false);
  EXPECT_NE(said["status"]["message"].get<std::string>().find("did you mean retrial/mode?"), std::string::npos);
  said = answer(request(pod("", "securityContext: {runAsUser: 65532}")));
  EXPECT_EQ(said["allowed"], true);
  EXPECT_EQ(said["warnings"].size(), 1u);
  EXPECT_TRUE(said.contains("patch"));  // the annotation that says so
  EXPECT_EQ(answer(request(pod("retrial/inject: 'true'", "securityContext: {runAsUser: 65532}")))["allowed"], false);
}
// Mutating webhooks are asked before names are validated.
TEST(Review, says_one_line_whatever_a_name_holds) {
  auto object = pod("", "securityContext: {runAsUser: 65532}");
  object["metadata"]["name"] = "a\nb\x1b[31m";
  object["spec"]["containers"][0]["name"] = "c\r\nd";
  auto asked = request(object);
  asked["request"]["namespace"] = "e\nf";
  auto done = review(asked.dump(), {});
  ASSERT_TRUE(done) << done.error().line();
  EXPECT_EQ(done->said.find_first_of("\r\n\x1b"), std::string::npos) << done->said;
  auto warning = Json::parse(done->body)["response"]["warnings"][0].get<std::string>();
  EXPECT_EQ(warning.find_first_of("\r\n"), std::string::npos) << warning;
}
TEST(Review, refuses_what_is_none) {
  for (auto body :
       {"", "{", "[]", "{}", R"({"kind":"AdmissionReview"})", R"({"kind":"AdmissionReview","request":{"uid":7}})",
        R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{"uid":"a"}})"})
    EXPECT_FALSE(review(body, {})) << body;
}

}  // namespace
}  // namespace retrial::deploy
