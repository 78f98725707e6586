// Numbers that carry a unit.
#pragma once

#include <optional>
#include <string>

#include "context.h"
#include "tilewright/arch.h"

namespace tilewright::io {

// Readers complain and give nothing when the text is not such a quantity.
std::optional<double> read_energy_pj(Context& context, const Node& node);
// The energy of one access of a memory may be given per bit or per some bits, too.
std::optional<double> read_access_energy_pj(Context& context, const Node& node);
std::optional<double> read_length_mm(Context& context, const Node& node);
std::string length_text(double mm);
// Whether the text of such an energy says it of bits: "2 pJ per 16 bits", "8 pJ/bit".
bool is_energy_of_bits(std::string_view text);
std::optional<double> read_power_pj_per_cycle(Context& context, const Node& node);
std::optional<double> read_area_um2(Context& context, const Node& node);
std::optional<Capacity> read_capacity(Context& context, const Node& node);
std::optional<std::int64_t> read_words(Context& context, const Node& node);
std::optional<std::int64_t> read_width_bits(Context& context, const Node& node);
std::optional<Rational> read_bandwidth(Context& context, const Node& node);
std::optional<double> read_volts(Context& context, const Node& node);
std::optional<std::int64_t> read_clock_hz(Context& context, const Node& node);
// A share of a whole: "0.5", "50 %" or "1/2". It may be more than 1.
std::optional<Rational> read_share(Context& context, const Node& node);
// The same without complaints.
struct ShareText {
  bool is_share = false;          // by its form
  std::optional<Rational> value;  // nothing if it cannot be kept exactly
};
ShareText share_in(std::string_view text);

// What the readers take back.
std::string energy_text(double pj);
std::string power_text(double pj_per_cycle);
std::string area_text(double um2);
std::string words_text(std::int64_t words);
std::string width_text(std::int64_t bits);
std::string bandwidth_text(Rational words_per_cycle);
std::string clock_text(std::int64_t hz);

// What to write, for complaints and the description of the format.
inline constexpr const char* kEnergyForm = "an energy such as \"64 pJ\"";
inline constexpr const char* kAccessEnergyForm =
    "an energy such as \"64 pJ\" or \"2 pJ per 16 bits\"";
inline constexpr const char* kPerBitsForm = "an energy such as \"2 pJ per 16 bits\"";
inline constexpr const char* kPowerForm = "an energy per cycle such as \"0.01 pJ/cycle\"";
inline constexpr const char* kAreaForm = "an area such as \"0.12 mm2\"";
inline constexpr const char* kCapacityForm = "a size such as \"128 KiB\", or \"unlimited\"";
inline constexpr const char* kArrayForm = "a size such as \"1024 rows x 64 bits x 4 banks\"";
inline constexpr const char* kWordsForm = "a number of words such as \"4 words\"";
inline constexpr const char* kWidthForm = "a width such as \"16 bits\"";
inline constexpr const char* kBandwidthForm = "a bandwidth such as \"4 words/cycle\"";
inline constexpr const char* kClockForm = "a frequency such as \"800 MHz\"";
inline constexpr const char* kLengthForm = "a length such as \"2 mm\"";
inline constexpr const char* kVoltsForm = "a voltage such as \"0.8 V\"";
inline constexpr const char* kShareForm = "a share such as \"0.5\" or \"50 %\"";

}  // namespace tilewright::io
