import * as Part from "#domain/parts/Part"
import * as ShownPart from "#domain/parts/ShownPart"
import * as Transcript from "#domain/transcript/Transcript"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { Prompt } from "effect/ai"

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47])
const file = (data: unknown, more: object = {}): unknown => ({ type: "file", mediaType: "image/png", data, ...more })
const plain = (...parts: ReadonlyArray<unknown>) => Result.getOrThrow(Part.plain(parts))
const wrong = (...parts: ReadonlyArray<unknown>) => Result.getOrThrow(Result.flip(Part.plain(parts)))

const roundTrip = (message: Prompt.ToolMessage): Prompt.Prompt =>
  Schema.decodeUnknownSync(Prompt.Prompt)(
    JSON.parse(JSON.stringify(Schema.encodeSync(Prompt.Prompt)(Prompt.fromMessages([message]))))
  )

describe("Part", () => {
  it("5.6 converts bytes, base64 and addresses to one plain form", () => {
    const known = { type: "file", mediaType: "image/png", data: "iVBORw==" } as const
    assert.deepStrictEqual(plain(file(png), file("iVBO\nRw=="), file("data:image/png;base64,iVBORw==")), [
      known,
      known,
      known
    ])
    const there = "https://example.org/a.png"
    assert.deepStrictEqual(
      plain(file(new URL(there)), file(there)).map((part) => "data" in part && part.data),
      [there, there]
    )
    assert.deepStrictEqual(plain({ type: "text", text: "a" }), [{ type: "text", text: "a" }])
  })

  it("5.6 names the invalid part and its fault", () => {
    assert.strictEqual(
      wrong({ type: "text", text: "a" }, file("no base64!")),
      "Part 2 has `data` that is not bytes (at least one), base64 or an address."
    )
    for (const part of [
      null,
      {},
      { type: "text" },
      file(png, { mediaType: "png" }),
      file(""),
      file(new Uint8Array(0)),
      file(png, { fileName: 1 })
    ]) {
      assert.match(wrong(part), /^Part 1 (?:is|has) .*\.$/u)
    }
    assert.strictEqual(
      wrong(...Array.from({ length: 101 }, () => file(png))),
      "There are 101 parts; at most 100 are allowed."
    )
  })

  it("5.6 keeps the name of a file, and accepts 100 parts", () => {
    const [part] = plain(file(png, { fileName: "a.png" }))
    assert.deepStrictEqual(part, { type: "file", mediaType: "image/png", data: "iVBORw==", fileName: "a.png" })
    assert.lengthOf(plain(...Array.from({ length: 100 }, () => file(png))), 100)
  })

  it("5.6 each fault has its sentence", () => {
    assert.strictEqual(Result.getOrThrow(Result.flip(Part.plain({ length: 1 }))), "The parts are not a list.")
    const data = "Part 1 has `data` that is not bytes (at least one), base64 or an address."
    const type = "Part 1 has no `mediaType` such as image/png."
    for (const [part, fault] of [
      ["text", "Part 1 is not an object."],
      [null, "Part 1 is not an object."],
      [{ type: "text", text: 1 }, "Part 1 has no `text`."],
      [{ ...(file(png) as object), type: "image" }, 'Part 1 is not of type "text" or "file".'],
      [file(png, { mediaType: ["image/png"] }), type],
      [file(png, { mediaType: "image" }), type],
      [file(png, { fileName: 1 }), "Part 1 has a `fileName` that is not a string."],
      [file(5), data],
      [file("iVBORw"), data],
      [file("https://"), data]
    ] as const)
      assert.strictEqual(wrong(part), fault)
  })

  it("5.6 an address has no bytes and no text", () => {
    const [there] = plain(file("https://example.org/a.csv", { mediaType: "text/csv" }))
    assert.deepStrictEqual(
      [Part.fileBytes(there as Part.PlainFile), Part.textOf(there as Part.PlainFile)],
      [0, undefined]
    )
  })

  it("5.6 an answer with parts is recognised by its mark, whatever else a handler returns", () => {
    const answer = Part.withParts(7, [{ type: "text", text: "a" }])
    assert.deepStrictEqual([answer.answer, answer.parts], [7, [{ type: "text", text: "a" }]])
    for (const value of [{ answer: 7, parts: [] }, {}, null, undefined, 7, "a"]) assert.isFalse(Part.isWithParts(value))
    assert.isTrue(Part.isWithParts(answer))
  })

  it("5.6 counts the bytes of a file, and reads a text file", () => {
    for (const length of [1, 2, 3, 4, 5]) {
      const [part] = plain(file(new Uint8Array(length)))
      assert.strictEqual(Part.fileBytes(part as Part.PlainFile), length)
    }
    const [text, picture] = plain(file(new TextEncoder().encode("a,ü"), { mediaType: "text/csv" }), file(png))
    assert.strictEqual(Part.textOf(text as Part.PlainFile), "a,ü")
    assert.isUndefined(Part.textOf(picture as Part.PlainFile))
    assert.strictEqual(Part.textOf(Part.withText(text as Part.PlainFile, "b")), "b")
  })
})

describe("ShownPart", () => {
  const envelope = '{"status":"success","data":[{"a":12345678901234567890,"parts":[1]}]}'
  const shown: ReadonlyArray<ShownPart.ShownPart> = [
    { type: "text", text: "note" },
    { type: "file", mediaType: "image/png", data: "iVBORw==", fileName: "a.png", resourceUrl: "artifact://1" },
    { type: "file", mediaType: "image/png", data: "https://example.org/a.png" }
  ]
  const output = ShownPart.modelOutput(envelope, shown) ?? []

  it("5.6 a result with parts survives the JSON of a conversation", () => {
    const part = Prompt.toolResultPart({
      id: "c1",
      name: "look",
      isFailure: false,
      result: envelope,
      modelOutput: output,
      providerExecuted: false
    })
    const message = Prompt.toolMessage({ content: [part] })
    assert.deepStrictEqual(roundTrip(message), Prompt.fromMessages([message]))
    assert.isUndefined(ShownPart.modelOutput(envelope, []))
  })

  it("5.6 a provider that accepts only text receives the envelope with notes on the parts and their links", () => {
    const text = ShownPart.asText(output)
    assert.isTrue(text.startsWith(envelope.slice(0, -1)), "the envelope's text is unchanged")
    assert.deepStrictEqual(JSON.parse(text).parts, [
      { type: "text", text: "note" },
      { type: "file", media_type: "image/png", file_name: "a.png", bytes: 4, resource_url: "artifact://1" },
      { type: "file", media_type: "image/png", url: "https://example.org/a.png" }
    ])
  })

  it("5.6 Anthropic receives images unchanged, and links to parts that it does not accept", () => {
    const audio = { type: "file", mediaType: "audio/wav", data: "AAAA", resourceUrl: "artifact://2" } as const
    const content = ShownPart.modelOutput(envelope, [shown[1]!, audio]) ?? []
    const [result] = [
      { id: "c1", name: "look", isFailure: false, result: envelope, modelOutput: content, providerExecuted: false }
    ]
    const call = Prompt.makePart("tool-call", { id: "c1", name: "look", params: {}, providerExecuted: false })
    const { messages } = Transcript.toAnthropic(
      Prompt.fromMessages([
        Prompt.userMessage({ content: [Prompt.textPart({ text: "Look." })] }),
        Prompt.assistantMessage({ content: [call] }),
        Prompt.toolMessage({ content: [Prompt.toolResultPart(result!)] })
      ])
    )
    const [block] = (messages.at(-1)?.content ?? []) as ReadonlyArray<any>
    assert.deepStrictEqual(
      block.content.map(({ source, text, type }: any) => [type, source?.data ?? text]),
      [
        ["text", envelope],
        ["image", "iVBORw=="],
        ["text", '{"type":"file","media_type":"audio/wav","bytes":3,"resource_url":"artifact://2"}']
      ]
    )
  })

  it("5.6 notes are appended to the notes of the envelope, never to a list in its data", () => {
    const first = ShownPart.withNotes(envelope, [{ type: "text", bytes: 1 }])
    const both = ShownPart.withNotes(first, [{ type: "text", bytes: 2 }])
    assert.deepStrictEqual(JSON.parse(both).parts, [
      { type: "text", bytes: 1 },
      { type: "text", bytes: 2 }
    ])
    assert.strictEqual(both.split("12345678901234567890").length, 2)
    assert.strictEqual(ShownPart.withNotes(envelope, []), envelope)
  })
})
