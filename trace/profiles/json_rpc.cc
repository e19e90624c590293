// JSON-RPC 2.0 (https://www.jsonrpc.org/specification) and 1.0 (https://www.jsonrpc.org/specification_v1) over HTTP
// POST: one path, whose requests say in their body which method they call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "trace/profiles/json_calls.h"
#include "trace/profiles/json_pointer.h"
#include "trace/profiles/message.h"
#include "trace/profiles/operation_names.h"
#include "trace/profiles/registry.h"
#include "trace/profiles/template_path.h"

namespace retrial::trace {
namespace {
using Json = nlohmann::json;

// 1.0 has no version: a request is known by its three members.
bool is_call(const JsonCall& call) {
  return !call.method.empty() && (call.version == "2.0" || (call.params && !call.id.empty()));
}
bool is_media_type(const Exchange& e) {
  auto type = find(e.request_headers, "content-type");
  return icontains(type, "json-rpc") || icontains(type, "jsonrequest");
}

// Methods of which a specification says what they do: of the Model Context Protocol
// (https://modelcontextprotocol.io/specification/2025-06-18), of Ethereum's nodes
// (https://ethereum.github.io/execution-apis/), and of OpenRPC (https://spec.open-rpc.org).
struct Known {
  std::string_view method;
  Repeat repeat;
};
constexpr Known kKnown[] = {
    {"initialize", Repeat::safe},
    {"ping", Repeat::safe},
    {"tools/list", Repeat::safe},
    {"resources/list", Repeat::safe},
    {"resources/templates/list", Repeat::safe},
    {"resources/read", Repeat::safe},
    {"prompts/list", Repeat::safe},
    {"prompts/get", Repeat::safe},
    {"completion/complete", Repeat::safe},
    {"resources/subscribe", Repeat::idempotent},
    {"resources/unsubscribe", Repeat::idempotent},
    {"logging/setLevel", Repeat::idempotent},
    {"eth_accounts", Repeat::safe},
    {"eth_blobBaseFee", Repeat::safe},
    {"eth_blockNumber", Repeat::safe},
    {"eth_call", Repeat::safe},
    {"eth_chainId", Repeat::safe},
    {"eth_createAccessList", Repeat::safe},
    {"eth_estimateGas", Repeat::safe},
    {"eth_feeHistory", Repeat::safe},
    {"eth_gasPrice", Repeat::safe},
    {"eth_maxPriorityFeePerGas", Repeat::safe},
    {"eth_syncing", Repeat::safe},
    {"net_listening", Repeat::safe},
    {"net_peerCount", Repeat::safe},
    {"net_version", Repeat::safe},
    {"web3_clientVersion", Repeat::safe},
    {"web3_sha3", Repeat::safe},
    {"eth_sendRawTransaction", Repeat::guarded},  // it is signed with its nonce
    {"eth_sendTransaction", Repeat::effect},
    {"rpc.discover", Repeat::safe},
};
// These take what has changed since they were asked last.
constexpr std::string_view kTakes = "eth_getFilterChanges";

Repeat repeat_of(const JsonCall& call) {
  auto known = std::ranges::find(kKnown, std::string_view(call.method), &Known::method);
  if (known != std::end(kKnown)) return known->repeat;
  if (call.method.starts_with("eth_get") && call.method != kTakes) return Repeat::safe;
  return Repeat::unknown;
}

// Errors 5.1, and those of Ethereum's nodes (EIP-1474). What is left to the service's own choice says nothing.
constexpr int kInvalid = -32600, kNoMethod = -32601, kInternal = -32603, kLimit = -32005, kOwn = -32000;
int code_for(int status) {
  switch (status) {
    case 400:
      return kInvalid;
    case 404:
      return kNoMethod;
    case 429:
      return kLimit;
    default:
      return status >= 500 ? kInternal : kOwn;
  }
}

bool failed(const Json& answer) {
  if (answer.is_array()) return !answer.empty() && std::ranges::all_of(answer, failed);
  if (!answer.is_object()) return false;
  auto error = answer.find("error");
  return error != answer.end() && !error->is_null();
}

class JsonRpc final : public Profile {
 public:
  std::string_view name() const override { return "json-rpc"; }

  bool recognises(const Exchange& e) const override {
    if (e.method != "POST") return false;
    if (is_media_type(e)) return true;
    auto calls = json_calls(e.request_sample);
    return !calls.empty() && std::ranges::all_of(calls, is_call);
  }
  std::span<const std::string_view> id_headers() const override { return generic_profile().id_headers(); }

  std::string operation(const Exchange& e) const override {
    OperationNames names;
    for (auto& call : json_calls(e.request_sample))
      if (!call.method.empty()) names.add("method=" + call.method);
    return template_path(e.target) + names.text();
  }
  bool names_in_body(const Exchange&) const override { return true; }
  bool is_protocol() const override { return true; }

  // Of several calls what is true of the one that bears it least.
  Repeat repeat(const Exchange& e) const override {
    if (message::keyed_within(e)) return Repeat::guarded;
    constexpr std::array kFromBest{Repeat::safe, Repeat::idempotent, Repeat::guarded, Repeat::unknown, Repeat::effect};
    auto calls = json_calls(e.request_sample);
    auto worst = calls.empty() ? kFromBest.end() : kFromBest.begin();
    for (auto& call : calls) worst = std::max(worst, std::ranges::find(kFromBest, repeat_of(call)));
    return worst == kFromBest.end() || *worst == Repeat::unknown ? message::plain_repeat(e) : *worst;
  }

  bool transient(int status, std::string_view body) const override {
    if (status < 200 || status >= 300) return generic_profile().transient(status, body);
    for (std::string_view at : {"/error/code", "/0/error/code"})
      if (auto code = to_int(json_at(body, at).value_or("")); code == kInternal || code == kLimit) return true;
    return false;
  }
  bool fails(const Exchange& e) const override {
    auto answer = Json::parse(e.response_sample, nullptr, false);
    if (!answer.is_discarded()) return failed(answer);
    return json_at(e.response_sample, "/error").value_or("null") != "null";
  }
  int transient_status(const Exchange&) const override { return 503; }

  // Each call that waits for an answer has an error with its own id.
  Answer error(const Exchange& e, int status, std::string_view marker) const override {
    Answer answer{.status = status,
                  .reason = std::string(message::reason_of(status)),
                  .headers = {{"Content-Type", "application/json"}}};
    auto one = [&](std::string_view id, bool first_version) {
      return fmt::format(R"_({{{}"error":{{"code":{},"message":"{} ({})"}},"id":{}}})_",
                         first_version ? R"_("result":null,)_" : R"_("jsonrpc":"2.0",)_", code_for(status),
                         answer.reason, marker, id);
    };
    std::string all;
    auto calls = json_calls(e.request_sample);
    for (auto& call : calls)
      if (!call.id.empty()) all.append(all.empty() ? "" : ",").append(one(call.id, call.version.empty()));
    if (all.empty()) all = one("null", false);
    answer.body = trim(e.request_sample).starts_with('[') ? "[" + all + "]" : all;
    return message::finished(std::move(answer), e, marker);
  }
  std::string effect(const Exchange&) const override { return {}; }
};

}  // namespace

const Profile& json_rpc_profile() {
  static const JsonRpc profile;
  return profile;
}

}  // namespace retrial::trace
