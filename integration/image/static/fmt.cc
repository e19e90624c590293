// Debian has fmt as a shared library alone. What that holds, out of its own headers, for the binary that is linked
// statically.
#include <fmt/format-inl.h>
#include <fmt/os.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API std::locale locale_ref::get<std::locale>() const;
template FMT_API dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template FMT_API dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template FMT_API thousands_sep_result<char> thousands_sep_impl(locale_ref);
template FMT_API char decimal_point_impl(locale_ref);
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
