// NumPy arrays in the bindings: checked views in, owned vectors out.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "table/columns.hpp"

namespace unsuprank {
namespace nb = nanobind;

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using MutableVector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using RowMajor = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using MutableRowMajor = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using ColumnMajor = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
template <typename T>
using MutableColumnMajor = nb::ndarray<T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

inline void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

template <typename Array>
int64_t length(const Array& array, size_t axis = 0) {
  return static_cast<int64_t>(array.shape(axis));
}

inline Columns columns_of(const ColumnMajor<double>& values, const Vector<int32_t>& n_values) {
  require(n_values.shape(0) == values.shape(1), "n_values needs one entry per column");
  return {values.data(), n_values.data(), length(values), length(values, 1)};
}

// Hands a vector over to NumPy without a copy.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& data) {
  auto owner = std::make_unique<std::vector<T>>(std::move(data));
  T* start = owner->data();
  const size_t size = owner->size();
  nb::capsule keeper(owner.release(),
                     [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(start, {size}, keeper);
}

// An array of so many numbers, which `write` writes without the GIL.
template <typename T, typename Write>
auto written(int64_t size, const Write& write) {
  std::vector<T> data(size);
  {
    nb::gil_scoped_release unlocked;
    write(data.data());
  }
  return to_numpy(std::move(data));
}

}  // namespace unsuprank
