// The tilings are those of tilings_random.json, the choices of what to keep those of
// dataflow_gen.py, both of github.com/ywlywl6/GOMA (MIT licence), at commits 0142a5e
// and b4015e4.
#include "reproduce/goma_study.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace tilewright::reproduce {

namespace {

// Bounds along x, y, z at DRAM, SRAM, the array and the register file.
using Bounds = std::array<std::array<std::int64_t, 3>, 4>;

struct Product {
  std::string_view layer;
  std::array<Bounds, 8> tilings;
};

// clang-format off
constexpr std::array<Product, 7> kProducts = {{
    {"attn_q_proj", {{
        {{{2, 16, 256}, {2, 2, 4}, {8, 16, 2}, {32, 4, 1}}},
        {{{1, 16, 128}, {1, 4, 4}, {16, 8, 2}, {64, 4, 2}}},
        {{{32, 32, 2}, {16, 1, 4}, {1, 64, 4}, {2, 1, 64}}},
        {{{8, 32, 4}, {8, 2, 1}, {1, 4, 64}, {16, 8, 8}}},
        {{{8, 2, 128}, {16, 1, 2}, {4, 64, 1}, {2, 16, 8}}},
        {{{1, 32, 256}, {4, 2, 2}, {4, 16, 4}, {64, 2, 1}}},
        {{{1, 16, 256}, {1, 8, 2}, {32, 4, 2}, {32, 4, 2}}},
        {{{32, 1, 64}, {2, 16, 1}, {16, 16, 1}, {1, 8, 32}}},
    }}},
    {"attn_kv_proj", {{
        {{{16, 2, 32}, {4, 4, 1}, {16, 4, 4}, {1, 16, 16}}},
        {{{64, 2, 4}, {1, 64, 2}, {8, 1, 32}, {2, 4, 8}}},
        {{{2, 2, 128}, {2, 4, 2}, {8, 8, 4}, {32, 8, 2}}},
        {{{32, 1, 256}, {2, 2, 2}, {8, 32, 1}, {2, 8, 4}}},
        {{{1, 8, 32}, {4, 16, 1}, {2, 4, 32}, {128, 1, 2}}},
        {{{256, 2, 4}, {2, 1, 4}, {1, 2, 128}, {2, 128, 1}}},
        {{{32, 32, 2}, {4, 2, 16}, {2, 2, 64}, {4, 4, 1}}},
        {{{1, 32, 16}, {32, 2, 1}, {1, 8, 32}, {32, 1, 4}}},
    }}},
    {"attn_score", {{
        {{{2, 16, 4}, {4, 1, 8}, {4, 32, 2}, {128, 2, 1}}},
        {{{16, 4, 8}, {1, 4, 2}, {64, 1, 4}, {4, 64, 1}}},
        {{{8, 16, 1}, {128, 8, 1}, {2, 4, 32}, {2, 2, 2}}},
        {{{1, 512, 4}, {16, 2, 16}, {256, 1, 1}, {1, 1, 1}}},
        {{{1, 64, 8}, {1, 1, 8}, {64, 4, 1}, {64, 4, 1}}},
        {{{4, 8, 8}, {32, 2, 2}, {2, 32, 4}, {16, 2, 1}}},
        {{{32, 2, 1}, {1, 1, 16}, {8, 32, 1}, {16, 16, 4}}},
        {{{32, 16, 2}, {4, 32, 1}, {8, 2, 16}, {4, 1, 2}}},
    }}},
    {"attn_context", {{
        {{{4, 1, 32}, {4, 1, 4}, {16, 8, 2}, {16, 8, 4}}},
        {{{4, 1, 128}, {1, 16, 1}, {64, 4, 1}, {16, 1, 8}}},
        {{{128, 1, 1}, {1, 4, 2}, {1, 2, 128}, {32, 8, 4}}},
        {{{32, 1, 2}, {32, 2, 1}, {1, 32, 8}, {4, 1, 64}}},
        {{{8, 1, 8}, {1, 1, 16}, {64, 2, 2}, {8, 32, 4}}},
        {{{16, 1, 4}, {2, 16, 1}, {2, 2, 64}, {64, 2, 4}}},
        {{{1, 4, 64}, {1, 8, 2}, {32, 2, 4}, {128, 1, 2}}},
        {{{8, 4, 4}, {4, 8, 1}, {2, 1, 128}, {64, 2, 2}}},
    }}},
    {"attn_output", {{
        {{{4, 32, 8}, {2, 8, 4}, {4, 1, 64}, {32, 8, 1}}},
        {{{1, 32, 32}, {8, 4, 2}, {2, 8, 16}, {64, 2, 2}}},
        {{{1, 128, 64}, {2, 4, 2}, {64, 2, 2}, {8, 2, 8}}},
        {{{4, 16, 32}, {4, 1, 2}, {16, 4, 4}, {4, 32, 8}}},
        {{{1, 16, 512}, {8, 4, 1}, {16, 8, 2}, {8, 4, 2}}},
        {{{32, 1, 64}, {16, 2, 4}, {1, 64, 4}, {2, 16, 2}}},
        {{{4, 64, 4}, {4, 8, 1}, {1, 2, 128}, {64, 2, 4}}},
        {{{16, 4, 32}, {16, 2, 1}, {1, 16, 16}, {4, 16, 4}}},
    }}},
    {"mlp_gate_up", {{
        {{{32, 4, 128}, {2, 2, 2}, {4, 32, 2}, {4, 32, 4}}},
        {{{1, 256, 256}, {8, 8, 1}, {8, 4, 8}, {16, 1, 1}}},
        {{{128, 64, 2}, {1, 8, 4}, {2, 4, 32}, {4, 4, 8}}},
        {{{8, 4096, 8}, {8, 1, 2}, {16, 1, 16}, {1, 2, 8}}},
        {{{32, 32, 16}, {8, 8, 1}, {4, 1, 64}, {1, 32, 2}}},
        {{{8, 512, 2}, {8, 2, 2}, {16, 2, 8}, {1, 4, 64}}},
        {{{2, 256, 8}, {8, 2, 4}, {16, 16, 1}, {4, 1, 64}}},
        {{{128, 1, 2048}, {1, 8, 1}, {1, 256, 1}, {8, 4, 1}}},
    }}},
    {"mlp_down", {{
        {{{2, 16, 512}, {1, 2, 8}, {8, 16, 2}, {64, 4, 1}}},
        {{{1, 256, 64}, {4, 2, 8}, {8, 4, 8}, {32, 1, 2}}},
        {{{2, 16, 64}, {2, 32, 8}, {16, 4, 4}, {16, 1, 4}}},
        {{{2, 32, 512}, {16, 4, 4}, {32, 8, 1}, {1, 2, 4}}},
        {{{1, 16, 1024}, {1, 2, 4}, {16, 16, 1}, {64, 4, 2}}},
        {{{512, 8, 32}, {2, 8, 1}, {1, 8, 32}, {1, 4, 8}}},
        {{{2, 16, 512}, {2, 16, 2}, {128, 2, 1}, {2, 4, 8}}},
        {{{1, 16, 1024}, {4, 1, 2}, {4, 64, 1}, {64, 2, 4}}},
    }}},
}};

// What SRAM and the register files keep: bits of A (1), B (2) and P (4).
constexpr std::array<std::array<std::uint32_t, 2>, 16> kKept = {{
    {7, 7}, {0, 0}, {6, 7}, {7, 6}, {3, 7}, {7, 3}, {5, 7}, {7, 5},
    {7, 4}, {0, 7}, {3, 4}, {6, 0}, {5, 0}, {0, 4}, {0, 1}, {0, 2},
}};
// clang-format on

golden::GemmRow tiled_row(const Product& product, std::size_t tiling) {
  golden::GemmRow row;
  row.layer = product.layer;
  row.tiling = fmt::format("{}", tiling);
  for (std::size_t d = 0; d < 3; ++d) {
    row.sizes[d] = 1;
    for (std::size_t stage = 0; stage < 4; ++stage) {
      row.bounds[d][stage] = product.tilings[tiling][stage][d];
      row.sizes[d] *= row.bounds[d][stage];
    }
  }
  return row;
}

void add_variants(golden::GemmRow row, std::vector<golden::GemmRow>& rows) {
  for (int walking = 0; walking < 9; ++walking) {
    row.walking = {DimId{walking / 3}, DimId{walking % 3}};
    for (const auto& kept : kKept) {
      row.kept = kept;
      rows.push_back(row);
    }
  }
}

}  // namespace

std::vector<golden::GemmRow> goma_study() {
  std::vector<golden::GemmRow> rows;
  for (const Product& product : kProducts) {
    for (std::size_t tiling = 0; tiling < product.tilings.size(); ++tiling) {
      add_variants(tiled_row(product, tiling), rows);
    }
  }
  return rows;
}

}  // namespace tilewright::reproduce
