/** Tests the contract of the tool with which a model reads a stored result. */
import * as ReadResult from "#domain/envelope/artifact/ReadResult"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const url = "artifact://00112233445566778899aabbccddeeff"
const decode = Schema.decodeUnknownResult(ReadResult.parameters)

describe("ReadResult", () => {
  it("4.14 a page begins at 0 unless an offset is given, and path and limit are optional", () => {
    assert.deepStrictEqual(Result.getOrThrow(decode({ resource_url: url })), { resource_url: url, offset: 0 })
    const all = { resource_url: url, path: "orders[10]", offset: 5, limit: 1 }
    assert.deepStrictEqual(Result.getOrThrow(decode(all)), all)
  })

  it.each([
    ["no link", { offset: 0 }],
    ["an empty link", { resource_url: "" }],
    ["a link of 101 characters", { resource_url: "x".repeat(101) }],
    ["a path of 501 characters", { resource_url: url, path: "x".repeat(501) }],
    ["a negative offset", { resource_url: url, offset: -1 }],
    ["an offset beyond the integers", { resource_url: url, offset: 2 ** 53 }],
    ["half an element", { resource_url: url, limit: 0.5 }],
    ["a limit of 0", { resource_url: url, limit: 0 }],
    ["a limit of 1,000,001", { resource_url: url, limit: 1_000_001 }]
  ])("4.14 %s is refused", (_, value) => assert.isTrue(Result.isFailure(decode(value))))

  it.each([
    { resource_url: "x".repeat(100) },
    { resource_url: url, path: "x".repeat(500) },
    { resource_url: url, offset: Number.MAX_SAFE_INTEGER, limit: 1_000_000 }
  ])("4.14 the largest values are accepted", (value) => assert.isTrue(Result.isSuccess(decode(value))))

  it("4.14 every parameter has a description, and the model reads the bounds in the JSON Schema", () => {
    const { schema } = Schema.toJsonSchemaDocument(ReadResult.parameters)
    const properties = schema["properties"] as Record<string, Record<string, unknown>>
    assert.deepStrictEqual(Object.keys(properties), ["resource_url", "path", "offset", "limit"])
    for (const property of Object.values(properties)) assert.isString(property["description"])
    assert.deepStrictEqual(schema["required"], ["resource_url"])
    const { limit, offset, path, resource_url: link } = properties
    assert.deepInclude(link, { minLength: 1, maxLength: 100 })
    assert.deepInclude(path, { maxLength: 500 })
    assert.deepInclude(offset, { minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
    assert.deepInclude(limit, { minimum: 1, maximum: 1_000_000 })
  })

  it("4.14 the result is a page of one of four kinds", () => {
    const page = { kind: "list", total: 2, offset: 0, data: [1], too_large: [{ path: "[1]", is: "array of 5" }] }
    const next = { resource_url: url, path: "a", offset: 1, limit: 1 }
    const accepts = Schema.is(ReadResult.success)
    for (const kind of ["list", "object", "text", "value"]) assert.isTrue(accepts({ ...page, kind, next }))
    assert.isFalse(accepts({ ...page, kind: "page" }))
    assert.isFalse(accepts({ ...page, too_large: [{ path: "[1]" }] }))
    assert.isFalse(accepts({ ...page, next: { offset: 1 } }))
  })
})
