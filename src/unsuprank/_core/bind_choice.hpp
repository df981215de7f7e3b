// Kernels by the names of their instruction sets, for tests of each.
#pragma once
#include <nanobind/stl/string.h>

#include <string>

#include "arrays.hpp"
#include "kernel_choice.hpp"

namespace unsuprank {

template <typename Kernel>
nb::list instructions_that_work(const KernelChoices<Kernel>& choices) {
  nb::list names;
  for (const auto& choice : choices) {
    if (choice.works) names.append(choice.instructions);
  }
  return names;
}

template <typename Kernel>
Kernel kernel_for(const KernelChoices<Kernel>& choices, const std::string& instructions) {
  for (const auto& choice : choices) {
    if (choice.works && choice.instructions == instructions) return choice.kernel;
  }
  throw std::invalid_argument("no such instructions");
}

}  // namespace unsuprank
