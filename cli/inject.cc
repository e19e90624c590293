#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands.h"
#include "cli/inject_options.h"
#include "deploy/kubernetes/pod.h"

namespace retrial::cli {
namespace {

struct InjectOptions {
  std::vector<std::string> files;
  std::string space;
  deploy::InjectSettings settings;
};

Result<std::string> text_of(const std::string& file) {
  std::stringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream in(file);
  if (!in) return fail_errno("cannot be read", errno, file, Blame::user);
  text << in.rdbuf();
  return text.str();
}

// Its text with the sidecar in it; what was done is said on stderr.
Result<std::string> injected(const std::string& file, const InjectOptions& options) {
  auto text = text_of(file);
  if (!text) return text;
  auto name = file == "-" ? std::string("standard input") : file;
  auto documents = deploy::YamlDocuments::parse(*text, name);
  if (!documents) return std::unexpected(documents.error());
  bool changed = false;
  for (std::size_t i = 0; i < documents->size(); i++) {
    auto object = documents->json(i);
    if (!object) return std::unexpected(object.error());
    auto done = deploy::inject_object(*object, options.space, options.settings);
    if (!done) {
      auto error = done.error();
      error.on = fmt::format("{}: {}", name, error.on);
      return std::unexpected(std::move(error));
    }
    if (!done->said.empty()) std::cerr << "retrial: " << done->said << '\n';
    if (done->patch.empty()) continue;
    changed = true;
    if (auto ok = documents->apply(i, done->patch); !ok) return std::unexpected(ok.error());
  }
  return changed ? std::move(*documents).text() : *text;
}

int act(const InjectOptions& options) {
  std::string all;
  for (auto& file : options.files) {
    auto text = injected(file, options);
    if (!text) return complain(text.error().line(), text.error().blame == Blame::user ? kUsage : kIncomplete);
    if (!all.empty() && !text->starts_with("---")) all += "---\n";
    all += *text;
    if (!all.empty() && all.back() != '\n') all += '\n';
  }
  std::cout << all << std::flush;  // only once all of it is well
  return std::cout ? kFine : complain("standard output: cannot be written", kIncomplete);
}

}  // namespace

void add_inject_options(CLI::App& command, deploy::InjectSettings& settings) {
  command.add_option("--image", settings.image, "Retrial's image")->capture_default_str();
  command.add_option("--image-pull-policy", settings.pull_policy, "Always, IfNotPresent or Never")
      ->capture_default_str()
      ->check(CLI::IsMember({"Always", "IfNotPresent", "Never"}));
  command.add_flag("--asked-for", settings.asked_for, "only pods whose annotation retrial/inject is \"true\"");
}

void add_inject(CLI::App& app, int& status) {
  auto options = std::make_shared<InjectOptions>();
  auto* command =
      app.add_subcommand("inject", "put the sidecar into the pods of Kubernetes manifests; they go to standard output");
  command->add_option("-f,--file", options->files, "YAML or JSON; - is standard input. May be given again")->required();
  command->add_option("-n,--namespace", options->space, "of objects that do not say theirs");
  add_inject_options(*command, options->settings);
  command->callback([options, &status] { status = act(*options); });
}

}  // namespace retrial::cli
