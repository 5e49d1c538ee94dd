#include "cli/commands/commands.h"
#include "cli/options/arguments.h"
#include "cli/options/common_options.h"
#include "cli/train/train_options.h"
#include "cli/train/train_run.h"

namespace weft::cli {
namespace {

void print_train_help(const report::Streams& streams) {
  streams.out
      << "Usage: weft train NETWORK|MODEL.onnx [OPTIONS]\n\n"
      << "Trains a classifier by gradient descent on labeled images. Each step changes its\n"
      << "learned constants to lower the cross-entropy of its answers: docs/training.md.\n\n"
      << help_text(train_options());
}

}  // namespace

int run_train(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, train_options());
  if (arguments.has("help")) return print_train_help(streams), 0;
  return run_training(read_train_request(arguments), read_machine_file(arguments), streams);
}

}  // namespace weft::cli
