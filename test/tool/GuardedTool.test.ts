/** Tests mistakes in definitions that are refused at run time, and policies that a pipe overrides. */
import { assert, describe, it } from "@effect/vitest"
import { ContractError } from "#domain/schema/Contract"
import * as GuardedTool from "#src/tool/GuardedTool"
import { Effect, Schema } from "effect"

/** A valid definition. */
const base = {
  description: "Searches orders. Read-only.",
  access: "read",
  parameters: Schema.Struct({ page: Schema.Int }),
  success: Schema.Struct({ orders: Schema.Array(Schema.String) })
} as const

/** Defines a tool. The cast removes type checking, so that tests can make mistakes that the compiler refuses. */
const define = GuardedTool.Service<never>() as unknown as (name: string, definition: object) => GuardedTool.AnyTool

/** Returns the message of the RangeError that `make` throws. */
const refusal = (make: () => unknown): string => {
  try {
    make()
  } catch (error) {
    assert.instanceOf(error, RangeError)
    return (error as RangeError).message
  }
  return "no error"
}

const read = define("search_orders", base)
const write = define("cancel_order", { ...base, access: "write" })
const destructive = define("purge_orders", { ...base, access: "destructive" })

describe("a definition", () => {
  it("2.2 is refused if the name is not snake_case, with a suggestion", () => {
    const rule = "the name of a tool is snake_case and at most 64 characters long, verb first; write"
    assert.deepStrictEqual(
      ["SearchOrders", "search-orders", "search orders", "1st_order", "search__orders", "", "x".repeat(65)].map(
        (name) => refusal(() => define(name, base))
      ),
      [
        `SearchOrders: ${rule} search_orders.`,
        `search-orders: ${rule} search_orders.`,
        `search orders: ${rule} search_orders.`,
        `1st_order: ${rule} st_order.`,
        `search__orders: ${rule} search_orders.`,
        `: ${rule} a verb and a noun, such as search_orders.`,
        `${"x".repeat(65)}: ${rule} ${"x".repeat(64)}.`
      ]
    )
  })

  it("2.2 is accepted if the name is one word, has digits, or has 64 characters", () => {
    for (const name of ["bash", "read_s3_object", "x".repeat(64)]) assert.strictEqual(define(name, base).toolName, name)
  })

  it("2.2 is refused without a description", () => {
    for (const description of ["", " \n"]) {
      assert.strictEqual(
        refusal(() => define("search_orders", { ...base, description })),
        "search_orders: the description is empty or not a string; say what the tool does, whether it reads or writes, when to use it and when not."
      )
    }
  })

  it("2.4 is refused if its parameters cannot be advertised", () => {
    assert.throws(() => define("search_orders", { ...base, parameters: Schema.String }), ContractError)
  })

  it("4.9 is refused if salvage says neither how to continue nor what to make smaller", () => {
    const message =
      "search_orders: `salvage` must say how to continue; add `next` (the arguments that change) or `narrow` (what to make smaller)."
    assert.strictEqual(
      refusal(() => define("search_orders", { ...base, salvage: { path: "orders" } })),
      message
    )
    assert.strictEqual(
      refusal(() => define("search_orders", { ...base, salvage: { path: "orders", narrow: " " } })),
      message
    )
  })

  it("4.9 is accepted if salvage has next or narrow", () => {
    for (const salvage of [
      { path: "orders", next: () => ({ page: 2 }) },
      { path: "orders", narrow: "Ask for one month." }
    ]) {
      assert.strictEqual(define("search_orders", { ...base, salvage }).toolName, "search_orders")
    }
  })

  it("2.12 is refused if salvage names an array that `success` does not have, with the arrays that it has", () => {
    const orders = Schema.Struct({
      orders: Schema.Array(Schema.String),
      lines: Schema.Struct({ items: Schema.Array(Schema.Int) })
    })
    const salvaging = (path: string, success: object = orders) =>
      refusal(() => define("search", { ...base, success, salvage: { path, narrow: "Ask for fewer." } }))
    assert.deepStrictEqual(
      [
        salvaging("rows"),
        salvaging(""),
        salvaging("lines"),
        salvaging("orders.0"),
        salvaging("rows", Schema.Struct({ items: Schema.Array(Schema.Int) })),
        salvaging("rows", Schema.String)
      ],
      [
        'search: `salvage.path` is "rows", where `success` has no array; write one of "orders", "lines.items".',
        'search: `salvage.path` is "", where `success` has no array; write one of "orders", "lines.items".',
        'search: `salvage.path` is "lines", where `success` has no array; write one of "orders", "lines.items".',
        'search: `salvage.path` is "orders.0", where `success` has no array; write one of "orders", "lines.items".',
        'search: `salvage.path` is "rows", where `success` has no array; write "items".',
        'search: `salvage.path` is "rows", where `success` has no array; write the path of an array, or remove `salvage`.'
      ]
    )
    assert.deepStrictEqual(
      [salvaging("orders"), salvaging("lines.items"), salvaging("", Schema.Array(Schema.Int))],
      ["no error", "no error", "no error"]
    )
  })

  it("2.8 is refused if a write is retried without idempotency or reconcile", () => {
    const message =
      "cancel_order: a write is retried only with `idempotency` or `reconcile`, because a retry may do it twice; leave out `retry.attempts`: after an attempt that did nothing, it is retried anyway."
    const cancel = (more: object) => define("cancel_order", { ...base, access: "write", ...more })
    assert.strictEqual(
      refusal(() => cancel({ retry: { attempts: 2 } })),
      message
    )
    assert.strictEqual(
      refusal(() => write.pipe(GuardedTool.retry({ attempts: 2 }))),
      message
    )
    assert.strictEqual(cancel({ retry: { attempts: 1 } }).retrySafe, false)
    assert.strictEqual(cancel({ retry: { attempts: 2 }, idempotency: "derived" }).retrySafe, true)
    assert.strictEqual(
      cancel({ retry: { attempts: 2 }, reconcile: { tool: read, arguments: () => ({}), found: () => undefined } })
        .retrySafe,
      true
    )
  })

  it("4.12 is refused if a tool is its own fallback, even if only the name is the same", () => {
    const message = "search_orders: a tool cannot be its own fallback; name another tool, or use `retry`."
    assert.strictEqual(
      refusal(() => read.pipe(GuardedTool.fallback(read, () => ({ page: 1 })))),
      message
    )
    assert.strictEqual(
      refusal(() => define("search_orders", { ...base, fallbacks: [{ tool: read, arguments: () => ({}) }] })),
      message
    )
  })

  it("4.12 is refused if a fallback has a higher access than its tool", () => {
    const fallingBackTo = (tool: GuardedTool.AnyTool, access: string) => () =>
      define("find_orders", { ...base, access, fallbacks: [{ tool, arguments: () => ({}) }] })
    const message =
      "find_orders: a fallback's access must not be higher than its tool's; name a tool with at most that access."
    assert.deepStrictEqual(
      [
        refusal(fallingBackTo(write, "read")),
        refusal(fallingBackTo(destructive, "write")),
        refusal(() => read.pipe(GuardedTool.fallback(write, () => ({ page: 1 }))))
      ],
      [message, message, message.replace("find_orders", "search_orders")]
    )
    assert.strictEqual(fallingBackTo(read, "read")().toolName, "find_orders")
    assert.strictEqual(fallingBackTo(write, "destructive")().toolName, "find_orders")
  })

  it("8.3 is refused if a reconcile lookup writes", () => {
    assert.strictEqual(
      refusal(() =>
        define("refund_order", {
          ...base,
          access: "write",
          reconcile: { tool: write, arguments: () => ({}), found: () => undefined }
        })
      ),
      "refund_order: a reconcile lookup must only read; name a tool with access `read`."
    )
  })
})

describe("a policy overridden by pipe", () => {
  it("2.1 leaves the tool with the same service and the same layer", () => {
    const quick = read.pipe(GuardedTool.timeout("1 second"))
    assert.strictEqual(quick.key, read.key)
    assert.strictEqual(quick.toolName, "search_orders")
    assert.notStrictEqual(quick, read)
  })

  it.effect("2.1 leaves the service unchanged", () =>
    Effect.gen(function* () {
      const quick = read.pipe(GuardedTool.timeout("1 second"))
      assert.strictEqual(yield* quick, yield* read)
    }).pipe(Effect.provide(read.layerTest(() => Effect.succeed({ orders: [] }))))
  )
})
