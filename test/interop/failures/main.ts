/**
 * `npm run failures`: thirteen failures of tools and models, live through each host, bare and guarded, as a table.
 *
 * Each host runs its own loop against a scripted server. A cell says in a few words what happened; a cell in bold is a
 * failure that the host handled. `-- --json` prints one JSON object, `-- NAME` only the hosts whose names contain NAME.
 *
 * Needs the packages of this folder: `npm ci --prefix test/interop`.
 */
import { markdown, rowsOf } from "./table.ts"

const filter = process.argv.slice(2).find((each) => !each.startsWith("--")) ?? ""
const rows = await rowsOf(filter)
console.log(process.argv.includes("--json") ? JSON.stringify(rows, null, 2) : markdown(rows))
process.exit(0) // a bare host that hangs keeps the process alive
