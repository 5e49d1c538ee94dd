// Devices as INI files: what is written is read, and mistakes are one line.
#include "models/devices/device_ini.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/error.h"

namespace weft::devices {
namespace {

using enum NumberFormat;

constexpr const char* kMine =
    "[device]\nname = mine\nunits = 58\nusual = fp16\nlaunch_us = 3.5\nsustained_share = 0.8\n"
    "[clock]\nmhz = 2040\n[flop_per_clock]\nfp32 = 256\nfp16 = 1024\n"
    "[memory]\ngb_per_s = 300\ngb = 24\n[board]\nwatts = 72\n";

DeviceModel parse(const std::string& text) {
  std::istringstream in(text);
  return parse_device(in, "mine.ini");
}

std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kMine;
  return text.replace(text.find(from), from.size(), to);
}

TEST(DeviceIniTest, KeysAreTheFiguresOfADevice) {
  const DeviceModel device = parse(kMine);
  EXPECT_EQ(device.name, "mine");
  EXPECT_EQ(device.title, "mine");
  EXPECT_EQ(device.kind, DeviceKind::kGpu);
  EXPECT_EQ(device.family, Family::kOwn);
  EXPECT_EQ(device.units, 58U);
  EXPECT_EQ(device.usual, kFp16);
  EXPECT_EQ(device.launch_us, 3.5);
  EXPECT_EQ(device.sustained_share, 0.8);
  EXPECT_DOUBLE_EQ(device.peak(kFp16), 58 * 1024.0 * 2040e6);
  EXPECT_DOUBLE_EQ(device.peak(kFp32), 58 * 256.0 * 2040e6);
  EXPECT_FALSE(device.multiplies(kBf16));
  EXPECT_EQ(device.memory_gb_per_s, 300);
  EXPECT_EQ(device.memory_share, 1);
  EXPECT_EQ(device.l2_gb_per_s, 0);
  EXPECT_EQ(device.board_watts, 72);
}

TEST(DeviceIniTest, FurtherKeysMayBeLeftOut) {
  const DeviceModel device =
      parse(replaced("units = 58", "title = My card\nkind = cpu\nunits = 58") +
            "[l2]\ngb_per_s = 1500\n");
  EXPECT_EQ(device.title, "My card");
  EXPECT_EQ(device.kind, DeviceKind::kCpu);
  EXPECT_EQ(device.l2_gb_per_s, 1500);
  // The order of the two clocks does not matter.
  for (const char* clocks : {"mhz = 2040\nfp32_mhz = 2100", "fp32_mhz = 2100\nmhz = 2040"}) {
    const DeviceModel two = parse(replaced("mhz = 2040", clocks));
    EXPECT_EQ(two.rate(kFp32).clock_mhz, 2100);
    EXPECT_EQ(two.rate(kFp16).clock_mhz, 2040);
  }
  EXPECT_EQ(parse(replaced("gb = 24", "gb = 24\nshare = 0.9")).memory_share, 0.9);
}

TEST(DeviceIniTest, EveryDeviceOfTheTableIsReadAsItIsWritten) {
  for (const DeviceModel& device : devices()) {
    SCOPED_TRACE(device.name);
    const DeviceModel read = parse(to_ini(device));
    EXPECT_EQ(read.name, device.name);
    EXPECT_EQ(read.title, device.title);
    EXPECT_EQ(read.kind, device.kind);
    EXPECT_EQ(read.units, device.units);
    EXPECT_EQ(read.usual, device.usual);
    for (std::size_t i = 0; i < kNumberFormats; ++i) {
      EXPECT_EQ(read.rates.at(i).flop_per_clock, device.rates.at(i).flop_per_clock);
      EXPECT_EQ(read.rates.at(i).clock_mhz, device.rates.at(i).clock_mhz);
    }
    EXPECT_EQ(read.memory_gb_per_s, device.memory_gb_per_s);
    EXPECT_EQ(read.memory_share, device.memory_share);
    EXPECT_EQ(read.memory_gb, device.memory_gb);
    EXPECT_NEAR(read.l2_gb_per_s, device.l2_gb_per_s, 1e-6);
    EXPECT_EQ(read.launch_us, device.launch_us);
    EXPECT_EQ(read.board_watts, device.board_watts);
    EXPECT_NEAR(read.sustained_share, device.sustained_share, 5.1e-7);
    EXPECT_EQ(to_ini(read).substr(to_ini(read).find('\n')),
              to_ini(device).substr(to_ini(device).find('\n')));
  }
}

TEST(DeviceIniTest, MistakesAreNamed) {
  EXPECT_EQ(refusal(replaced("units = 58\n", "")),
            "mine.ini: device.units is missing; weft machines --devices a100 prints all keys");
  EXPECT_EQ(refusal("[device]\nname = mine\n"),
            "mine.ini: device.units, device.usual, device.launch_us, device.sustained_share, "
            "clock.mhz, memory.gb_per_s, memory.gb, board.watts are missing; weft machines "
            "--devices a100 prints all keys");
  EXPECT_EQ(refusal(replaced("launch_us", "lunch_us")),
            "mine.ini: unknown key 'device.lunch_us' of a device; did you mean device.launch_us?");
  EXPECT_EQ(refusal(replaced("usual = fp16", "usual = bf16")),
            "mine.ini: device.usual = bf16: needs flop_per_clock.bf16");
  EXPECT_EQ(refusal(std::string(kMine) + "[memory]\ngb = 24\n"),
            "mine.ini: 'memory.gb': given twice");
  for (const auto& [from, to] :
       {std::pair{"units = 58", "units = 0"}, std::pair{"units = 58", "units = 1000001"},
        std::pair{"units = 58", "units = 5.8"}, std::pair{"launch_us = 3.5", "launch_us = -1"},
        std::pair{"sustained_share = 0.8", "sustained_share = 80"},
        std::pair{"sustained_share = 0.8", "sustained_share = 0"},
        std::pair{"mhz = 2040", "mhz = 2040000000"}, std::pair{"fp16 = 1024", "fp16 = many"},
        std::pair{"gb_per_s = 300", "gb_per_s = 0"}, std::pair{"gb_per_s = 300", "gb_per_s = nan"},
        std::pair{"watts = 72", "watts = 1e9"}, std::pair{"name = mine", "name = two words"},
        std::pair{"name = mine", "name = mine\nkind = tpu"},
        std::pair{"usual = fp16", "usual = fp4"}}) {
    const std::string message = refusal(replaced(from, to));
    EXPECT_NE(message.find(": must be "), std::string::npos) << to << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_NE(refusal(std::string(kMine) + "[machine]\nname = m\n").find("'machine.name'"),
            std::string::npos);
}

}  // namespace
}  // namespace weft::devices
