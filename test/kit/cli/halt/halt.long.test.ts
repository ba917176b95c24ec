/**
 * Runs `toolguard halt` and `toolguard resume` as processes, alongside a guard in this process, on a SQLite file and on
 * PostgreSQL.
 */
import * as SqliteNode from "#layers/SqliteNode"
import * as StoresSql from "#layers/StoresSql"
import { Guard } from "#src/guard/Guard"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ask, tool } from "../../../pipeline/support.ts"
import { needs } from "../../../support/prerequisites.ts"
import { postgres, scratchDatabase, scratchUrl } from "../../../support/servers.ts"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-halt-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Halts and resumes a tool from other processes while a guard in this process keeps calling it. */
const haltTest = (database: Layer.Layer<SqlClient.SqlClient, unknown>, url: string) => {
  it("10.7 a running guard refuses a halted tool within seconds, and calls it again after its resumption", async () => {
    const refund = tool("refund", { access: "write", description: "Refunds. Writes." }, { n: 1 })
    const guard = Guard.layerMemoryWith(Layer.orDie(Layer.provide(StoresSql.layer, database)))
    const runtime = ManagedRuntime.make(Layer.mergeAll(refund.layer, guard))
    let calls = 0
    /** Calls the tool with new arguments, and returns the envelope. */
    const next = () =>
      runtime.runPromise(
        Effect.map(
          Guard.turn(ask([refund.tool], "refund", `{"q":"${(calls += 1)}"}`)) as Effect.Effect<any>,
          ({ envelope }) => envelope
        )
      )
    /** Repeats the call until the condition holds for its envelope, at most twenty times in four seconds. */
    const until = async (holds: (envelope: any) => boolean): Promise<any> => {
      for (let tries = 1; ; tries += 1) {
        const envelope = await next()
        if (holds(envelope) || tries === 20) return envelope
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    }
    try {
      assert.strictEqual((await next()).status, "success")
      const order = ["refund", "--by", "ana", "--database", url]
      const halted = await toolguard(["halt", ...order, "--reason", "refunds are doubled"])
      assert.deepStrictEqual([halted.code, halted.stderr], [0, ""])
      assert.match(halted.stdout, /^refund: halted by ana 0 s ago: refunds are doubled\n/u)
      const { error } = await until(({ status }) => status === "error")
      assert.deepStrictEqual([error.code, error.side_effect], ["halted", "none"])
      assert.strictEqual(error.message, "refund was halted by ana: refunds are doubled.")
      const listed = JSON.parse((await toolguard(["halt", "--json", "--database", url])).stdout)
      assert.deepInclude(listed.halted[0], { tool: "refund", action: "halted", by: "ana" })
      const resumed = await toolguard(["resume", ...order])
      assert.deepStrictEqual([resumed.code, resumed.stdout], [0, "refund: resumed by ana.\n"])
      const runs = refund.runs()
      assert.strictEqual((await until(({ status }) => status === "success")).status, "success")
      const history = (await toolguard(["halt", "--history", "--database", url])).stdout
      assert.match(history, /^refund: resumed by ana [^\n]+\nrefund: halted by ana [^\n]+: refunds are doubled\n$/u)
      assert.strictEqual(refund.runs(), runs + 1)
    } finally {
      await runtime.dispose()
    }
  })
}

describe("a SQLite file", () => {
  const file = join(folder, "halts.db")
  haltTest(SqliteNode.layer({ filename: file }), file)

  it("10.7 refuses invalid commands with the problem and the remedy, and changes nothing", async () => {
    const refused = async (...args: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await toolguard([...args, "--database", file])
      return [code, stdout, stderr]
    }
    assert.deepStrictEqual(await refused("resume", "refund\u202e"), [
      1,
      "",
      "toolguard: refund[U+202E] is not halted.\ntoolguard halt lists the halted tools.\n"
    ])
    assert.deepStrictEqual(await refused("halt", " "), [
      2,
      "",
      "toolguard: The name of the tool is empty.\nName the tool as the model calls it.\n"
    ])
    assert.deepStrictEqual(await refused("halt", "refund", "--reason", "x".repeat(201)), [
      2,
      "",
      "toolguard: The reason has 201 characters.\nWrite at most 200.\n"
    ])
    assert.deepStrictEqual(await refused("halt", "refund", "--by", "x".repeat(101)), [
      2,
      "",
      "toolguard: --by has 101 characters.\nWrite at most 100.\n"
    ])
    assert.deepStrictEqual(await refused("halt"), [0, "No tool is halted.\n", ""])
  })
})

describe("PostgreSQL", needs(postgres), () => {
  haltTest(scratchDatabase("halt_cli"), scratchUrl("halt_cli"))
})
