// How checks end at the first step that fails.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "certificate/exact.h"
#include "tilewright/base.h"

namespace tilewright::certificate {

// Carries the first failing step out of the checks. Never leaves the module.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> why, Args&&... args) {
  throw Refused(fmt::format(why, std::forward<Args>(args)...));
}

// What was read, or a refusal.
template <typename T>
T taken(Checked<T> read) {
  if (!read.ok()) refuse("{}", to_string(read.problems.front()));
  return std::move(*read.value);
}

// A decimal in units of its last place, or a refusal.
inline BigUint decimal_in(const std::string& text, int decimals) {
  const auto units = read_decimal(text, decimals);
  if (!units || decimal_text(*units, decimals) != text) {
    refuse("'{}' is not a decimal with at most {} places", text, decimals);
  }
  return *units;
}

// Certificates of other versions than the known one are refused.
inline void expect_version(int version, int known, std::string_view command) {
  if (version == known) return;
  refuse("this is version {}; only {} is known; write it again by {} --certificate", version, known,
         command);
}

// What stops the checks, or a proof; nothing if all of them pass.
template <typename Checks>
std::vector<Diagnostic> complaints_of(Checks checks, std::string_view what = "verify") {
  const auto complaint = [](const std::string& why) {
    return std::vector<Diagnostic>{{.where = {}, .message = why, .hint = {}}};
  };
  try {
    checks();
  } catch (const Refused& refused) {
    return complaint(refused.what());
  } catch (const Unverifiable& limit) {
    return complaint(fmt::format("cannot {}: {}", what, limit.what()));
  } catch (const Expired&) {
    return complaint("interrupted");
  }
  return {};
}

}  // namespace tilewright::certificate
