# Every outside library in one place. tools/packages.txt names the Debian packages that bring them.
find_package(fmt REQUIRED)
find_package(hwy REQUIRED)
# Weft loads Highway's library instead of linking it (sim/array/kernels/highway_library.cpp), so this target
# has only its headers and the library's file name.
add_library(weft_highway INTERFACE)
target_include_directories(weft_highway SYSTEM INTERFACE
  $<TARGET_PROPERTY:hwy::hwy,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(weft_highway INTERFACE
  $<TARGET_PROPERTY:hwy::hwy,INTERFACE_COMPILE_DEFINITIONS>
  WEFT_HIGHWAY_LIBRARY="$<TARGET_SONAME_FILE_NAME:hwy::hwy>")
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(Boost REQUIRED COMPONENTS program_options)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(ONNX REQUIRED CONFIG)
find_package(Protobuf REQUIRED)
find_package(ZLIB REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED systemc)
find_package(SQLite3 REQUIRED)
pkg_check_modules(MUPARSER REQUIRED muparser)
add_library(weft_muparser INTERFACE)
target_include_directories(weft_muparser SYSTEM INTERFACE ${MUPARSER_INCLUDE_DIRS})
target_link_libraries(weft_muparser INTERFACE ${MUPARSER_LINK_LIBRARIES})

# Debian builds SystemC as C++17 and its headers bake the language version into a link-time symbol,
# so C++20 code has to claim C++17 to SystemC. Only this target brings in SystemC.
add_library(weft_systemc INTERFACE)
target_compile_definitions(weft_systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
target_include_directories(weft_systemc SYSTEM INTERFACE ${SYSTEMC_INCLUDE_DIRS})
target_link_directories(weft_systemc INTERFACE ${SYSTEMC_LIBRARY_DIRS})
target_link_libraries(weft_systemc INTERFACE ${SYSTEMC_LIBRARIES} Threads::Threads)
