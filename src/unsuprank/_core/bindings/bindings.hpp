// The parts of the extension module, one register function per bind_*.cpp file.
#pragma once
#include <nanobind/nanobind.h>

namespace unsuprank {
void bind_table(nanobind::module_& m);
void bind_space(nanobind::module_& m);
void bind_sparse(nanobind::module_& m);
void bind_forest(nanobind::module_& m);
void bind_relief(nanobind::module_& m);
void bind_subset(nanobind::module_& m);
}  // namespace unsuprank
