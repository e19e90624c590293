#include "trace/profiles/aws_actions.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace retrial::trace::aws {
namespace {

bool has(std::string_view body, std::string_view part) { return body.find(part) != body.npos; }

// A FIFO queue takes a send without MessageDeduplicationId only where it deduplicates by content.
bool deduplicated(std::string_view body) { return has(body, "MessageDeduplicationId") || has(body, ".fifo"); }

// Does a condition hold only once? `version = :old` and attribute_not_exists do; `stock > :zero` does not.
bool holds_once(std::string_view body) {
  if (has(body, "attribute_not_exists") || has(body, "\"Expected\"")) return true;
  auto at = body.find("\"ConditionExpression\"");
  if (at == body.npos) return false;
  auto from = body.find('"', body.find(':', at + 21));
  if (from == body.npos) return true;  // cut off: it may
  auto end = body.find('"', from + 1);
  auto condition = body.substr(from + 1, end == body.npos ? body.npos : end - from - 1);
  for (auto i = condition.find('='); i != condition.npos; i = condition.find('=', i + 1))
    if (i > 0 && condition[i - 1] != '<' && condition[i - 1] != '>') return true;
  return end == body.npos;
}

// Does an update add to what is there, rather than set it?
bool accumulates(std::string_view body) {
  auto at = body.find("\"UpdateExpression\"");
  if (at == body.npos) return has(body, "\"AttributeUpdates\"") && has(body, "\"ADD\"");
  auto from = body.find('"', body.find(':', at + 18));
  if (from == body.npos) return false;
  auto text = body.substr(from + 1);
  text = text.substr(0, text.find('"'));
  auto folded = lower(text);
  return has(folded, "list_append") || folded.starts_with("add ") || has(folded, " add ") || has(folded, "+") ||
         has(folded, " - ");
}

Repeat sqs(std::string_view action, std::string_view body) {
  if (action.starts_with("SendMessage")) return deduplicated(body) ? Repeat::guarded : Repeat::effect;
  if (action == "ReceiveMessage") return has(body, "ReceiveRequestAttemptId") ? Repeat::guarded : Repeat::effect;
  if (action == "StartMessageMoveTask") return Repeat::guarded;  // one at a time a queue
  if (action == "AddPermission" || action == "RemovePermission") return Repeat::guarded;
  for (std::string_view known : {"DeleteMessage", "ChangeMessageVisibility", "CreateQueue", "DeleteQueue", "PurgeQueue",
                                 "SetQueueAttributes", "TagQueue", "UntagQueue", "CancelMessageMoveTask"})
    if (action.starts_with(known)) return Repeat::idempotent;
  return Repeat::unknown;
}
Repeat dynamodb(std::string_view action, std::string_view body) {
  if (action == "UpdateItem")
    return holds_once(body) ? Repeat::guarded : accumulates(body) ? Repeat::effect : Repeat::idempotent;
  if (action == "PutItem" || action == "DeleteItem") return holds_once(body) ? Repeat::guarded : Repeat::idempotent;
  if (action == "BatchWriteItem") return Repeat::idempotent;
  if (action == "TransactWriteItems" || action == "ExecuteTransaction")
    return has(body, "\"ClientRequestToken\"") ? Repeat::guarded : Repeat::effect;
  if (action == "CreateTable" || action == "DeleteTable" || action == "UpdateTable")
    return Repeat::guarded;  // ResourceInUse
  return Repeat::unknown;
}

}  // namespace

Repeat repeat_action(std::string_view service, std::string_view action, std::string_view body) {
  for (std::string_view reads :
       {"Get", "List", "Describe", "BatchGet", "TransactGet", "Query", "Scan", "Head", "Lookup", "Search"})
    if (action.starts_with(reads))
      return service.starts_with("Kinesis") && action == "GetRecords" ? Repeat::idempotent : Repeat::safe;
  auto known = service.starts_with("DynamoDB_") ? dynamodb(action, body)
               : service == "AmazonSQS" || action.find("Message") != action.npos || service.empty() ? sqs(action, body)
                                                                                                    : Repeat::unknown;
  if (known != Repeat::unknown) return known;
  // What is sent to a stream, topic or bus is there once more.
  for (std::string_view adds :
       {"PutRecord", "PutEvents", "Publish", "PutMetricData", "PutLogEvents", "SendEmail", "SendRawEmail"})
    if (action.starts_with(adds)) return deduplicated(body) ? Repeat::guarded : Repeat::effect;
  for (std::string_view token :
       {"ClientRequestToken", "ClientToken", "clientToken", "clientRequestToken", "IdempotencyToken"})
    if (has(body, token)) return Repeat::guarded;
  for (std::string_view sets : {"Delete", "Tag", "Untag", "Set", "Subscribe", "Unsubscribe", "CreateTopic"})
    if (action.starts_with(sets)) return Repeat::idempotent;
  return Repeat::unknown;
}

// Source: "Retry behavior", AWS SDKs and Tools Reference Guide; botocore/retries/standard.py.
bool transient_code(std::string_view code) {
  if (auto hash = code.rfind('#'); hash != code.npos) code.remove_prefix(hash + 1);
  code = code.substr(0, code.find(':'));
  static constexpr std::array<std::string_view, 26> kCodes{"Throttling",
                                                           "ThrottlingException",
                                                           "ThrottledException",
                                                           "RequestThrottledException",
                                                           "RequestThrottled",
                                                           "SlowDown",
                                                           "TooManyRequestsException",
                                                           "ProvisionedThroughputExceededException",
                                                           "LimitExceededException",
                                                           "RequestLimitExceeded",
                                                           "BandwidthLimitExceeded",
                                                           "TransactionInProgressException",
                                                           "PriorRequestNotComplete",
                                                           "EC2ThrottledException",
                                                           "RequestTimeout",
                                                           "RequestTimeoutException",
                                                           "RequestTimeTooSkewed",
                                                           "InternalError",
                                                           "InternalFailure",
                                                           "InternalServerError",
                                                           "ServiceUnavailable",
                                                           "ServiceUnavailableException",
                                                           "IDPCommunicationError",
                                                           "OperationAborted",
                                                           "AWS.SimpleQueueService.RequestThrottled",
                                                           "KMS.RequestThrottled"};
  return std::ranges::find(kCodes, code) != kCodes.end();
}

}  // namespace retrial::trace::aws
