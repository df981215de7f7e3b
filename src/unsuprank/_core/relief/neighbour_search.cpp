#include "relief/neighbour_search.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

constexpr int32_t kNobody = -1;                                  // a limit that no distance meets
constexpr int32_t kNever = std::numeric_limits<int32_t>::max();  // a distance that meets no limit

int64_t list_capacity(int64_t n_neighbors) { return 2 * n_neighbors + 64; }

// Marks in `hits` which rows of a block meet the query's limit (1) and whose limit the query
// meets (2).
UNSUPRANK_CLONES
void find_hits(const int32_t* coded, int32_t limit, const int32_t* row_limits, uint8_t* hits) {
  for (int64_t l = 0; l < kTileRows; ++l) {
    hits[l] =
        static_cast<uint8_t>((coded[l] <= limit ? 1 : 0) | (coded[l] <= row_limits[l] ? 2 : 0));
  }
}

UNSUPRANK_CLONES
void add_constants(uint32_t constant, const uint32_t* row_constants, const uint32_t* sums,
                   int32_t* coded) {
  for (int64_t l = 0; l < kTileRows; ++l) {
    coded[l] = static_cast<int32_t>(constant + row_constants[l] - 2 * sums[l]);
  }
}

bool none_of_eight(const uint8_t* hits) {
  uint64_t eight;
  std::memcpy(&eight, hits, sizeof(eight));
  return eight == 0;
}

int32_t coded_of(uint64_t candidate) { return static_cast<int32_t>(candidate >> 32); }

}  // namespace

int64_t ReliefSearch::bytes_per_query(int64_t n_neighbors) {
  return list_capacity(n_neighbors) * static_cast<int64_t>(sizeof(uint64_t));
}

ReliefSearch::ReliefSearch(const ReliefRows& rows, int64_t first, int64_t last, int64_t n_neighbors)
    : rows_(rows),
      first_(first),
      last_(last),
      n_neighbors_(n_neighbors),
      capacity_(list_capacity(n_neighbors)),
      candidates_((last - first) * capacity_),
      size_(last - first, 0),
      limit_((last - first + kTileRows - 1) / kTileRows * kTileRows, kNobody),
      margin_(last - first),
      locks_(limit_.size() / kTileRows) {
  std::fill(limit_.begin(), limit_.begin() + (last - first), kNever - 1);
  const double largest = rows.largest_error();
  for (int64_t q = 0; q < last - first; ++q) {
    // Exact codes order rows as distances do. Otherwise both distances that are compared may be
    // off by the errors of their two rows, and 2 allows for distances that count as equal.
    margin_[q] =
        largest == 0.0
            ? 0
            : static_cast<int32_t>(std::min(2.0 * (rows.error(first + q) + largest) + 2.0, 1e9));
  }
}

bool ReliefSearch::holds_queries(int64_t block) const {
  return block * kTileRows >= first_ && block * kTileRows < last_;
}

void ReliefSearch::compare(int64_t query_block, int64_t first, int64_t last) {
  std::vector<uint32_t> queries(kTileRows * rows_.widths().total());
  std::vector<uint32_t> sums(kTileRows * kTileRows);
  rows_.pack_queries(query_block, queries.data());
  for (int64_t b = first; b < last; ++b) {
    if (b < query_block && holds_queries(b)) continue;
    tile_sums(queries.data(), rows_.block(b), rows_.widths(), rows_.match(), sums.data());
    select(query_block, b, sums.data());
  }
}

// Distances of one query to the rows of a block; the query itself and padding are out of reach.
void ReliefSearch::coded_distances(int64_t query, int64_t block, const uint32_t* sums,
                                   int32_t* out) const {
  const int64_t rows = std::min(kTileRows, rows_.rows() - block * kTileRows);
  add_constants(rows_.query_constant(query), rows_.row_constants(block), sums, out);
  std::fill(out + rows, out + kTileRows, kNever);
  if (query / kTileRows == block) out[query % kTileRows] = kNever;
}

void ReliefSearch::select(int64_t query_block, int64_t block, const uint32_t* sums) {
  const int64_t start = query_block * kTileRows;
  const int64_t queries = std::min(kTileRows, rows_.rows() - start);
  const bool both = block != query_block && holds_queries(block);
  std::unique_lock<std::mutex> mine(locks_[(start - first_) / kTileRows]);
  std::unique_lock<std::mutex> theirs;
  // The smaller block is locked first by everybody.
  if (both) theirs = std::unique_lock<std::mutex>(locks_[(block * kTileRows - first_) / kTileRows]);
  int32_t nobody[kTileRows];
  std::fill(nobody, nobody + kTileRows, kNobody);
  const int32_t* row_limits = both ? limit_.data() + (block * kTileRows - first_) : nobody;
  int32_t coded[kTileRows];
  uint8_t hits[kTileRows];
  for (int64_t q = 0; q < queries; ++q) {
    coded_distances(start + q, block, sums + q * kTileRows, coded);
    find_hits(coded, limit_[start + q - first_], row_limits, hits);
    for (int64_t l = 0; l < kTileRows; ++l) {
      if (l % 8 == 0 && none_of_eight(hits + l)) {
        l += 7;
        continue;
      }
      if (hits[l] & 1) append(start + q, block * kTileRows + l, coded[l]);
      if (hits[l] & 2) append(block * kTileRows + l, start + q, coded[l]);
    }
  }
}

void ReliefSearch::append(int64_t query, int64_t position, int32_t coded) {
  const int64_t q = query - first_;
  candidates_[q * capacity_ + size_[q]++] =
      static_cast<uint64_t>(coded) << 32 | static_cast<uint64_t>(rows_.original(position));
  if (size_[q] == capacity_) shorten(query);
}

void ReliefSearch::shorten(int64_t query) {
  const int64_t q = query - first_;
  uint64_t* list = candidates_.data() + q * capacity_;
  if (size_[q] <= n_neighbors_) return;
  std::nth_element(list, list + n_neighbors_ - 1, list + size_[q]);
  const int64_t limit = int64_t{coded_of(list[n_neighbors_ - 1])} + margin_[q];
  limit_[q] = static_cast<int32_t>(std::min<int64_t>(limit_[q], limit));
  if (margin_[q] == 0) {
    size_[q] = n_neighbors_;
    return;
  }
  uint64_t* end = std::partition(list + n_neighbors_, list + size_[q], [&](uint64_t candidate) {
    return coded_of(candidate) <= limit_[q];
  });
  size_[q] = end - list;
  if (size_[q] <= n_neighbors_ + (capacity_ - n_neighbors_) / 2) return;
  // Many rows at nearly the same distance: measure them now, so that the list stays short.
  const std::vector<Neighbor> best = measured(query);
  for (int64_t k = 0; k < n_neighbors_; ++k) {
    const uint32_t row = static_cast<uint32_t>(best[k].original);
    const auto is_row = [=](uint64_t candidate) { return static_cast<uint32_t>(candidate) == row; };
    std::swap(list[k], *std::find_if(list + k, end, is_row));
  }
  size_[q] = n_neighbors_;
}

std::vector<Neighbor> ReliefSearch::measured(int64_t query) const {
  const int64_t q = query - first_;
  const uint64_t* list = candidates_.data() + q * capacity_;
  std::vector<Neighbor> found;
  found.reserve(size_[q]);
  for (int64_t i = 0; i < size_[q]; ++i) {
    const int64_t original = static_cast<uint32_t>(list[i]);
    const int64_t position = rows_.position(original);
    found.push_back(neighbor_at(rows_.distance(query, position), original, position));
  }
  const int64_t kept = std::min<int64_t>(n_neighbors_, size_[q]);
  std::partial_sort(found.begin(), found.begin() + kept, found.end(), nearer);
  found.resize(kept);
  return found;
}

std::vector<Neighbor> ReliefSearch::neighbors(int64_t position) {
  shorten(position);
  return measured(position);
}

void ReliefSearch::add_sums(int64_t first, int64_t last, const int64_t* counts, int64_t n_parts,
                            double* sums, double* distances) {
  const int64_t terms = rows_.terms();
  std::vector<int64_t> positions(n_neighbors_);
  std::vector<double> weights(n_neighbors_);
  for (int64_t p = first; p < last; ++p) {
    const std::vector<Neighbor> found = neighbors(p);
    for (size_t k = 0; k < found.size(); ++k) {
      positions[k] = found[k].position;
      weights[k] = found[k].distance;
    }
    int64_t from = 0;
    for (int64_t part = 0; part < n_parts; ++part) {
      double* plain = sums + 2 * part * terms;
      rows_.add_differences(p, positions.data() + from, weights.data() + from, counts[part] - from,
                            plain, plain + terms);
      for (; from < counts[part]; ++from) distances[part] += weights[from];
    }
  }
}

}  // namespace unsuprank
