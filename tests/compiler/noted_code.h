// Operations with notes between them: rows of the unified buffer that somebody wants to read there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "sim/isa/instruction.h"

namespace weft::test {

/// Rows of the unified buffer that are read after the operations before `at`.
struct Note {
  std::size_t at = 0;
  std::uint32_t row = 0;
  std::uint32_t rows = 0;
};

inline std::vector<Note> random_notes(std::mt19937& random, std::size_t operations) {
  std::vector<Note> notes;
  for (std::size_t at = 1; at < operations; ++at) {
    if (random() % 8 != 0) continue;
    const auto rows = static_cast<std::uint32_t>(1 + random() % 4);
    notes.push_back({at, static_cast<std::uint32_t>(random() % 14), rows});
  }
  return notes;
}

/// The operations with a store, which reads the same rows, in place of each note.
struct Code {
  std::vector<Instruction> instructions;
  std::vector<bool> is_note;
};

inline Code with_stores(const std::vector<Operation>& operations, const std::vector<Note>& notes) {
  Code code;
  auto note = notes.begin();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (; note != notes.end() && note->at == i; ++note) {
      const std::uint64_t nobody_elses = 1000 + 10 * code.instructions.size();
      code.instructions.push_back({Store{note->row, nobody_elses, note->rows}, {}});
      code.is_note.push_back(true);
    }
    code.instructions.push_back({operations[i], {}});
    code.is_note.push_back(false);
  }
  return code;
}

}  // namespace weft::test
