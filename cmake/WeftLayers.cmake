# Checks on every build that folders include only what the table of CheckLayers.cmake allows. The targets' link
# dependencies say the same, but they do not catch code that uses only a header.
add_custom_target(weft_layers ALL
  COMMAND "${CMAKE_COMMAND}" -DROOT=${PROJECT_SOURCE_DIR} -P "${PROJECT_SOURCE_DIR}/cmake/CheckLayers.cmake"
  COMMENT "Checking which folders include which"
  VERBATIM)
