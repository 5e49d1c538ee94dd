#include "models/measurements/nsys_sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <memory>
#include <system_error>

#include "base/error.h"
#include "base/printable.h"
#include "models/measurements/measurement.h"
#include "models/measurements/measurement_groups.h"
#include "models/measurements/name_table.h"

namespace weft::measurements {
namespace {

constexpr std::uint64_t kMostKernels = std::uint64_t{1} << 23U;
/// The longest text or row that is read.
constexpr int kMostTextBytes = 1 << 20U;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

[[noreturn]] void fail(sqlite3* database) {
  switch (sqlite3_errcode(database) & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw InputError("is a damaged database, or cut off; export it again");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw InputError("another program holds it; end that program");
    default:
      throw InputError(
          fmt::format("cannot be read as an export of nsys: {}", sqlite3_errmsg(database)));
  }
}

class Query {
 public:
  Query(sqlite3* database, const std::string& sql) : database_(database) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      fail(database);
    }
    statement_.reset(statement);
  }

  bool next() {
    const int code = sqlite3_step(statement_.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail(database_);
    return code == SQLITE_ROW;
  }
  bool is_whole(int place) const {
    return sqlite3_column_type(statement_.get(), place) == SQLITE_INTEGER;
  }
  std::int64_t whole(int place) const { return sqlite3_column_int64(statement_.get(), place); }
  std::string text(int place) const {
    const auto* text = sqlite3_column_text(statement_.get(), place);
    return text == nullptr ? std::string() : reinterpret_cast<const char*>(text);
  }

 private:
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, EndStatement> statement_;
};

class Export {
 public:
  explicit Export(const std::string& file) {
    std::error_code error;
    const std::string path = std::filesystem::absolute(file, error).string();
    sqlite3* database = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
    database_.reset(database);
    if (code != SQLITE_OK) fail(database);
    // The file may be anyone's (sqlite.org/security.html).
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMostTextBytes);
  }

  MeasurementFile measurements() {
    if (!has_table("CUPTI_ACTIVITY_KIND_KERNEL") || !has_table("StringIds")) {
      throw InputError(
          "is a database without kernels of a GPU; export it with nsys export --type sqlite from a "
          "profile with --trace=cuda");
    }
    read_kernels();
    MeasurementFile file;
    file.format = FileFormat::kNsysSqlite;
    file.time_of = "duration of the kernel";
    file.devices = device_names();
    file.measurements = groups_.take();
    file.notes.emplace_back("its kernels have no shapes");
    if (file.measurements.empty()) throw InputError("has no kernels");
    return file;
  }

 private:
  /// True for a real table. A virtual one would run code of a module.
  bool has_table(const std::string& name) {
    Query query(database_.get(),
                fmt::format("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = "
                            "'{}' AND rootpage > 0",
                            name));
    return query.next() && query.whole(0) == 1;
  }

  bool has_column(const std::string& table, const std::string& column) {
    Query query(database_.get(),
                fmt::format("SELECT count(*) FROM pragma_table_info('{}') WHERE name = '{}'", table,
                            column));
    return query.next() && query.whole(0) == 1;
  }

  std::string name_of(std::int64_t id) {
    const auto known = names_.find(id);
    if (known != names_.end()) return known->second;
    Query query(database_.get(), fmt::format("SELECT value FROM StringIds WHERE id = {}", id));
    std::string name = query.next() ? query.text(0) : fmt::format("kernel {}", id);
    bytes_.number_of(name);  // bounds what names take
    return names_.emplace(id, std::move(name)).first->second;
  }

  void read_kernels() {
    const std::string name =
        has_column("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName") ? "demangledName" : "shortName";
    Query query(
        database_.get(),
        fmt::format("SELECT start, \"end\", deviceId, {} FROM CUPTI_ACTIVITY_KIND_KERNEL", name));
    for (std::uint64_t row = 0; query.next(); ++row) {
      if (row == kMostKernels) {
        throw InputError(
            fmt::format("has more than {} kernels; profile fewer steps", kMostKernels));
      }
      for (int place = 0; place < 4; ++place) {
        if (!query.is_whole(place)) {
          throw InputError(
              fmt::format("kernel {} has no whole number as its time, device or name", row + 1));
        }
      }
      add(query.whole(0), query.whole(1), query.whole(2), query.whole(3));
    }
  }

  void add(std::int64_t start, std::int64_t end, std::int64_t device, std::int64_t name) {
    if (device < 0 || device > kMostDeviceNumber) {
      throw InputError(fmt::format("deviceId {} is no number of a device", device));
    }
    const std::string kernel = name_of(name);
    const double seconds =
        checked_seconds((static_cast<double>(end) - static_cast<double>(start)) / 1e9,
                        "the kernel " + printable(kernel));
    constexpr std::size_t kMostDevices = 1024;
    const std::size_t place = devices_.try_emplace(device, devices_.size()).first->second;
    if (devices_.size() > kMostDevices) throw InputError("has kernels of more than 1024 devices");
    groups_.add(place, {0, static_cast<std::uint64_t>(name), false}, {start, seconds}, [&] {
      Measurement made;
      made.name = kernel;
      made.is_product = names_product(kernel);
      return made;
    });
  }

  /// The names of the devices by CUDA's numbers, which TARGET_INFO_CUDA_DEVICE maps to those of
  /// the system.
  std::map<std::int64_t, std::string> known_names() {
    std::map<std::int64_t, std::string> names;
    if (!has_table("TARGET_INFO_GPU")) return names;
    const bool mapped = has_table("TARGET_INFO_CUDA_DEVICE");
    Query query(database_.get(), mapped ? "SELECT c.cudaId, g.name FROM TARGET_INFO_GPU g JOIN "
                                          "TARGET_INFO_CUDA_DEVICE c ON g.id = c.gpuId"
                                        : "SELECT id, name FROM TARGET_INFO_GPU");
    constexpr int kMostRows = 65536;
    for (int row = 0; row < kMostRows && query.next(); ++row) {
      if (devices_.contains(query.whole(0))) names.emplace(query.whole(0), query.text(1));
    }
    return names;
  }

  std::vector<std::string> device_names() {
    const std::map<std::int64_t, std::string> known = known_names();
    std::vector<std::string> names(devices_.size());
    for (const auto& [id, place] : devices_) {
      const auto found = known.find(id);
      names[place] = found == known.end() || found->second.empty() ? "GPU" : found->second;
      if (devices_.size() > 1) names[place] += fmt::format(" ({})", id);
    }
    return names;
  }

  std::unique_ptr<sqlite3, CloseDatabase> database_;
  std::map<std::int64_t, std::string> names_;
  std::map<std::int64_t, std::size_t> devices_;
  NameTable bytes_;
  MeasurementGroups groups_;
};

}  // namespace

MeasurementFile read_nsys_sqlite(const std::string& file) {
  return Export(file).measurements();
}

}  // namespace weft::measurements
