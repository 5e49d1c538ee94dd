// Exports of nsys to SQLite, made here by SQL with the tables that nsys writes.
#include "models/measurements/nsys_sqlite.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <sstream>

#include "tests/measurements/reading.h"

namespace weft::measurements {
namespace {

constexpr const char* kTables =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,"
    " demangledName INTEGER, shortName INTEGER);"
    "INSERT INTO StringIds VALUES (1, 'ampere_sgemm'), (2, 'relu');"
    "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA A100');";

/// The bytes of a database that the SQL makes.
std::string database(const std::string& sql) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("x.sqlite");
  sqlite3* opened = nullptr;
  EXPECT_EQ(sqlite3_open(file.c_str(), &opened), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(opened, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(opened);
  sqlite3_close(opened);
  return folder.read("x.sqlite");
}

std::string with_kernels(const std::string& rows) {
  return database(kTables + ("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " + rows));
}

TEST(NsysSqliteTest, KernelsWithTheirNamesAndDevice) {
  const MeasurementFile file =
      read_text(with_kernels("(500, 800, 0, 1, 1), (100, 300, 0, 1, 1), (900, 950, 0, 2, 2)"));
  EXPECT_EQ(file.format, FileFormat::kNsysSqlite);
  EXPECT_EQ(file.devices, (std::vector<std::string>{"NVIDIA A100"}));
  const Measurement gemm = named(file, "ampere_sgemm");
  EXPECT_EQ(gemm.occurrences.at(0).start_ns, 100);
  EXPECT_DOUBLE_EQ(gemm.median, 250e-9);
  EXPECT_DOUBLE_EQ(named(file, "relu").total, 50e-9);
}

TEST(NsysSqliteTest, CudasNumbersOfDevicesLeadToTheirNames) {
  const MeasurementFile file = read_text(database(
      kTables + std::string("INSERT INTO TARGET_INFO_GPU VALUES (1, 'NVIDIA T4');"
                            "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER);"
                            "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 1), (1, 0);"
                            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 5, 0, 1, 1),"
                            "(0, 9, 1, 1, 1)")));
  EXPECT_EQ(file.devices, (std::vector<std::string>{"NVIDIA T4 (0)", "NVIDIA A100 (1)"}));
}

TEST(NsysSqliteTest, DamagedAndForeignDatabasesAreRefused) {
  EXPECT_NE(refusal(with_kernels("(5, 1, 0, 1, 1)")).find("lasts"), std::string::npos);
  EXPECT_NE(refusal(with_kernels("('a', 1, 0, 1, 1)")).find("whole number"), std::string::npos);
  EXPECT_NE(refusal(with_kernels("(0, 9223372036854775807, 0, 1, 1)")).find("lasts"),
            std::string::npos);
  for (const char* device : {"-1", "65536", "1000000000000"}) {
    EXPECT_EQ(refusal(with_kernels(std::string("(0, 5, ") + device + ", 1, 1)")),
              std::string("deviceId ") + device + " is no number of a device");
  }
  EXPECT_EQ(refusal(with_kernels("(0, 5, 65535, 1, 1)")), "");
  EXPECT_NE(refusal(database(kTables)).find("has no kernels"), std::string::npos);
  EXPECT_NE(refusal(database("CREATE TABLE a (b)")).find("without kernels"), std::string::npos);
  // A view is no table: it could compute for ever.
  EXPECT_NE(
      refusal(database("CREATE TABLE StringIds (id, value);"
                       "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1 AS start, 2 AS end,"
                       "0 AS deviceId, 1 AS demangledName"))
          .find("without kernels"),
      std::string::npos);
  std::string bytes = with_kernels("(0, 5, 0, 1, 1)");
  EXPECT_EQ(refusal(bytes), "");
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() / 2)), "");
  EXPECT_NE(refusal(bytes.substr(0, 20)), "");
}

}  // namespace
}  // namespace weft::measurements
