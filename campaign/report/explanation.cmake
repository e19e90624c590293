# Writes OUT: the page PAGE as a C++ string, for explanation.h.
file(READ ${PAGE} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE ${OUT} "#include \"campaign/report/explanation.h\"
namespace retrial::campaign::report {
static const unsigned char page[] = {${bytes}0};
std::string_view verdicts_page() { return {reinterpret_cast<const char*>(page), sizeof page - 1}; }
}
")
