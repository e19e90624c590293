#include "trace/profiles/soap_body.h"

#include "base/text.h"

namespace retrial::trace {
namespace {

// The start tags of a document, one after another; what they hold between them is looked over.
class Tags {
 public:
  explicit Tags(std::string_view body) : rest_(body) {}

  bool next() {
    while (true) {
      auto at = rest_.find('<');
      if (at == rest_.npos) return false;
      rest_.remove_prefix(at);
      if (rest_.starts_with("<!--")) {
        if (!skip("-->")) return false;
      } else if (rest_.starts_with("<![CDATA[")) {
        if (!skip("]]>")) return false;
      } else if (rest_.starts_with("<?") || rest_.starts_with("<!") || rest_.starts_with("</")) {
        if (!skip(">")) return false;
      } else {
        auto end = rest_.find('>');
        tag = rest_.substr(1, end == rest_.npos ? end : end - 1);
        rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
        auto name_ends = tag.find_first_of(" \t\r\n/");
        if (end == rest_.npos && name_ends == tag.npos) return false;  // its name may be cut off
        name = tag.substr(0, name_ends);
        name.remove_prefix(name.rfind(':') + 1);
        return true;
      }
    }
  }
  std::string_view text() const { return rest_.substr(0, rest_.find('<')); }  // behind the tag

  std::string_view tag, name;

 private:
  bool skip(std::string_view end) {
    auto at = rest_.find(end);
    if (at == rest_.npos) return false;
    rest_.remove_prefix(at + end.size());
    return true;
  }
  std::string_view rest_;
};

bool at_body(Tags& tags) {
  if (!tags.next() || tags.name != "Envelope") return false;
  while (tags.next())
    if (tags.name == "Body") return true;
  return false;
}

}  // namespace

bool is_soap(std::string_view body) {
  Tags tags(body);
  return tags.next() && tags.name == "Envelope" &&
         (tags.tag.find("http://schemas.xmlsoap.org/soap/envelope/") != tags.tag.npos ||
          tags.tag.find("http://www.w3.org/2003/05/soap-envelope") != tags.tag.npos);
}

std::string_view soap_request(std::string_view body) {
  Tags tags(body);
  return at_body(tags) && tags.next() ? tags.name : std::string_view();
}

SoapFault soap_fault(std::string_view body) {
  Tags tags(body);
  if (!at_body(tags) || !tags.next() || tags.name != "Fault") return SoapFault::none;
  while (tags.next()) {
    if (tags.name != "faultcode" && tags.name != "Value") continue;
    auto code = trim(tags.text());
    code.remove_prefix(code.rfind(':') + 1);
    bool of_service = code.starts_with("Server") || code == "Receiver";
    return of_service ? SoapFault::of_service : SoapFault::of_client;
  }
  return SoapFault::of_client;
}

}  // namespace retrial::trace
