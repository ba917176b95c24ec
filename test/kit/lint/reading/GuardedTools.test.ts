/** Tests that guarded tools are linted as models read them, with the suppressions of their definitions. */
import { lintIgnore } from "#domain/schema/LintIgnore"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as GuardedTools from "#kit/lint/reading/GuardedTools"
import * as JsonPointer from "#domain/json/JsonPointer"
import * as Lint from "#kit/lint/Lint"
import * as ListingAnalysis from "#kit/lint/reading/ListingAnalysis"
import * as Settings from "#kit/lint/Settings"
import type { AnyTool } from "#src/tool/ToolClass"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { count } from "../support.ts"

class CreateNote extends GuardedTool.Service<CreateNote>()("create_note", {
  description: "Creates a note. Writes. Use it to remember something, not to send it.",
  access: "write",
  parameters: Schema.Struct({
    text: Schema.String.annotate({ description: "The note." }),
    tags: Schema.Array(Schema.String.pipe(lintIgnore({ "string-bounds": "Tags come from other systems." }))).annotate({
      description: "Its tags."
    })
  }).pipe(lintIgnore({ "array-bounds": "Notes are made by people." })),
  success: Schema.Struct({ id: Schema.String })
}) {}

class SendNote extends GuardedTool.Service<SendNote>()("send_note", {
  description: "Sends a note. Writes. Use it once a note is there, not before.",
  access: "write",
  parameters: Schema.Struct({
    id: Schema.String.check(Schema.isPattern(/^N-\d{1,9}$/u)).annotate({ description: "The note's id." }),
    reply: Schema.optionalKey(
      Schema.NullOr(Schema.String.pipe(lintIgnore({ "string-bounds": "" }))).annotate({ description: "What to say." })
    )
  }),
  success: Schema.Struct({}),
  idempotency: "derived"
}) {}

const lint = (...tools: ReadonlyArray<AnyTool>) => {
  const { listing, suppressions } = GuardedTools.read(tools)
  return Lint.run([{ listing: ListingAnalysis.read(listing, count), suppressions }], Settings.defaults).outcomes[0]!
}

describe("GuardedTools", () => {
  it("13.3 are linted by what they advertise, and by their policy", () => {
    const { findings } = lint(CreateNote, SendNote)
    assert.deepStrictEqual(
      findings.map(({ pointer, rule, tool }) => [tool, rule, JsonPointer.format(pointer)]),
      [
        ["create_note", "string-bounds", "/create_note/parameters/properties/text"],
        ["create_note", "idempotency-key", "/create_note/parameters"],
        ["send_note", "string-bounds", "/send_note/parameters/properties/reply"],
        ["send_note", "suppression-reason", "/send_note/parameters/properties/reply/string-bounds"]
      ]
    )
  })

  it("13.3 have the suppressions of their schemas, which do not change what is advertised", () => {
    const { suppressed } = lint(CreateNote)
    assert.deepStrictEqual(
      suppressed.map(({ reason, rule }) => [rule, reason]),
      [
        ["string-bounds", "Tags come from other systems."],
        ["array-bounds", "Notes are made by people."]
      ]
    )
    assert.deepStrictEqual(CreateNote.jsonSchema["properties"], {
      text: { type: "string", description: "The note." },
      tags: { type: "array", items: { type: "string" }, description: "Its tags." }
    })
  })
})
