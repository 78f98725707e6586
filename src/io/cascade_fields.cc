#include "cascade_fields.h"

#include "member_fields.h"
#include "workload_fields.h"

namespace tilewright::io {

namespace {

constexpr auto kCascadeFields = std::to_array<Field<CascadeFile>>({
    member_field<&CascadeFile::name, read_name, quoted_if_needed>("cascade", kNameForm, nullptr,
                                                                  "its name"),
    member_field<&CascadeFile::source, read_note, quoted_if_needed>(
        "source", "a text", "none", "where it comes from, for the reader alone"),
    node_field<CascadeFile, &CascadeFile::sizes>(
        {"sizes", "a map such as \"{tokens: 1024, m: tokens}\"", nullptr,
         "the size of every dimension; one may be computed from those before it"}),
    member_field<&CascadeFile::bits, read_count, count_text>("bits", kCountForm, "8",
                                                             "width of one element"),
    node_field<CascadeFile, &CascadeFile::einsums>(
        {"einsums", kEinsumsForm, nullptr,
         "name and contraction of each, and under \"then\" what is done to its output"}),
});

std::optional<std::optional<std::string>> read_optional_name(Context& context, const Node& node) {
  auto name = read_name(context, node);
  if (!name) return std::nullopt;
  return std::optional<std::string>(*name);
}
std::string optional_text(const std::optional<std::string>& text) {
  return quoted_if_needed(*text);
}
std::optional<std::optional<std::int64_t>> read_online(Context& context, const Node& node) {
  const auto words = read_words(context, node);
  return words ? std::optional(words) : std::nullopt;
}
std::string online_text(const std::optional<std::int64_t>& words) { return words_text(*words); }
std::optional<std::optional<Rational>> read_rate(Context& context, const Node& node) {
  const auto rate = read_bandwidth(context, node);
  return rate ? std::optional(rate) : std::nullopt;
}

constexpr auto kThenFields = std::to_array<Field<ThenFile>>({
    member_field<&ThenFile::softmax, read_optional_name, optional_text>(
        "softmax", "a dimension", "none", "a softmax along this dimension"),
    member_field<&ThenFile::norm, read_optional_name, optional_text>("norm", "a dimension", "none",
                                                                     "a norm along this dimension"),
    member_field<&ThenFile::function, read_optional_name, optional_text>(
        "function", kNameForm, "none", "a function of single elements, such as gelu"),
    member_field<&ThenFile::online, read_online, online_text>(
        "online", kWordsForm, "not possible",
        "state per remaining index, where it can be done part by part"),
    member_field<&ThenFile::energy_pj, read_energy_pj, energy_text>("energy", kEnergyForm, "0 pJ",
                                                                    "of one element"),
    member_field<&ThenFile::rate, read_rate, optional_bandwidth_text>(
        "rate", kBandwidthForm, "without limit", "elements per cycle"),
});

}  // namespace

FieldTable<CascadeFile> cascade_fields() { return kCascadeFields; }
FieldTable<ThenFile> then_fields() { return kThenFields; }

}  // namespace tilewright::io
