/** The style of all pages. Colours have a contrast of at least 4.5 to 1 on their background. */
export const pageStyle = `
:root { color-scheme: light dark; --paper: #fff; --panel: #f5f6f8; --ink: #1b1f24; --soft: #59636e;
  --line: #d5dae0; --accent: #0a6b58; --good: #0a6b3c; --good-paper: #e2f5ea; --bad: #a3242b;
  --bad-paper: #fdeaea; --open: #7a4d00; --open-paper: #fff3da; --mark: #b4530a; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --panel: #1d2127; --ink: #e6e9ed;
  --soft: #a2acb8; --line: #363d46; --accent: #54c7ac; --good: #6fd39b; --good-paper: #12301f;
  --bad: #ff9a98; --bad-paper: #3d1a1c; --open: #f0c060; --open-paper: #362a10; --mark: #f2a25c; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; overflow-wrap: break-word; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main, footer { max-width: 1180px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 36px; }
footer { padding-bottom: 48px; color: var(--soft); font-size: 14px; }
h1 { font-size: clamp(24px, 4vw, 34px); line-height: 1.2; margin: 0 0 8px; letter-spacing: -.01em; }
h2 { font-size: 21px; margin: 44px 0 12px; line-height: 1.3; }
h3 { font-size: 16px; margin: 24px 0 6px; }
p { margin: 8px 0; max-width: 76ch; }
a { color: var(--accent); text-underline-offset: 2px; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.lead, .soft { color: var(--soft); }
.break { overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 1px; margin: 20px 0;
  padding: 0; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.facts div { background: var(--panel); padding: 10px 14px; box-shadow: 0 0 0 1px var(--line); }
.facts dt { color: var(--soft); font-size: 13px; }
.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.answers { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); }
.answer { border: 1px solid var(--line); border-left: 4px solid var(--soft); border-radius: 8px; padding: 12px 16px; }
.answer h3 { margin: 0; display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: center; overflow-wrap: anywhere; }
.answer p { font-size: 15px; }
.shown { border-left-color: var(--good); } .worse { border-left-color: var(--bad); }
.not-shown { border-left-color: var(--open); }
.badge { font-size: 13px; font-weight: 600; padding: 1px 9px; border-radius: 99px; background: var(--panel);
  color: var(--soft); }
.shown .badge { color: var(--good); background: var(--good-paper); }
.worse .badge { color: var(--bad); background: var(--bad-paper); }
.not-shown .badge { color: var(--open); background: var(--open-paper); }
.scroll { overflow-x: auto; margin: 12px 0; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: 10px 12px; color: var(--soft); caption-side: top; }
caption span { position: sticky; left: 12px; display: inline-block; max-width: min(90ch, calc(100vw - 56px)); }
td details { margin: -4px 0; white-space: normal; }
th, td { padding: 7px 12px; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { background: var(--panel); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 600; min-width: 130px; }
th:first-child { position: sticky; left: 0; background: var(--paper); max-width: 240px; }
thead th:first-child { background: var(--panel); }
.number { text-align: right; white-space: nowrap; }
thead .number { white-space: normal; }
td small, dd small { display: block; color: var(--soft); font-size: 12.5px; }
tbody th small { display: block; color: var(--soft); font-weight: 400; font-size: 12.5px; min-width: 150px; }
.evidence { font: 13px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap;
  overflow-wrap: anywhere; unicode-bidi: isolate; min-width: 220px; display: block; }
.solved { color: var(--good); } .failed { color: var(--bad); }
.runs { display: inline-flex; flex-wrap: wrap; gap: 2px 8px; justify-content: flex-end; }
figure { margin: 12px 0; padding: 12px; border: 1px solid var(--line); border-radius: 8px; }
figcaption { color: var(--soft); font-size: 14px; max-width: 90ch; }
svg { display: block; width: 100%; height: auto; font: 12.5px system-ui, sans-serif; }
dd small { font-weight: 400; }
svg text { fill: var(--ink); } svg .tick { fill: var(--soft); }
svg .grid { stroke: var(--line); } svg .axis { stroke: var(--soft); }
svg .bar { stroke: var(--soft); stroke-width: 1.25; opacity: .75; } svg .leader { stroke: var(--soft); stroke-width: .8; }
svg .managed { fill: var(--accent); stroke: var(--paper); stroke-width: 1.5; }
svg .other { fill: var(--paper); stroke: var(--mark); stroke-width: 2.25; }
svg .baseline { fill: var(--ink); stroke: var(--paper); stroke-width: 1.5; }
svg .halo { stroke: var(--paper); stroke-width: 4; stroke-linejoin: round; paint-order: stroke; }
.narrow { display: none; }
@media (max-width: 700px) { tbody th:first-child, tbody th:first-child small { min-width: 100px; max-width: 140px; } .wide { display: none; } .narrow { display: block; }
  header, main, footer { padding-left: 14px; padding-right: 14px; } figure { padding: 8px 6px; }
  th, td { padding: 6px 9px; } }
details { margin: 8px 0; } summary { cursor: pointer; font-weight: 600; padding: 4px 0; }
ul { padding-left: 22px; max-width: 80ch; } li { margin: 5px 0; }
@media print { .scroll { overflow: visible; } }
`;
