// SOAP 1.1 (https://www.w3.org/TR/2000/NOTE-SOAP-20000508/) and 1.2 (https://www.w3.org/TR/soap12-part1/) over HTTP
// POST: one path, whose requests say by their action, or by the first element of their body, what they ask for.
#include <fmt/format.h>

#include "base/text.h"
#include "trace/profiles/message.h"
#include "trace/profiles/operation_names.h"
#include "trace/profiles/registry.h"
#include "trace/profiles/soap_body.h"
#include "trace/profiles/template_path.h"

namespace retrial::trace {
namespace {

bool is_second_version(const Exchange& e) {
  return icontains(find(e.request_headers, "content-type"), "application/soap+xml");
}
bool has_action_header(const Exchange& e) {
  for (auto& h : e.request_headers)
    if (iequals(h.name, "soapaction")) return true;
  return false;
}

// A parameter of a media type: application/soap+xml; action="urn:orders#Create".
std::string_view parameter(std::string_view type, std::string_view name) {
  for (auto part : split(type, ';')) {
    part = trim(part);
    auto equals = part.find('=');
    if (equals == part.npos || !iequals(trim(part.substr(0, equals)), name)) continue;
    return trim(part.substr(equals + 1));
  }
  return {};
}

// The last word of "http://example.com/orders/Create", "urn:orders#Create".
std::string_view word_of(std::string_view action) {
  action = trim(action);
  if (action.size() >= 2 && action.front() == '"' && action.back() == '"') action = action.substr(1, action.size() - 2);
  while (action.ends_with('/')) action.remove_suffix(1);
  return action.substr(action.find_last_of("/#:") + 1);
}
std::string_view action_of(const Exchange& e) {
  if (auto word = word_of(find(e.request_headers, "soapaction")); !word.empty()) return word;
  if (auto word = word_of(parameter(find(e.request_headers, "content-type"), "action")); !word.empty()) return word;
  return soap_request(e.request_sample);
}

bool is_xml(const Exchange& e) { return icontains(find(e.request_headers, "content-type"), "xml"); }

class Soap final : public Profile {
 public:
  std::string_view name() const override { return "soap"; }

  bool recognises(const Exchange& e) const override {
    if (e.method != "POST") return false;
    return has_action_header(e) || is_second_version(e) || (is_xml(e) && is_soap(e.request_sample));
  }
  std::span<const std::string_view> id_headers() const override { return generic_profile().id_headers(); }

  std::string operation(const Exchange& e) const override {
    OperationNames names;
    if (auto action = action_of(e); !action.empty()) names.add(fmt::format("action={}", action));
    return template_path(e.target) + names.text();
  }
  bool names_in_body(const Exchange& e) const override {
    return word_of(find(e.request_headers, "soapaction")).empty();
  }
  bool is_protocol() const override { return true; }
  Repeat repeat(const Exchange& e) const override { return message::plain_repeat(e); }

  // Every fault comes with 500 (1.1, 6.2), or with 200 of those who do not keep to it: whose turn it is the code says
  // (4.4.1; 1.2, 5.4.6).
  bool transient(int status, std::string_view body) const override {
    auto fault = soap_fault(body);
    if (fault == SoapFault::none) return generic_profile().transient(status, body);
    return fault == SoapFault::of_service;
  }
  bool fails(const Exchange& e) const override { return soap_fault(e.response_sample) != SoapFault::none; }
  int transient_status(const Exchange&) const override { return 503; }

  Answer error(const Exchange& e, int status, std::string_view marker) const override {
    bool second = is_second_version(e), of_client = second && status == 400;
    if (status != 500 && !of_client)
      return message::plain_error(e, status, marker);  // it comes from what stands before the service
    Answer answer{.status = status, .reason = std::string(message::reason_of(status))};
    answer.headers.push_back(
        {"Content-Type", second ? "application/soap+xml; charset=utf-8" : "text/xml; charset=utf-8"});
    answer.body = second ? fmt::format(
                               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<env:Envelope "
                               "xmlns:env=\"http://www.w3.org/2003/05/"
                               "soap-envelope\"><env:Body><env:Fault><env:Code><env:Value>env:{}</"
                               "env:Value></env:Code><env:Reason><env:Text xml:lang=\"en\">{} "
                               "({})</env:Text></env:Reason></env:Fault></"
                               "env:Body></env:Envelope>",
                               of_client ? "Sender" : "Receiver", answer.reason, marker)
                         : fmt::format(
                               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope "
                               "xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/"
                               "\"><soap:Body><soap:Fault><faultcode>soap:Server</"
                               "faultcode><faultstring>{} ({})</faultstring></soap:Fault></soap:Body></soap:Envelope>",
                               answer.reason, marker);
    return message::finished(std::move(answer), e, marker);
  }
  std::string effect(const Exchange&) const override { return {}; }
};

}  // namespace

const Profile& soap_profile() {
  static const Soap profile;
  return profile;
}

}  // namespace retrial::trace
