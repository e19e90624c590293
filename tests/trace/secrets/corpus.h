#pragma once
#include <string>
#include <string_view>

namespace retrial::test {

// A text that holds a secret, marked «so»; all marks are left out of what is sent.
struct Secret {
  std::string_view kind;
  std::string_view text;
};

// clang-format off
inline constexpr Secret kSecretBodies[] = {
    {"JSON", R"({"user":"a","password":"«hunter2-x9»","n":1})"},
    {"JSON, a number", R"({"pin":«493817»,"user":"a"})"},
    {"JSON, a list", R"({"passwords":["«hunter2-x9»","«correct-horse»"],"user":"a"})"},
    {"JSON, an object", R"({"credentials":{"a":"«hunter2-x9»","b":{"c":["«correct-horse»"]}},"user":"a"})"},
    {"JSON, lists in lists", R"({"client_secret":[["«hunter2-x9»"],{"x":"]«correct-horse»"}]})"},
    {"JSON, written over lines", "{\n  \"password\" :\n    \"«hunter2-x9»\"\n}"},
    {"JSON, an escape in the name", R"({"\u0070assword":"«hunter2-x9»"})"},
    {"JSON, escapes in the value", R"({"password":"«hun\"ter2-x9»\\","b":1})"},
    {"JSON in a string", R"({"message":"{\"password\":\"«hunter2-x9»\",\"a\":1}"})"},
    {"JSON in a string in a string", R"({"m":"{\"n\":\"{\\\"password\\\":\\\"«hunter2-x9»\\\"}\"}"})"},
    {"JSON in a string, a quote in the value", R"({"message":"{\"password\":\"«hun\\\"ter2-x9»\",\"a\":1}"})"},
    {"JSON, name and value", R"({"name":"password","value":"«hunter2-x9»"})"},
    {"JSON, value and name", R"([{"value":"«hunter2-x9»","name":"DB_PASSWORD"},{"name":"a","value":"b"}])"},
    {"JSON, Key and Value", R"({"Parameters":[{"Key":"a","Value":"b"},{"Key":"ApiKey","Value":"«hunter2-x9»"}]})"},
    {"JSON, key and value far apart", R"({"key":"password","type":"string","meta":{"a":1},"value":"«hunter2-x9»"})"},
    {"JSON, name and an object of a value", R"({"Name":"secret","Value":{"S":"«hunter2-x9»"}})"},
    {"JSON, pairs as lists", R"({"headers":[["accept","*/*"],["authorization","«Zm9vYmFyOmJheg»"]]})"},
    {"JSON, DynamoDB", R"({"Item":{"password":{"S":"«hunter2-x9»"},"id":{"S":"1"}}})"},
    {"JSON, Kubernetes", R"({"apiVersion":"v1","data":{"db":"«aHVudGVyMg==»"},"kind":"Secret","metadata":{"name":"x"}})"},
    {"NDJSON", "{\"a\":1}\n{\"secret\":\"«hunter2-x9»\"}\n{\"a\":2}\n"},
    {"server-sent events", "event: login\ndata: {\"access_token\":\"«hunter2-x9»\"}\n\n"},
    {"GraphQL, variables", R"({"query":"mutation($p:String!){login(p:$p){id}}","variables":{"password":"«hunter2-x9»"}})"},
    {"GraphQL, arguments", R"({"query":"mutation { login(user: \"a\", password: \"«hunter2-x9»\") { id } }"})"},
    {"a form", "user=a&password=«hunter2-x9»&b=1"},
    {"a form, an escape in the name", "user=a&%70assword=«hunter2-x9»&b=1"},
    {"a form, fields in brackets", "user[password]=«hunter2-x9»&user%5Bpasscode%5D=«correct-horse»"},
    {"a form, lists of secrets", "token[]=«hunter2-x9»&token%5B%5D=«hunter3-y8»&token[0]=«hunter4-z7»"},
    {"a form, what stands in the brackets", "credentials[key]=«hunter2-x9»&page[size]=25"},
    {"an operator behind a name", R"({"access_token[$ne]": "«hunter2-x9»", "sort[name]": "asc"})"},
    {"a form, escapes in the value", "password=«hunter2%26x9%3D»&b=1"},
    {"a form, JSON in it", "payload=%7B%22password%22%3A%22«hunter2-x9»%22%7D&b=1"},
    {"a form, name and value", "name=password&value=«hunter2-x9»"},
    {"OAuth, a code", "grant_type=authorization_code&code=«SplxlOBeZQQYbYS6WxSbIA»&redirect_uri=https%3A%2F%2Fa%2Fcb"},
    {"OAuth, an assertion", "client_assertion_type=urn%3Aa&client_assertion=«hunter2-x9»&client_id=a"},
    {"OAuth, a verifier", "code_verifier=«dBjftJeZ4CVP-mB92K27uhbUJU1p1r»&client_id=a"},
    {"OAuth, refresh", R"({"token_type":"Bearer","expires_in":3600,"refresh_token":"«tGzv3JOkF0XG5Qx2TlKWIA»"})"},
    {"a one-time password", R"({"otp":"«493817»","user":"a"})"},
    {"a session", R"({"session":"«hunter2-x9»","session_count":3})"},
    {"a session's id", "sessionid=«38afes7a8»&x=1"},
    {"multipart", "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n«hunter2-x9»\r\n--b\r\n"
                  "Content-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n"},
    {"multipart, a type", "--b\r\nContent-Disposition: form-data; name=\"api_key\"; filename=\"k\"\r\n"
                          "Content-Type: text/plain\r\n\r\n«hunter2-x9\r\nmore»\r\n--b--\r\n"},
    {"XML", "<R><SessionToken>«hunter2-x9»</SessionToken><A>b</A></R>"},
    {"XML, attributes and a prefix", "<w:Password Type=\"a>b\">«hunter2-x9»</w:Password>"},
    {"XML, CDATA", "<password><![CDATA[«hunter2<x9»]]></password>"},
    {"XML, elements within", "<Credentials><a>«hunter2-x9»</a><b>«correct-horse»</b></Credentials><c/>"},
    {"XML, an attribute", "<user name=\"a\" password=\"«hunter2-x9»\"/>"},
    {"XML, key and value as attributes", "<add key=\"ApiKey\" value=\"«hunter2-x9»\" />"},
    {"XML, Name and Value", "<P><Name>password</Name><Value>«hunter2-x9»</Value></P>"},
    {"XML, entities", "<m>&lt;password&gt;«hunter2-x9»&lt;/password&gt;</m>"},
    {"HTML", "<input type=\"hidden\" name=\"csrf_token\" value=\"«hunter2-x9»\">"},
    {"YAML", "user: a\npassword: «hunter2-x9 and more»\nb: 1\n"},
    {"YAML, quoted", "db:\n  - password: '«hunter2-x9»'\n    host: a\n"},
    {"YAML, a block", "a: 1\nprivate_key: |\n  «hunter2-x9»\n  «correct-horse»\nb: 2\n"},
    {"YAML, a list", "passwords:\n  - «hunter2-x9»\n  - «correct-horse»\nb: 2\n"},
    {"YAML, a list not indented", "passwords:\n- «hunter2-x9»\n- «correct-horse»\nb: 2\n"},
    {"YAML, in braces", "db: {user: a, password: «hunter2-x9», port: 1}\n"},
    {"YAML, name and value", "env:\n  - name: DB_PASSWORD\n    value: «hunter2-x9»\n  - name: A\n    value: b\n"},
    {"YAML, Kubernetes", "kind: Secret\nmetadata:\n  name: a\ndata:\n  x: «aHVudGVyMg==»\n"},
    {"INI", "[db]\nuser = a\npassword = «hunter2-x9 and more»\nport = 1\n"},
    {"environment", "A=1\nexport DB_PASSWORD=\"«hunter2-x9»\"\nAPI_KEY=«correct-horse»\n"},
    {"TOML", "password = \"\"\"«hunter2-x9\nmore»\"\"\"\nb = 1\n"},
    {"PHP, Ruby", "['password' => '«hunter2-x9»', :secret => \"«correct-horse»\"]"},
    {"a connection string", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=«Eby8vdM02xNOcqFlqUw==»;EndpointSuffix=a"},
    {"a connection string of SQL", "Server=a;User Id=sa;Password=«hunter2-x9»;Encrypt=yes"},
    {"a connection string in JSON", R"({"cs":"Endpoint=sb://a/;SharedAccessKeyName=n;SharedAccessKey=«hunter2x9/Jk=»"})"},
    {"a URL's password", "see postgres://user:«hunter2-x9»@db:5432/x for it"},
    {"a URL's password with a slash", "{\"dsn_url\":\"postgres://user:«hunt/er2-x9»@db:5432/x\"}"},
    {"a URL's password, escaped", R"({"url":"redis:\/\/:«hunter2-x9»@cache:6379\/0"})"},
    {"a URL's password, cut off", "{\"url\":\"amqp://guest:«hunter2-x9»"},
    {"a URL's user alone", "git clone https://«a94a8fe5ccb19ba61c4c0873d391e987»@git.example/x"},
    {"a URL's query", R"({"url":"http://h/x?sig=«hunter2-x9»&b=1"})"},
    {"a URL's query in a URL's query", "u=http%3A%2F%2Fh%2Fx%3Ftoken%3D«hunter2-x9»%26b%3D1"},
    {"a private key", "-----BEGIN RSA PRIVATE KEY-----\n«MIIEowIBAAKCAQEA7bq»\n«9sDfgZxQ»\n-----END RSA PRIVATE KEY-----\n"},
    {"a private key in JSON", R"({"k":"-----BEGIN PRIVATE KEY-----\n«MIIEvQIBADANBg»\n-----END PRIVATE KEY-----\n","a":1})"},
    {"a private key, cut off", "{\"k\":\"-----BEGIN EC PRIVATE KEY-----\\n«MHcCAQEEIIrYSSNQ»\\n«oUQDQgAE»"},
    {"a private key from its middle", "«MHcCAQEEIIrYSSNQ»\n«oUQDQgAE»\n-----END OPENSSH PRIVATE KEY-----\n"},
    {"a private key of PGP", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n«lQVYBF0Q»\n-----END PGP PRIVATE KEY BLOCK-----"},
    {"a JWT", R"({"x":"«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N»"})"},
    {"a JWT, cut off", R"({"x":"«eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9»)"},
    {"a bearer token", R"({"header":"Bearer «mF_9.B5f-4.1JqM»"})"},
    {"a bearer token in a log", "curl -H 'X-Any: Bearer «mF_9.B5f-4.1JqM»' http://a/"},
    {"basic credentials", R"({"h":"Basic «dXNlcjpodW50ZXIy»"})"},
    {"a header in a text", "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Digest «username=\"a\", response=\"6629fae4\"»\r\nA: b\r\n"},
    {"a command line", "mysql --user a --password «hunter2-x9» -h db"},
    {"a command line in JSON", R"({"args":["--user","a","--api-key","«hunter2-x9»","-v"]})"},
    {"a command line, by =", "retrial run -- x --token=«hunter2-x9» -v"},
    {"AWS, a key's id", R"({"a":"«AKIAIOSFODNN7EXAMPLE»"})"},
    {"AWS, a session's", "id «ASIAY34FZKBOKMUTVV7A» ok"},
    {"AWS, in XML", "<a><AccessKeyId>«ASIAY34FZKBOKMUTVV7A»</AccessKeyId><SecretAccessKey>«wJalrXUtnFEMI/K7MDENG»</SecretAccessKey></a>"},
    {"GitHub", "{\"a\":\"«ghp_16C7e42F292c6912E7710c838347Ae178B4a»\"}"},
    {"GitHub, fine-grained", "x «github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789» y"},
    {"GitLab", "token is «glpat-x9Zk3LqT7vB2nM8cR4wP» ."},
    {"Slack", "x=«xoxb-123456789012-abcdefGHIJKL»"},
    {"Slack, a webhook", "https://hooks.slack.com/services/«T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXX12»"},
    {"Stripe", "[\"«sk_live_4eC39HqLyjWDarjtT1zdp7dc»\"]"},
    {"Google", "k «AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe»"},
    {"Google, OAuth", "{\"t\":\"«ya29.a0AfH6SMBx-y8Zk3LqT7vB2nM8c»\"}"},
    {"npm", "//registry.npmjs.org/:_authToken=«npm_x9Zk3LqT7vB2nM8cR4wPx9Zk3LqT7vB2nM8c»"},
    {"PyPI", "x «pypi-AgEIcHlwaS5vcmcCJDk4ZTgwYjU3LTc1Y2Mt»"},
    {"SendGrid", "\"«SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc1s5cr»\""},
    {"Anthropic", "'«sk-ant-api03-x9Zk3LqT7vB2nM8cR4wP»'"},
    {"Vault", "{\"a\":\"«hvs.CAESIJ8Zk3LqT7vB2nM8cR4wPx9»\"}"},
    {"Telegram", "/bot110201543:«AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw»/getMe"},
    {"JSON, base64 in it", R"({"messages":[{"data":"«eyJ1c2VyIjoiYSIsInBhc3N3b3JkIjoiaHVudGVyMi14OSJ9»"}]})"},
    {"JSON, Keycloak", R"({"type":"password","value":"«hunter2-x9»","temporary":false})"},
    {"JSON, a cookie", R"({"headers":{"Set-Cookie":["a=«hunter2-x9»; Path=/"],"Accept":"x"}})"},
    {"JSON, a header in a string", R"({"x":"Authorization: Basic «YTpiYzpkZQ==»\r\nHost: a\r\n"})"},
    {"XML, key and string", "<dict><key>password</key><string>«hunter2-x9»</string></dict>"},
    {"XML, XML-RPC", "<member><name>password</name><value><string>«hunter2-x9»</string></value></member>"},
    {"XML, an element by its attribute", "<property name=\"password\">«hunter2-x9»</property>"},
    {"XML, from its middle", "«hunter2-x9»</password><a>b</a>"},
    {"a form, AWS", "Attribute.1.Name=password&Attribute.1.Value=«hunter2-x9»&Attribute.2.Name=a"},
    {"a form, escaped twice", "pass%2577ord=«hunter2-x9»&x=1"},
    {"a form, a quote in the value", "password=a\"«hunter2-x9»&b=1"},
    {"CSV", "user,password,age\nbob,«hunter2-x9»,12\namy,\"«correct, horse»\",13\n"},
    {"logfmt", "level=info password=«hunter2-x9» user=bob msg=\"a b\""},
    {"a sentence", R"({"log":"connecting with password: «hunter2-x9», retrying","n":1})"},
    {"a code for recovery", "Recovery code: «hunter2-x9»"},
    {"SQL", "CREATE USER bob WITH PASSWORD '«hunter2-x9»'"},
    {"a call", "setenv(\"PASSWORD\", \"«hunter2-x9»\")"},
    {"a command line of curl", "curl -u admin:«hunter2-x9» http://x/"},
    {"a connection string of Go", "user:«hunter2-x9»@tcp(127.0.0.1:3306)/db"},
    {"a URL's password with an @", "postgres://u:«p@ss:hunter2-x9»@db/x"},
    {"MessagePack", "\x82\xa4user\xa1""a\xa8password\xaa«hunter2-x9»"},
    {"Protocol Buffers, a map", "\n\x16\n\x08password\x12\n«hunter2-x9»"},
    {"Discord, a webhook", "https://discord.com/api/webhooks/«123456789012345678/abcdefghijklmnopqrstuvwxyz-1»"},
    {"a value that is cut off", R"({"user":"a","password":"«hunter2-x9»)"},
};

inline constexpr Secret kSecretLines[] = {
    {"a bearer token", "Authorization: Bearer «mF_9.B5f-4.1JqM»"},
    {"another's authorization", "X-Forwarded-Authorization: «Basic dXNlcjpodW50ZXIy»"},
    {"a bearer token under any name", "X-Upstream: Bearer «mF_9.B5f-4.1JqM»"},
    {"basic credentials under any name", "X-Upstream: Basic «dXNlcjpodW50ZXIy»"},
    {"a JWT under any name", "X-Goog-Iap-Assertion: «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N»"},
    {"Azure, API Management", "Ocp-Apim-Subscription-Key: «0123456789abcdef0123456789abcdef»"},
    {"Azure, Functions", "x-functions-key: «hunter2-x9»"},
    {"a cookie", "Cookie: sid=«hunter2-x9»; a=b"},
    {"a cookie that is set", "Set-Cookie: __Host-sid=«hunter2-x9»; Secure; HttpOnly"},
    {"a session's id", "X-Session-Id: «hunter2-x9»"},
    {"a token of GitHub under any name", "X-Any: «ghp_16C7e42F292c6912E7710c838347Ae178B4a»"},
    {"a URL's password", "X-Callback: https://user:«hunter2-x9»@h/x"},
    {"a URL's query", "Location: https://h/x?access_token=«hunter2-x9»&a=1"},
    {"a link's query", "Link: <https://h/x?token=«hunter2-x9»&page=3>; rel=\"next\""},
    {"JSON in a header", "X-Context: {\"password\":\"«hunter2-x9»\"}"},
    {"metadata of gRPC", "x-goog-iam-authorization-token-bin: «aHVudGVyMi14OQ»"},
};
inline constexpr Secret kSecretTargets[] = {
    {"a signature", "/a/b?sv=2020&sig=«a%2Fb%3Dhunter2»&se=1"},
    {"a key", "/a?key=«hunter2-x9»"},
    {"a function's code", "/api/f?code=«aBcD1234eFgH5678iJkL==»&x=1"},
    {"an escape in the name", "/a?%70assword=«hunter2-x9»"},
    {"a bot", "/bot110201543:«AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw»/getMe"},
    {"a session in the path", "/a;jsessionid=«0123456789ABCDEF»?b=1"},
    {"a token in the path", "/hooks/«xoxb-123456789012-abcdefGHIJKL»/x"},
    {"a URL in the query", "/a?next=https%3A%2F%2Fu%3A«hunter2-x9»%40h%2F"},
    {"a URL's password", "http://u:«hunter2-x9»@127.0.0.1/a"},
};

// Stays as it is: attempts and calls are told apart by it, or it only looks like a secret.
inline constexpr std::string_view kNoSecrets[] = {
    R"({"id":"8f14e45f-ceea-467f-a8f4-3e2c5d1b9a77","author":"a","session_count":3,"tokenCount":12})",
    R"({"NextToken":"eyJvZmZzZXQiOjEwfQ","nextPageToken":"CAUQAA","continuation_token":"abc123","page_token":"x"})",
    R"({"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15},"max_tokens":100})",
    R"({"idempotency_key":"8f14e45f","ClientRequestToken":"a-1","correlationId":"b-2","request_id":"c-3"})",
    R"({"key":"a","code":"NOT_FOUND","codes":[1,2],"status":404,"pinned":true,"authors":["b"],"passed":7})",
    R"({"token_type":"Bearer","expires_in":3600,"password_changed_at":"2026-11-22","passwordRequired":true})",
    R"({"name":"a","value":"b"})",
    R"([{"name":"user","value":"password"},{"name":"b","value":"c"}])",
    R"({"fields":["password","email"],"required":["token","id"]})",
    R"({"url":"http://h:8080/x@y?a=1&b=2","time":"12:30:45","ratio":"16:9"})",
    R"({"password":null,"secret":"","token":true})",
    "Basic Authentication is needed; bearer of news; token bucket; basic plan",
    "WWW-Authenticate is Bearer realm=\"a\"",
    "a=1&b=2&code=404&key=x&page=3",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n",
    "<a b=\"c\">d</a><Author>e</Author><Tokens/>",
    "title: The Secretary\nkeyboard: yes\nauthor: b\nmonkey: c\n",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    R"({"cursor":"eyJpZCI6MTIzNDU2fQ==","uploadId":"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"})",
    R"({"code":"InvalidAuthenticationToken","message":"The access token is invalid."})",
    R"({"message":"failed to refresh the token: 503 Service Unavailable","n":1})",
    R"({"errors":[{"field":"password","message":"is too short"}],"event":"password_changed"})",
    R"({"refreshTokenExpiresIn":3600,"tokenEndpoint":"http://a/token","pagination_token":"abc"})",
    "user,age\nbob,12\n",
    "SSHKey.GetByName failed: server responded with status code 504",
    "test_results live_stream sk-learn key-value hf_x re_x EAAA SKU-12",
};
// clang-format on

inline std::string unmarked(std::string_view text) {
  std::string out(text);
  for (std::string_view mark : {"«", "»"})
    for (std::size_t at; (at = out.find(mark)) != out.npos;) out.erase(at, mark.size());
  return out;
}

// Calls with each secret of a text.
template <class Do>
void each_secret(std::string_view text, Do what) {
  constexpr std::string_view kOpen = "«", kClose = "»";
  for (std::size_t at = 0; (at = text.find(kOpen, at)) != text.npos;) {
    auto begin = at + kOpen.size();
    at = text.find(kClose, begin);
    what(text.substr(begin, at - begin));
  }
}

}  // namespace retrial::test
