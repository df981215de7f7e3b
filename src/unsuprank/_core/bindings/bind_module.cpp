#include <nanobind/nanobind.h>

namespace unsuprank {
void bind_table(nanobind::module_& m);
void bind_space(nanobind::module_& m);
void bind_forest(nanobind::module_& m);
void bind_relief(nanobind::module_& m);
void bind_subset(nanobind::module_& m);
}  // namespace unsuprank

NB_MODULE(_kernels, m) {
  m.doc() = "Compiled kernels of unsuprank: raw buffers in, raw buffers out, GIL released.";
  unsuprank::bind_table(m);
  unsuprank::bind_space(m);
  unsuprank::bind_forest(m);
  unsuprank::bind_relief(m);
  unsuprank::bind_subset(m);
}
