#pragma once
#include <span>
#include <string_view>

// What names tell secrets, in lower case and without '-', '_' and the like: "x-api-key", "api_key" and "apiKey" are
// one.
namespace retrial::trace {

using Words = std::span<const std::string_view>;

// A secret wherever a name contains one of these,
inline constexpr std::string_view kAnywhere[] = {"token",          "secret",           "password",
                                                 "passwd",         "passphrase",       "passcode",
                                                 "passwort",       "signature",        "authorization",
                                                 "cookie",         "credential",       "apikey",
                                                 "accountkey",     "accesskey",        "privatekey",
                                                 "privkey",        "sharedkey",        "subscriptionkey",
                                                 "functionskey",   "functionkey",      "hostkey",
                                                 "masterkey",      "encryptionkey",    "signingkey",
                                                 "authkey",        "appkey",           "applicationkey",
                                                 "servicekey",     "storagekey",       "deploykey",
                                                 "sessionkey",     "customerkey",      "licensekey",
                                                 "writekey",       "saskey",           "hmackey",
                                                 "sshkey",         "adminkey",         "rootkey",
                                                 "clientkey",      "consumerkey",      "securitykey",
                                                 "webhookkey",     "integrationkey",   "kmskey",
                                                 "presharedkey",   "connectionstring", "samlresponse",
                                                 "codeverifier",   "recoverycode",     "backupcode",
                                                 "onetimecode",    "verificationcode", "authorizationcode",
                                                 "authcode",       "otpcode",          "mfacode",
                                                 "smscode",        "totpcode",         "devicecode",
                                                 "usercode",       "accesscode",       "securitycode",
                                                 "activationcode", "resetcode",        "confirmationcode",
                                                 "logincode",      "clientassertion",  "mnemonic",
                                                 "seedphrase",     "bearer",           "passkey",
                                                 "dbpass",         "userpass",         "smtppass",
                                                 "mailpass",       "ftppass",          "rootpass",
                                                 "sqlpass",        "pgpass",           "jwt",
                                                 "sessid"};
// where its last word is one of these,
inline constexpr std::string_view kLast[] = {"sig",  "pwd",  "pswd", "psw",     "pw",   "pass", "auth",     "sas",
                                             "otp",  "totp", "pin",  "cvv",     "cvc",  "psk",  "tan",      "creds",
                                             "cred", "mfa",  "dsn",  "session", "hotp", "2fa",  "assertion"};
// and where it ends with one of these.
inline constexpr std::string_view kEnd[] = {"sessionid", "pwd", "otp"};
// Not where it contains one of these: what calls are told apart by,
inline constexpr std::string_view kKept[] = {
    "idempot", "clienttoken", "requesttoken", "nexttoken", "continuation", "pagetoken", "pagingtoken", "synctoken",
    "syncmarker", "tokentype", "cancellationtoken", "skiptoken", "deltatoken", "resumetoken", "creationtoken",
    "starttoken", "cursortoken", "changetoken", "canceltoken", "pagination", "previoustoken", "prevtoken",
    "deduplication", "correlation", "consistencytoken",
    // and words of their own.
    "tokeniz", "tokenis", "secretar"};
// nor where the last word says that this is something about the secret.
inline constexpr std::string_view kAbout[] = {
    "count",    "counts",  "type",     "types",     "expiry", "expires",   "expiration", "in",        "ttl",
    "lifetime", "length",  "len",      "size",      "limit",  "limits",    "max",        "min",       "policy",
    "policies", "name",    "names",    "endpoint",  "url",    "uri",       "enabled",    "required",  "changed",
    "updated",  "created", "at",       "date",      "time",   "timestamp", "version",    "algorithm", "alg",
    "method",   "methods", "scope",    "scopes",    "usage",  "used",      "strength",   "format",    "index",
    "price",    "cost",    "rate",     "remaining", "age",    "budget",    "service",    "consent",   "change",
    "manager",  "status",  "provider", "issuer"};
// LLMs count tokens.
inline constexpr std::string_view kCounted[] = {
    "max",   "min",    "total", "num",   "prompt",    "completion", "input", "output", "count",     "reasoning",
    "cache", "cached", "used",  "limit", "remaining", "per",        "audio", "text",   "prediction"};
inline constexpr std::string_view kNaming[] = {
    "name",   "names", "key", "field", "parameter", "param", "variable", "var",   "header",    "property", "setting",
    "option", "env",   "id",  "k",     "n",         "type",  "kind",     "label", "attribute", "fieldname"};
inline constexpr std::string_view kValue[] = {"value",    "values",      "val",        "v",           "content",
                                              "contents", "data",        "stringdata", "default",     "string",
                                              "text",     "stringvalue", "plaintext",  "defaultvalue"};
// In a text with one of these `code` is OAuth's.
inline constexpr std::string_view kOauthNames[] = {"grant_type", "grantType", "code_verifier", "redirect_uri"};

}  // namespace retrial::trace
