#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <memory>

#include "base/clock.h"
#include "base/private_files.h"
#include "base/text.h"
#include "certs/authority.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

struct CaOptions {
  std::string action;
  std::string dir;
  std::string format = "pem";
  std::string out;
  std::string password = "changeit";

  fs::path folder() const { return dir.empty() ? certs::default_folder() : fs::path(dir); }
};

Result<void> wrong(std::string what, std::string on) { return fail(std::move(what), std::move(on), Blame::user); }

std::string date(Nanos wall) {
  std::tm parts{};
  std::time_t seconds = wall / kSecond;
  gmtime_r(&seconds, &parts);
  return fmt::format("{:%Y-%m-%d}", parts);
}

void print(const certs::Authority& authority, const fs::path& folder) {
  fmt::print("{}\n  certificate  {}\n  key          {}\n  SHA-256      {}\n  valid        {} to {} (UTC)\n",
             authority.name(), (folder / "ca.pem").string(), (folder / "ca.key").string(), authority.fingerprint(),
             date(authority.valid_from()), date(authority.valid_until()));
}

Result<void> make(const CaOptions& options) {
  auto folder = options.folder();
  if (certs::Authority::stands_in(folder))
    return wrong("is there already; retrial ca rotate replaces an authority", (folder / "ca.pem").string());
  auto authority = certs::Authority::make(SystemClock{});
  if (!authority) return std::unexpected(authority.error());
  if (auto ok = authority->save(folder); !ok) return ok;
  print(*authority, folder);
  fmt::print("Clients of `retrial serve` must trust it: retrial ca export; `retrial run` needs nothing of it.\n");
  return {};
}

Result<certs::Authority> there(const CaOptions& options) {
  auto folder = options.folder();
  if (!certs::Authority::stands_in(folder))
    return fail("holds no authority yet; retrial ca make makes one", folder.string(), Blame::user);
  return certs::Authority::load(folder);
}

Result<void> show(const CaOptions& options) {
  auto authority = there(options);
  if (!authority) return std::unexpected(authority.error());
  print(*authority, options.folder());
  if (authority->valid_until() <= SystemClock{}.wall())
    fmt::print("It has expired: retrial ca rotate makes another.\n");
  return {};
}

Result<void> export_to(const CaOptions& options) {
  constexpr std::array<std::string_view, 2> kFormats{"pem", "pkcs12"};
  if (std::find(kFormats.begin(), kFormats.end(), options.format) == kFormats.end()) {
    auto near = nearest(options.format, kFormats);
    return wrong(fmt::format("expected pem or pkcs12, got \"{}\"{}", options.format,
                             near ? fmt::format("; did you mean {}?", *near) : ""),
                 "--format");
  }
  bool pem = options.format == "pem";
  if (!pem && options.out.empty())
    return wrong("a trust store is no text: name its file, --out FILE", "--format pkcs12");
  auto authority = there(options);
  if (!authority) return std::unexpected(authority.error());
  auto bytes = pem ? authority->pem() : authority->pkcs12(options.password);
  if (!bytes) return std::unexpected(bytes.error());
  if (options.out.empty()) {
    fmt::print("{}", *bytes);
    return {};
  }
  std::ofstream out(options.out, std::ios::binary);
  out << *bytes;
  if (!out.flush()) return fail_errno("cannot be written", errno, options.out, Blame::user);
  fmt::print("{}: the certificate of {}\n", options.out, authority->name());
  return {};
}

Result<void> rotate(const CaOptions& options) {
  auto old = there(options);
  if (!old) return std::unexpected(old.error());
  auto authority = certs::Authority::make(SystemClock{});
  if (!authority) return std::unexpected(authority.error());
  auto folder = options.folder();
  if (auto ok = authority->save(folder, true); !ok) return ok;
  print(*authority, folder);
  fmt::print(
      "{} is kept in {}.\nTo be trusted anew: whatever was given the old certificate (export it again). A `retrial "
      "serve` "
      "that runs\nsigns with the old one until it is started again.\n",
      old->name(), (folder / old->folder_name()).string());
  return {};
}

struct Action {
  std::string_view name;
  Result<void> (*run)(const CaOptions&);
};
constexpr std::array kActions{Action{"make", make}, Action{"show", show}, Action{"export", export_to},
                              Action{"rotate", rotate}};

Result<void> act(const CaOptions& options, const CLI::App& command) {
  restore_umask();  // certificates are for others to read
  std::vector<std::string_view> names;
  for (auto& action : kActions) names.push_back(action.name);
  auto* action = std::find_if(kActions.begin(), kActions.end(), [&](auto& a) { return a.name == options.action; });
  if (action == kActions.end()) {
    auto near = nearest(options.action, names);
    return wrong(fmt::format("expected {}{}{}", fmt::join(names, ", "),
                             options.action.empty() ? "" : fmt::format(", got \"{}\"", options.action),
                             near ? fmt::format("; did you mean {}?", *near) : ""),
                 "ca");
  }
  for (auto* option : {"--format", "--out", "--password"})
    if (command.count(option) && action->run != export_to) return wrong("belongs to ca export", option);
  return action->run(options);
}

}  // namespace

void add_ca(CLI::App& app, int& status) {
  auto options = std::make_shared<CaOptions>();
  auto* command = app.add_subcommand("ca", "the authority that clients of `serve` must trust for https");
  command->add_option(
      "action", options->action,
      "make: a new one; show: what there is; export: its certificate, for clients; rotate: a new one in "
      "its place");
  command->add_option("--dir", options->dir,
                      fmt::format("where it is kept (default: {})", certs::default_folder().string()));
  command->add_option("--format", options->format, "export: pem, or pkcs12 for Java")->capture_default_str();
  command->add_option("--out", options->out, "export: the file (default: pem to standard output)");
  command->add_option("--password", options->password, "export: of a pkcs12 trust store; may be empty")
      ->capture_default_str();
  command->callback([options, command, &status] {
    if (auto ok = act(*options, *command); !ok)
      status = complain(ok.error().line(), ok.error().blame == Blame::us ? kIncomplete : kUsage);
  });
}

}  // namespace retrial::cli
