#pragma once
#include <string>
#include <string_view>

namespace retrial::proxy {

// What members of a page, and parameters of the request for it, mean by their names. They are the same whatever their
// spelling: "nextPageToken", "next_page_token".
std::string plain_name(std::string_view name);

// Of a plain name:
bool tells_more(std::string_view name);      // true: another page follows
bool tells_end(std::string_view name);       // true: none does
bool counts_pages(std::string_view name);    // all of them
bool counts_entries(std::string_view name);  // of all pages
bool links_next(std::string_view name);      // a link to the next page, whatever else is linked
bool names_next(std::string_view name);      // a link, a token or a number
bool names_page(std::string_view name);      // a link to this page, or to another
bool skips_entries(std::string_view name);   // of a parameter: so many come before this page

// Where a page was asked for: by the parameter of the request's query that says so.
struct PageAsked {
  std::string parameter;  // a plain name; empty: at the beginning
  std::string place;      // its value, decoded
};
PageAsked page_asked(std::string_view target);

}  // namespace retrial::proxy
