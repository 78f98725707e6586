// Whole numbers of 128 bits as those of Python, which have no limit. Not negative.
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include "tilewright/base.h"

namespace nanobind::detail {

template <>
struct type_caster<tilewright::Int128> {
  NB_TYPE_CASTER(tilewright::Int128, const_name("int"))  // NOLINT: the macro of the library

  // By halves, which the interpreter takes as they are.
  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    if (!PyLong_Check(source.ptr())) return false;
    const object shift = steal(PyLong_FromLong(64));
    const object high = steal(PyNumber_Rshift(source.ptr(), shift.ptr()));
    const object mask = steal(PyLong_FromUnsignedLongLong(~0ULL));
    const object low = steal(PyNumber_And(source.ptr(), mask.ptr()));
    if (!high.is_valid() || !low.is_valid()) return fail();
    const long long top = PyLong_AsLongLong(high.ptr());
    if (PyErr_Occurred() != nullptr) return fail();
    value = (static_cast<tilewright::Int128>(top) << 64U) | PyLong_AsUnsignedLongLong(low.ptr());
    return true;
  }

  static handle from_cpp(tilewright::Int128 number, rv_policy /*policy*/,
                         cleanup_list* /*cleanup*/) noexcept {
    const std::string digits = fmt::format("{}", number);
    return PyLong_FromString(digits.c_str(), nullptr, 10);
  }

 private:
  static bool fail() {
    PyErr_Clear();
    return false;
  }
};

}  // namespace nanobind::detail
