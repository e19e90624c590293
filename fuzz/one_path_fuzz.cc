// Hostile bytes as a body by which an operation is named: GraphQL, JSON-RPC, SOAP.
#include <cstdlib>

#include "trace/profiles/graphql_document.h"
#include "trace/profiles/registry.h"
#include "trace/profiles/soap_body.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace retrial::trace;
  std::string_view body(reinterpret_cast<const char*>(data), size);
  if (auto operation = graphql_operation(body, ""); operation && body.find(operation->field) == body.npos) std::abort();
  (void)soap_fault(body);
  Exchange e;
  e.method = "POST";
  e.target = "/graphql";
  e.request_sample = e.response_sample = body.substr(0, kSampleBytes);
  e.service_status = e.client_status = 200;
  for (auto type : {"application/json", "application/graphql", "text/xml"}) {
    e.request_headers = {{"Content-Type", type}};
    for (auto* profile : {&graphql_profile(), &json_rpc_profile(), &soap_profile()}) {
      (void)profile->recognises(e);
      (void)profile->repeat(e);
      (void)profile->fails(e);
      (void)profile->asks_again(e);
      auto name = profile->operation(e);
      if (name.size() > 8 + 5 * 90 || name.find_first_of("\r\n\t", 1) != name.npos) std::abort();
      if (profile->error(e, 503, "retrial-7").body.find("retrial-7") == std::string::npos) std::abort();
    }
  }
  return 0;
}
