// Table 3: what flexibility costs in area.
#include <fmt/format.h>

#include <array>

#include "reproduce/flexibility_figures.h"
#include "reproduce/flexibility_setup.h"

namespace tilewright::reproduce {

namespace {

struct PrintedArea {
  const char* name;
  double um2;
  const char* percent;
  Flexibility (*flexibility)();
};

template <int Axis>
Flexibility one_axis() {
  return with_freedom(table2_baseline(), axes_of(kTopsAxes[Axis]));
}
Flexibility some() { return with_some_freedom(table2_baseline(), kEveryAxis, 1024); }
Flexibility every() { return with_freedom(table2_baseline(), kEveryAxis); }

constexpr std::array<PrintedArea, 7> kPrinted = {{{"InFlex", 736'843, "", table2_baseline},
                                                  {"T-Flex", 763'874, "0.004", one_axis<0>},
                                                  {"O-Flex", 738'458, "0.21", one_axis<1>},
                                                  {"P-Flex", 737'720, "0.11", one_axis<2>},
                                                  {"S-Flex", 737'055, "0.02", one_axis<3>},
                                                  {"PartFlex", 738'209, "0.19", some},
                                                  {"FullFlex", 739'576, "0.37", every}}};

}  // namespace

Figure flexibility_table3(const Options& /*options*/) {
  Figure figure;
  figure.name = "table3";
  figure.title = "Table 3: area of accelerators with more and less flexibility, um2 in 15 nm";
  figure.headings = {"accelerator",        "area",    "paper", "added",
                     "added by the paper", "% added", "paper"};
  Architecture arch = flexible_accelerator(Bandwidth::AsShipped);
  for (const PrintedArea& printed : kPrinted) {
    arch.flexibility = printed.flexibility();
    const double added = overhead_of(arch).sum();
    const double area = kTable3BaseUm2 + added;
    figure.rows.push_back({printed.name, fmt::format("{:.1f}", area),
                           fmt::format("{:.0f}", printed.um2), fmt::format("{:.1f}", added),
                           fmt::format("{:.0f}", printed.um2 - kTable3BaseUm2),
                           fmt::format("{:.4f}", 100 * added / kTable3BaseUm2), printed.percent});
  }
  figure.notes = {
      "T-Flex is printed as 763,874, which would be +3.67 %; the printed +0.004 % and the sum "
      "belong "
      "to 736,874, and that is what the components are made from.",
      "The four axes add 31 + 1615 + 877 + 212 = 2735; FullFlex is printed with 2733, 2 less. "
      "PartFlex "
      "is printed with 1366, which is half of that; ours is half of 2735, by axis.",
      "The printed percentages are cut off, not rounded (0.219, 0.119, 0.0288), but for PartFlex "
      "(0.185).",
      "Components: 9 registers of 17 address bits (T); 3 address generators and a counter per PE "
      "(O); 3 "
      "generators and a multiplexer per PE (P); a switch per PE (S), taken to be as large as that "
      "multiplexer. They grow with the PEs and with the address bits of the buffer."};
  return figure;
}

}  // namespace tilewright::reproduce
