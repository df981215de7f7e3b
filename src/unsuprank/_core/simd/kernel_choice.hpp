// A kernel for several instruction sets, of which the best that the processor has is taken.
#pragma once
#include <vector>

namespace unsuprank {

template <typename Kernel>
struct KernelChoice {
  const char* instructions;
  bool works;
  Kernel kernel;
};

// Best first; the last works everywhere. All give the same result.
template <typename Kernel>
using KernelChoices = std::vector<KernelChoice<Kernel>>;

template <typename Kernel>
Kernel best_of(const KernelChoices<Kernel>& choices) {
  auto choice = choices.begin();
  while (!choice->works) ++choice;
  return choice->kernel;
}

}  // namespace unsuprank
