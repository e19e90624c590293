// another-page[(member)]: the last page of a list tells of one more, at the very place where it was asked for itself. A
// client that goes on for as long as it is told to never comes to an end.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proxy/faults/of_json.h"
#include "proxy/faults/page_words.h"

namespace retrial::proxy {
namespace {

using Json = OfJson::Json;
constexpr int kDeepest = 2;  // "meta": {"next": …}
constexpr std::string_view kNoPlace = "the response has no place that tells of a next page";

const Json& member_of(const Json& object, const std::string& name) {
  static const Json none;
  auto it = object.find(name);
  return it == object.end() ? none : *it;
}

// The longest list of a page.
std::size_t entries_in(const Json& page, int depth = 0) {
  if (page.is_array()) return page.size();
  std::size_t most = 0;
  if (page.is_object() && depth <= kDeepest)
    for (auto& member : page) most = std::max(most, entries_in(member, depth + 1));
  return most;
}

class AnotherPage final : public OfJson {
 public:
  AnotherPage(const trace::Exchange& exchange, Earlier& earlier)
      : earlier_(earlier),
        list_(Earlier::list_of(exchange)),
        member_(exchange.fault.header),
        host_(exchange.host),
        target_(exchange.target),
        asked_(page_asked(exchange.target)) {}
  std::string evidence(const trace::Exchange&) const override {
    return fmt::format("the page told of another one, at its own place ({})", told_);
  }

 protected:
  std::string_view begin(std::string& head, const trace::Exchange&) override {
    link(head);
    if (auto* page = earlier_.page(list_)) before_ = Json::parse(*page, nullptr, false);
    return {};
  }
  std::string_view change(Json& json) override {
    entries_ = std::max(entries_in(json), entries_in(before_));
    // Beyond the last page of a list there is an empty one, and some take that for its end.
    if (!place().empty()) refill(json, before_, 0);
    if (json.is_object()) mark(json, before_, 0);
    if (!goes_on_ && told_.empty() && json.is_object() && !member_.empty() && !place().empty())
      tell(json[member_], member_, next(json, member_, before_));
    // As it was told: a later page finds in it the form of what tells of the next one.
    if (entries_in(json)) earlier_.keep_page(list_, json.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (goes_on_) return "the response tells of a next page by itself";
    return told_.empty() ? kNoPlace : std::string_view();
  }

 private:
  // RFC 8288: the service links the next of its pages in a field.
  void link(std::string& head) {
    auto field = field_in(head, "link");
    auto links = field ? head.substr(field->value, field->value_end - field->value) : std::string();
    if (links.contains("rel=\"next\"") || links.contains("rel=next")) {
      goes_on_ = true;
      earlier_.keep_page(list_ + " link", links);
    } else if (earlier_.page(list_ + " link")) {
      auto next = fmt::format("<http://{}{}>; rel=\"next\"", host_, target_);
      head.insert(fields_end(head), fmt::format("Link: {}\r\n", next));
      told("Link", next);
    }
  }
  const std::string& place() const { return asked_.place; }
  static bool is_empty(const Json& v) { return v.is_null() || v == "" || v == false || v == 0; }

  void told(std::string_view name, std::string_view what) {
    told_ += fmt::format("{}{}: {}", told_.empty() ? "" : ", ", name, what);
  }
  void tell(Json& member, std::string_view name, Json value) {
    member = std::move(value);
    told(name, member.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  void refill(Json& here, const Json& before, int depth, std::string_view name = "the list") {
    if (here.is_array() && here.empty() && before.is_array() && !before.empty()) {
      here = before;
      told(name, fmt::format("the {} entries of the page before", here.size()));
    } else if (here.is_object() && before.is_object() && depth <= kDeepest) {
      for (auto& [inner, member] : here.items()) refill(member, member_of(before, inner), depth + 1, inner);
    }
  }

  // In the form that the service has on its other pages: a link, a number or a token.
  Json next(const Json& object, const std::string& name, const Json& before) const {
    auto n = plain_name(name);
    std::string form;
    for (auto& [other, value] : object.items())
      if (names_page(plain_name(other)) && value.is_string()) form = value.get<std::string>();
    if (auto& known = member_of(before, name); known.is_string()) form = known.get<std::string>();
    if (form.starts_with('/')) return target_;
    if (auto scheme = form.find("://"); scheme != form.npos)
      return form.substr(0, form.find('/', scheme + 3)) + target_;
    if (links_next(n)) return fmt::format("http://{}{}", host_, target_);
    if (place().empty()) return "retrial-next";
    // A page's number, or an offset, was asked for as text, and is told as a number. A token is text, whatever it
    // holds.
    auto number = to_int(place());
    bool counts = n == "next" || n == "nextpage" || n == "nextoffset";
    return counts && number ? Json(*number) : Json(place());
  }

  void mark(Json& object, const Json& before, int depth) {
    for (auto& [name, member] : object.items()) {
      auto n = plain_name(name);
      bool named = member_.empty() ? names_next(n) || links_next(n) : name == member_;
      if (member.is_object() && depth < kDeepest)
        mark(member, member_of(before, name), depth + 1);
      else if (named && !is_empty(member))
        goes_on_ = true;
      else if (named)
        tell(member, name, next(object, name, before));
      else if (tells_more(n) && member == false)
        tell(member, name, true);
      else if (tells_end(n) && member == true)
        tell(member, name, false);
      else if (auto more = one_more(n); more && member.is_number_integer() && member.get<std::int64_t>() < *more)
        tell(member, name, *more);
    }
  }
  // What a count must say at least, so that this page is not the last.
  std::optional<std::int64_t> one_more(std::string_view name) const {
    auto number = to_int(place());
    if (!number || *number < 0 || *number > kMostCounted) return {};
    if (counts_pages(name)) return *number + 1;
    if (!counts_entries(name)) return {};
    auto entries = static_cast<std::int64_t>(entries_);
    if (skips_entries(asked_.parameter)) return *number + entries + 1;
    return asked_.parameter == "page" ? std::optional((*number + 1) * entries + 1) : std::nullopt;
  }
  static constexpr std::int64_t kMostCounted = 1'000'000'000;

  Earlier& earlier_;
  std::string list_, member_, host_, target_;
  PageAsked asked_;
  Json before_;
  std::size_t entries_ = 0;  // of a whole page, about
  std::string told_;
  bool goes_on_ = false;
};

}  // namespace

const Fault& another_page_fault() {
  static const OfResponse fault([](const trace::Exchange& e, Earlier& earlier) -> std::unique_ptr<Edit> {
    return std::make_unique<AnotherPage>(e, earlier);
  });
  return fault;
}

}  // namespace retrial::proxy
