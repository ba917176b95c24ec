/** Tests what the guard redacts and leaves out when it writes envelopes. */
import { success } from "#domain/call/Outcome"
import * as Verdict from "#domain/tool/Verdict"
import { layer as redactorMemory } from "#layers/RedactorMemory"
import * as Pipeline from "#pipeline/Pipeline"
import type { Stage } from "#pipeline/call/Stage"
import { Redactor } from "#services/Redactor"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"

class ReadNote extends GuardedTool.Service<ReadNote>()("read_note", {
  description: "Reads a note. Read-only.",
  access: "read",
  parameters: Schema.Struct({}),
  success: Schema.Struct({ text: Schema.String })
}) {}

class WriteNote extends GuardedTool.Service<WriteNote>()("write_note", {
  description: "Writes a note. Writes.",
  access: "write",
  parameters: Schema.Struct({}),
  success: Schema.Struct({ text: Schema.String })
}) {}

/** A custom redactor that throws. */
const broken = Layer.succeed(Redactor, {
  failure: () => {
    throw new Error("the custom pattern does not terminate")
  },
  text: (text) => text,
  data: () => {
    throw new Error("postgres://root:secret@db/prod")
  }
})

// written in pieces, so that secret scanners do not report this file
const token = ["glpat-", "4fXcD9kLmN2pQr7sTuVw"].join("")

class ReadLines extends GuardedTool.Service<ReadLines>()("read_lines", {
  description: "Reads lines. Read-only.",
  access: "read",
  parameters: Schema.Struct({}),
  success: Schema.Struct({
    lines: Schema.Array(Schema.Struct({ text: Schema.String, count: Schema.Int })),
    either: Schema.Union([Schema.Struct({ a: Schema.Int }), Schema.Struct({ b: Schema.Int })]),
    more: Schema.optionalKey(Schema.NullOr(Schema.Struct({ page: Schema.Int })))
  }),
  checks: { lines: () => Verdict.ok }
}) {}

/** A result that has fields at every level that the `success` schema does not name. */
const unnamed = {
  lines: [
    { text: "hello", count: 1, secret: token },
    Object.assign(Object.create({ inherited: token }), { text: "x", count: 2 })
  ],
  either: { b: 1, note: token },
  more: { page: 1, cursor: token },
  token
}

const note = () => Effect.succeed({ text: "hello" })
const tools = Toolbox.make(ReadNote, WriteNote)
const read = (name: string) =>
  Effect.map(tools.answer({ name, arguments: "{}", callId: "1" }), ({ text }) => JSON.parse(text))

describe("the envelope that the model reads", () => {
  it.effect("5.4 a redactor that throws neither ends the run nor reveals the result", () =>
    Effect.gen(function* () {
      const shown = yield* read("read_note")
      assert.strictEqual(shown.status, "error")
      assert.strictEqual(shown.error.code, "invalid_result")
      assert.strictEqual(JSON.stringify(shown).includes("hello") || JSON.stringify(shown).includes("secret"), false)
    }).pipe(Effect.provide([ReadNote.layerTest(note), WriteNote.layerTest(note), Guard.layerMemoryWith(broken)]))
  )

  it.effect("3.3 a write whose answer cannot be shown is reported to the model as done", () =>
    Effect.gen(function* () {
      const shown = yield* read("write_note")
      assert.strictEqual(shown.error.code, "done_unreadable")
      assert.strictEqual(shown.error.side_effect, "committed")
    }).pipe(Effect.provide([ReadNote.layerTest(note), WriteNote.layerTest(note), Guard.layerMemoryWith(broken)]))
  )

  it.effect("5.4 a redactor that throws on a failure leaves an envelope without the texts of the failure", () =>
    Effect.gen(function* () {
      const shown = yield* read("read_note")
      assert.strictEqual(shown.error.code, "tool_crashed")
      assert.strictEqual(JSON.stringify(shown).includes("token=abc"), false)
    }).pipe(
      Effect.provide([
        ReadNote.layerTest(() => Effect.fail(new Error("token=abc"))),
        WriteNote.layerTest(note),
        Guard.layerMemoryWith(broken)
      ])
    )
  )

  it.effect("5.1 a result without secrets is shown in full", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read("read_note"), { status: "success", data: { text: "hello" } })
    }).pipe(
      Effect.provide([ReadNote.layerTest(note), WriteNote.layerTest(note), Guard.layerMemoryWith(redactorMemory)])
    )
  )

  it.effect("4.15 fields that the schema does not name are not shown, so that a search by schema is complete", () =>
    Effect.gen(function* () {
      const { text } = yield* Toolbox.make(ReadLines).answer({ name: "read_lines", arguments: "{}", callId: "1" })
      assert.deepStrictEqual(JSON.parse(text), {
        status: "success",
        data: {
          lines: [
            { text: "hello", count: 1 },
            { text: "x", count: 2 }
          ],
          either: { b: 1 },
          more: { page: 1 }
        }
      })
    }).pipe(Effect.provide([ReadLines.layerTest(() => Effect.succeed(unnamed)), Guard.layerMemoryWith(redactorMemory)]))
  )

  it.effect("4.15 a result that a stage replaced is also searched in fields that the schema does not name", () =>
    Effect.gen(function* () {
      const forged: Stage = {
        name: "forge",
        make: Effect.succeed(() => (next) => (call) => Effect.as(next(call), success({ text: "x", aside: token })))
      }
      const guard = Guard.layerOf([forged, ...Pipeline.stages]).pipe(Layer.provide(Guard.memory))
      const answer = yield* Effect.provide(tools.answer({ name: "read_note", arguments: "{}", callId: "1" }), [
        ReadNote.layerTest(note),
        WriteNote.layerTest(note),
        guard
      ])
      assert.strictEqual(answer.text, `{"status":"success","data":{"text":"x","aside":"[redacted]"}}`)
    })
  )
})
