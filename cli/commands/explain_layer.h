// `weft explain NETWORK --layer NAME`: why the compiler runs a layer as it does.
#pragma once

#include "cli/commands/commands.h"

namespace weft::cli {

/// True if the words after `explain` name a layer.
bool asks_about_layer(const Words& words);

/// Like the functions of commands().
int run_explain_layer(const Words& words, const report::Streams& streams);

}  // namespace weft::cli
