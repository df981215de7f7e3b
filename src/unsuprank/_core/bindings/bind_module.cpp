#include "bindings/bindings.hpp"

NB_MODULE(_kernels, m) {
  m.doc() = "Compiled kernels of unsuprank: raw buffers in, raw buffers out, GIL released.";
  unsuprank::bind_table(m);
  unsuprank::bind_space(m);
  unsuprank::bind_sparse(m);
  unsuprank::bind_forest(m);
  unsuprank::bind_relief(m);
  unsuprank::bind_subset(m);
}
