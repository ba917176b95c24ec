/** Runs the contract of CallLog with a file, and checks the file itself. */
import * as CallLogFile from "#layers/CallLogFile"
import { CallLog } from "#services/CallLog"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { callLogContract, recordOf } from "../contracts/CallLog.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-log-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const fresh = () => join(folder, `${(files += 1)}.jsonl`)

callLogContract("file", Layer.unwrap(Effect.sync(() => CallLogFile.layer(fresh()))))

describe("call records in a file", () => {
  it.live("15.2 are appended by the time the layer has closed, and only the owner can read the file", () =>
    Effect.gen(function* () {
      const file = fresh()
      for (const callId of ["one", "two"])
        yield* Effect.flatMap(CallLog, ({ append }) => Effect.sync(() => append(recordOf(callId)))).pipe(
          Effect.provide(Layer.fresh(CallLogFile.layer(file)))
        )
      const lines = readFileSync(file, "utf8").trim().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).callId),
        ["one", "two"]
      )
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    })
  )

  it.live("15.2 do not make `append` throw if they cannot be written, but reading them fails", () =>
    Effect.gen(function* () {
      const { append, records } = yield* CallLog
      append(recordOf("lost"))
      yield* Effect.sleep("20 millis")
      append(recordOf("lost too"))
      assert.strictEqual((yield* Effect.flip(records))._tag, "CallLogUnavailable")
    }).pipe(Effect.provide(CallLogFile.layer(join(folder, "no/such/folder/log.jsonl"))))
  )
})
