/**
 * `npm run failures`: thirteen failures of tools and models, live through each host, bare and guarded, as a table.
 *
 * Each host runs its own loop against a scripted server. A cell says in a few words what happened; a cell in bold is a
 * failure that the host handled. `-- --json` prints one JSON object, `-- NAME` only the hosts whose names contain NAME.
 *
 * Needs the packages of this folder: `npm ci --prefix test/interop`.
 */
import { hosts as effectHosts } from "./effectHosts.ts"
import { type Host, judged } from "./run.ts"
import { scenarios } from "./scenarios.ts"

const filter = process.argv.slice(2).find((each) => !each.startsWith("--")) ?? ""
const hosts: ReadonlyArray<Host> = effectHosts.filter(({ name }) => name.includes(filter))

const rows = []
for (const scenario of scenarios) {
  const cells = []
  for (const host of hosts)
    cells.push({ host: host.name, isGuarded: host.isGuarded, ...(await judged(host, scenario)) })
  rows.push({ failure: scenario.name, cells })
}
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 2))
else {
  const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
  console.log(line(["failure", ...hosts.map(({ isGuarded, name }) => `${name}, ${isGuarded ? "guarded" : "bare"}`)]))
  console.log(line(["failure", ...hosts].map(() => "---")))
  for (const { cells, failure } of rows)
    console.log(line([failure, ...cells.map(({ isHandled, text }) => (isHandled ? `**${text}**` : text))]))
}
process.exit(0) // a bare host that hangs keeps the process alive
