#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

struct yaml_document_s;

namespace retrial::trace {

// What no document of a user needs is refused before a tree is made of it, in the time that it takes to get there:
// nodes more than 200 deep, or 2,000,000 of them. (What anchors stand for is looked at by json_of_document.)
Result<void> check_yaml(std::string_view text, const std::string& file_name);

// The first document of a YAML text as JSON. Plain scalars are what the JSON schema of YAML 1.2 (10.2) takes them for,
// also as True, TRUE and ~; all else is text. Keys are texts. An error, blamed on the user, says the line.
Result<std::string> json_of_yaml(std::string_view text, const std::string& file_name);
// The same of a document that libyaml has read. Refused where its anchors make more than ten times as much of it.
Result<std::string> json_of_document(yaml_document_s& document, const std::string& file_name);

}  // namespace retrial::trace
