/** Tests reading and writing the images and documents of Anthropic's messages. */
import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as AnthropicFile from "#domain/transcript/AnthropicFile"

const bytes = (text: string) => new TextEncoder().encode(text)
const address = "https://e.com/a"

describe("reading Anthropic's files", () => {
  const read = (type: string, source: unknown, fields: object = {}) => AnthropicFile.read({ type, source, ...fields })
  const file = (mediaType: string, data: Prompt.FilePart["data"]) => Prompt.filePart({ mediaType, data })

  it("9.2 gives a file its declared type, or the default type of its block", () => {
    assert.deepStrictEqual(
      [
        read("image", { type: "url", url: address }),
        read("document", { type: "url", url: address }),
        read("image", { type: "base64", data: "AQID" }),
        read("document", { type: "base64", data: "AQID" }),
        read("image", { type: "base64", media_type: "image/gif", data: "AQID" }),
        read("document", { type: "text", media_type: "text/plain", data: "Grüße" })
      ],
      [
        file("image/*", new URL(address)),
        file("application/pdf", new URL(address)),
        file("image/*", "AQID"),
        file("application/pdf", "AQID"),
        file("image/gif", "AQID"),
        file("text/plain", bytes("Grüße"))
      ]
    )
  })

  it("9.2 reads the source by its type, even if the source has the fields of another type", () => {
    assert.deepStrictEqual(
      read("image", { type: "base64", media_type: "image/png", data: "AQID", url: address }),
      file("image/png", "AQID")
    )
    for (const source of [
      { type: "url", url: [address] },
      { type: "url", url: "no address" },
      { type: "base64", data: 3 },
      { type: "text", data: 3 },
      { type: "file", data: "AQID" },
      3
    ]) {
      assert.isUndefined(read("document", source), JSON.stringify(source))
    }
  })

  it("9.2 keeps the title as the name of the file", () => {
    const named = read("document", { type: "url", url: address }, { title: "Report" })
    assert.strictEqual(named?.fileName, "Report")
    assert.deepStrictEqual(named?.options, {})
  })
})

describe("writing files for Anthropic", () => {
  const write = (mediaType: string, data: Prompt.FilePart["data"], fileName?: string) =>
    AnthropicFile.write(Prompt.filePart({ mediaType, data, ...(fileName === undefined ? {} : { fileName }) }))
  const image = (media_type: string, data: string) => ({ type: "image", source: { type: "base64", media_type, data } })

  it("9.2 writes an image with the type that its first bytes show, else with its declared type, or PNG for `image/*`", () => {
    const written = (declared: string, data = "AQID"): unknown => write(declared, data)
    assert.deepStrictEqual(written("image/*"), image("image/png", "AQID"))
    assert.deepStrictEqual(written("image/pjpeg"), image("image/jpeg", "AQID"))
    assert.deepStrictEqual(written("image/PNG ; q=1"), image("image/png", "AQID"))
    assert.deepStrictEqual(written("image/webp", "R0lGOD"), image("image/gif", "R0lGOD"))
    assert.deepStrictEqual(written("image/*", "UklGRA"), image("image/webp", "UklGRA"))
    assert.deepStrictEqual(written("image/*", "iVBORw0KGgoA"), image("image/png", "iVBORw0KGgoA"))
  })

  it("9.2 takes the type of a data URL from the URL", () => {
    assert.deepStrictEqual<unknown>(
      write("application/octet-stream", "data:image/gif;base64,R0lGODlh"),
      image("image/gif", "R0lGODlh")
    )
  })

  it("9.2 writes texts as documents, from bytes, base64 or the text itself", () => {
    for (const data of [bytes("See http://e.com"), "U2VlIGh0dHA6Ly9lLmNvbQ==", "See http://e.com"]) {
      assert.deepStrictEqual<unknown>(write("text/markdown", data, "a.md"), {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "See http://e.com" },
        title: "a.md"
      })
    }
  })

  it("9.2 shortens a title to the 500 characters that the API accepts", () => {
    const titleOf = (name: string) => Object(write("application/pdf", "AQID", name)).title
    assert.strictEqual(titleOf("n".repeat(501)), "n".repeat(500))
    assert.strictEqual(titleOf(` ${"n".repeat(500)}`), "n".repeat(500))
  })

  it("9.2 writes an http or https URL as the source of an image or a PDF, and as a note for another type", () => {
    for (const url of ["http://e.com/a", "https://e.com/a", "HTTPS://e.com/a"]) {
      assert.deepStrictEqual<unknown>(write("image/png", url), { type: "image", source: { type: "url", url } })
      assert.deepStrictEqual<unknown>(write("application/pdf", url, "a.pdf"), {
        type: "document",
        source: { type: "url", url },
        title: "a.pdf"
      })
      assert.deepStrictEqual<unknown>(write("text/plain", url), { type: "text", text: `[text/plain ${url}]` })
    }
  })

  it("9.2 writes a note for a file at another address, which the API cannot read", () => {
    for (const url of ["gs://bucket/a", "s3://bucket/https:a", "data:image/png,x"]) {
      for (const type of ["image/png", "application/pdf", "text/plain"]) {
        assert.deepStrictEqual<unknown>(write(type, url, "a"), { type: "text", text: `[${type} a omitted]` }, url)
      }
    }
  })
})
