// Ctrl-C ends a kernel in two ways: the main thread asks Python for pending signals, and worker
// threads see the flag that the main thread raises when it gives up.
#pragma once
#include <Python.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "forest/grow_settings.hpp"

namespace unsuprank {

// Raised once, by whoever no longer wants the results.
class StopFlag {
 public:
  void set() { raised_.store(true, std::memory_order_relaxed); }
  bool is_set() const { return raised_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> raised_{false};
};

class PythonInterrupt : public Interrupt {
 public:
  explicit PythonInterrupt(const StopFlag& stop) : stop_(stop) {}

  bool requested() override {
    if (raised_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + kBetweenLooks;
    if (stop_.is_set()) {
      raised_ = true;
    } else {
      nb::gil_scoped_acquire locked;
      raised_ = PyErr_CheckSignals() != 0;
    }
    return raised_;
  }

  // Runs a kernel, which returns false if it gave up, without the GIL.
  template <typename Kernel>
  void run(const Kernel& kernel) {
    bool finished;
    {
      nb::gil_scoped_release unlocked;
      finished = kernel(*this);
    }
    if (finished) return;
    if (PyErr_Occurred()) throw nb::python_error();
    throw std::runtime_error("the computation was given up");
  }

 private:
  static constexpr std::chrono::milliseconds kBetweenLooks{20};

  const StopFlag& stop_;
  bool raised_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kBetweenLooks;
};

}  // namespace unsuprank
