/** Runs `toolguard outcomes` as a process, alongside a guard in this process, on a SQLite file and on PostgreSQL. */
import * as SqliteNode from "#layers/SqliteNode"
import * as StoresSql from "#layers/StoresSql"
import { Guard } from "#src/guard/Guard"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ask, response, tool } from "../../../pipeline/support.ts"
import { needs } from "../../../support/prerequisites.ts"
import { postgres, scratchDatabase, scratchUrl } from "../../../support/servers.ts"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-outcomes-cli-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Settles outcomes from other processes, and repeats the calls in this process. */
const settleTest = (database: Layer.Layer<SqlClient.SqlClient, unknown>, url: string) => {
  it("10.5 lists and settles the calls of a guard, whose repeats then get the result or are made again", async () => {
    const lost = response(500, "{}")
    const refund = tool("refund", { access: "write", idempotency: "derived" }, lost, lost, { n: 3 })
    const guard = Guard.layerMemoryWith(Layer.orDie(Layer.provide(StoresSql.layer, database)))
    const runtime = ManagedRuntime.make(Layer.mergeAll(refund.layer, guard))
    const call = (q: string) =>
      runtime.runPromise(
        Effect.map(
          Guard.turn(ask([refund.tool], "refund", { q }), {
            conversation: "c",
            turn: "t",
            tenant: "acme",
            principal: "ann\u202e"
          }) as Effect.Effect<any>,
          ({ envelope }) => envelope
        )
      )
    const outcomes = (...args: ReadonlyArray<string>) => toolguard(["outcomes", ...args, "--database", url])
    try {
      assert.strictEqual((await call("a\u202e")).error.code, "outcome_unknown")
      assert.strictEqual((await call("b")).error.code, "outcome_unknown")
      const listed = await outcomes()
      assert.deepStrictEqual([listed.code, listed.stderr], [0, ""])
      for (const part of [
        "  refund  outcome_unknown, ",
        '  arguments {"q":"a\\u202e"}',
        "  key idem_",
        "  tenant acme, on behalf of ann[U+202E], conversation c\n",
        "  trace tr_"
      ]) {
        assert.include(listed.stdout, part)
      }
      const { outcomes: open } = JSON.parse((await outcomes("--json")).stdout)
      const ids = open.map(({ id }: { readonly id: string }) => id)
      assert.lengthOf(ids, 2)
      const done = await outcomes("settle", ids[0], "--done", "--result", '{"n":7}', "--by", "ana", "--reason", "seen")
      assert.deepStrictEqual([done.code, done.stdout], [0, "ana found that refund was done.\n"])
      const again = await outcomes("settle", `https://inbox.example/approvals/outcomes/${ids[0]}`, "--not-done")
      assert.deepStrictEqual([again.code, again.stdout], [1, ""])
      assert.match(again.stderr, /ana found that refund was done \d s ago\.\nThe first settlement counts/u)
      const notDone = await outcomes("settle", ids[1], "--not-done", "--by", "ben", "--json")
      assert.strictEqual(JSON.parse(notDone.stdout).settlement.finding, "not_done")
      assert.deepInclude(await call("a\u202e"), { data: { n: 7 }, _idempotent: true })
      assert.deepStrictEqual((await call("b")).data, { n: 3 })
      assert.strictEqual(refund.runs(), 3)
      assert.strictEqual((await outcomes("--answered")).stdout, "No outcome is unknown.\n")
    } finally {
      await runtime.dispose()
    }
  })
}

describe("a SQLite file", () => {
  const file = join(folder, "outcomes.db")
  settleTest(SqliteNode.layer({ filename: file }), file)

  it("10.5 refuses invalid settlements with the reason and the remedy", async () => {
    const refused = async (...args: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await toolguard(["outcomes", "settle", ...args, "--database", file])
      return [code, stdout, stderr]
    }
    const lines = (code: number, ...text: ReadonlyArray<string>) => [code, "", `toolguard: ${text.join("\n")}\n`]
    assert.deepStrictEqual(
      await refused("x\u202e", "--done"),
      lines(1, "There is no unknown outcome x[U+202E].", "See toolguard outcomes.")
    )
    for (const flags of [[], ["--done", "--not-done"]]) {
      assert.deepStrictEqual(
        await refused("x", ...flags),
        lines(2, "Was the call done?", "Pass either --done or --not-done.")
      )
    }
    assert.deepStrictEqual(
      await refused("x", "--not-done", "--result", "1"),
      lines(2, "A call that was not done has no result.", "Leave --result out.")
    )
    assert.deepStrictEqual(
      await refused("x", "--done", "--result", "R-1"),
      lines(2, "--result is not JSON.", `Write a string in quotes: --result '"R-1"'.`)
    )
  })
})

describe("PostgreSQL", needs(postgres), () => {
  settleTest(scratchDatabase("outcomes_cli"), scratchUrl("outcomes_cli"))
})
