/** Runs commands on encrypted stores: with the key, without a key, and with a wrong key. */
import * as CallLogFile from "#layers/CallLogFile"
import * as SqliteNode from "#layers/SqliteNode"
import * as StoresSql from "#layers/StoresSql"
import { CallLog } from "#services/CallLog"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { planted, plantedRun } from "../../agent/plantedRun.ts"
import { encrypting, keyOf } from "../../support/atRest.ts"
import { toolguard } from "./toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-at-rest-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = join(folder, "stores.db")
const calls = join(folder, "calls.jsonl")
const withKey = { TOOLGUARD_AT_REST_KEY: `first:${keyOf(1)}` }
const wrongKey = { TOOLGUARD_AT_REST_KEY: `first:${keyOf(2)}` }

describe("commands on encrypted stores", async () => {
  const stores = StoresSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename: file })), Layer.provide(encrypting()))
  await Effect.runPromise(plantedRun(stores))
  const [trace] = await Effect.runPromise(
    Effect.flatMap(CallLog, ({ records }) => records).pipe(
      Effect.tap((records) =>
        Effect.provide(
          Effect.flatMap(CallLog, ({ append }) => Effect.sync(() => records.forEach(append))),
          CallLogFile.layer(calls).pipe(Layer.provide(encrypting()))
        )
      ),
      Effect.map((records) => records.map(({ traceId }) => traceId)),
      Effect.provide(Layer.fresh(stores))
    )
  )

  for (const [name, args, expected] of [
    ["approvals", ["approvals", "list"], planted.argument],
    ["explain", ["explain", trace!], "refund"],
    ["calls export", ["calls", "export", "-"], "refund"],
    ["runs export", ["runs", "export", "run", join(folder, "run.jsonl")], undefined]
  ] as const) {
    const run = (env: Readonly<Record<string, string>>) => toolguard([...args, "--database", file], { env })

    it(`${name} without the key, or with a wrong key, exits with 1 and a message that names the variable`, async () => {
      for (const env of [{}, wrongKey]) {
        const { code, stderr } = await run(env)
        assert.strictEqual(code, 1, stderr)
        assert.include(stderr, "TOOLGUARD_AT_REST_KEY")
        assert.notInclude(stderr, keyOf(2))
      }
    })

    it(`${name} with the key reads the texts`, async () => {
      const { code, stderr, stdout } = await run(withKey)
      assert.strictEqual(code, 0, stderr)
      if (expected !== undefined) assert.include(stdout, expected)
      if (name === "runs export") assert.include(readFileSync(join(folder, "run.jsonl"), "utf8"), planted.prompt)
    })
  }

  it("reads the key from the file that TOOLGUARD_AT_REST_KEY_FILE names", async () => {
    writeFileSync(join(folder, "key"), `first:${keyOf(1)}\n`)
    const env = { TOOLGUARD_AT_REST_KEY_FILE: join(folder, "key") }
    const { code, stdout } = await toolguard(["approvals", "list", "--database", file], { env })
    assert.deepStrictEqual([code, stdout.includes(planted.argument)], [0, true])
  })

  it("a malformed key leads to exit code 2, and a message without the key", async () => {
    const env = { TOOLGUARD_AT_REST_KEY: "hunter2" }
    const { code, stderr } = await toolguard(["approvals", "list", "--database", file], { env })
    assert.deepStrictEqual(
      [code, stderr.includes("openssl rand -base64 32"), stderr.includes("hunter2")],
      [2, true, false]
    )
  })

  it("replay reads an encrypted file of call records with the key, and refuses it without the key", async () => {
    assert.isTrue(existsSync(calls))
    const good = await toolguard(["replay", calls, "--json"], { env: withKey })
    assert.strictEqual(good.code, 0, good.stderr)
    assert.include(good.stdout, "refund")
    const bad = await toolguard(["replay", calls, "--json"], {})
    assert.strictEqual(bad.code, 1)
    assert.include(bad.stderr, "TOOLGUARD_AT_REST_KEY")
  })
})
