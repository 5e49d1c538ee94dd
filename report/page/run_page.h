// The page of one run, which `matmul`, `exec`, `conv` and `run` write with --html.
#pragma once

#include <string>

#include "compiler/program/network_program.h"
#include "report/page/page_data.h"
#include "report/report.h"

namespace weft::report {

/// What a page shows besides its run.
struct PageParts {
  Json data = nullptr;            // further data, by key (docs/page.md)
  std::string not_animated = {};  // why the run has no recording, if not for want of values
};

/// The page's data (docs/page.md). The run in `report` is of `program` and must have its timelines
/// and, with values, its recording. A product that was not held has those of a shown
/// run: see show().
Json run_page_data(const RunReport& report, const compiler::NetworkProgram& program,
                   const std::string& command_line, const PageParts& parts = {});

}  // namespace weft::report
