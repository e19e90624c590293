// Amazon Web Services: S3 in full, JSON services by x-amz-target (SQS, DynamoDB, …), query services by Action (SQS,
// SNS, …). Source: the services' API references ("REST error responses", "Common errors"), and the SDKs' own models.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "trace/profiles/aws_actions.h"
#include "trace/profiles/message.h"
#include "trace/profiles/registry.h"
#include "trace/profiles/template_path.h"

namespace retrial::trace {
namespace {
using message::query_of;
using message::value_of;

enum class Kind { s3, json, query, rest };

// The service of a SigV4 scope, "Credential=KEY/20260101/us-east-1/sqs/aws4_request", where it can be read.
std::string_view signed_for(const Exchange& e) {
  auto text = find(e.request_headers, "authorization");
  auto end = text.find("/aws4_request");
  if (end == text.npos) return {};
  auto from = text.rfind('/', end - 1);
  return from == text.npos ? std::string_view{} : text.substr(from + 1, end - from - 1);
}

bool is_form(const Exchange& e) {
  return find(e.request_headers, "content-type").starts_with("application/x-www-form-urlencoded");
}

// A query service's action stands in the query or in the body.
std::string_view action_of(const Exchange& e) {
  if (auto target = find(e.request_headers, "x-amz-target"); !target.empty())
    return target.substr(target.rfind('.') + 1);
  if (auto in_query = value_of(query_of(e.target), "Action")) return *in_query;
  if (is_form(e))
    if (auto in_body = value_of(e.request_sample, "Action")) return *in_body;
  return {};
}

bool begins_with_date(std::string_view target) {  // "/2015-03-31/functions/…"
  return target.size() > 11 && target[0] == '/' && target[5] == '-' && target[8] == '-' && target[11] == '/';
}

Kind kind_of(const Exchange& e) {
  if (!find(e.request_headers, "x-amz-target").empty()) return Kind::json;
  if (is_form(e) || value_of(query_of(e.target), "Action")) return Kind::query;
  auto service = signed_for(e);
  if (service.starts_with("s3")) return Kind::s3;
  if (!service.empty() || begins_with_date(e.target)) return Kind::rest;
  if (!find(e.request_headers, "x-amz-content-sha256").empty()) return Kind::s3;
  return icontains(find(e.request_headers, "content-type"), "json") ? Kind::rest : Kind::s3;
}

// Bucket in the host ("bucket.s3.eu-west-1.amazonaws.com", "bucket.s3.localhost") or first in the path.
bool bucket_in_host(std::string_view host) {
  auto at = host.find(".s3");
  return at != host.npos && at > 0 && (host.substr(at + 3).starts_with('.') || host.substr(at + 3).starts_with('-'));
}
struct S3Place {
  bool bucket = false, key = false;
};
S3Place s3_place(const Exchange& e) {
  auto parts = message::segments(message::path_of(e.target)).size();
  if (bucket_in_host(e.host)) return {true, parts > 0};
  return {parts > 0, parts > 1};
}

constexpr std::array<std::string_view, 31> kSubResources{
    "acl",         "accelerate",     "analytics",    "attributes",
    "cors",        "delete",         "encryption",   "intelligent-tiering",
    "inventory",   "legal-hold",     "lifecycle",    "location",
    "logging",     "metrics",        "notification", "object-lock",
    "partNumber",  "policy",         "policyStatus", "publicAccessBlock",
    "replication", "requestPayment", "restore",      "retention",
    "select",      "tagging",        "uploadId",     "uploads",
    "versioning",  "versions",       "website"};

Repeat repeat_s3(const Exchange& e) {
  auto query = query_of(e.target);
  auto place = s3_place(e);
  if (message::safe_method(e.method)) return Repeat::safe;
  if (e.method == "POST") {
    if (value_of(query, "uploads")) return Repeat::effect;  // a second upload, with an id of its own
    if (value_of(query, "select")) return Repeat::safe;
    return Repeat::idempotent;  // completing, deleting several, restoring, a form with its key
  }
  if (e.method == "PUT" && !place.key && query.empty()) return Repeat::guarded;  // BucketAlreadyOwnedByYou
  if (!find(e.request_headers, "x-amz-write-offset-bytes").empty())
    return Repeat::guarded;  // appends only at that offset
  return message::plain_repeat(e);
}

struct AwsCode {
  std::string_view code, message;
};
AwsCode s3_code(int status, S3Place place) {
  switch (status) {
    case 400:
      return {"InvalidRequest", "Invalid Request"};
    case 401:
    case 403:
      return {"AccessDenied", "Access Denied"};
    case 404:
      return place.key ? AwsCode{"NoSuchKey", "The specified key does not exist."}
                       : AwsCode{"NoSuchBucket", "The specified bucket does not exist"};
    case 405:
      return {"MethodNotAllowed", "The specified method is not allowed against this resource."};
    case 409:
      return {"OperationAborted",
              "A conflicting conditional operation is currently in progress against this resource. Please try again."};
    case 412:
      return {"PreconditionFailed", "At least one of the pre-conditions you specified did not hold"};
    case 416:
      return {"InvalidRange", "The requested range is not satisfiable"};
    case 429:
    case 503:
      return {"SlowDown", "Please reduce your request rate."};
    case 500:
      return {"InternalError", "We encountered an internal error. Please try again."};
    default:
      return {};
  }
}
AwsCode service_code(int status) {
  switch (status) {
    case 400:
      return {"ValidationException", "The input fails to satisfy the constraints specified by the service."};
    case 401:
    case 403:
      return {"AccessDeniedException", "User is not authorized to perform this operation."};
    case 404:
      return {"ResourceNotFoundException", "Requested resource not found"};
    case 409:
      return {"ConflictException", "The request conflicts with the current state of the resource."};
    case 429:
      return {"ThrottlingException", "Rate exceeded"};
    case 500:
      return {"InternalServerError",
              "The request processing has failed because of an unknown error, exception or failure."};
    case 503:
      return {"ServiceUnavailable", "The request has failed due to a temporary failure of the server."};
    default:
      return {};
  }
}

class Aws final : public Profile {
 public:
  std::string_view name() const override { return "aws"; }

  bool recognises(const Exchange& e) const override {
    for (auto& h : e.request_headers) {
      if (h.name.size() < 10) continue;
      char first = static_cast<char>(h.name[0] | 0x20);
      if (first != 'x' && first != 'a') continue;
      std::string_view name = h.name;
      if (first == 'x' && iequals(name.substr(0, 6), "x-amz-") && !iequals(name, "x-amz-cf-id") &&
          !iequals(name, "x-amzn-trace-id"))
        return true;
      if (first == 'x') continue;
      if (iequals(name, "amz-sdk-invocation-id")) return true;
      if (iequals(name, "authorization") && (h.value.starts_with("AWS4-HMAC-") || h.value.starts_with("AWS ")))
        return true;
    }
    auto query = query_of(e.target);
    if (!query.empty() && (value_of(query, "X-Amz-Algorithm") || value_of(query, "AWSAccessKeyId"))) return true;
    if (e.response_headers.empty()) return false;
    return !find(e.response_headers, "x-amz-request-id").empty() ||
           !find(e.response_headers, "x-amzn-requestid").empty();
  }

  std::span<const std::string_view> id_headers() const override {
    static constexpr std::array<std::string_view, 1> kIds{"amz-sdk-invocation-id"};
    return kIds;
  }

  std::string operation(const Exchange& e) const override {
    auto kind = kind_of(e);
    if (kind == Kind::s3) {
      auto place = s3_place(e);
      std::string out = bucket_in_host(e.host) ? (place.key ? "/{key}" : "/")
                        : place.key            ? "/{bucket}/{key}"
                        : place.bucket         ? "/{bucket}"
                                               : "/";
      auto query = query_of(e.target);
      if (!query.empty()) {
        for (auto key : kSubResources)
          if (value_of(query, key)) (out += ' ') += key;
        if (auto type = value_of(query, "list-type")) (out += " list-type=") += *type;
      }
      if (!find(e.request_headers, "x-amz-copy-source").empty()) out += " x-amz-copy-source";
      return out;
    }
    if (kind == Kind::rest) return template_path(e.target);
    // A query service's path is the queue itself: account and name.
    std::string out =
        message::segments(message::path_of(e.target)).size() == 2 ? "/{account}/{queue}" : template_path(e.target);
    if (auto action = action_of(e); !action.empty()) (out += " Action=") += action;
    return out;
  }

  bool names_in_body(const Exchange& e) const override {
    return kind_of(e) == Kind::query && !value_of(query_of(e.target), "Action");
  }

  Repeat repeat(const Exchange& e) const override {
    auto kind = kind_of(e);
    if (kind == Kind::s3) return repeat_s3(e);
    if (kind == Kind::rest) return message::plain_repeat(e);
    auto service = find(e.request_headers, "x-amz-target");
    service = service.substr(0, service.rfind('.'));
    auto action = action_of(e);
    auto in_query = query_of(e.target);
    auto body = kind == Kind::query && !e.request_sample.size() ? in_query : std::string_view(e.request_sample);
    auto answer = aws::repeat_action(service, action, body);
    // A query service names a FIFO queue in its path.
    if (answer == Repeat::effect && action.starts_with("SendMessage") && message::path_of(e.target).ends_with(".fifo"))
      return Repeat::guarded;
    if (answer == Repeat::effect && action == "ReceiveMessage" && message::succeeded(e) &&
        hidden_none(e.response_sample))
      return Repeat::safe;
    return answer;
  }

  bool transient(int status, std::string_view body) const override {
    if (status >= 500 || status == 429 || status == 408) return generic_profile().transient(status, body);
    // A copy or a completed upload may fail after its 200; throttling comes as 400 and 403.
    if (auto at = body.find("<Code>"); at != body.npos && (status >= 400 || body.find("<Error>") != body.npos))
      return aws::transient_code(message::xml_texts(body.substr(at), "Code"));
    return status >= 400 && aws::transient_code(message::json_top(body, "__type"));
  }
  int transient_status(const Exchange&) const override { return 503; }

  Answer error(const Exchange& e, int status, std::string_view marker) const override {
    auto kind = kind_of(e);
    auto code = kind == Kind::s3 ? s3_code(status, s3_place(e)) : service_code(status);
    if (code.code.empty())
      return message::plain_error(e, status, marker);  // it comes from what stands before the service
    Answer answer{.status = status, .reason = std::string(message::reason_of(status))};
    auto put = [&](std::string_view name, std::string_view value) {
      answer.headers.push_back({std::string(name), std::string(value)});
    };
    // Exceptions show the message, so the marker stands there too.
    auto text = fmt::format("{} ({})", code.message, marker);
    if (kind == Kind::s3) {
      put("x-amz-request-id", marker);
      put("x-amz-id-2", marker);
      put("Content-Type", "application/xml");
      answer.body = fmt::format(
          "<?xml version=\"1.0\" "
          "encoding=\"UTF-8\"?>\n<Error><Code>{}</Code><Message>{}</Message><RequestId>{}</RequestId>"
          "<HostId>{}</HostId></Error>",
          code.code, text, marker, marker);
    } else if (kind == Kind::query) {
      put("x-amzn-RequestId", marker);
      put("Content-Type", "text/xml");
      answer.body = fmt::format(
          "<?xml version=\"1.0\"?><ErrorResponse "
          "xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\"><Error><Type>{}</Type>"
          "<Code>{}</Code><Message>{}</Message><Detail/></Error><RequestId>{}</RequestId></ErrorResponse>",
          status >= 500 ? "Receiver" : "Sender", code.code, text, marker);
    } else {
      auto target = find(e.request_headers, "x-amz-target");
      std::string_view space = target.starts_with("AmazonSQS.")  ? "com.amazonaws.sqs#"
                               : target.starts_with("DynamoDB_") ? "com.amazonaws.dynamodb.v20120810#"
                                                                 : "";
      put("x-amzn-RequestId", marker);
      auto type = find(e.request_headers, "content-type");
      put("Content-Type", type.starts_with("application/x-amz-json") ? type : std::string_view("application/json"));
      if (kind == Kind::rest) put("x-amzn-ErrorType", code.code);
      if (find(e.request_headers, "x-amzn-query-mode") == "true")
        put("x-amzn-query-error", fmt::format("{};{}", code.code, status >= 500 ? "Receiver" : "Sender"));
      answer.body = fmt::format("{{\"__type\":\"{}{}\",\"message\":\"{}\"}}", space, code.code, text);
    }
    return message::finished(std::move(answer), e, marker);
  }

  std::string effect(const Exchange& e) const override {
    if (!message::succeeded(e)) return {};
    std::string out;
    auto add = [&](std::string_view part) {
      if (part.empty()) return;
      if (!out.empty()) out += ' ';
      out += part;
    };
    if (kind_of(e) == Kind::s3) {
      if (e.method == "POST") add(message::xml_texts(e.response_sample, "UploadId"));
      return out;
    }
    for (std::string_view key : {"MessageId", "SequenceNumber", "ReceiptHandle"}) {
      add(message::json_texts(e.response_sample, key));
      add(message::xml_texts(e.response_sample, key));
    }
    return out;
  }

 private:
  // An answer to ReceiveMessage, read whole, that holds no message.
  static bool hidden_none(std::string_view body) {
    if (message::json_has(body, "MessageId") || body.find("<MessageId>") != body.npos) return false;
    return (trim(body).starts_with('{') && trim(body).ends_with('}')) ||
           body.find("</ReceiveMessageResponse>") != body.npos;
  }
};

}  // namespace

const Profile& aws_profile() {
  static const Aws profile;
  return profile;
}

}  // namespace retrial::trace
