// Certificates of bounds of plans as JSON (docs/certificates.md).
#include <fmt/format.h>

#include <algorithm>

#include "certificate/certificate_json.h"

namespace tilewright::certificate {

namespace {

constexpr const char* kBoundKey = "tilewright_plan_bound";
constexpr const char* kBoundAmong =
    "plans of groups whose shared loops are all around all einsums, one per dimension at most, "
    "with work done again or not, with even nests and perfect factors";

}  // namespace

const std::vector<std::string>& plan_bound_keys() {
  static const std::vector<std::string> known = {
      kBoundKey,       "among", "architecture", "cascade", "shared",
      "longest_group", "plan",  "energy_pj",    "bound",   "nests"};
  return known;
}

PlanBound plan_bound_from(const Json& object) {
  PlanBound read;
  read.version = static_cast<int>(std::min<std::int64_t>(number_of(object, kBoundKey), 1 << 30));
  if (text_of(object, "among") != kBoundAmong) {
    throw BadKey("among", "nothing is proven of such plans",
                 fmt::format("write \"{}\"", kBoundAmong));
  }
  read_statement(object, read);
  read.bound = text_of(object, "bound");
  const Json& nests = value_of_key(object, "nests");
  if (!nests.is_array()) throw BadKey("nests", "\"nests\" is not a list of certificates", "");
  for (const Json& nest : nests) {
    expect_keys(nest, certificate_keys(), "nests", "\"nests\"");
    read.nests.push_back(certificate_from(nest));
  }
  return read;
}

Json json_of(const PlanBound& bound) {
  Json object;
  object[kBoundKey] = bound.version;
  object["among"] = kBoundAmong;
  write_statement(bound, object);
  object["bound"] = bound.bound;
  Json& nests = object["nests"] = Json::array();
  for (const Certificate& nest : bound.nests) nests.push_back(json_of(nest));
  return object;
}

std::string write_certificate(const PlanBound& bound) { return text_of_json(json_of(bound)); }

// Quotes inside texts are escaped, so only a key or a whole text looks like this.
bool is_plan_bound(std::string_view text) {
  return text.find(fmt::format("\"{}\"", kBoundKey)) != std::string_view::npos;
}

Checked<PlanBound> read_plan_bound(std::string_view text, const std::string& file) {
  return read_json_keys<PlanBound>(text, file, plan_bound_keys(), plan_bound_from);
}

}  // namespace tilewright::certificate
