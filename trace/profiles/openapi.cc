#include "trace/profiles/openapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/glob.h"
#include "base/text.h"
#include "trace/profiles/message.h"
#include "trace/profiles/openapi_schema.h"
#include "trace/profiles/yaml.h"

namespace retrial::trace {
namespace {

constexpr std::string_view kOpenApiMethods[] = {"get", "put", "post", "delete", "options", "head", "patch", "trace"};

std::string upper(std::string_view text) {
  std::string out(text);
  for (auto& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c & ~0x20);
  return out;
}
// "/docs/{id}.json" -> "/docs/*.json"
std::string glob_of(std::string_view path) {
  std::string out;
  for (std::size_t at = 0; at < path.size(); at++) {
    auto end = path[at] == '{' ? path.find('}', at) : path.npos;
    out += end == path.npos ? path[at] : '*';
    if (end != path.npos) at = end;
  }
  return out;
}
// Of an error response's key the status that its values are made with; 0: it is none of an error.
int status_of(std::string_view key) {
  if (key == "DEFAULT" || key == "5XX") return 500;
  if (key == "4XX") return 400;
  auto status = to_int(key).value_or(0);
  return status >= 400 && status < 600 ? static_cast<int>(status) : 0;
}
// The status that an example of several tells; 0: none.
int told_in(const OrderedJson& value) {
  if (value.is_number_integer()) return status_of(std::to_string(value.get<std::int64_t>()));
  if (value.is_string()) {
    std::string_view text = value.get_ref<const std::string&>();
    for (std::size_t at = 0; at < text.size();) {
      auto size = std::min(text.find_first_not_of("0123456789", at), text.size()) - at;
      if (auto status = size == 3 ? status_of(text.substr(at, size)) : 0) return status;
      at += size + 1;
    }
  }
  if (value.is_structured())
    for (auto& one : value)
      if (auto status = told_in(one)) return status;
  return 0;
}

}  // namespace

class OpenApiReader {
 public:
  explicit OpenApiReader(OrderedJson whole) : document_(std::move(whole)) {}

  std::shared_ptr<const OpenApi> read() {
    auto& whole = document_.whole();
    if (!whole.is_object() || (!whole.contains("openapi") && !whole.contains("swagger")) || !whole.contains("paths") ||
        !whole["paths"].is_object())
      throw std::invalid_argument("expected an OpenAPI description: an object with openapi and paths");
    auto out = std::make_shared<OpenApi>();
    for (auto& [path, part] : whole["paths"].items()) {
      auto& item = document_.at(part);
      for (auto method : kOpenApiMethods)
        if (auto it = item.find(method); it != item.end() && it->is_object()) {
          where_ = fmt::format("{} {}", upper(method), path);
          out->operations_.push_back({upper(method), paths_of(path), errors_of(*it)});
        }
    }
    std::ranges::stable_sort(out->operations_, {}, [](auto& o) { return std::ranges::count(o.paths.front(), '*'); });
    return out;
  }
  const std::string& where() const { return where_; }

 private:
  // Servers are known by their paths alone: a service under test stands elsewhere.
  std::vector<std::string> paths_of(const std::string& path) const {
    std::vector<std::string> out{glob_of(path)};
    auto add = [&](std::string base) {
      if (auto scheme = base.find("://"); scheme != base.npos) {
        auto slash = base.find('/', scheme + 3);
        base = slash == base.npos ? "" : base.substr(slash);
      }
      while (base.ends_with('/')) base.pop_back();
      if (!base.empty()) out.push_back(glob_of(base + path));
    };
    auto& whole = document_.whole();
    if (whole.contains("basePath") && whole["basePath"].is_string()) add(whole["basePath"]);
    if (whole.contains("servers") && whole["servers"].is_array())
      for (auto& server : whole["servers"])
        if (server.is_object() && server.contains("url") && server["url"].is_string()) add(server["url"]);
    return out;
  }

  std::vector<OpenApi::Described> errors_of(const OrderedJson& operation) const {
    std::vector<OpenApi::Described> out;
    auto responses = operation.find("responses");
    if (responses == operation.end() || !responses->is_object()) return out;
    for (auto& [key, part] : responses->items()) {
      auto status = status_of(upper(key));
      if (status == 0) continue;
      auto [type, value] = answer_of(document_.at(part), status);
      if (value.is_null()) continue;
      // Text and XML stand as a text in their examples.
      bool json = icontains(type, "json");
      if (!json && !value.is_string()) continue;
      if (!to_int(key))
        if (auto told = told_in(value)) status = told;
      auto body = json ? value.dump() : value.get<std::string>();
      out.push_back({upper(key), {status, type, std::move(body), "", true}});
    }
    return out;
  }

  // The content type of a response, JSON before all others, and an example of it; null: there is none.
  std::pair<std::string, OrderedJson> answer_of(const OrderedJson& response, int status) const {
    std::pair<std::string, OrderedJson> best;
    if (!response.is_object()) return best;
    if (response.contains("schema")) return {"application/json", example_of(response, status)};  // 2.0
    auto content = response.find("content");
    if (content == response.end() || !content->is_object()) return best;
    for (auto& [type, media] : content->items()) {
      auto wanted = type.find('*') != type.npos ? "application/json" : type;
      if (!has_shape(wanted) || icontains(best.first, "json")) continue;
      if (auto value = example_of(media, status); !value.is_null()) best = {wanted, std::move(value)};
    }
    return best;
  }
  OrderedJson example_of(const OrderedJson& media, int status) const {
    if (!media.is_object()) return nullptr;
    if (auto it = media.find("example"); it != media.end()) return *it;
    if (auto it = media.find("examples"); it != media.end() && it->is_object())
      for (auto& [name, part] : it->items()) {
        if (name.find('/') != name.npos) return part;  // 2.0: by content type
        if (auto& example = document_.at(part); example.is_object() && example.contains("value"))
          return example["value"];
      }
    auto it = media.find("schema");
    return it == media.end() ? OrderedJson() : document_.value_of(*it, status);
  }

  OpenApiDocument document_;
  std::string where_;
};

Result<std::shared_ptr<const OpenApi>> OpenApi::parse(std::string_view text, const std::string& file_name) {
  std::string json(text);
  if (!trim(text).starts_with('{')) {
    auto read = json_of_yaml(text, file_name);
    if (!read) return std::unexpected(read.error());
    json = std::move(*read);
  }
  OrderedJson whole;
  try {
    whole = OrderedJson::parse(json);
  } catch (const OrderedJson::parse_error& wrong) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    std::string_view what = wrong.what();
    if (auto at = what.find("line "); at != what.npos) what.remove_prefix(at);
    return fail(fmt::format("expected JSON: {}", what), file_name, Blame::user);
  }
  OpenApiReader reader(std::move(whole));
  try {
    return reader.read();
  } catch (const std::exception& wrong) {
    auto& where = reader.where();
    return fail(where.empty() ? wrong.what() : fmt::format("{}: {}", where, wrong.what()), file_name, Blame::user);
  }
}

const ErrorShape* OpenApi::error(const Exchange& head, int status) const {
  auto path = message::path_of(head.target);
  auto exact = std::to_string(status), of_class = fmt::format("{}XX", status / 100);
  for (auto& operation : operations_) {
    if (operation.method != head.method ||
        std::ranges::none_of(operation.paths, [&](auto& glob) { return glob_matches(glob, path); }))
      continue;
    for (std::string_view wanted : {std::string_view(exact), std::string_view(of_class), std::string_view("DEFAULT")})
      if (auto it = std::ranges::find(operation.errors, wanted, &Described::status); it != operation.errors.end())
        return &it->shape;
    return nullptr;
  }
  return nullptr;
}

const ErrorShape* described_error(const Descriptions& descriptions, const Exchange& head, int status) {
  auto it = descriptions.find(head.service);
  return it == descriptions.end() ? nullptr : it->second->error(head, status);
}

}  // namespace retrial::trace
