# CUDA: decides whether the CUDA backend is built, and how .cu files are compiled. Sets WEFT_CUDA_FOUND.
set(WEFT_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (if nvcc and cuBLAS are there), ON or OFF")
set_property(CACHE WEFT_CUDA PROPERTY STRINGS AUTO ON OFF)
set(WEFT_CUDA_FOUND OFF)

# Reports that the backend is left out, or fails if WEFT_CUDA is ON.
macro(weft_no_cuda reason)
  if(WEFT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "WEFT_CUDA=ON, but ${reason}")
  endif()
  message(STATUS "${reason}: no CUDA backend (docs/gpu.md)")
endmacro()

if(WEFT_CUDA STREQUAL "OFF")
  return()
endif()
if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  # NVIDIA's installers put nvcc there, often without adding the folder to PATH.
  find_program(WEFT_NVCC nvcc PATHS /usr/local/cuda/bin /opt/cuda/bin)
  if(WEFT_NVCC)
    set(ENV{CUDACXX} "${WEFT_NVCC}")
  endif()
endif()
# Tries nvcc in a separate project: an nvcc that does not work with this C++ compiler counts as missing.
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  weft_no_cuda("no working nvcc found")
  return()
endif()

# Machine code for the A100, which runs on every Ampere and Ada device, and for the H100. All other
# devices from Turing on compile the intermediate code at the first start.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "75-virtual;80-real;90-real" CACHE STRING "CUDA architectures")
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
  weft_no_cuda("nvcc ${CMAKE_CUDA_COMPILER_VERSION} is older than 12.0, the first with C++20")
  return()
endif()
find_package(CUDAToolkit QUIET)
if(NOT TARGET CUDA::cublas OR NOT TARGET CUDA::cudart_static)
  weft_no_cuda("cuBLAS not found")
  return()
endif()
set(WEFT_CUDA_FOUND ON)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
message(STATUS "CUDA ${CUDAToolkit_VERSION}: CUDA backend for architectures ${CMAKE_CUDA_ARCHITECTURES}")

# Sets the options for every .cu file. The numerics contract fixes each rounding: multiplies and adds
# are not fused, and division, square root and subnormals follow IEEE 754. The latter are nvcc's
# defaults, stated here because the contract relies on them.
function(weft_cuda_options target)
  # CMake 3.25 does not know nvcc's flag for C++20, so the flag is given below, not as a property.
  set_target_properties(${target} PROPERTIES CXX_STANDARD_REQUIRED OFF CUDA_STANDARD_REQUIRED OFF)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:$<TARGET_PROPERTY:weft_options,INTERFACE_INCLUDE_DIRECTORIES>>)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -fmad=false -ftz=false -prec-div=true -prec-sqrt=true
      --expt-relaxed-constexpr
      -Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion,-Wsign-conversion,-ffp-contract=off
      $<$<BOOL:${WEFT_WERROR}>:-Werror=all-warnings -Xcompiler=-Werror>>)
endfunction()

# weft_cuda_library(NAME SOURCES ... DEPENDS ...): like weft_library, for .cu files.
function(weft_cuda_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(weft_${name} STATIC ${ARG_SOURCES})
  add_library(weft::${name} ALIAS weft_${name})
  weft_cuda_options(weft_${name})
  # Only the users link DEPENDS, because nvcc does not accept the C++ compiler's options.
  target_link_libraries(weft_${name} INTERFACE ${ARG_DEPENDS} PRIVATE CUDA::cudart_static)
endfunction()
