// Makes fields from a pointer to a member, for the kinds of value that several
// types share.
#pragma once

#include <array>
#include <string>

#include "fields.h"
#include "quantity.h"
#include "values.h"

namespace tilewright::io {

template <typename M>
struct MemberOf;
template <typename C, typename V>
struct MemberOf<V C::*> {
  using Owner = C;
  using Value = V;
};
template <auto Member>
using OwnerOf = typename MemberOf<decltype(Member)>::Owner;

// Any member whose reader gives an optional value; `text` writes the value.
template <auto Member, auto Reader, auto Text>
constexpr Field<OwnerOf<Member>> member_field(const char* key, const char* form,
                                              const char* fallback, const char* help) {
  using Owner = OwnerOf<Member>;
  return {{key, form, fallback, help},
          [](Context& context, const Node& node, Owner& owner) {
            if (auto value = Reader(context, node)) owner.*Member = std::move(*value);
          },
          [](const Owner& owner) -> std::optional<std::string> {
            if (owner.*Member == Owner{}.*Member) return std::nullopt;
            return Text(owner.*Member);
          }};
}

inline std::string count_text(std::int64_t value) { return fmt::format("{}", value); }
inline std::string bool_text(bool value) { return value ? "true" : "false"; }
inline std::optional<std::string> read_name(Context& context, const Node& node) {
  return read_text(context, node, kNameForm);
}
inline std::optional<std::string> read_note(Context& context, const Node& node) {
  return read_text(context, node, "a text");
}
inline std::optional<std::vector<std::string>> read_tensor_names(Context& context,
                                                                 const Node& node) {
  return read_names(context, node, kTensorsForm);
}
inline std::optional<std::vector<std::string>> read_dim_names(Context& context, const Node& node) {
  return read_names(context, node, kDimsForm);
}
inline std::string optional_names_text(const std::optional<std::vector<std::string>>& names) {
  return names_text(*names);
}
inline std::string optional_bandwidth_text(const std::optional<Rational>& bandwidth) {
  return bandwidth_text(*bandwidth);
}

// Members of a form (or of its base) that is read but never written.
template <typename Form, auto Member>
constexpr Field<Form> form_count(const char* key, const char* fallback, const char* help) {
  return {{key, kCountForm, fallback, help},
          [](Context& context, const Node& node, Form& form) {
            if (const auto value = read_count(context, node)) form.*Member = *value;
          },
          nullptr};
}
template <typename Form, auto Member>
constexpr Field<Form> form_flag(const char* key, const char* help) {
  return {{key, kBoolForm, "false", help},
          [](Context& context, const Node& node, Form& form) {
            if (const auto value = read_bool(context, node)) form.*Member = *value;
          },
          nullptr};
}

// Parts of a file that are read together, once all of them are known.
template <typename Form, auto Member>
constexpr Field<Form> node_field(FieldText text,
                                 std::optional<std::string> (*write)(const Form&) = nullptr) {
  return {text, [](Context&, const Node& node, Form& form) { form.*Member = &node; }, write};
}

template <auto Member>
constexpr auto name_field(const char* key, const char* help) {
  using Owner = OwnerOf<Member>;
  // A name is required, so it is written whatever it is.
  return Field<Owner>{{key, kNameForm, nullptr, help},
                      [](Context& context, const Node& node, Owner& owner) {
                        if (auto name = read_name(context, node)) owner.*Member = *name;
                      },
                      [](const Owner& owner) -> std::optional<std::string> {
                        return quoted_if_needed(owner.*Member);
                      }};
}
template <auto Member>
constexpr auto note_field(const char* key, const char* help) {
  return member_field<Member, read_note, quoted_if_needed>(key, "a text", "none", help);
}
template <auto Member>
constexpr auto count_field(const char* key, const char* fallback, const char* help) {
  return member_field<Member, read_count, count_text>(key, kCountForm, fallback, help);
}
template <auto Member>
constexpr auto bool_field(const char* key, const char* fallback, const char* help) {
  return member_field<Member, read_bool, bool_text>(key, kBoolForm, fallback, help);
}
template <auto Member>
constexpr auto energy_field(const char* key, const char* help) {
  return member_field<Member, read_energy_pj, energy_text>(key, kEnergyForm, "0 pJ", help);
}
template <auto Member>
constexpr auto area_field(const char* key, const char* help) {
  return member_field<Member, read_area_um2, area_text>(key, kAreaForm, "0 um2", help);
}
template <auto Member>
constexpr auto bandwidth_field(const char* key, const char* help) {
  return member_field<Member, read_bandwidth, optional_bandwidth_text>(key, kBandwidthForm,
                                                                       "no limit", help);
}
template <auto Member>
constexpr auto tensors_field(const char* key, const char* fallback, const char* help) {
  return member_field<Member, read_tensor_names, names_text>(key, kTensorsForm, fallback, help);
}
template <auto Member>
constexpr auto dims_field(const char* key, const char* help) {
  return member_field<Member, read_dim_names, optional_names_text>(key, kDimsForm, "all dimensions",
                                                                   help);
}

// A flag, or an enumeration of two, as one of two words; an absent key means the first.
using TwoWords = std::array<const char*, 2>;
template <auto Member, const TwoWords& Words>
constexpr auto choice_field(const char* key, const char* form, const char* help) {
  using Owner = OwnerOf<Member>;
  using Value = typename MemberOf<decltype(Member)>::Value;
  return Field<Owner>{{key, form, Words[0], help},
                      [](Context& context, const Node& node, Owner& owner) {
                        const auto choice = read_choice(context, node, {Words[0], Words[1]});
                        if (choice) owner.*Member = static_cast<Value>(*choice);
                      },
                      [](const Owner& owner) -> std::optional<std::string> {
                        if (owner.*Member == Value{}) return std::nullopt;
                        return Words[1];
                      }};
}

}  // namespace tilewright::io
