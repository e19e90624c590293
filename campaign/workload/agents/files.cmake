# What of integration/agents travels inside the binary: all but the sources of what is built from native/ and java/. Paths are
# relative to ROOT, and sorted. Further arguments are for file(GLOB).
function(agent_files out ROOT)
  file(GLOB_RECURSE files ${ARGN} RELATIVE ${ROOT} ${ROOT}/*)
  list(FILTER files EXCLUDE REGEX "^(native|java)/|(^|/)(__pycache__|node_modules|\\..*)(/|$)")
  list(SORT files)
  set(${out} ${files} PARENT_SCOPE)
endfunction()
