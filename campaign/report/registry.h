#pragma once
#include "campaign/report/format.h"

// One line a format, in the order in which they are written: sarif_format() stands in sarif.cc.
#define RETRIAL_FORMATS(FORMAT) \
  FORMAT(findings_json)         \
  FORMAT(sarif)                 \
  FORMAT(junit)                 \
  FORMAT(html)

namespace retrial::campaign::report {

#define RETRIAL_DECLARE(name) const Format& name##_format();
RETRIAL_FORMATS(RETRIAL_DECLARE)
#undef RETRIAL_DECLARE

}  // namespace retrial::campaign::report
