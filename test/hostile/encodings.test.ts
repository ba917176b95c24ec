/** Bytes of answers that are not the UTF-8 that JSON has to be, or that come in awkward pieces. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { outside, response, settled, tool } from "../pipeline/support.ts"

const name = Schema.Struct({ name: Schema.String })
const text = `{"name":"José €"}`
const latin = Uint8Array.from(Buffer.from(`{"name":"José"}`, "latin1"))
const utf16 = (bom: string) => Uint8Array.from(Buffer.from(bom + text, "utf16le"))
const bigEndian = (bom: string) => Uint8Array.from(Buffer.from(bom + text, "utf16le").swap16())
const utf8 = Uint8Array.from(Buffer.from(text))
const marked = Uint8Array.from(Buffer.from(`\ufeff${text}`))
const type = (charset: string) => ({ "content-type": `application/json${charset}` })

const answers = (body: Uint8Array<ArrayBuffer>, charset: string) => {
  const search = tool("search", { success: name }, response(200, body, type(charset)))
  return settled(search.tool.call({ q: "a" })).pipe(outside([search.layer]))
}

describe("encodings", () => {
  for (const [what, body, charset, expected] of [
    ["no charset is UTF-8", utf8, "", "José €"],
    ["ISO 8859-1 by its name", latin, "; charset=ISO-8859-1", "José"],
    ["a quoted name", latin, `; x=y; charset="windows-1252"`, "José"],
    ["UTF-16 by its name, without a mark", utf16(""), ";charset=utf-16le", "José €"],
    ["UTF-16 by its name, with a mark", utf16("\ufeff"), "; charset=UTF-16", "José €"],
    ["UTF-16 by its name, big end first", bigEndian(""), "; charset=utf-16be", "José €"],
    ["UTF-16 with a mark that says which end is first", bigEndian("\ufeff"), "; charset=UTF-16", "José €"],
    ["UTF-16 that only its mark tells", utf16("\ufeff"), "", "José €"],
    ["UTF-16 that only its mark tells, big end first", bigEndian("\ufeff"), "", "José €"],
    ["UTF-8 with a mark", marked, "", "José €"],
    ["UTF-8 with a mark, that calls itself ISO 8859-1", marked, "; charset=iso-8859-1", "José €"],
    ["an encoding that nobody knows is UTF-8", utf8, "; charset=klingon-9", "José €"],
    ["one that is not an encoding any more", utf8, "; charset=utf-7", "José €"],
    ["no name at all", utf8, "; charset=", "José €"],
    ["ISO 8859-1 that does not say so, with a mark for what is lost", latin, "", "Jos\ufffd"]
  ] as const) {
    it.effect(`4.9 reads ${what}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* answers(body, charset), { name: expected })
      })
    )
  }

  for (const [what, body] of [
    ["UTF-8 with a mark", marked],
    ["UTF-16 with a mark", utf16("\ufeff")],
    ["UTF-16 with a mark, big end first", bigEndian("\ufeff")],
    ["UTF-8", utf8]
  ] as const) {
    it.effect(`4.9 reads ${what} byte by byte`, () => {
      const bytes = Stream.fromIterable(Array.from(body, (byte) => new Uint8Array([byte])))
      const search = tool("search", { success: name }, Effect.succeed(bytes))
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(search.tool.call({ q: "a" })), { name: "José €" })
      }).pipe(outside([search.layer]))
    })
  }

  for (const [what, body] of [
    ["UTF-16 that does not say so", utf16("")],
    ["two marks", Uint8Array.from(Buffer.from(`\ufeff\ufeff\ufeff${text}`))],
    ["half of a mark", Uint8Array.from(Buffer.from("efbb", "hex"))],
    ["bytes of an image", Uint8Array.from(Buffer.from("89504e470d0a1a0a", "hex"))],
    ["gzip that nobody unpacked", Uint8Array.from(Buffer.from("1f8b0800000000000003abaeaed0", "hex"))]
  ] as const) {
    it.effect(`4.9 does not take ${what} for JSON`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* answers(body, ""), ["SchemaMismatch", "invalid_result_json", "none"])
      })
    )
  }
})
