#include "campaign/report/html_style.h"

namespace retrial::campaign::report {

std::string_view html_style() {
  return R"css(
:root { color-scheme: light dark;
  --paper: #f7f7f5; --card: #ffffff; --ink: #1d2126; --soft: #59616b; --line: #dcdfe3; --code: #f1f2f4; --accent: #1f5fa8;
  --bad: #b3261e; --bad-soft: #fbe9e7; --warn: #8a5a00; --warn-soft: #fdf1d8; --good: #23704a; --good-soft: #e3f3ea;
  --bar-good: #7fa8c9; --bar-bad: #d9a441; --bar-fault: #d1564b; --grid: #e7e9ec; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #16191d; --card: #1e2227; --ink: #e4e7ea; --soft: #9aa4af; --line: #343a42; --code: #272c33; --accent: #86b7ea;
  --bad: #f2938a; --bad-soft: #40231f; --warn: #e6b860; --warn-soft: #3b2f16; --good: #7fcfa4; --good-soft: #1b3527;
  --bar-good: #55809f; --bar-bad: #b98628; --bar-fault: #c95a50; --grid: #2b3037; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main, header, footer { max-width: 1080px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 36px; }
code, pre, .mono, svg text { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { font-size: .88em; background: var(--code); padding: .1em .35em; border-radius: 4px; overflow-wrap: anywhere; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 12px; top: 12px; }
.brand { margin: 0; color: var(--soft); font-size: 13px; letter-spacing: .06em; text-transform: uppercase; }
h1 { margin: .15em 0 .2em; font-size: 30px; line-height: 1.2; font-weight: 650; letter-spacing: -.01em; }
h2 { margin: 44px 0 14px; font-size: 20px; font-weight: 650; }
h3 { margin: 0; font-size: 18px; font-weight: 650; line-height: 1.35; }
h4 { margin: 0 0 10px; font-size: 14px; font-weight: 600; overflow-wrap: anywhere; }
h5 { margin: 0 0 4px; font-size: 12px; font-weight: 600; color: var(--soft); }
p { margin: 0 0 10px; } .soft { color: var(--soft); } .small { font-size: 13px; }
.right { border-left: 3px solid var(--good); padding-left: 10px; }
.facts { color: var(--soft); font-size: 14px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(132px, 1fr)); gap: 10px; margin: 22px 0 0; padding: 0; list-style: none; }
.tiles li { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
.tiles b { display: block; font-size: 24px; line-height: 1.25; font-weight: 620; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--soft); font-size: 13px; }
.banner { margin: 20px 0 0; padding: 10px 14px; border-radius: 8px; background: var(--warn-soft); border: 1px solid var(--line); }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 12px; }
th, td { padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: break-word; }
td code { overflow-wrap: break-word; }
tr:last-child > td { border-bottom: 0; }
td.tight, th.tight { white-space: nowrap; overflow-wrap: normal; }
.box { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 6px 18px; overflow-x: auto; }
.chip { display: inline-block; padding: 1px 9px; border-radius: 999px; font-size: 12px; line-height: 1.6; border: 1px solid var(--line); color: var(--soft); white-space: nowrap; }
.chip.certain, .chip.likely { color: var(--bad); background: var(--bad-soft); border-color: transparent; }
.chip.possible { color: var(--warn); background: var(--warn-soft); border-color: transparent; }
.chip.fine { color: var(--good); background: var(--good-soft); border-color: transparent; }
.cause { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 8px; padding: 20px 24px 8px; margin: 0 0 22px; }
.cause.possible { border-left-color: var(--warn); } .cause.accepted { border-left-color: var(--line); }
.cause > .head { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: baseline; margin-bottom: 6px; }
.where { font-size: 14px; margin-bottom: 10px; }
.finding { border-top: 1px solid var(--line); padding: 16px 0 14px; margin-top: 14px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 0 0 14px; font-size: 14px; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 0 0 12px; } figcaption { font-size: 13px; margin: 0 0 4px; } figcaption.legend { color: var(--soft); font-size: 12px; margin: 2px 0 0; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; padding: 8px 12px; margin-bottom: 10px; }
svg { display: block; width: 100%; min-width: 760px; height: auto; }
svg text { font-size: 11.5px; fill: var(--ink); } svg .tick, svg .waited { fill: var(--soft); font-size: 10.5px; }
svg .label { fill: var(--soft); } svg .focus { fill: var(--ink); font-weight: 600; } svg .grid { stroke: var(--grid); }
svg .good .bar { fill: var(--bar-good); } svg .bad .bar { fill: var(--bar-bad); } svg .fault .bar { fill: var(--bar-fault); }
svg .held .bar { fill-opacity: .25; stroke: var(--bar-fault); stroke-dasharray: 4 3; }
svg .other .bar { opacity: .45; } svg .other .status { fill: var(--soft); } svg .fault .status { font-weight: 700; fill: var(--bad); }
svg .answer { fill: var(--card); stroke: var(--ink); stroke-width: 1.4; } svg .cross { stroke: var(--ink); stroke-width: 2; fill: none; }
svg .life { stroke: var(--soft); stroke-width: 1.6; fill: none; } svg .death { stroke: var(--bad); stroke-width: 2; fill: none; } svg .dead { fill: var(--bad); }
svg .gap { stroke: var(--soft); stroke-dasharray: 3 3; fill: none; }
.key { display: inline-block; width: 18px; height: 9px; border-radius: 2px; margin: 0 4px 0 10px; }
details > summary { cursor: pointer; } details.more { margin: 0 0 6px; font-size: 14px; }
details.more > summary { color: var(--accent); }
details.variant { border-top: 1px solid var(--line); padding: 10px 0; } details.variant > .finding { border: 0; margin: 0; }
details.reason { margin: 0 0 12px; } details.reason > summary { margin-bottom: 8px; }
.exchange { border-top: 1px solid var(--line); padding: 10px 0 4px; margin-top: 8px; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 12px; }
.sides > div { min-width: 0; }
pre { margin: 0 0 8px; padding: 10px 12px; background: var(--code); border-radius: 6px; font-size: 12px; line-height: 1.45; max-height: 320px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.verdict { white-space: pre-wrap; } ul.plain { margin: 0; padding: 4px 0 4px 18px; white-space: pre-line; } footer { padding: 30px 24px 50px; color: var(--soft); font-size: 13px; }
@media (max-width: 640px) { main, header, footer { padding-left: 14px; padding-right: 14px; } .cause { padding: 14px 14px 4px; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: 6px; } }
@media print { body { background: #fff; } .cause, .box { break-inside: avoid; } .skip { display: none; } }
)css";
}

}  // namespace retrial::campaign::report
