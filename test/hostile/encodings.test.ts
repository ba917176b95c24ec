/** Tests answers whose bytes are not the UTF-8 that JSON requires, or that arrive one byte at a time. */
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
    ["an answer without a charset as UTF-8", utf8, "", "José €"],
    ["ISO 8859-1 named by the charset", latin, "; charset=ISO-8859-1", "José"],
    ["a quoted charset", latin, `; x=y; charset="windows-1252"`, "José"],
    ["UTF-16 named by the charset, without a byte order mark", utf16(""), ";charset=utf-16le", "José €"],
    ["UTF-16 named by the charset, with a byte order mark", utf16("\ufeff"), "; charset=UTF-16", "José €"],
    ["big-endian UTF-16 named by the charset", bigEndian(""), "; charset=utf-16be", "José €"],
    ["UTF-16 whose byte order mark says big-endian", bigEndian("\ufeff"), "; charset=UTF-16", "José €"],
    ["UTF-16 recognised only by its byte order mark", utf16("\ufeff"), "", "José €"],
    ["big-endian UTF-16 recognised only by its byte order mark", bigEndian("\ufeff"), "", "José €"],
    ["UTF-8 with a byte order mark", marked, "", "José €"],
    ["UTF-8 with a byte order mark and the charset ISO 8859-1", marked, "; charset=iso-8859-1", "José €"],
    ["an unknown charset as UTF-8", utf8, "; charset=klingon-9", "José €"],
    ["a charset that is no longer supported as UTF-8", utf8, "; charset=utf-7", "José €"],
    ["an empty charset as UTF-8", utf8, "; charset=", "José €"],
    ["undeclared ISO 8859-1 as UTF-8 with replacement characters", latin, "", "Jos\ufffd"]
  ] as const) {
    it.effect(`4.9 reads ${what}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* answers(body, charset), { name: expected })
      })
    )
  }

  for (const [what, body] of [
    ["UTF-8 with a byte order mark", marked],
    ["UTF-16 with a byte order mark", utf16("\ufeff")],
    ["big-endian UTF-16 with a byte order mark", bigEndian("\ufeff")],
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
    ["undeclared UTF-16", utf16("")],
    ["several byte order marks", Uint8Array.from(Buffer.from(`\ufeff\ufeff\ufeff${text}`))],
    ["a truncated byte order mark", Uint8Array.from(Buffer.from("efbb", "hex"))],
    ["the bytes of an image", Uint8Array.from(Buffer.from("89504e470d0a1a0a", "hex"))],
    ["compressed gzip bytes", Uint8Array.from(Buffer.from("1f8b0800000000000003abaeaed0", "hex"))]
  ] as const) {
    it.effect(`4.9 refuses ${what} as invalid JSON`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* answers(body, ""), ["SchemaMismatch", "invalid_result_json", "none"])
      })
    )
  }
})
