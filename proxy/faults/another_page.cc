// another-page[(member)]: the last page of a list tells of one more, at the very place where it was asked for itself. A
// client that goes on for as long as it is told to never comes to an end.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proxy/faults/of_json.h"

namespace retrial::proxy {
namespace {

using Json = OfJson::Json;
constexpr int kDeepest = 2;  // "meta": {"next": …}

// Names of parameters and members are the same whatever their spelling: "nextPageToken", "next_page_token".
std::string plain(std::string_view name) {
  std::string out;
  for (char c : name)
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += c;
    else if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
  return out;
}
bool any_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}
bool tells_more(std::string_view n) {
  return any_of(n, {"hasmore", "hasnext", "hasnextpage", "more", "istruncated", "truncated"});
}
bool tells_end(std::string_view n) { return any_of(n, {"last", "islast", "islastpage", "done"}); }
bool counts_pages(std::string_view n) {
  return any_of(n, {"totalpages", "pages", "pagecount", "numpages", "lastpage"});
}
bool links_next(std::string_view n) { return any_of(n, {"nextlink", "nexturl", "odatanextlink", "nextpageurl"}); }
bool names_next(std::string_view n) {
  return any_of(n, {"next", "nextpage", "nexttoken", "nextpagetoken", "nextcursor", "cursor", "endcursor",
                    "continuationtoken", "nextcontinuationtoken", "continuation", "nextmarker", "nextoffset"});
}
bool asks_for_place(std::string_view n) {
  return any_of(n, {"cursor", "pagetoken", "nexttoken", "token", "continuationtoken", "continuation", "marker", "after",
                    "startingafter", "startafter", "offset", "start", "skip", "skiptoken", "page", "pagenumber"});
}

// Where this page was asked for: what its query says; empty: at the beginning.
std::string place_asked_for(std::string_view target) {
  auto query = target.find('?');
  if (query == target.npos) return {};
  for (auto part : split(target.substr(query + 1), '&')) {
    auto equals = part.find('=');
    if (equals != part.npos && asks_for_place(plain(part.substr(0, equals)))) {
      std::string value(part.substr(equals + 1));
      std::ranges::replace(value, '+', ' ');  // as forms have it
      return percent_decode(value);
    }
  }
  return {};
}

class AnotherPage final : public OfJson {
 public:
  explicit AnotherPage(const trace::FaultSpec& fault) : member_(fault.header) {}
  std::string evidence(const trace::Exchange&) const override {
    return fmt::format("the page told of another one, at its own place ({})", told_);
  }

 protected:
  std::string_view begin(const std::string&, const trace::Exchange& exchange) override {
    place_ = place_asked_for(exchange.target);
    target_ = exchange.target;
    here_ = fmt::format("http://{}{}", exchange.host, exchange.target);
    return {};
  }
  std::string_view change(Json& json) override {
    if (!json.is_object()) return "the response has no place that tells of a next page";
    mark(json, 0);
    if (told_.empty() && !goes_on_ && !member_.empty() && !place_.empty())
      tell(json[member_], member_, as_told(plain(member_), place_));
    if (goes_on_) return "the response tells of a next page by itself";
    return told_.empty() ? "the response has no place that tells of a next page" : std::string_view();
  }

 private:
  static bool is_empty(const Json& v) { return v.is_null() || v == "" || v == false || v == 0; }

  // What the service has told on its other pages is told in the same form: a link or a token.
  std::string next(std::string_view name, const Json& beside) const {
    std::string_view base;
    for (auto& [other, value] : beside.items())
      if (any_of(plain(other), {"previous", "prev", "self", "first", "last"}) && value.is_string())
        base = value.get_ref<const std::string&>();
    if (base.starts_with('/')) return target_;
    if (auto scheme = base.find("://"); scheme != base.npos)
      return std::string(base.substr(0, base.find('/', scheme + 3))) + target_;
    if (links_next(name)) return here_;
    return place_.empty() ? "retrial-next" : place_;
  }
  void tell(Json& member, std::string_view name, Json value) {
    member = std::move(value);
    told_ += fmt::format("{}{}: {}", told_.empty() ? "" : ", ", name,
                         member.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  void mark(Json& object, int depth) {
    for (auto& [name, member] : object.items()) {
      auto n = plain(name);
      bool named = member_.empty() ? names_next(n) || links_next(n) : name == member_;
      if (member.is_object() && depth < kDeepest)
        mark(member, depth + 1);
      else if (named && !is_empty(member))
        goes_on_ = true;
      else if (named)
        tell(member, name, as_told(n, next(n, object)));
      else if (tells_more(n) && member == false)
        tell(member, name, true);
      else if (tells_end(n) && member == true)
        tell(member, name, false);
      else if (counts_pages(n) && member.is_number_integer() && to_int(place_) &&
               member.get<std::int64_t>() <= *to_int(place_))
        tell(member, name, *to_int(place_) + 1);
    }
  }
  // A page's number, or an offset, was asked for as text, and is told as a number. A token is text, whatever it holds.
  Json as_told(std::string_view name, const std::string& text) const {
    bool counts = any_of(name, {"next", "nextpage", "nextoffset"});
    auto number = to_int(text);
    return counts && number && text == place_ ? Json(*number) : Json(text);
  }

  std::string member_;
  std::string place_, target_, here_;
  std::string told_;
  bool goes_on_ = false;
};

}  // namespace

const Fault& another_page_fault() {
  static const OfResponse fault(made_of<AnotherPage>);
  return fault;
}

}  // namespace retrial::proxy
