# Writes INTO, a header that says which commit SOURCE is at and which version that is (the tag v1.2.3, else VERSION); untouched where it
# says so already. COMMIT, where it is given, is taken for it: in an image's build there is no .git.
if(NOT COMMIT)
  execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --exclude=* --dirty OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT COMMIT)
  set(COMMIT "unknown")
endif()
execute_process(COMMAND git -C ${SOURCE} describe --tags --exact-match --match v[0-9]* OUTPUT_VARIABLE TAG OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(TAG)
  string(SUBSTRING ${TAG} 1 -1 VERSION)
endif()
file(CONFIGURE OUTPUT ${INTO} CONTENT "#pragma once\n#define RETRIAL_COMMIT \"${COMMIT}\"\n#define RETRIAL_VERSION \"${VERSION}\"\n")
