#include "campaign/workload/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/text.h"
#include "certs/trust_store.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

// What a file that a variable names is to its reader.
enum class Means {
  all,    // all roots that it has; without it, it has some of its own
  only,   // all roots that it has; without it, it has those of the machine
  added,  // roots beside its own
};
struct Variable {
  const char* name;
  Means means;
  bool only_if_set = false;  // read first by some builds alone, which otherwise read one of the others
};
constexpr std::array kVariables{
    Variable{"SSL_CERT_FILE", Means::only},  // OpenSSL, and with it Python and Ruby; Go
    Variable{"REQUESTS_CA_BUNDLE", Means::all},    Variable{"CURL_CA_BUNDLE", Means::all},
    Variable{"AWS_CA_BUNDLE", Means::all},         Variable{"GIT_SSL_CAINFO", Means::all},
    Variable{"CARGO_HTTP_CAINFO", Means::all},     Variable{"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", Means::all},
    Variable{"HTTPLIB2_CA_CERTS", Means::all},     Variable{"NIX_SSL_CERT_FILE", Means::all, true},
    Variable{"NODE_EXTRA_CA_CERTS", Means::added}, Variable{"DENO_CERT", Means::added},
};

const char* set_variable(const char* name) {
  auto* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

std::string text_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The bytes of a PEM file, or the certificates of a folder of them (requests and OpenSSL know such). Empty: nothing
// there.
std::string read_bundle(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return text_in(path);
  std::string all;
  for (auto& entry : fs::directory_iterator(path, error))
    if (entry.is_regular_file(error)) all += text_in(entry.path()) + '\n';
  if (all.empty()) return {};
  auto roots = certs::read_roots(all);
  return roots ? certs::pem_of(*roots) : std::string{};
}

fs::path first_there(const std::vector<fs::path>& places) {
  std::error_code error;
  auto it = std::find_if(places.begin(), places.end(), [&](auto& p) { return fs::is_regular_file(p, error); });
  return it == places.end() ? fs::path{} : *it;
}

// The home of the `java` on PATH, or nothing.
fs::path java_on_path() {
  auto* path = set_variable("PATH");
  for (auto part : split(path ? path : "", ':')) {
    std::error_code error;
    auto java = fs::canonical(fs::path(part) / "java", error);
    if (!error && !part.empty()) return java.parent_path().parent_path();
  }
  return {};
}

// Whether the user gives Java a trust store. Ours would win over his where it stands later, and the type we say would
// be said of his where it stands earlier.
const char* java_trusts_by() {
  for (auto* name : {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"})
    if (auto* value = set_variable(name))
      if (std::string_view(value).find("-Djavax.net.ssl.trustStore=") != std::string_view::npos) return name;
  return nullptr;
}

class Writer {
 public:
  Writer(const certs::Authority& authority, fs::path folder, const RootPlaces& places,
         const certs::Authority* strangers)
      : authority_(authority), strangers_(strangers), folder_(std::move(folder)), places_(places) {}

  Result<Trust> write() {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) return fail("cannot be made: " + error.message(), folder_.string(), Blame::user);
    ca_ = put("ca.pem", authority_.pem());
    trust_.authority = strangers_ ? put("authorities.pem", authority_.pem() + strangers_->pem()) : ca_;
    system_ = first_there(places_.bundles);
    if (system_.empty())
      trust_.remarks.emplace_back(
          "no bundle of this machine's roots was found: clients that bring their own (requests, boto, gRPC, git, "
          "Cargo) "
          "are left as they are, and do not trust Retrial");
    for (auto& variable : kVariables) add(variable);
    std::string known;
    for (auto& [source, bundle] : bundles_) known += bundle.empty() ? "" : text_in(bundle) + '\n';
    put("known.pem", known);
    trust_.folder = folder_;
    add_java();
    if (failed_) return std::unexpected(*failed_);
    return std::move(trust_);
  }

 private:
  void add(const Variable& variable) {
    auto* own = set_variable(variable.name);
    if (!own && variable.only_if_set) return;
    if (!own) trust_.own += (trust_.own.empty() ? "" : " ") + std::string(variable.name);
    auto source = own ? fs::path(own) : variable.means == Means::added ? fs::path{} : system_;
    if (source.empty()) {
      if (variable.means != Means::all) trust_.files[variable.name] = ca_;
      return;
    }
    auto& bundle = bundles_[source];
    if (bundle.empty()) {
      auto roots = read_bundle(source);
      if (roots.empty()) {
        trust_.remarks.push_back(
            fmt::format("{}={} holds nothing that can be read: it is left as it is, and what goes "
                        "by it does not trust Retrial",
                        variable.name, source.string()));
        return;
      }
      bundle = put(source == system_ ? "bundle.pem" : lower(variable.name) + ".pem", roots + "\n" + authority_.pem());
      trust_.roots.push_back(bundle);
    }
    trust_.files[variable.name] = bundle;
  }

  void add_java() {
    if (auto* name = java_trusts_by()) {
      trust_.remarks.push_back(
          fmt::format("{} names a trust store, which is left as it is: Java does not trust Retrial", name));
      return;
    }
    std::vector<certs::Root> roots{{authority_.name(), authority_.der()}};
    for (auto& source : {first_there(places_.java), system_}) {
      if (source.empty()) continue;
      auto read_here = certs::read_roots(text_in(source));
      if (!read_here) continue;
      roots.insert(roots.end(), read_here->begin(), read_here->end());
      break;
    }
    if (roots.size() == 1) return;  // alone it would take Java's own roots away
    auto store = certs::pkcs12_trust_store(roots, "");
    if (store)
      trust_.java_store = put("trust.p12", *store);
    else
      failed_ = store.error();
  }

  fs::path put(const std::string& name, const std::string& bytes) {
    auto file = folder_ / name;
    std::ofstream out(file, std::ios::binary);
    out << bytes;
    if (!out.flush()) failed_ = fail_errno("cannot be written", errno, file.string(), Blame::user).error();
    return file;
  }

  const certs::Authority& authority_;
  const certs::Authority* strangers_;
  fs::path folder_;
  const RootPlaces& places_;
  fs::path ca_;
  fs::path system_;
  std::map<fs::path, fs::path> bundles_;  // by what they were made of
  Trust trust_;
  std::optional<Error> failed_;
};

}  // namespace

RootPlaces RootPlaces::of_this_machine() {
  RootPlaces places{{"/etc/ssl/certs/ca-certificates.crt",                 // Debian, Alpine, Arch
                     "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, RHEL
                     "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // the same, newer
                     "/etc/ssl/ca-bundle.pem",                             // openSUSE
                     "/etc/pki/tls/cacert.pem", "/etc/ssl/cert.pem"},      // Alpine's and the BSDs'
                    {}};
  std::vector<fs::path> homes;
  if (auto* home = set_variable("JAVA_HOME")) homes.emplace_back(home);
  if (auto home = java_on_path(); !home.empty()) homes.push_back(home);
  for (auto& home : homes)
    for (auto inside : {"lib/security", "jre/lib/security"})
      for (auto file : {"jssecacerts", "cacerts"}) places.java.push_back(home / inside / file);
  for (auto* file :
       {"/etc/ssl/certs/java/cacerts", "/etc/pki/java/cacerts", "/etc/pki/ca-trust/extracted/java/cacerts"})
    places.java.emplace_back(file);
  return places;
}

Result<Trust> write_trust(const certs::Authority& authority, const fs::path& folder, const RootPlaces& places,
                          const certs::Authority* strangers) {
  return Writer(authority, fs::absolute(folder), places, strangers).write();
}

}  // namespace retrial::campaign
