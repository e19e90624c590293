#include "trace/profiles/status_phrase.h"

#include <algorithm>
#include <vector>

#include "base/characters.h"
#include "base/text.h"
#include "trace/profiles/message.h"

namespace retrial::trace {
namespace {

constexpr std::string_view kBetween = " _-.";

// Of now, and of RFC 2616 and the frameworks that still say so.
std::vector<std::string_view> phrases_of(int status) {
  std::vector<std::string_view> out;
  if (auto now = message::reason_of(status); now != "Unknown") out.push_back(now);
  switch (status) {
    case 408:
      out.push_back("Request Time-out");
      break;
    case 413:
      out.insert(out.end(), {"Payload Too Large", "Request Entity Too Large"});
      break;
    case 422:
      out.push_back("Unprocessable Entity");
      break;
    case 500:
      out.push_back("Internal Error");
      break;
    case 504:
      out.push_back("Gateway Time-out");
      break;
    default:
      break;
  }
  return out;
}

// How much of the text is the phrase, written in any way, from its beginning on; 0: it is another.
std::size_t begins_with(std::string_view text, std::string_view phrase) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < phrase.size(); i++) {
    if (!is_letter(phrase[i])) continue;
    if (at && at < text.size() && kBetween.find(text[at]) != kBetween.npos) at++;
    if (at == text.size() || fold(text[at]) != fold(phrase[i])) return 0;
    at++;
  }
  return at;
}
bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || !is_letter(text[at - 1]) || (is_upper(text[at]) && is_lower(text[at - 1]));
}
bool ends_word(std::string_view text, std::size_t end) {
  return end == text.size() || !is_letter(text[end]) || (is_upper(text[end]) && is_lower(text[end - 1]));
}

enum class Case { upper, lower, sentence, title, camel };
Case case_of(std::string_view sample) {
  bool upper = std::ranges::any_of(sample, is_upper), lower = std::ranges::any_of(sample, is_lower);
  if (!lower) return Case::upper;
  if (!upper) return Case::lower;
  auto first = std::ranges::find_if(sample, is_letter);
  if (is_lower(*first)) return Case::camel;
  bool one_word = sample.find_first_of(kBetween) == sample.npos;
  return one_word || std::any_of(first + 1, sample.end(), is_upper) ? Case::title : Case::sentence;
}

}  // namespace

std::optional<PhraseAt> find_phrase(std::string_view text, int status) {
  for (auto phrase : phrases_of(status))
    for (std::size_t at = 0; at < text.size(); at++) {
      if (!is_letter(text[at]) || !begins_word(text, at)) continue;
      if (auto size = begins_with(text.substr(at), phrase); size && ends_word(text, at + size)) return {{at, size}};
    }
  return {};
}

std::string phrase_like(std::string_view sample, int status) {
  auto written = case_of(sample);
  auto at = sample.find_first_of(kBetween);
  std::string between(at == sample.npos ? "" : sample.substr(at, 1));
  // One word alone does not say how two are joined.
  if (between.empty() && (written == Case::upper || written == Case::lower)) between = "_";
  std::string out;
  for (auto word : split(message::reason_of(status), ' ')) {
    bool first = out.empty();
    bool large = written == Case::upper || written == Case::title || (written == Case::sentence && first) ||
                 (written == Case::camel && !first);
    if (!first) out += between;
    for (std::size_t i = 0; i < word.size(); i++)
      out += written == Case::upper ? static_cast<char>(is_lower(word[i]) ? word[i] & ~0x20 : word[i])
             : large && i == 0      ? word[i]
                                    : fold(word[i]);
  }
  return out;
}

}  // namespace retrial::trace
