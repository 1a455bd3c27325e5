#pragma once

#include <atomic>
#include <cstdlib>

/// Counting what is allocated, for one .cpp file of a program: it defines malloc.
///
/// Every allocation is counted where all of them end, in malloc: operator new goes there, and so
/// does Eigen, which does not use operator new. Sanitizers have a malloc of their own.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1
namespace ulna::test {
static std::atomic<long> allocations{0};
static thread_local long allocations_here = 0;
static inline void count_allocation() { ++allocations, ++allocations_here; }
}  // namespace ulna::test
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t size) { return ulna::test::count_allocation(), __libc_malloc(size); }
void* realloc(void* p, std::size_t size) {
  return ulna::test::count_allocation(), __libc_realloc(p, size);
}
void* calloc(std::size_t n, std::size_t size) {
  return ulna::test::count_allocation(), __libc_calloc(n, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return ulna::test::count_allocation(), __libc_memalign(alignment, size);
}
}
#else
#define COUNTS_ALLOCATIONS 0
namespace ulna::test {
constexpr long allocations = 0, allocations_here = 0;
}
#endif

namespace ulna::test {

template <class F>
long allocations_of(F f) {
  const long before = allocations;
  f();
  return allocations - before;
}

/// Those of other threads left out.
template <class F>
long allocations_of_this_thread(F f) {
  const long before = allocations_here;
  f();
  return allocations_here - before;
}

}  // namespace ulna::test
