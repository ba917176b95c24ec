/** Tests the parts of a result as a model receives them: notes, links, stored copies, and providers without files. */
import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import type * as Part from "#domain/parts/Part"
import * as ShownPart from "#domain/parts/ShownPart"

const envelope = '{"status":"success","data":[1]}'
const picture = { type: "file", mediaType: "image/png", data: "iVBORw==" } as const
const named = { ...picture, fileName: "a.png" } as const
const address = { type: "file", mediaType: "image/png", data: "https://example.org/a.png" } as const
const csv = { type: "file", mediaType: "text/csv", data: "YSzDvA==" } as const
const link = { resourceUrl: "artifact://1" }

describe("ShownPart: parts that are left out", () => {
  const rows: ReadonlyArray<readonly [what: string, part: ShownPart.ShownPart, note: ShownPart.PartNote]> = [
    ["a text has its bytes", { type: "text", text: "ü" }, { type: "text", bytes: 2 }],
    [
      "a stored text also has its link",
      { type: "text", text: "a", ...link },
      { type: "text", bytes: 1, resource_url: "artifact://1" }
    ],
    ["a file has its media type and bytes", picture, { type: "file", media_type: "image/png", bytes: 4 }],
    [
      "a stored file with a name has both",
      { ...named, ...link },
      { type: "file", media_type: "image/png", file_name: "a.png", bytes: 4, resource_url: "artifact://1" }
    ],
    ["an address has the address", address, { type: "file", media_type: "image/png", url: address.data }]
  ]
  for (const [what, part, note] of rows)
    it(`5.6 the note on ${what}`, () => assert.deepStrictEqual(ShownPart.noteOf(part), note))

  it("5.6 the stored copy of a text or a text file is its text, and that of any other file is its base64", () => {
    const stored = (part: Part.PlainPart) => ShownPart.artifactOf(part)
    assert.strictEqual(stored({ type: "text", text: "a" }), "a")
    assert.strictEqual(stored(csv), "a,ü")
    assert.deepStrictEqual(stored(picture), { media_type: "image/png", base64: "iVBORw==" })
    assert.deepStrictEqual(stored(named), { media_type: "image/png", file_name: "a.png", base64: "iVBORw==" })
  })
})

describe("ShownPart: parts in a prompt", () => {
  const output = (...parts: ReadonlyArray<ShownPart.ShownPart>) => ShownPart.modelOutput(envelope, parts) ?? []

  it("5.6 there is no output alongside the envelope without parts", () => {
    assert.deepStrictEqual(
      [ShownPart.modelOutput(envelope, undefined), ShownPart.modelOutput(envelope, [])],
      [undefined, undefined]
    )
  })

  it("5.6 the envelope comes first; each part keeps its content, its name and its link", () => {
    assert.deepStrictEqual(output({ type: "text", text: "note", ...link }, picture, named, address), [
      Prompt.textPart({ text: envelope }),
      Prompt.textPart({ text: "note", options: { toolguard: { resource_url: "artifact://1" } } }),
      Prompt.filePart({ mediaType: "image/png", data: "iVBORw==" }),
      Prompt.filePart({ mediaType: "image/png", data: "iVBORw==", fileName: "a.png" }),
      Prompt.filePart({ mediaType: "image/png", data: new URL(address.data) })
    ])
  })

  it("5.6 only an option that states a link counts as a link", () => {
    const hasLink = (options: object) => ShownPart.hasLink(Prompt.textPart({ text: "a", options: options as never }))
    assert.deepStrictEqual(
      [
        { toolguard: { resource_url: "artifact://1" } },
        {},
        { toolguard: null },
        { toolguard: "artifact://1" },
        { toolguard: {} },
        { toolguard: { resource_url: 1 } }
      ].map(hasLink),
      [true, false, false, false, false, false]
    )
  })

  it("5.6 a model can read a stored text file, but not a text, an image, or a file without a link", () => {
    const isReadable = (...parts: ReadonlyArray<ShownPart.ShownPart>) => ShownPart.hasReadable(output(...parts))
    const text = { type: "text", text: "a", ...link } as const
    assert.deepStrictEqual(
      [
        isReadable({ ...csv, ...link }),
        isReadable(picture, { ...csv, ...link }),
        isReadable({ ...picture, ...link }),
        isReadable(csv),
        isReadable(text),
        isReadable()
      ],
      [true, true, false, false, false, false]
    )
  })

  it("5.6 the note on a file whose data no provider could read has neither bytes nor an address", () => {
    const note = ShownPart.noteIn(Prompt.filePart({ mediaType: "image/png", data: "no base64!" }))
    assert.deepStrictEqual(note, { type: "file", media_type: "image/png" })
    assert.deepStrictEqual(Object.keys(note), ["type", "media_type"])
  })
})

describe("ShownPart: a provider that accepts only text", () => {
  const asText = (...parts: ReadonlyArray<Prompt.ToolModelOutputPart>) => ShownPart.asText(parts)
  const text = (text: string) => Prompt.textPart({ text })
  const file = Prompt.filePart({ mediaType: "image/png", data: "iVBORw==" })

  it("5.6 in an envelope, the other parts become notes at its end", () => {
    const note = ',"parts":[{"type":"file","media_type":"image/png","bytes":4}]}'
    for (const status of ["success", "partial"])
      assert.strictEqual(asText(text(`{"status":"${status}","data":1}`), file), `{"status":"${status}","data":1${note}`)
  })

  it("5.6 the result of an unguarded tool is the text that effect/ai gives it", () => {
    assert.strictEqual(asText(), "")
    assert.strictEqual(asText(file), "[image/png omitted]")
    for (const other of [
      "a",
      '{"status":"success","data":1} ',
      'x{"status":"success","data":1}',
      '{"status":"error"}',
      "{}"
    ])
      assert.strictEqual(asText(text(other), file), `${other}\n[image/png omitted]`)
  })

  it("5.6 a field `parts` of an envelope is kept unless it is a list at the envelope's end", () => {
    const withNotes = (envelope: string) => ShownPart.withNotes(envelope, [{ type: "text", bytes: 1 }])
    const note = ',"parts":[{"type":"text","bytes":1}]}'
    for (const own of [
      '{"status":"success","parts":[1],"data":1',
      '{"status":"success","parts":{}',
      '{"status":"success","parts":5'
    ])
      assert.strictEqual(withNotes(`${own}}`), own + note)
    // the text of a cut envelope is not JSON
    assert.strictEqual(withNotes('{"status":"success","data":"a}'), `{"status":"success","data":"a${note}`)
  })
})
