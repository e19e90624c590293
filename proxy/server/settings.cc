#include "proxy/server/settings.h"

#include <algorithm>

#include "trace/recording/segment_folder.h"

namespace retrial::proxy {

std::uint64_t least_keep(int loops, std::size_t head_limit) {
  return std::max(trace::SegmentFolder::least_keep(loops), std::uint64_t{4} * head_limit);
}

}  // namespace retrial::proxy
