/** The style sheet of the inbox: light or dark by the system's setting, one column on a phone, no external resources. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --surface: #ffffff; --text: #1b1f27; --quiet: #545c6a; --line: #d5dae2; --field: #7d8695;
  --accent: #1d4ed8; --on-accent: #ffffff; --yes: #146c3a; --no: #b02020; --code: #eef1f5; --mark: #fde9c8; --on-mark: #6b3d00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12151b; --surface: #1b2029; --text: #e7eaf0; --quiet: #a6aebd; --line: #343c4a; --field: #7f899b;
    --accent: #9db8ff; --on-accent: #0d1526; --yes: #7ddba0; --no: #ff9d97; --code: #12161d; --mark: #4d3608; --on-mark: #ffdf9e;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; display: inline-block; padding: .5rem 1rem; }
.bar { background: var(--surface); border-bottom: 1px solid var(--line); }
.bar > div { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; justify-content: space-between; }
.bar > div, main { max-width: 50rem; margin: 0 auto; padding: .75rem 1rem; }
.bar a.home { color: inherit; font-weight: 600; text-decoration: none; }
.bar form { display: flex; gap: .75rem; align-items: center; color: var(--quiet); }
main { padding-bottom: 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 1rem 0 .25rem; }
h2 { font-size: 1.1rem; line-height: 1.35; margin: 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.requests { list-style: none; margin: 1rem 0; padding: 0; display: grid; gap: 1rem; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem; min-width: 0; }
.card > * + * { margin-top: .85rem; }
.card header { display: flex; gap: .75rem; justify-content: space-between; align-items: flex-start; }
.level { flex: none; font-size: .8rem; font-weight: 600; padding: .15rem .55rem; border-radius: 1rem; background: var(--mark); color: var(--on-mark); }
dl { display: grid; grid-template-columns: 7.5rem 1fr; gap: .15rem 1rem; margin: 0; font-size: .93rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
code, pre { font: .88rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: .3rem 0 0; padding: .7rem .85rem; background: var(--code); border: 1px solid var(--line); border-radius: .4rem; max-height: 24rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; direction: ltr; }
.label, label { display: block; font-size: .93rem; color: var(--quiet); }
input, textarea { width: 100%; font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--field); border-radius: .4rem; padding: .5rem .65rem; margin-top: .25rem; }
textarea { min-height: 3.6rem; resize: vertical; }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: .7rem; }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .4rem 1.1rem; border-radius: .4rem; border: 1px solid var(--field); background: var(--surface); color: var(--text); cursor: pointer; }
button.yes { border-color: var(--yes); color: var(--yes); }
button.no { border-color: var(--no); color: var(--no); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.small { min-height: 2.25rem; padding: .2rem .8rem; font-weight: 400; }
button:hover { text-decoration: underline; }
button:disabled { opacity: .55; cursor: not-allowed; text-decoration: none; }
.hidden-character { font: .8em ui-monospace, Menlo, Consolas, monospace; background: var(--mark); color: var(--on-mark); border-radius: .2rem; padding: 0 .2rem; unicode-bidi: isolate; direction: ltr; }
.message { border-left: .3rem solid var(--accent); background: var(--surface); padding: .6rem .9rem; border-radius: .2rem; margin: 1rem 0; overflow-wrap: anywhere; }
.message.bad { border-color: var(--no); }
.pages { display: flex; gap: 1rem; }
.empty { padding: 2.5rem 1rem; text-align: center; color: var(--quiet); }
.entry { max-width: 26rem; margin: 2rem auto; }
.notices { margin: .5rem 0; padding: 0; list-style: none; }
.notices li { padding: .45rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
@media (max-width: 32rem) {
  dl { grid-template-columns: 6.5rem 1fr; gap: .15rem .5rem; }
  .card header { flex-direction: column-reverse; gap: .4rem; }
  .card > form .buttons button { flex: 1 1 100%; }
}
@media (prefers-contrast: more) { :root { --quiet: var(--text); --line: var(--text); } }
@media (forced-colors: active) { .card, pre, button { border: 1px solid; } }
`
