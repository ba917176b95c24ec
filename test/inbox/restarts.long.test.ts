/** Tests that an approval survives restarts: each call is made in a new process. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as SqliteNode from "#layers/SqliteNode"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { node } from "../support/tools.ts"
import { api, ben, serving } from "./support.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-inbox-"))
afterAll(() => rmSync(folder, { recursive: true }))

const args = { order_id: "O-1", cents: 20_000 }

describe("the guard with the inbox", () => {
  it.live(
    "10.3 an approval survives restarts: requested in one process, decided in another, used once in a third",
    () =>
      Effect.gen(function* () {
        const file = join(folder, "restart.db")
        const caller = () =>
          Effect.map(
            Effect.promise(() =>
              // Node 22 warns that SQLite is experimental
              node([
                "--disable-warning=ExperimentalWarning",
                join(import.meta.dirname, "caller.ts"),
                file,
                JSON.stringify(args)
              ])
            ),
            ({ code, stderr, stdout }) => {
              assert.deepStrictEqual([code, stderr], [0, ""])
              return JSON.parse(stdout) as { readonly runs: number; readonly code?: string; readonly url?: string }
            }
          )
        const first = yield* caller()
        assert.deepStrictEqual([first.runs, first.code], [0, "requires_human_approval"])
        const id = first.url?.split("/").at(-1) ?? ""
        const store = Layer.orDie(Layer.provide(ApprovalsSql.layer, SqliteNode.layer({ filename: file })))
        const approved = yield* serving((url) => api(url, ben, "POST", `/${id}/approve`, {})).pipe(
          Effect.provide(store)
        )
        assert.strictEqual(approved.status, 200)
        assert.deepStrictEqual(yield* caller(), { runs: 1 })
        const again = yield* caller()
        assert.deepStrictEqual([again.runs, again.code], [0, "requires_human_approval"])
        assert.notStrictEqual(again.url, first.url)
      }),
    60_000
  )
})
