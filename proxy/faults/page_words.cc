#include "proxy/faults/page_words.h"

#include <algorithm>
#include <initializer_list>

#include "base/text.h"

namespace retrial::proxy {
namespace {

bool any_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}
bool asks_for_place(std::string_view n) {
  return skips_entries(n) ||
         any_of(n, {"cursor", "pagetoken", "nexttoken", "token", "continuationtoken", "continuation", "marker", "after",
                    "startingafter", "startafter", "start", "skiptoken", "page", "pagenumber"});
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string out;
  for (char c : name)
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += c;
    else if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
  return out;
}

bool tells_more(std::string_view n) {
  return any_of(n, {"hasmore", "hasnext", "hasnextpage", "more", "istruncated", "truncated"});
}
bool tells_end(std::string_view n) { return any_of(n, {"last", "islast", "islastpage", "done"}); }
bool counts_pages(std::string_view n) {
  return any_of(n, {"totalpages", "pages", "pagecount", "numpages", "lastpage"});
}
bool counts_entries(std::string_view n) {
  return any_of(n, {"total", "totalcount", "totalitems", "totalresults", "totalrecords", "totalelements"});
}
bool links_next(std::string_view n) { return any_of(n, {"nextlink", "nexturl", "odatanextlink", "nextpageurl"}); }
bool names_next(std::string_view n) {
  return any_of(n, {"next", "nextpage", "nexttoken", "nextpagetoken", "nextcursor", "cursor", "endcursor",
                    "continuationtoken", "nextcontinuationtoken", "continuation", "nextmarker", "nextoffset"});
}
bool names_page(std::string_view n) { return any_of(n, {"previous", "prev", "self", "first", "last"}); }
bool skips_entries(std::string_view n) { return any_of(n, {"offset", "skip", "startat", "startindex"}); }

PageAsked page_asked(std::string_view target) {
  auto query = target.find('?');
  if (query == target.npos) return {};
  for (auto part : split(target.substr(query + 1), '&')) {
    auto equals = part.find('=');
    if (equals == part.npos) continue;
    auto name = plain_name(part.substr(0, equals));
    if (!asks_for_place(name)) continue;
    std::string value(part.substr(equals + 1));
    std::ranges::replace(value, '+', ' ');  // as forms have it
    return {std::move(name), percent_decode(value)};
  }
  return {};
}

}  // namespace retrial::proxy
