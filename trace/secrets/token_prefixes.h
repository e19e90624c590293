#pragma once
#include <cstddef>
#include <string_view>

namespace retrial::trace {

// What services' documents and secret scanners tell of keys: how each begins, and how long it is at least.
struct Prefix {
  std::string_view begin;
  std::size_t least;
};
inline constexpr Prefix kPrefixes[] = {
    {"AKIA", 20},        {"ASIA", 20},         {"ABIA", 20},          {"ACCA", 20},         {"ghp_", 20},
    {"gho_", 20},        {"ghu_", 20},         {"ghs_", 20},          {"ghr_", 20},         {"github_pat_", 24},
    {"glpat-", 20},      {"gldt-", 20},        {"glrt-", 20},         {"glptt-", 20},       {"glcbt-", 20},
    {"gloas-", 20},      {"glsoat-", 20},      {"glft-", 20},         {"glagent-", 20},     {"glimt-", 20},
    {"xoxb-", 15},       {"xoxp-", 15},        {"xoxa-", 15},         {"xoxr-", 15},        {"xoxs-", 15},
    {"xoxe-", 15},       {"xoxe.", 15},        {"xapp-", 15},         {"xoxo-", 15},        {"xoxc-", 15},
    {"xoxd-", 15},       {"sk_live_", 16},     {"sk_test_", 16},      {"sk_prod_", 16},     {"rk_live_", 16},
    {"rk_test_", 16},    {"whsec_", 16},       {"AIza", 35},          {"ya29.", 20},        {"GOCSPX-", 20},
    {"1//0", 30},        {"npm_", 30},         {"pypi-", 30},         {"SG.", 30},          {"sk-ant-", 20},
    {"sk-proj-", 20},    {"sk-svcacct-", 20},  {"sk-admin-", 20},     {"sk-or-", 20},       {"sk-", 32},
    {"hf_", 30},         {"r8_", 30},          {"gsk_", 30},          {"xai-", 30},         {"pplx-", 30},
    {"hvs.", 24},        {"hvb.", 24},         {"hvr.", 24},          {"dop_v1_", 30},      {"doo_v1_", 30},
    {"dor_v1_", 30},     {"shpat_", 30},       {"shpca_", 30},        {"shppa_", 30},       {"shpss_", 30},
    {"dckr_pat_", 20},   {"dckr_oat_", 20},    {"rubygems_", 30},     {"lin_api_", 30},     {"lin_oauth_", 30},
    {"pul-", 30},        {"dp.pt.", 30},       {"dp.st.", 30},        {"dp.ct.", 30},       {"dp.sa.", 30},
    {"dapi", 32},        {"glsa_", 30},        {"glc_", 30},          {"sq0atp-", 20},      {"sq0csp-", 20},
    {"EAAA", 50},        {"NRAK-", 25},        {"NRJS-", 20},         {"NRII-", 25},        {"PMAK-", 30},
    {"pat-na1-", 30},    {"pat-eu1-", 30},     {"key-", 36},          {"SK", 34},           {"AGE-SECRET-KEY-1", 30},
    {"sntrys_", 30},     {"sntryu_", 30},      {"sgp_", 30},          {"nfp_", 30},         {"ntn_", 30},
    {"secret_", 40},     {"fo1_", 30},         {"fm1_", 30},          {"fm2_", 30},         {"figd_", 30},
    {"pscale_tkn_", 30}, {"pscale_pw_", 30},   {"pscale_oauth_", 30}, {"rdme_", 30},        {"tfp_", 30},
    {"xkeysib-", 30},    {"xsmtpsib-", 30},    {"ATATT3", 40},        {"ATCTT3", 40},       {"ATBB", 28},
    {"oy2", 43},         {"ops_eyJ", 30},      {"A3-", 30},           {"CFPAT-", 30},       {"cio", 40},
    {"PRVT", 30},        {"shippo_live_", 30}, {"shippo_test_", 30},  {"duffel_live_", 30}, {"duffel_test_", 30},
    {"EZAK", 40},        {"EZTK", 40},         {"FLWSECK", 20},       {"live_", 35},        {"test_", 35},
    {"rzp_live_", 20},   {"rzp_test_", 20},    {"access_token$", 30}, {"p8e-", 32},         {"sha256~", 43},
    {"bkua_", 30},       {"phc_", 30},         {"phx_", 30},          {"re_", 30},          {"tskey-", 20},
    {"t1_", 60},         {"ico-", 32},         {"EAA", 60},           {"LTAI", 20},         {"AKID", 30},
    {"sbp_", 30},        {"cfut_", 30},        {"v1.0-", 30},         {"AQVN", 38},         {"ap2_", 30},
    {"VF.DM.", 30},      {"HRKU-", 30},        {"apify_api_", 30},    {"waka_", 30},        {"CLOJARS_", 40},
};

// What begins and ends a private key.
struct Armour {
  std::string_view begin, end;
};
inline constexpr Armour kArmours[] = {
    {"-----BEGIN ", "-----END "}, {"---- BEGIN ", "---- END "}, {"PuTTY-User-Key-File", "Private-MAC"}};

// Of these the rest of the path is the secret.
inline constexpr std::string_view kWebhooks[] = {"hooks.slack.com/services/",    "hooks.slack.com/workflows/",
                                                 "hooks.slack.com/triggers/",    "discord.com/api/webhooks/",
                                                 "discordapp.com/api/webhooks/", "hooks.zapier.com/hooks/catch/",
                                                 "webhook.office.com/webhookb2/"};

}  // namespace retrial::trace
