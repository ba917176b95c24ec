import { layer as redactorMemory } from "#layers/RedactorMemory"
import { Redactor } from "#services/Redactor"
import { Guard } from "#src/Guard"
import * as GuardedTool from "#src/GuardedTool"
import * as Toolbox from "#src/Toolbox"
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

/** A redactor of a user's own that breaks. */
const broken = Layer.succeed(Redactor, {
  failure: () => {
    throw new Error("the pattern of a user's own does not end")
  },
  text: (text) => text,
  isClean: () => false,
  data: () => {
    throw new Error("postgres://root:secret@db/prod")
  }
})

const note = () => Effect.succeed({ text: "hello" })
const tools = Toolbox.make(ReadNote, WriteNote)
const read = (name: string) =>
  Effect.map(tools.answer({ name, arguments: "{}", callId: "1" }), ({ text }) => JSON.parse(text))

describe("what the model reads", () => {
  it.effect("5.4 a redactor that throws neither ends the run nor lets the result through", () =>
    Effect.gen(function* () {
      const shown = yield* read("read_note")
      assert.strictEqual(shown.status, "error")
      assert.strictEqual(shown.error.code, "invalid_result")
      assert.strictEqual(JSON.stringify(shown).includes("hello") || JSON.stringify(shown).includes("secret"), false)
    }).pipe(Effect.provide([ReadNote.layerTest(note), WriteNote.layerTest(note), Guard.layerMemoryWith(broken)]))
  )

  it.effect("3.3 a write whose answer cannot be shown was done, and the model is told so", () =>
    Effect.gen(function* () {
      const shown = yield* read("write_note")
      assert.strictEqual(shown.error.code, "done_unreadable")
      assert.strictEqual(shown.error.side_effect, "committed")
    }).pipe(Effect.provide([ReadNote.layerTest(note), WriteNote.layerTest(note), Guard.layerMemoryWith(broken)]))
  )

  it.effect("5.4 a redactor that throws on a failure leaves an envelope without its texts", () =>
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

  it.effect("5.1 a result that is fine is shown whole", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read("read_note"), { status: "success", data: { text: "hello" } })
    }).pipe(
      Effect.provide([ReadNote.layerTest(note), WriteNote.layerTest(note), Guard.layerMemoryWith(redactorMemory)])
    )
  )
})
