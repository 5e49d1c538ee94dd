# Usage: cmake -DOUTPUT=assets.cpp -DFILES="a;b;c" -P EmbedAssets.cmake
# Writes the definition of what report/page/assets.h declares: the contents of FILES, in this order.
set(text "#include \"report/page/assets.h\"\n\nnamespace weft::report {\nnamespace {\n\n")
set(table "")
set(index 0)
foreach(file IN LISTS FILES)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(................................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  get_filename_component(name "${file}" NAME)
  string(APPEND text "constexpr unsigned char kAsset${index}[] = {\n${bytes}0x00};\n\n")
  string(APPEND table "    {\"${name}\", kAsset${index}, sizeof(kAsset${index}) - 1},\n")
  math(EXPR index "${index} + 1")
endforeach()
string(APPEND text "constexpr Asset kAssets[] = {\n${table}};\n\n}  // namespace\n\n"
  "std::span<const Asset> assets() { return kAssets; }\n\n}  // namespace weft::report\n")
file(WRITE "${OUTPUT}" "${text}")
