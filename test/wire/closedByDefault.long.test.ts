/** Attacks every row of the table of SECURITY.md about the wire, with the default and with the setting that opens it. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../support/sources.ts"
import * as Load from "./load.ts"
import * as Outgoing from "./outgoing.ts"
import * as Requests from "./requests.ts"
import type { Attack } from "./requests.ts"

/** The attacks, by the text with which a row of the table begins. */
const attacks: Readonly<Record<string, Attack>> = {
  "connections from other machines": Outgoing.otherMachines,
  "a foreign `Host`": Requests.foreignHost,
  "a foreign `Origin`": Requests.foreignOrigin,
  "a POST of `text/plain` or another type": Requests.otherType,
  "a compressed body": Requests.compressedBody,
  "a request without the token": Requests.withoutToken,
  "`/openapi.json` for clients": Requests.document,
  "`tools/call` and other requests without an id": Load.callWithoutId,
  bodies: Requests.largeBody,
  "bodies of all requests in progress": Load.manyBodies,
  "headers and URLs": Requests.largeHeaders,
  "requests that arrive slowly": Load.slowRequest,
  "open connections": Load.idleConnections,
  "requests in progress": Load.manyRequests,
  "calls in progress of a client of the proxy": Load.callsInProgress,
  "messages for a client that reads slowly": Load.slowReader,
  "sessions of the proxy": Load.proxySessions,
  "sessions of a principal (`mcp serve`)": Load.servedSessions,
  "active runs of `AgentSse`": Load.activeRuns,
  "readers of a run": Load.readersOfRun,
  "messages of an MCP server that answer no request": Outgoing.floods,
  "variables of the environment for an MCP server": Outgoing.environment,
  "PostgreSQL on another machine without TLS": Outgoing.plainPostgres,
  "Redis on another machine without TLS": Outgoing.plainRedis
}

const section = readFileSync(join(root, "SECURITY.md"), "utf8").split("## Closed by default on the wire")[1] ?? ""
const rows = (section.split("\n## ")[0] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
  .slice(1)
  .map((line) => line.split("|").map((cell) => cell.trim()))

/** Returns the attack of a row: the attack whose name is the longest beginning of the row. */
const attackOf = (row: string): Attack | undefined => {
  const [name = ""] = Object.keys(attacks)
    .filter((name) => row.startsWith(name))
    .sort((one, other) => other.length - one.length)
  return attacks[name]
}

describe("SECURITY.md", () => {
  it("13.7 every row of the table has an attack on its default and, if it names a setting, with the setting", () => {
    assert.strictEqual(rows.length, Object.keys(attacks).length)
    for (const [, what = "", , setting = ""] of rows) {
      const attack = attackOf(what)
      assert.isDefined(attack, what)
      assert.strictEqual(attack?.opened === undefined, setting.startsWith("—"), `${what}: ${setting}`)
    }
  })

  it.each(Object.entries(attacks))("13.7 %s: refused or bounded by default", (_, { closed }) => closed())

  it.each(Object.entries(attacks).filter(([, { opened }]) => opened !== undefined))(
    "13.7 %s: accepted with the setting that opens it",
    (_, { opened }) => opened?.()
  )
})
