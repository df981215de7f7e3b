// Products of tables of 16-bit whole numbers: four times as fast as those of doubles, and exact.
//
// Processors multiply pairs of 16-bit numbers and add the two products to a 32-bit sum in one
// instruction, or two. One factor is read by rows, the other is laid out in panels of 32 lines:
// for each pair of consecutive numbers, those of all lines of the panel.
#pragma once
#include <cstdint>

#include "kernel_choice.hpp"

namespace unsuprank {

constexpr int kTileRows = 8;
constexpr int kPanel = 32;

// Adds the products of kTileRows rows, `step` numbers apart, with the lines of one panel, over so
// many pairs, to kTileRows x kPanel sums. That these fit into 32 bits is up to the caller.
using PairTile = void (*)(const int16_t* rows, int64_t step, const int16_t* panel, int64_t pairs,
                          int32_t* sums);

const KernelChoices<PairTile>& pair_tiles();

}  // namespace unsuprank
