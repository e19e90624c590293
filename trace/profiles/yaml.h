#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

struct yaml_document_s;

namespace retrial::trace {

// The first document of a YAML text as JSON. Plain scalars are what the JSON schema of YAML 1.2 (10.2) takes them for,
// also as True, TRUE and ~; all else is text. Keys are texts. An error, blamed on the user, says the line.
Result<std::string> json_of_yaml(std::string_view text, const std::string& file_name);
// The same of a document that libyaml has read.
Result<std::string> json_of_document(yaml_document_s& document, const std::string& file_name);

}  // namespace retrial::trace
