/**
 * Contains the style sheet: light or dark as the system prefers, tables as cards on a phone, light colours in print.
 */
import { variables } from "./Palette.ts"

const fonts = `
body { font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
.flag { white-space: nowrap; }
code, .place { font: .86em/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
b, td.number, .tiles b { font-variant-numeric: tabular-nums; }
`

const frame = `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: break-word; }
bdi { overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; display: inline-block; padding: .5rem 1.25rem; }
.top, .frame, footer { max-width: 80rem; margin: 0 auto; padding: 0 1.25rem; }
.top { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; justify-content: space-between; padding-top: 1.1rem; }
.top h1 { font-size: 1.15rem; margin: 0; }
.top h1 a { color: inherit; text-decoration: none; }
.top p, footer { color: var(--quiet); font-size: .9rem; }
.top p { margin: 0; }
footer { padding-top: 1rem; padding-bottom: 3rem; }
main { min-width: 0; }
section { margin: 0 0 1.25rem; padding: 1.4rem 1.5rem 1.5rem; background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; }
section:focus { outline: none; }
#summary { padding: 0; background: none; border: 0; margin-top: 1rem; }
h2 { font-size: 1.3rem; line-height: 1.25; margin: 0 0 .6rem; }
h3 { font-size: 1rem; line-height: 1.3; margin: 1.6rem 0 .5rem; }
p { margin: .5rem 0; max-width: 46rem; }
ul { padding: 0; list-style: none; margin: .75rem 0; }
.quiet { color: var(--quiet); font-weight: 400; }
.note { display: block; color: var(--quiet); font-size: .85rem; }
.count { display: inline-block; vertical-align: .12em; font-size: .8rem; font-weight: 600; padding: .05rem .5rem; border-radius: 1rem; background: var(--plainGround); }
.advice { border-left: .25rem solid var(--accent); padding: .1rem 0 .1rem .8rem; }
.sections ul { display: flex; flex-wrap: wrap; gap: .35rem; margin: 1rem 0 0; }
.sections a { display: inline-block; padding: .25rem .7rem; border-radius: 1rem; border: 1px solid var(--line); background: var(--surface); color: var(--text); font-size: .9rem; text-decoration: none; }
.sections a:hover { border-color: var(--field); }
.sections span { color: var(--quiet); font-variant-numeric: tabular-nums; }
@media (min-width: 74rem) {
  .frame { display: grid; grid-template-columns: 11.5rem minmax(0, 1fr); gap: 1.5rem; }
  .sections ul { position: sticky; top: 1rem; flex-direction: column; gap: .1rem; }
  .sections a { display: flex; justify-content: space-between; gap: .5rem; border-color: transparent; background: none; border-radius: .5rem; }
  .sections a:hover { background: var(--surface); }
}
`

const summary = `
.verdict { border-radius: .75rem; padding: 1.3rem 1.5rem; border: 1px solid var(--line); background: var(--surface); border-left: .4rem solid var(--plainMark); }
.verdict h2 { font-size: clamp(1.35rem, 1rem + 2vw, 1.9rem); letter-spacing: -.01em; margin: 0; }
.verdict p { margin: .4rem 0 0; color: var(--quiet); }
.v-good { border-left-color: var(--goodMark); }
.v-warn { border-left-color: var(--warnMark); }
.tiles { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .75rem; margin: .75rem 0; }
@media (min-width: 40rem) { .tiles { grid-template-columns: repeat(3, minmax(0, 1fr)); } }
@media (min-width: 76rem) { .tiles { grid-template-columns: repeat(6, minmax(0, 1fr)); } }
.tiles > div { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; padding: .8rem 1rem; display: flex; flex-direction: column; justify-content: space-between; }
.tiles dt { color: var(--quiet); font-size: .85rem; }
.tiles dd { margin: 0; }
.tiles b { display: block; font-size: 1.6rem; line-height: 1.25; letter-spacing: -.01em; }
.tiles span { color: var(--quiet); font-size: .85rem; }
.wholes { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: .75rem; }
figure { margin: 0; padding: 1rem; background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; }
figcaption { font-weight: 600; margin-bottom: .5rem; }
figure .bar { height: 1.6rem; }
.clear li { padding-left: 1.5rem; position: relative; margin: .3rem 0; }
.clear li::before { content: "✓"; position: absolute; left: 0; color: var(--good); font-weight: 700; }
`

const charts = `
svg { display: block; width: 100%; overflow: hidden; border-radius: .25rem; background: var(--track); }
.bar { height: .7rem; }
.strip { height: 1.1rem; margin: .9rem 0; }
.time { height: 9rem; margin-top: .9rem; }
.time rect { stroke: var(--surface); stroke-width: 1px; }
.ends { display: flex; justify-content: space-between; gap: 1rem; max-width: none; margin: .3rem 0 0; color: var(--quiet); font-size: .85rem; }
.bar rect { stroke: var(--surface); stroke-width: 1px; }
.m-good, .k-good { fill: var(--goodMark); background: var(--goodMark); }
.m-warn, .k-warn { fill: var(--warnMark); background: var(--warnMark); }
.m-bad, .k-bad { fill: var(--badMark); background: var(--badMark); }
.m-saved, .k-saved { fill: var(--savedMark); background: var(--savedMark); }
.m-refused, .k-refused { fill: var(--refusedMark); background: var(--refusedMark); }
.m-plain, .k-plain { fill: var(--plainMark); background: var(--plainMark); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: .7rem 0 0; font-size: .9rem; }
.legend i { display: inline-block; width: .7rem; height: .7rem; border-radius: .2rem; margin-right: .4rem; }
.bars { display: grid; gap: .9rem; margin-bottom: 1.25rem; }
.bars li { display: grid; grid-template-columns: 1fr auto; gap: .15rem 1rem; }
.bars .name { font-weight: 600; }
.bars .bar, .bars p { grid-column: 1 / -1; }
.bars p { margin: 0; font-size: .88rem; }
@media (min-width: 60rem) {
  section > .bars li { grid-template-columns: 22rem minmax(0, 1fr) 4rem; align-items: center; }
  section > .bars .name { grid-area: 1 / 1; } section > .bars p { grid-area: 2 / 1; } section > .bars .bar { grid-area: 1 / 2 / 3; height: 1.1rem; } section > .bars b { grid-area: 1 / 3 / 3; text-align: right; }
}
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 0 2.5rem; }
td .bar { min-width: 4rem; height: .55rem; margin-top: .25rem; }
.heat { display: inline-block; min-width: 2.6rem; text-align: center; border-radius: .3rem; padding: .1rem .4rem; color: var(--onHeat); }
.h-1 { background: var(--heat1); } .h-2 { background: var(--heat2); } .h-3 { background: var(--heat3); }
.h-4 { background: var(--heat4); color: var(--onHeat4); font-weight: 600; }
.badge { display: inline-block; font-size: .8rem; font-weight: 600; padding: .05rem .5rem; border-radius: 1rem; }
.b-good { background: var(--goodGround); color: var(--good); } .b-warn { background: var(--warnGround); color: var(--warn); }
.b-bad { background: var(--badGround); color: var(--bad); } .b-saved { background: var(--savedGround); color: var(--saved); }
.b-plain { background: var(--plainGround); color: var(--text); }
.hidden-character { font: .8em ui-monospace, Menlo, Consolas, monospace; background: var(--warnGround); color: var(--warn); border-radius: .2rem; padding: 0 .2rem; unicode-bidi: isolate; direction: ltr; }
`

const tables = `
.table { margin: 1rem 0 0; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; color: var(--quiet); font-size: .88rem; padding: 0 0 .4rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .6rem; border-bottom: 1px solid var(--line); font-weight: 400; }
tr > :first-child { padding-left: 0; } tr > :last-child { padding-right: 0; }
thead th { font-weight: 600; font-size: .85rem; color: var(--quiet); vertical-align: bottom; border-bottom-color: var(--field); }
th.number, td.number { text-align: right; }
tbody th { min-width: 10rem; }
td:has(> div > a > .place) { min-width: 9rem; }
td.number { white-space: nowrap; }
td .zero, .zero { color: var(--quiet); }
td.wide, td.chart { min-width: 12rem; }
tbody td:not([class]) { min-width: 5.5rem; }
th.chart { width: 35%; }
tbody tr:hover { background: var(--sunken); }
thead button { font: inherit; color: inherit; background: none; border: 0; padding: .1rem 1rem .1rem 0; min-height: 1.5rem; cursor: pointer; text-align: inherit; position: relative; }
thead button:hover { color: var(--text); text-decoration: underline; }
thead button::after { content: "↕"; position: absolute; right: 0; bottom: .1rem; opacity: .45; }
[aria-sort] button { color: var(--text); }
[aria-sort] button::after { opacity: 1; }
[aria-sort=ascending] button::after { content: "↑"; } [aria-sort=descending] button::after { content: "↓"; }
.tools { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1rem; margin-bottom: .6rem; }
.tools p { margin: 0; font-size: .88rem; }
input[type=search] { font: inherit; font-size: .92rem; color: inherit; background: var(--surface); border: 1px solid var(--field); border-radius: .5rem; padding: .3rem .7rem; width: 16rem; max-width: 100%; }
::placeholder { color: var(--quiet); opacity: 1; }
.more { font: inherit; font-size: .92rem; font-weight: 600; color: var(--accent); background: none; border: 1px solid var(--line); border-radius: .5rem; padding: .35rem .9rem; margin-top: .7rem; cursor: pointer; }
.more:hover { border-color: var(--field); }
.left { color: var(--quiet); font-size: .88rem; }
.source { margin: .4rem 0 0; padding: .5rem .6rem; background: var(--ground); border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.examples { margin: 0; display: grid; gap: .25rem; }
.lines { display: grid; gap: .9rem; }
[hidden] { display: none; }
@media (max-width: 60rem) {
  thead, tbody, tr, th, td { display: block; }
  caption { display: block; }
  thead tr { display: flex; flex-wrap: wrap; gap: .35rem; }
  thead th { padding: 0; border: 0; width: auto; }
  thead th:not(:has(button)) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  thead button { border: 1px solid var(--line); border-radius: 1rem; padding: .1rem 1.5rem .1rem .7rem; min-height: 1.9rem; }
  thead button::after { right: .6rem; bottom: .25rem; }
  tbody tr { padding: .7rem 0; border-bottom: 1px solid var(--line); }
  tbody tr:hover { background: none; }
  tbody th, tbody td { padding: .1rem 0; border: 0; }
  tbody th { font-weight: 600; padding-bottom: .25rem; }
  tbody td { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: .75rem; align-items: baseline; }
  tbody td::before { content: attr(data-label); color: var(--quiet); font-size: .85rem; line-height: 1.7; }
  td.number, td.wide, td.chart, tbody td:not([class]) { text-align: left; white-space: normal; min-width: 0; }
  td:has(.zero) { display: none; }
  .heat { min-width: 2.2rem; }
  section { padding: 1.1rem 1rem; border-radius: .6rem; }
  .verdict { padding: 1.1rem; }
  .top, .frame, footer { padding-left: .75rem; padding-right: .75rem; }
  input[type=search] { width: 100%; min-height: 2.5rem; }
  .more { width: 100%; min-height: 2.75rem; }
}
`

const conversations = `
.conversation nav { display: flex; flex-wrap: wrap; gap: .3rem 1.25rem; align-items: baseline; margin-bottom: 1rem; font-size: .92rem; }
.conversation nav span { margin-right: auto; }
.conversation h2 { font-size: 1.15rem; }
.facts { display: flex; flex-wrap: wrap; gap: .4rem 2rem; margin: .5rem 0 0; }
.facts dt { color: var(--quiet); font-size: .85rem; }
.facts dd { margin: 0; }
.calls { list-style: none; margin: 0; padding: 0; }
.call { padding: .7rem 0 .7rem .8rem; border-top: 1px solid var(--line); border-left: .2rem solid transparent; }
.call:target, .call:has(:target) { border-left-color: var(--accent); background: var(--sunken); }
.call p { margin: 0; max-width: none; }
.call .at { font-variant-numeric: tabular-nums; color: var(--quiet); margin-right: .4rem; }
.call .tool { font-weight: 600; font-size: .92em; }
.call dl { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: .1rem .75rem; margin: .25rem 0 0; font-size: .92rem; }
.call dt { color: var(--quiet); font-size: .85rem; line-height: 1.7; }
.call dd { margin: 0; }
.gap { color: var(--quiet); padding: .6rem 0; border-top: 1px solid var(--line); font-size: .9rem; }
.conversation:has(.only:checked) .fine { display: none; }
label { display: inline-flex; gap: .5rem; align-items: center; min-height: 1.75rem; }
input[type=checkbox] { width: 1.1rem; height: 1.1rem; accent-color: var(--accent); }
@supports selector(:has(a)) {
  .conversation { display: none; margin-top: 1rem; }
  .conversation:target, .conversation:has(:target) { display: block; }
  body:has(.conversation:target, .conversation :target) :is(#overview, .sections, .skip) { display: none; }
  body:has(.conversation:target, .conversation :target) .frame { display: block; max-width: 66rem; }
  body:has(.conversation:target, .conversation :target) :is(.top, footer) { max-width: 66rem; }
}
@media (max-width: 60rem) { .call dl { grid-template-columns: minmax(0, 1fr); } .call { padding-left: .5rem; } }
`

const settings = `
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media (prefers-contrast: more) { :root { --quiet: var(--text); --line: var(--field); } }
@media (forced-colors: active) { rect, .legend i, .heat, .badge { forced-color-adjust: none; } }
@media print {
  .sections, .skip, .tools, .more, .conversation nav, label, thead button::after { display: none; }
  .frame { display: block; }
  section, figure, .tiles > div { break-inside: auto; border-color: #bbb; }
  tr, .bars li, .call, figure { break-inside: avoid; }
  tr.folded { display: table-row; }
  rect, i, .heat, .badge, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`

/** The complete style sheet. */
export const style = `
:root { color-scheme: light; ${variables(0)} }
@media screen and (prefers-color-scheme: dark) { :root { color-scheme: dark; ${variables(1)} } }
${fonts}${frame}${summary}${charts}${tables}${conversations}${settings}`
