# The allowed arrows between folders, checked on every build: a target that includes a header of a
# layer it must not know fails to build. The link graph says the same; this catches headers too.
add_custom_target(weft_layers ALL
  COMMAND "${CMAKE_COMMAND}" -DROOT=${PROJECT_SOURCE_DIR} -P "${PROJECT_SOURCE_DIR}/cmake/CheckLayers.cmake"
  COMMENT "Checking that folders include only the layers below them"
  VERBATIM)
