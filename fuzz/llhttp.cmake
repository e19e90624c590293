# What our reading of HTTP/1 is held against. Debian's node-llhttp ships it as C sources. `./dev deps` unpacks it below build/deps, without its Node packages.
set(LLHTTP_DIR /usr/share/llhttp)
if(NOT EXISTS ${LLHTTP_DIR}/llhttp.c)
  set(LLHTTP_DIR ${CMAKE_SOURCE_DIR}/build/deps/usr/share/llhttp)
endif()
add_library(llhttp STATIC ${LLHTTP_DIR}/api.c ${LLHTTP_DIR}/http.c ${LLHTTP_DIR}/llhttp.c)
target_include_directories(llhttp SYSTEM PUBLIC ${LLHTTP_DIR}/../include ${LLHTTP_DIR}/../include/llhttp)
target_compile_options(llhttp PRIVATE -w)
