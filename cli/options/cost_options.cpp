#include "cli/options/cost_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/decimal.h"
#include "base/error.h"
#include "base/figures.h"
#include "base/printable.h"

namespace weft::cli {
namespace {

constexpr unsigned kPriceDecimals = 6;
constexpr double kPriceScale = 1e6;
constexpr double kMostPrice = 1e6;

double parse_price(const std::string& text) {
  const auto scaled = parse_decimal(text, kPriceDecimals);
  const double price = scaled ? static_cast<double>(*scaled) / kPriceScale : -1;
  if (price < 0 || price > kMostPrice) {
    throw InputError(
        fmt::format("--price-per-hour {}: must be a number from 0 to {} with at most {} decimals",
                    printable(text), kMostPrice, kPriceDecimals));
  }
  return price;
}

}  // namespace

po::options_description energy_flag() {
  po::options_description options("Cost");
  options.add_options()(
      "energy", text_value("TABLE"),
      "energy, power and area with the energies of TABLE: own (those of the machine's power.node), "
      "45nm, 28nm, 16nm, 7nm (see `weft machines --energy`), or an INI file");
  return options;
}

po::options_description cost_flags() {
  po::options_description options = energy_flag();
  auto add = options.add_options();
  add("price-per-hour", text_value("PRICE"),
      "what a million results cost on a machine of this price per hour");
  return options;
}

std::optional<double> read_price(const Arguments& arguments) {
  const auto text = arguments.text("price-per-hour");
  return text ? std::optional(parse_price(*text)) : std::nullopt;
}

std::vector<double> read_prices(const Arguments& arguments, std::size_t count) {
  const auto text = arguments.text("price-per-hour");
  if (!text) return {};
  std::vector<double> prices;
  for (std::size_t at = 0; at <= text->size();) {
    const std::size_t end = std::min(text->find(',', at), text->size());
    prices.push_back(parse_price(text->substr(at, end - at)));
    at = end + 1;
  }
  if (prices.size() == 1) prices.resize(count, prices.front());
  if (prices.size() != count) {
    throw InputError(
        fmt::format("--price-per-hour {}: {} prices, but --with has {}; give one price for all, or "
                    "one for each",
                    printable(*text), prices.size(), counted(count, "device")));
  }
  return prices;
}

report::CostRequest read_cost(const Arguments& arguments, const MachineConfig& machine) {
  report::CostRequest request;
  request.price_per_hour = read_price(arguments);
  if (const auto name = arguments.text("energy")) request.table = load_energy_table(*name, machine);
  return request;
}

}  // namespace weft::cli
