/**
 * Makes the calls of the published vectors, and of every second of the other situations of `npm run bench:told`: no count differs
 * from 0, and the vectors are current.
 */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { type Cell, run } from "./told/Cells.ts"
import { compare, count } from "./told/Counts.ts"
import * as RemoteMcp from "./told/RemoteMcp.ts"
import { situations } from "./told/Situation.ts"
import { isSpecified, isVector, write } from "./told/Vectors.ts"

const played = situations.filter((situation, index) => isVector(situation) || index % 2 === 0)

describe("bench:told", () => {
  let local: ReadonlyArray<Cell> = []
  let remote: ReadonlyArray<Cell> = []
  beforeAll(async () => {
    local = await run(played)
    remote = await RemoteMcp.run()
  })

  it("3.3 counts no false report in at least 400 situations whose upstream keeps to its protocol", () => {
    const compared = compare([...local, ...remote])
    assert.isAtLeast(compared.filter(({ keepsProtocol }) => keepsProtocol).length, 400)
    assert.deepStrictEqual(
      Object.entries(count(compared)).filter(([, number]) => number !== 0),
      []
    )
  })

  it("3.3 counts no false report in 150 situations whose tool is on a remote MCP server, 50 of them through the proxy", () => {
    const compared = compare(remote)
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

  it("3.3 the vectors of test/vectors/told.json are current, and agree with the specification", () => {
    const cells = local.filter(({ situation }) => isVector(situation))
    assert.strictEqual(write(cells), readFileSync("test/vectors/told.json", "utf8"))
    assert.deepStrictEqual(
      cells.filter((cell) => !isSpecified(cell)).map(({ situation }) => situation.answer.name),
      []
    )
  })

  it("refuses an unknown option", () => {
    const { status, stderr } = spawnSync(process.execPath, ["test/bench/told.ts", "--jsn"], { encoding: "utf8" })
    assert.strictEqual(status, 1)
    assert.match(stderr, /^Unknown option --jsn\. Usage: npm run bench:told/)
  })
})
