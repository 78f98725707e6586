#include "report/speed.h"

#include <fmt/format.h>

#include <array>

#include "report/names.h"
#include "report/table.h"

namespace tilewright::report {
namespace {

std::string line(const char* name, const std::string& value) {
  return fmt::format("  {:<12} {}\n", name, value);
}

// What both a mapping and a network have to say.
std::string common_lines(const Speed& speed) {
  std::string text = line(
      "time", fmt::format("{} at {}", seconds_text(speed.seconds), clock_text(speed.clock_hz)));
  text += line("power", watts_text(speed.watts));
  text += line("throughput", fmt::format("{} useful, {} at peak", tops_text(speed.useful_tops),
                                         tops_text(speed.peak_tops)));
  if (speed.watts > 0) {
    text += line("efficiency",
                 fmt::format("{} TOPS/W useful, {} at peak and the same power",
                             plain(speed.tops_per_watt), plain(speed.peak_tops_per_watt)));
  }
  return text + line("EDP in J*s", plain(speed.joule_seconds));
}

std::string roof_text(const Problem& problem, const MemoryRoof& roof) {
  const std::string intensity = roof.operations_per_byte ? plain(*roof.operations_per_byte) : "no";
  return fmt::format("{} operations per byte of {}, whose roof is {}", intensity,
                     level_name(problem, roof.level),
                     roof.tops ? "at " + tops_text(*roof.tops) : "nowhere: it has no limit");
}

// The outermost memory, and the one that limits if it is another.
std::string roofline(const Result& r, const Speed& speed) {
  const Bottleneck& limit = r.evaluation.bottleneck;
  const bool compute = limit.port == Bottleneck::Port::Compute;
  std::vector<std::string> parts;
  for (const MemoryRoof& roof : roofs_of(r, speed)) {
    const bool outermost = roof.level == r.evaluation.memories.front().level;
    if (outermost || (!compute && roof.level == limit.level)) {
      parts.push_back(roof_text(r.problem, roof));
    }
  }
  parts.push_back(
      compute ? fmt::format("the multipliers' roof of {} is the lowest", tops_text(speed.peak_tops))
              : fmt::format("{}'s roof is the lowest", level_name(r.problem, limit.level)));
  return line("roofline", fmt::format("{}", fmt::join(parts, "; ")));
}

}  // namespace

std::optional<Speed> speed_of(const Architecture& arch, Int128 useful_macs, const Score& score) {
  if (!arch.clock_hz) return std::nullopt;
  const auto hz = static_cast<double>(*arch.clock_hz);
  constexpr double kTera = 1e12;
  const double joules = score.energy_pj / kTera;
  Speed speed;
  speed.clock_hz = *arch.clock_hz;
  speed.seconds = static_cast<double>(score.cycles) / hz;
  speed.watts = joules / speed.seconds;
  speed.useful_tops = kOperationsPerMac * static_cast<double>(useful_macs) / speed.seconds / kTera;
  speed.peak_tops = kOperationsPerMac * peak_macs_per_cycle(arch) * hz / kTera;
  if (joules > 0) {
    speed.tops_per_watt = speed.useful_tops / speed.watts;
    speed.peak_tops_per_watt = speed.peak_tops / speed.watts;
  }
  speed.joule_seconds = joules * speed.seconds;
  return speed;
}

double peak_macs_per_cycle(const Architecture& arch) {
  return static_cast<double>(physical_instances(arch, arch.compute_level())) *
         static_cast<double>(arch.compute().macs) / static_cast<double>(arch.compute().cycles);
}

std::vector<MemoryRate> rates_of(const Result& r) {
  constexpr double kBitsPerByte = 8;
  const auto macs = static_cast<double>(useful_macs(r));
  std::vector<MemoryRate> rates;
  for (const MemoryReport& memory : r.evaluation.memories) {
    MemoryRate rate{memory.level, 0, std::nullopt, std::nullopt, std::nullopt};
    for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
      const Traffic& words = memory.tensors[t].total;
      const auto bits = static_cast<double>(r.problem.workload().tensors[t].bits);
      rate.bytes +=
          static_cast<double>(words.reads + words.fills + words.updates) * bits / kBitsPerByte;
    }
    if (rate.bytes > 0) rate.macs_per_byte = macs / rate.bytes;
    if (memory.cycles() > 0) {
      const auto cycles = static_cast<double>(memory.cycles());
      rate.bytes_per_cycle = rate.bytes / cycles;
      rate.macs_per_cycle = macs / cycles;
    }
    rates.push_back(rate);
  }
  return rates;
}

std::vector<MemoryRoof> roofs_of(const Result& r, const Speed& speed) {
  constexpr double kTera = 1e12;
  const double operations_per_second =
      kOperationsPerMac * static_cast<double>(speed.clock_hz) / kTera;
  std::vector<MemoryRoof> roofs;
  for (const MemoryRate& rate : rates_of(r)) {
    MemoryRoof roof{rate.level, rate.bytes, std::nullopt, std::nullopt};
    if (rate.macs_per_byte) roof.operations_per_byte = kOperationsPerMac * *rate.macs_per_byte;
    if (rate.macs_per_cycle) roof.tops = *rate.macs_per_cycle * operations_per_second;
    roofs.push_back(roof);
  }
  return roofs;
}

std::string seconds_text(double seconds) {
  constexpr std::array<Scale, 4> kUnits = {{{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}}};
  return scaled(seconds, kUnits);
}

std::string watts_text(double watts) {
  constexpr std::array<Scale, 4> kUnits = {{{1e-9, "nW"}, {1e-6, "uW"}, {1e-3, "mW"}, {1, "W"}}};
  return scaled(watts, kUnits);
}

std::string tops_text(double tops) {
  constexpr std::array<Scale, 3> kUnits = {{{1e-6, "MOPS"}, {1e-3, "GOPS"}, {1, "TOPS"}}};
  return scaled(tops, kUnits);
}

std::string clock_text(std::int64_t hz) {
  constexpr std::array<Scale, 4> kUnits = {{{1, "Hz"}, {1e3, "kHz"}, {1e6, "MHz"}, {1e9, "GHz"}}};
  return scaled(static_cast<double>(hz), kUnits);
}

std::string speed_lines(const Result& r) {
  const auto speed = speed_of(r);
  return speed ? common_lines(*speed) + roofline(r, *speed) : "";
}

std::string network_speed_lines(const Architecture& arch, Int128 macs, const Score& total) {
  const auto speed = speed_of(arch, macs, total);
  if (!speed) return "";
  return common_lines(*speed) +
         line("inferences", fmt::format("{} per second, {} each (a run of all layers as given)",
                                        plain(1 / speed->seconds), energy(total.energy_pj)));
}

}  // namespace tilewright::report
