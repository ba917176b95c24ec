/** Runs all of `npm run bench:told`: no count differs from 0, and the published vectors are current. */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { run } from "./told/Cells.ts"
import { compare } from "./told/Counts.ts"
import * as RemoteMcp from "./told/RemoteMcp.ts"
import { isSpecified, vectorSituations, write } from "./told/Vectors.ts"

const bench = (...argv: ReadonlyArray<string>) =>
  spawnSync(process.execPath, ["test/bench/told.ts", ...argv], {
    encoding: "utf8",
    timeout: 280_000,
    killSignal: "SIGKILL",
    maxBuffer: 64_000_000
  })

describe("bench:told", () => {
  it("3.3 counts no false report in at least 400 situations whose upstream keeps to its protocol", () => {
    const { status, stdout } = bench("--json")
    const { cells, counts, situations } = JSON.parse(stdout)
    assert.isAtLeast(situations, 400)
    assert.lengthOf(cells, situations)
    assert.deepStrictEqual(
      Object.entries(counts).filter(([, number]) => number !== 0),
      []
    )
    assert.strictEqual(status, 0)
  })

  it("3.3 counts no false report in 150 situations whose tool is on a remote MCP server, 50 of them through the proxy", async () => {
    const compared = compare(await RemoteMcp.run())
    assert.lengthOf(compared, 150)
    assert.lengthOf(
      compared.filter(({ cell }) => cell.situation.caller === "proxy"),
      50
    )
    assert.deepStrictEqual(
      compared
        .filter(({ falseReports, keepsProtocol }) => keepsProtocol && falseReports.length > 0)
        .map(({ falseReports }) => falseReports),
      []
    )
    // the ledger shows what the server did: it returned a result although nothing, or only half, was done
    const falseSuccesses = compared.filter(({ falseReports }) =>
      falseReports.some(({ kind }) => kind === "false success")
    )
    assert.deepStrictEqual(
      new Set(falseSuccesses.map(({ cell }) => `${cell.situation.answer.name}, ${cell.situation.deed}`)),
      new Set(["MCP: a result, nothing", "MCP: a result, half"])
    )
  })

  it("3.3 the vectors of test/vectors/told.json are current, and agree with the specification", async () => {
    const cells = await run(vectorSituations)
    assert.strictEqual(write(cells), readFileSync("test/vectors/told.json", "utf8"))
    assert.deepStrictEqual(
      cells.filter((cell) => !isSpecified(cell)).map(({ situation }) => situation.answer.name),
      []
    )
  })

  it("refuses an unknown option", () => {
    const { status, stderr } = bench("--jsn")
    assert.strictEqual(status, 1)
    assert.match(stderr, /^Unknown option --jsn\. Usage: npm run bench:told/)
  })
})
