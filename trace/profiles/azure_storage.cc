// Azure Storage: blobs and queues in full, tables and data lake as far as they share their shape.
// Source: learn.microsoft.com/rest/api/storageservices (operations, "Status and error codes"), and Azurite 3.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "trace/profiles/message.h"
#include "trace/profiles/registry.h"

namespace retrial::trace {
namespace {
using message::value_of;

enum class What { account, container, blob, queue, messages, message, table };
struct Place {
  What what = What::account;
  std::string_view name;  // templated path
};

// What the name of a host says: in the cloud it names the account and the service, an emulator has the account in the
// path.
struct Host {
  bool cloud = false, blob = false, queue = false, table = false;
};
Host read_host(std::string_view host) {
  if (host.empty() || host[0] == '[' || (host[0] >= '0' && host[0] <= '9') || host.starts_with("localhost")) return {};
  Host h{.cloud = icontains(host, ".core.windows.net") || icontains(host, ".storage.azure.net")};
  h.blob = icontains(host, ".blob.") || icontains(host, ".dfs.");
  h.queue = icontains(host, ".queue.");
  h.table = icontains(host, ".table.");
  return h;
}

// A table's path: "/Tables", "/Tables('name')", "/$batch", "/name" or "/name(PartitionKey='…',RowKey='…')".
Place table_place(std::string_view first) {
  if (first.empty()) return {What::table, "/{account}/"};
  if (first.starts_with("$batch")) return {What::table, "/{account}/$batch"};
  bool entity = first.find('(') != first.npos;
  if (first.starts_with("Tables")) return {What::table, entity ? "/{account}/Tables({table})" : "/{account}/Tables"};
  return {What::table, entity ? "/{account}/{table}({entity})" : "/{account}/{table}"};
}

// Could a request for "messages" only be meant for a blob of that name? Clients' names are no help: a queue client
// calls itself a blob client.
bool blob_only(const Exchange& e) {
  for (std::string_view header : {"x-ms-blob-type", "x-ms-range", "range", "x-ms-lease-action", "x-ms-copy-source"})
    if (!find(e.request_headers, header).empty()) return true;
  return e.method == "HEAD" || value_of(message::query_of(e.target), "comp").has_value();
}

// Blobs and queues look alike but for a container's restype=container and a queue's /messages.
Place place_in(const Exchange& e, Host host) {
  auto parts = message::segments(message::path_of(e.target));
  std::size_t at = host.cloud ? 0 : 1;
  auto rest = parts.size() - std::min(at, parts.size());
  if (host.table || !find(e.request_headers, "dataserviceversion").empty()) return table_place(rest ? parts[at] : "");
  if (rest == 0) return {What::account, "/{account}"};
  if (rest == 1) {
    if (!host.blob && !value_of(message::query_of(e.target), "restype")) return {What::queue, "/{account}/{queue}"};
    return {What::container, "/{account}/{container}"};
  }
  if (rest <= 3 && parts[at + 1] == "messages" && (host.queue || (!host.blob && !blob_only(e))))
    return rest == 2 ? Place{What::messages, "/{account}/{queue}/messages"}
                     : Place{What::message, "/{account}/{queue}/messages/{id}"};
  return {What::blob, "/{account}/{container}/{blob}"};
}
Place place_of(const Exchange& e) {
  auto host = read_host(e.host);
  auto place = place_in(e, host);
  if (host.cloud)
    place.name = place.what == What::account ? "/" : place.name.substr(std::string_view("/{account}").size());
  return place;
}

bool conditional(const Exchange& e) {
  return message::conditional(e) || !find(e.request_headers, "x-ms-if-tags").empty() ||
         !find(e.request_headers, "if-modified-since").empty();
}

Repeat repeat_blob(const Exchange& e, std::string_view comp) {
  auto has = [&](std::string_view header) { return !find(e.request_headers, header).empty(); };
  if (comp == "lease" || comp == "copy" || comp == "incrementalcopy") return Repeat::guarded;
  if (conditional(e)) return Repeat::guarded;
  if (comp == "appendblock") return has("x-ms-blob-condition-appendpos") ? Repeat::guarded : Repeat::effect;
  if (comp == "snapshot") return Repeat::effect;
  if (comp == "query") return Repeat::safe;
  if (comp == "properties" && iequals(find(e.request_headers, "x-ms-sequence-number-action"), "increment"))
    return Repeat::effect;
  if (value_of(message::query_of(e.target), "action"))
    return Repeat::guarded;  // data lake: append and flush name a position
  return e.method == "POST" || e.method == "PATCH" ? Repeat::unknown : Repeat::idempotent;
}

struct Code {
  std::string_view code, message;
};
Code code_of(int status, What what) {
  switch (status) {
    case 400:
      return {"InvalidInput", "One of the request inputs is not valid."};
    case 401:
      return {
          "NoAuthenticationInformation",
          "Server failed to authenticate the request. Please refer to the information in the www-authenticate header."};
    case 403:
      return {"AuthenticationFailed",
              "Server failed to authenticate the request. Make sure the value of Authorization header is formed "
              "correctly including the signature."};
    case 404:
      if (what == What::blob) return {"BlobNotFound", "The specified blob does not exist."};
      if (what == What::container) return {"ContainerNotFound", "The specified container does not exist."};
      if (what == What::queue || what == What::messages)
        return {"QueueNotFound", "The specified queue does not exist."};
      if (what == What::message) return {"MessageNotFound", "The specified message does not exist."};
      return {"ResourceNotFound", "The specified resource does not exist."};
    case 409:
      if (what == What::blob) return {"BlobAlreadyExists", "The specified blob already exists."};
      if (what == What::container) return {"ContainerAlreadyExists", "The specified container already exists."};
      if (what == What::queue) return {"QueueAlreadyExists", "The specified queue already exists."};
      if (what == What::table) return {"EntityAlreadyExists", "The specified entity already exists."};
      return {"ResourceAlreadyExists", "The specified resource already exists."};
    case 412:
      return {"ConditionNotMet", "The condition specified using HTTP conditional header(s) is not met."};
    case 416:
      return {"InvalidRange", "The range specified is invalid for the current size of the resource."};
    case 429:
      return {"TooManyRequests", "The request is being throttled."};
    case 500:
      return {"InternalError", "The server encountered an internal error. Please retry the request."};
    case 503:
      return {"ServerBusy", "The server is busy."};
    default:
      return {};
  }
}

class AzureStorage final : public Profile {
 public:
  std::string_view name() const override { return "azure-storage"; }

  bool recognises(const Exchange& e) const override {
    bool version = false, dated = false;
    for (auto& h : e.request_headers) {
      std::string_view name = h.name;
      if (name.size() < 9 || (name[0] | 0x20) != 'x' || (name[2] | 0x20) != 'm') continue;
      if (name.size() == 12 && iequals(name, "x-ms-version")) version = true;
      if ((name.size() == 9 && iequals(name, "x-ms-date")) ||
          (name.size() == 22 && iequals(name, "x-ms-client-request-id")))
        dated = true;
      if (iequals(name.substr(0, 16), "x-ms-documentdb-") || iequals(name.substr(0, 12), "x-ms-cosmos-")) return false;
    }
    if (version && dated) return true;
    auto query = message::query_of(e.target);
    if (!query.empty() && value_of(query, "sv") && value_of(query, "sig") &&
        (value_of(query, "sp") || value_of(query, "si")))
      return true;
    if (e.response_headers.empty() || find(e.response_headers, "x-ms-request-id").empty()) return false;
    auto server = find(e.response_headers, "server");
    return icontains(server, "azurite-") || icontains(server, "windows-azure-");
  }

  std::span<const std::string_view> id_headers() const override {
    static constexpr std::array<std::string_view, 1> kIds{"x-ms-client-request-id"};
    return kIds;
  }

  std::string operation(const Exchange& e) const override {
    std::string out(place_of(e).name);
    auto query = message::query_of(e.target);
    if (!query.empty())
      for (std::string_view key : {"restype", "comp", "action", "peekonly"})
        if (auto v = value_of(query, key)) out += fmt::format(" {}={}", key, *v);
    if (auto action = find(e.request_headers, "x-ms-lease-action"); !action.empty())
      out += fmt::format(" x-ms-lease-action={}", action);
    if (!find(e.request_headers, "x-ms-copy-source").empty()) out += " x-ms-copy-source";
    return out;
  }

  Repeat repeat(const Exchange& e) const override {
    auto place = place_of(e);
    auto query = message::query_of(e.target);
    auto comp = value_of(query, "comp").value_or("");
    if (e.method == "GET" && place.what == What::messages) {
      if (value_of(query, "peekonly").value_or("") == "true") return Repeat::safe;
      // Receiving hides messages from everyone else; an answer without any has hidden none.
      bool none = message::succeeded(e) && e.response_sample.find("<QueueMessagesList") != std::string::npos &&
                  e.response_sample.find("<QueueMessage>") == std::string::npos;
      return none ? Repeat::safe : Repeat::effect;
    }
    if (message::safe_method(e.method)) return Repeat::safe;
    switch (place.what) {
      case What::messages:
        return e.method == "POST" ? Repeat::effect : Repeat::idempotent;  // DELETE clears
      case What::message:
        // An update takes the pop receipt and gives a new one: with the old one a second update is refused.
        return e.method == "PUT" ? Repeat::guarded : Repeat::idempotent;
      case What::queue:
        return Repeat::idempotent;  // a queue that is there already, with the same metadata: 204
      case What::container:
        if (e.method == "PUT" && (comp.empty() || comp == "lease" || comp == "undelete"))
          return Repeat::guarded;  // else 409
        return conditional(e) ? Repeat::guarded : e.method == "POST" ? Repeat::unknown : Repeat::idempotent;
      case What::blob:
        return repeat_blob(e, comp);
      case What::table:
        // A second insert of the same keys is refused: nothing is there twice, but its caller hears of a failure.
        if (e.method == "POST") return Repeat::unknown;
        if (e.method == "MERGE" || e.method == "PATCH") return conditional(e) ? Repeat::guarded : Repeat::idempotent;
        return message::plain_repeat(e);
      case What::account:
        return e.method == "PUT" ? Repeat::idempotent : comp == "userdelegationkey" ? Repeat::safe : Repeat::unknown;
    }
    return Repeat::unknown;
  }

  bool transient(int status, std::string_view body) const override {
    if (status >= 400 && message::xml_texts(body, "Code") == "OperationTimedOut") return true;
    return generic_profile().transient(status, body);
  }
  int transient_status(const Exchange&) const override { return 503; }

  Answer error(const Exchange& e, int status, std::string_view marker) const override {
    auto what = place_of(e).what;
    auto code = code_of(status, what);
    if (code.code.empty())
      return message::plain_error(e, status, marker);  // it comes from what stands before the service
    Answer answer{.status = status, .reason = std::string(code.message)};
    answer.headers.push_back({"x-ms-error-code", std::string(code.code)});
    answer.headers.push_back({"x-ms-request-id", std::string(marker)});
    for (std::string_view echoed : {"x-ms-version", "x-ms-client-request-id"})
      if (auto value = find(e.request_headers, echoed); !value.empty())
        answer.headers.push_back({std::string(echoed), std::string(value)});
    if (what == What::table) {
      answer.headers.push_back({"Content-Type", "application/json;odata=minimalmetadata;streaming=true;charset=utf-8"});
      answer.body =
          fmt::format(R"({{"odata.error":{{"code":"{}","message":{{"lang":"en-US","value":"{}\nRequestId:{}"}}}}}})",
                      code.code, code.message, marker);
    } else {
      answer.headers.push_back({"Content-Type", "application/xml"});
      answer.body = fmt::format(
          "<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>{}</Code><Message>{}\nRequestId:{}</Message></Error>",
          code.code, code.message, marker);
    }
    return message::finished(std::move(answer), e, marker);
  }

  std::string effect(const Exchange& e) const override {
    if (!message::succeeded(e)) return {};
    auto what = place_of(e).what;
    if (what == What::messages && (e.method == "GET" || e.method == "POST"))
      return message::xml_texts(e.response_sample, "MessageId");
    return std::string(find(e.response_headers, "x-ms-snapshot"));
  }
};

}  // namespace

const Profile& azure_storage_profile() {
  static const AzureStorage profile;
  return profile;
}

}  // namespace retrial::trace
