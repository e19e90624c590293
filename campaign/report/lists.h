#pragma once
#include <string>
#include <vector>

#include "campaign/report/page.h"
#include "trace/campaign_record.h"

// What a terminal shows beside the findings: the first rows of each list, the report has all of it. Calls that come
// through one frame are one row, however many chains lead there.
namespace retrial::campaign::report {

void clean_rows(Page& page, const std::vector<trace::Judged>& clean);
void note_rows(Page& page, const std::vector<trace::Finding>& notes);
void reason_rows(Page& page, const std::vector<trace::Judged>& judged);
// A line each; one may have further lines of its own, each with its indent. At most `most` of them.
void plain_rows(Page& page, const std::vector<std::string>& lines, std::size_t most);
void plain_rows(Page& page, const std::vector<std::string>& lines);  // the first rows

}  // namespace retrial::campaign::report
