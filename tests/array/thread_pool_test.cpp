#include "sim/array/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace weft {
namespace {

TEST(ThreadPoolTest, EveryMemberWorksOnceARound) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    ThreadPool pool(threads);
    ASSERT_EQ(pool.size(), threads);
    std::vector<int> calls(threads);  // each member writes only its own element
    for (int round = 1; round <= 50; ++round) {
      pool.run([&](unsigned member) { ++calls[member]; });
      EXPECT_EQ(calls, std::vector<int>(threads, round));
    }
  }
}

TEST(ThreadPoolTest, NoThreadsMeansTheCallerAlone) {
  EXPECT_EQ(ThreadPool(0).size(), 1U);
}

TEST(ThreadPoolTest, RethrowsWhatAMemberThrowsOnceAllHaveReturned) {
  ThreadPool pool(3);
  for (const unsigned thrower : {0U, 1U, 2U}) {
    std::atomic<int> returned = 0;
    const auto task = [&](unsigned member) {
      if (member == thrower) throw std::runtime_error("broken thread");
      ++returned;
    };
    EXPECT_THROW(pool.run(task), std::runtime_error);
    EXPECT_EQ(returned, 2);
  }
}

TEST(ThreadPoolTest, WorksOnAfterAnException) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.run([](unsigned) { throw std::runtime_error("both"); }), std::runtime_error);
  std::atomic<int> calls = 0;
  pool.run([&](unsigned) { ++calls; });
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace weft
