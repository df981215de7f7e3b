// An array that begins with a cache line; its numbers are not set.
#pragma once
#include <cstdint>
#include <memory>
#include <new>

namespace unsuprank {

template <typename Number>
class LineArray {
 public:
  explicit LineArray(int64_t size = 0)
      : start_(static_cast<Number*>(::operator new(size * sizeof(Number), kLine))) {}
  Number* data() { return start_.get(); }
  const Number* data() const { return start_.get(); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Release {
    void operator()(Number* start) const { ::operator delete(start, kLine); }
  };
  std::unique_ptr<Number, Release> start_;
};

}  // namespace unsuprank
