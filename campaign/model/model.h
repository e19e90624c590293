#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "proxy/admin/http_client.h"

namespace retrial::campaign {

struct ModelOptions {
  std::string url;                // "https://host/v1": POST {url}/chat/completions
  std::string name;               // which model answers there
  std::string key;                // sent as a bearer token; refused over plain HTTP to another machine
  std::int64_t tokens = 100'000;  // of all questions and answers together, at most
  std::filesystem::path folder;   // what was sent and answered, a file each; what stands there is not asked again
};

// A language model behind an endpoint that speaks OpenAI's chat completions. Blocks. Nothing is sent twice: once the
// endpoint fails, or the tokens are used up, whatever is asked comes out of the folder alone.
class Model {
 public:
  // An error is the user's: a URL that is none, a key that would be sent in the clear, a folder that cannot be made.
  static Result<Model> at(ModelOptions options);

  // What it answered: its words, not looked at. An error says in one line why there is none.
  Result<std::string> ask(const std::string& task, const std::string& question);

  struct Account {
    std::int64_t sent = 0, from_folder = 0, not_answered = 0;  // questions
    std::int64_t tokens = 0;  // as the endpoint counts them; where it does not say, estimated
    std::string why_not;      // nothing more is sent, in one line; or empty
  };
  const Account& account() const { return account_; }

 private:
  Model(ModelOptions options, proxy::HttpAddress at, std::string path)
      : options_(std::move(options)), at_(std::move(at)), path_(std::move(path)) {}
  Result<std::string> send(const std::string& body, std::int64_t estimate);
  Result<std::string> refuse(std::string why);

  ModelOptions options_;
  proxy::HttpAddress at_;
  std::string path_;  // of the endpoint, without a slash at its end
  Account account_;
};

}  // namespace retrial::campaign
