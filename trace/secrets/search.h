#pragma once
#include <string_view>
#include <vector>

#include "trace/secrets/characters.h"
#include "trace/secrets/secrets.h"
#include "trace/secrets/unfold.h"

namespace retrial::trace {

// One text on its way, word for word. All positions are in it as it reads without its escapes. What is known of a
// format is in a file of its own: search_values.cc, search_pairs.cc, search_xml.cc, search_tables.cc.
class Search {
 public:
  // `within`: how many layers of base64 it was taken out of.
  Search(std::string_view text, Where where, int within) : u_(text), t_(u_.text()), where_(where), within_(within) {}
  std::vector<Span> run();

 private:
  static constexpr std::size_t kNone = std::string_view::npos;
  static constexpr std::size_t kFar = 4096;  // how far from a name its value is looked for

  // Texts as wholes.
  bool is_form() const;
  void armour();
  void tables();
  bool columns(std::string_view line, char by, const std::vector<bool>& secret);

  // One word, [at, end). Those that take more say where it ends.
  std::size_t word(std::size_t at, std::size_t end);
  std::size_t shaped(std::size_t at, std::size_t end);
  std::size_t folded(std::size_t at);
  std::size_t two_words(std::size_t at, std::size_t end) const;
  void user(std::size_t end);
  bool in_url(std::size_t at) const;
  bool oauth();
  bool is_code(std::size_t at, std::size_t end);

  // A name, [at, end), and what it is given from `from` on, behind `sign`.
  struct Given {
    char sign;
    int depth;    // how often the sign is escaped
    bool quoted;  // the name is
  };
  std::size_t after_index(std::size_t end) const;
  void assigned(std::size_t at, std::size_t end);
  void value(std::size_t at, std::size_t end, std::size_t from, Given given);
  std::size_t bare_end(std::size_t at, std::size_t from, Given given) const;
  bool in_prose(std::string_view name, std::size_t from, std::size_t& to) const;
  void flag(std::size_t at, std::size_t end);
  bool begins_pair(std::size_t quote) const;

  // Where a value ends.
  std::size_t until(std::size_t at, std::string_view stops, int depth, bool listed = false) const;
  bool ends(std::size_t at, int depth) const;
  bool goes_on(std::size_t at) const;
  struct Line {
    std::size_t begin, text;  // of the line, and of what follows its indent and list marks
    bool is_key;              // the name asked for stands there
  };
  Line line_of(std::size_t at, int depth) const;
  std::size_t block(const Line& line, std::size_t to, int depth) const;
  std::size_t after_quoted(std::size_t at) const;
  std::size_t after_brackets(std::size_t at) const;
  void add_quoted(std::size_t at);  // what is in the quotes that open there

  // XML.
  bool tag_begins(std::size_t at) const;
  void element(std::size_t at, std::size_t end);
  bool tail(std::size_t at);

  // {"name": "password", "value": "x"} and the like.
  void paired(std::size_t at, std::size_t end);
  bool names_something(std::size_t from, std::size_t to) const;
  void take(std::size_t from, std::size_t to);
  void part(std::size_t at);
  void forward(std::size_t from, std::size_t at, char sign);
  void backward(std::size_t from);
  bool same_name(std::size_t from, std::size_t at, std::size_t to) const;

  std::string_view text(std::size_t from, std::size_t to) const { return t_.substr(from, to - from); }
  template <class Is>
  std::size_t skip(std::size_t at, Is is) const {  // forward, past those
    while (at < t_.size() && is(t_[at])) at++;
    return at;
  }
  template <class Is>
  std::size_t back(std::size_t at, Is is) const {  // to behind the first that is none of those
    while (at > 0 && is(t_[at - 1])) at--;
    return at;
  }
  std::size_t name_end(std::size_t at) const { return skip(at, in_name); }
  std::size_t name_begin(std::size_t at) const { return back(at, in_name); }

  // How often the quotes are escaped of the string around the word under way; of a word in quotes the one around these.
  bool closes_string(std::size_t at) const { return t_[at] == '"' && inside_ >= 0 && u_.depth(at) <= inside_; }
  void look_around(std::size_t at, std::size_t end);
  void note_quote(std::size_t at);

  void add(std::size_t from, std::size_t to);
  std::vector<Span> merged();

  Unfolded u_;
  std::string_view t_;
  Where where_;
  int within_;
  bool form_ = false;
  int oauth_ = -1;
  int inside_ = -1;
  std::size_t word_end_ = 0, covered_ = 0;
  std::vector<int> strings_;  // that are open: how often their quotes are escaped
  std::vector<Span> spans_;
};

}  // namespace retrial::trace
