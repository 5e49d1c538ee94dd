# The parts that the CUDA backend needs when it is configured alone: the compiler options, and the
# few parts of Weft that it uses. Without fmt and Eigen, the device with its checks and rates is
# still built, but neither the graph nor the CPU reference.
get_filename_component(weft_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
option(WEFT_WERROR "Treat warnings as errors" OFF)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
list(APPEND CMAKE_MODULE_PATH "${weft_root}/cmake")

include(WeftOptions)
target_include_directories(weft_options INTERFACE "${weft_root}")
include(WeftCuda)
find_package(Threads REQUIRED)
find_package(fmt QUIET)
find_package(Eigen3 QUIET NO_MODULE)

add_subdirectory("${weft_root}/pe" pe)
if(NOT fmt_FOUND OR NOT Eigen3_FOUND)
  message(STATUS "fmt or Eigen not found: weft_gpu checks kernels and products, not operators and networks")
  return()
endif()
# The graph and the CPU reference need only these parts of the layers below them.
weft_library(config
  SOURCES "${weft_root}/base/printable.cpp" "${weft_root}/base/similar.cpp"
  DEPENDS weft::pe fmt::fmt)
weft_library(isa DEPENDS weft::config)
weft_library(memory SOURCES "${weft_root}/sim/memory/physical_memory.cpp" DEPENDS weft::isa)
add_subdirectory("${weft_root}/compiler/graph" graph)
add_subdirectory("${weft_root}/models/execution" execution)
add_subdirectory("${weft_root}/models/reference/cpu" reference_cpu)
weft_library(random SOURCES "${weft_root}/models/counter_random.cpp" DEPENDS weft::config)
add_subdirectory("${weft_root}/models/networks" networks)
