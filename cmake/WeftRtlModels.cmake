# Arrays of chosen sizes and types, compiled from rtl/ into a program.

# What the element types are to the RTL and to C++. ExponentWidth 0 is an integer.
set(weft_rtl_int8 ElementWidth=8 ExponentWidth=0)
set(weft_rtl_bf16 ElementWidth=16 ExponentWidth=8)
set(weft_rtl_fp16 ElementWidth=16 ExponentWidth=5)
set(weft_arithmetic_int8 Int8Arithmetic)
set(weft_arithmetic_bf16 Bf16Arithmetic)
set(weft_arithmetic_fp16 Fp16Arithmetic)

# weft_rtl_models(TARGET target PREFIX prefix SIZES ... TYPES ... [RTL_DIR dir] [DRAFT]): gives the
# target a definition of rtl_models() with an array for each size and type. PREFIX is unique in the
# build; DRAFT is that of weft_verilate.
# In a program it takes the place of weft::rtl's own, since a linker takes from a library only what
# is still missing.
function(weft_rtl_models)
  cmake_parse_arguments(ARG "DRAFT" "TARGET;PREFIX;RTL_DIR" "SIZES;TYPES" ${ARGN})
  set(draft "")
  if(ARG_DRAFT)
    set(draft DRAFT)
  endif()
  if(NOT ARG_SIZES OR NOT ARG_TYPES)
    message(FATAL_ERROR "WEFT_RTL_SIZES and WEFT_RTL_TYPES: name one at least, or set WEFT_RTL=OFF")
  endif()
  if(NOT WEFT_RTL_ACCUMULATOR_ROWS MATCHES "^[1-9][0-9]*$")
    message(FATAL_ERROR "WEFT_RTL_ACCUMULATOR_ROWS: '${WEFT_RTL_ACCUMULATOR_ROWS}' is no number of rows")
  endif()
  list(TRANSFORM ARG_SIZES REPLACE "^([0-9]+)$" "\\1x\\1")  # 4 and 4x4 are the same
  list(REMOVE_DUPLICATES ARG_SIZES)
  list(REMOVE_DUPLICATES ARG_TYPES)
  set(includes "")
  set(entries "")
  set(libraries "")
  foreach(type IN LISTS ARG_TYPES)
    if(NOT DEFINED weft_rtl_${type})
      message(FATAL_ERROR "WEFT_RTL_TYPES: '${type}' is none of int8, bf16, fp16")
    endif()
    foreach(size IN LISTS ARG_SIZES)
      if(NOT size MATCHES "^([1-9][0-9]*)x([1-9][0-9]*)$")
        message(FATAL_ERROR "WEFT_RTL_SIZES: '${size}' is neither N nor RxC")
      endif()
      set(rows ${CMAKE_MATCH_1})
      set(cols ${CMAKE_MATCH_2})
      set(model ${ARG_PREFIX}_${type}_${rows}x${cols})
      weft_verilate(PREFIX ${model} TOP matmul_datapath OUTPUT library
        RTL_DIR "${ARG_RTL_DIR}" ${draft}
        PARAMETERS Rows=${rows} Cols=${cols} ${weft_rtl_${type}} Depth=${WEFT_RTL_ACCUMULATOR_ROWS})
      list(APPEND libraries ${library})
      string(APPEND includes "#include \"${model}.h\"\n")
      string(APPEND entries "      {${rows}, ${cols}, ${WEFT_RTL_ACCUMULATOR_ROWS},\n"
        "       &make_verilated_datapath<${model}, ${weft_arithmetic_${type}}, ${rows}, ${cols}>},\n")
    endforeach()
  endforeach()
  string(CONFIGURE [=[
// Generated from rtl/CMakeLists.txt.
@includes@
#include "rtl/cosim/rtl_models.h"
#include "rtl/cosim/verilated_datapath.h"

namespace weft {

std::span<const RtlModel> rtl_models() {
  static constexpr RtlModel kModels[] = {
@entries@  };
  return kModels;
}

}  // namespace weft
]=] text @ONLY)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${ARG_PREFIX}_models.cpp" CONTENT "${text}" @ONLY)
  target_sources(${ARG_TARGET} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/${ARG_PREFIX}_models.cpp")
  target_link_libraries(${ARG_TARGET} PRIVATE ${libraries})
endfunction()
