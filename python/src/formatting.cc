// The part of fmt that is no header. Debian has it as a shared library alone, and a wheel has
// to work where that is not installed.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto decimal_point_impl<char>(locale_ref) -> char;
template FMT_API auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;

}  // namespace detail
FMT_END_NAMESPACE
