#include "trace/profiles/fault_answer.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "base/text.h"
#include "trace/fault_name.h"
#include "trace/profiles/message.h"
#include "trace/status.h"

namespace retrial::trace {

std::string http_date(std::int64_t wall) {
  using namespace std::chrono;
  static constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  sys_seconds at(ceil<seconds>(nanoseconds(wall)));
  auto day = floor<days>(at);
  year_month_day date(day);
  hh_mm_ss time(at - day);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[weekday(day).c_encoding()],
                     static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                     static_cast<int>(date.year()), time.hours().count(), time.minutes().count(),
                     time.seconds().count());
}

namespace {
void erase(Answer& answer, std::string_view name) {
  std::erase_if(answer.headers, [&](auto& h) { return iequals(h.name, name); });
}
// https://github.com/grpc/proposal/blob/master/A6-client-retries.md#pushback
Answer grpc_answer(const FaultSpec& fault, const Profile& profile, const Exchange& head, std::string_view marker) {
  // Whatever else is known of the service: the status is told as gRPC tells it.
  auto* grpc = profile_named("grpc");
  auto answer = (grpc ? *grpc : profile).error(head, fault.status, marker);
  if (fault.name == FaultName::late_status) erase(answer, "content-type");
  auto pushback = pushback_of(fault);
  if (pushback == kNoPushback) return answer;
  erase(answer, "grpc-retry-pushback-ms");
  answer.headers.push_back({"grpc-retry-pushback-ms", std::to_string(pushback < 0 ? -1 : pushback)});
  return answer;
}
// A reverse proxy's own word (RFC 9110 15.6.3, 15.6.5) for a response that it has lost.
bool of_gateway(const FaultSpec& fault, const Profile& profile) {
  return fault.name == FaultName::lost_response && (fault.status == 502 || fault.status == 504) &&
         !profile.times_out(fault.status);
}
// What a service says of a request that is wrong: of an RPC in gRPC's words (google/rpc/code.proto). No proxy before it
// says that, as it says 429 and 502 to 504; and of HTTP's 400 a client makes INTERNAL.
int rpc_status(int status) {
  switch (status) {
    case 400:
      return kGrpcStatus + grpc_code::invalid_argument;
    case 401:
      return kGrpcStatus + grpc_code::unauthenticated;
    case 403:
      return kGrpcStatus + grpc_code::permission_denied;
    case 404:
      return kGrpcStatus + grpc_code::not_found;
    default:
      return status;
  }
}
}  // namespace

int status_told(const FaultSpec& fault, const Profile& profile, const Exchange& head) {
  if (fault.status == 0) return profile.transient_status(head);
  if (head.grpc.is && fault.name == FaultName::error) return rpc_status(fault.status);
  return head.grpc.is && of_gateway(fault, profile) ? kGrpcStatus + grpc_code::unavailable : fault.status;
}

Answer answer_of(const FaultSpec& fault, const Profile& profile, const Exchange& head, std::string_view marker,
                 std::int64_t wall, const ErrorShape* own) {
  if (is_grpc(fault.status)) return grpc_answer(fault, profile, head, marker);
  auto answer = of_gateway(fault, profile) ? message::plain_error(head, fault.status, marker)
                : own                      ? answer_in(*own, head, fault.status, marker)
                                           : profile.error(head, fault.status, marker);
  if (fault.retry == RetryAfter::none) return answer;
  erase(answer, "retry-after");
  answer.headers.push_back({"Retry-After", fault.retry == RetryAfter::seconds
                                               ? std::to_string(fault.retry_after)
                                               : http_date(wall + fault.retry_after * kSecond)});
  return answer;
}

Answer error_told(const Exchange& e) {
  auto answer = profile_of(e).error(e, e.client_status, "retrial-" + e.fault_id);
  if (!e.injected_sample.empty()) answer.body = e.injected_sample;
  return answer;
}

}  // namespace retrial::trace
