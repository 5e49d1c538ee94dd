// weft_fma_soak COUNT SEED [THREADS]: compares rtl/fma_binary32.sv with the host's std::fma on
// COUNT random triples. Exit code 0: all equal; 1: a mismatch, printed; 2: bad arguments. Thread t
// draws its share with seed SEED + t.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "tests/rtl/float/fma_unit.h"
#include "tests/rtl/float/triple_generator.h"

namespace weft::test {
namespace {

struct Share {
  std::uint64_t triples = 0;
  std::uint64_t seed = 0;
  TripleCount count;
  std::uint64_t mismatches = 0;
};

void run(Share& share) {
  FmaUnit unit;
  TripleGenerator generator(share.seed);
  TripleCount count;
  for (std::uint64_t i = 0; i < share.triples; ++i) {
    const FmaTriple t = generator.next();
    const std::uint32_t expected = host_fma(t);
    const std::uint32_t actual = unit(t);
    count.add(t, expected);
    if (actual == expected) continue;
    if (++share.mismatches > 10) continue;
    std::printf("fma(%08x, %08x, %08x) = %08x, the host says %08x\n", t.a, t.b, t.c, actual,
                expected);
  }
  share.count = count;
}

int soak(std::uint64_t triples, std::uint64_t seed, std::uint64_t threads) {
  std::vector<Share> shares(threads);
  for (std::uint64_t t = 0; t < threads; ++t) {
    shares[t].triples = triples / threads + (t < triples % threads ? 1 : 0);
    shares[t].seed = seed + t;
  }
  {
    std::vector<std::jthread> workers;
    for (Share& share : shares) workers.emplace_back(run, std::ref(share));
  }
  Share sum;
  for (const Share& share : shares) {
    sum.count.add(share.count);
    sum.mismatches += share.mismatches;
  }
  std::printf("%llu triples, seed %llu, %llu threads, %llu mismatches\n%s",
              static_cast<unsigned long long>(sum.count.triples()),
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(threads),
              static_cast<unsigned long long>(sum.mismatches), sum.count.text().c_str());
  return sum.mismatches == 0 ? 0 : 1;
}

std::optional<std::uint64_t> to_number(const char* text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, number);
  if (error != std::errc{} || rest != end || number < least || number > most) return {};
  return number;
}

}  // namespace
}  // namespace weft::test

int main(int argc, char** argv) {
  using weft::test::to_number;
  if (argc == 3 || argc == 4) {
    const auto triples = to_number(argv[1], 1, 1'000'000'000'000);
    const auto seed = to_number(argv[2], 0, 1'000'000'000'000);
    const auto threads = to_number(argc == 4 ? argv[3] : "1", 1, 256);
    if (triples && seed && threads) return weft::test::soak(*triples, *seed, *threads);
  }
  std::fputs(
      "usage: weft_fma_soak COUNT SEED [THREADS]: COUNT from 1 to 10^12, SEED to 10^12, "
      "THREADS to 256\n",
      stderr);
  return 2;
}
