// Table 3: what flexibility costs in area.
#include <fmt/format.h>

#include "reproduce/flexibility_figures.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {

Figure flexibility_table3(const Options& /*options*/) {
  Figure figure{
      "Table 3: area of accelerators with more and less flexibility, um2 in 15 nm",
      {"accelerator", "area", "paper", "added", "added by the paper", "% added", "paper"}};
  Architecture arch = flexible_accelerator(Bandwidth::AsShipped);
  const Flexibility fixed = table2_baseline();
  const auto one = [&](TopsAxis axis) { return with_freedom(fixed, axes_of(axis)); };
  for (const Variant& variant :
       {Variant{"InFlex", fixed}, Variant{"T-Flex", one(TopsAxis::Tile)},
        Variant{"O-Flex", one(TopsAxis::Order)}, Variant{"P-Flex", one(TopsAxis::Parallel)},
        Variant{"S-Flex", one(TopsAxis::Shape)},
        Variant{"PartFlex", with_some_freedom(fixed, kEveryAxis, 1024)},
        Variant{"FullFlex", with_freedom(fixed, kEveryAxis)}}) {
    arch.flexibility = variant.flexibility;
    const double added = overhead_of(arch).sum();
    figure.rows.push_back({variant.name, fmt::format("{:.1f}", kTable3BaseUm2 + added), "",
                           fmt::format("{:.1f}", added), "",
                           fmt::format("{:.4f}", 100 * added / kTable3BaseUm2), ""});
  }
  add_printed(figure, "flexibility_table3");
  figure.notes = {
      "T-Flex is printed as 763,874, which would be +3.67 %; the printed +0.004 % and the sum "
      "belong to 736,874, and that is what the components are made from.",
      "The four axes add 31 + 1615 + 877 + 212 = 2735; FullFlex is printed with 2733, 2 less. "
      "PartFlex is printed with 1366, which is half of that; ours is half of 2735, by axis.",
      "The printed percentages are cut off, not rounded (0.219, 0.119, 0.0288), but for PartFlex "
      "(0.185).",
      "Components: 9 registers of 17 address bits (T); 3 address generators and a counter per PE "
      "(O); 3 generators and a multiplexer per PE (P); a switch per PE (S), taken to be as large "
      "as that multiplexer. They grow with the PEs and with the address bits of the buffer."};
  return figure;
}

}  // namespace tilewright::reproduce
