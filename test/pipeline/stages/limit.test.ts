/**
 * Tests that the model reads a preview and a link instead of a result that is too large, and can read the complete result
 * page by page.
 */
import * as ArtifactsMemory from "#layers/ArtifactsMemory"
import * as ArtifactsNone from "#layers/ArtifactsNone"
import { limit } from "#pipeline/stages/limit"
import { maxResultBytes, type Reading } from "#pipeline/call/ModelStage"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { Artifacts, ArtifactsUnavailable, type NewArtifact } from "#services/Artifacts"
import { CurrentTurn } from "#services/CurrentTurn"
import { ArtifactLifetime } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import { ReadResult } from "#src/tool/ReadResult"
import * as Verdict from "#domain/tool/Verdict"
import type { Turn } from "#domain/turn/Turn"
import * as Utf8 from "#domain/text/Utf8"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, define, tool, turn, type Tool, within } from "../support.ts"

const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: `O-${n}`, note: "Fragile item 😀" }))
const Rows = Schema.Struct({ rows: Schema.Array(Schema.Struct({ id: Schema.String, note: Schema.String })) })

const listing = (answer: unknown = { rows }, more: object = {}) => tool("list_rows", { success: Rows, ...more }, answer)

const reader = ReadResult as unknown as Tool // toolboxes of tests contain loosely typed tools

/** Creates a store of artifacts that records what it stores. */
const watched = () => {
  const puts: Array<NewArtifact> = []
  const layer = Layer.effect(
    Artifacts,
    Effect.map(Artifacts, (inner) => ({
      ...inner,
      put: (artifact: NewArtifact) => {
        puts.push(artifact)
        return inner.put(artifact)
      }
    }))
  ).pipe(Layer.provide(ArtifactsMemory.layer))
  return { puts, layer }
}

const artifacts = (service: Partial<Artifacts["Service"]>) =>
  Layer.succeed(Artifacts, { isKeeping: true, put: () => Effect.succeed(""), read: () => Effect.undefined, ...service })

/** Provides calls of a listing tool and of `read_result`, with a guard that uses this store of artifacts. */
const reading = <A>(
  listed: { readonly tool: Tool; readonly layer: Layer.Layer<any> },
  use: (calls: {
    readonly list: Effect.Effect<any, never, any>
    readonly read: (args: object) => Effect.Effect<any, never, any>
  }) => Effect.Effect<A, never, any>,
  store: Layer.Layer<Artifacts> = ArtifactsMemory.layer
): Effect.Effect<A> => {
  const guard = Guard.layerMemoryWith(store)
  const box = [listed.tool, reader]
  const envelope = (name: string, args: object) =>
    Effect.map(ask(box, name, JSON.stringify(args)), ({ envelope }) => envelope)
  const calls = { list: envelope("list_rows", { q: "a" }), read: (args: object) => envelope("read_result", args) }
  // the layer of ReadResult already contains the guard
  return use(calls).pipe(within([listed.layer, Layer.provideMerge(ReadResult.layerGuard, guard)], Layer.empty as never))
}

describe("limit", () => {
  it.effect("4.14 a result over 10 KB is previewed with its size and a link, and can be read completely", () =>
    reading(listing(), ({ list, read }) =>
      Effect.gen(function* () {
        const { preview, resource_url: url, status, ...rest } = yield* list
        assert.deepStrictEqual([status, rest], ["success", {}])
        assert.strictEqual(preview.bytes, Utf8.length(JSON.stringify({ rows })))
        assert.deepStrictEqual(preview.structure, { rows: "array of 2000" })
        assert.deepStrictEqual(preview.first.rows[0], rows[0])
        assert.strictEqual(
          preview.note,
          "Only the beginning. Read the rest with read_result: page by page, or a part by its path."
        )
        assert.match(url, /^artifact:\/\/[0-9a-f]{32}$/)
        const found: Array<unknown> = []
        for (let next: object | undefined = { resource_url: url, path: "rows" }; next !== undefined;) {
          const page: any = yield* read(next)
          assert.strictEqual(page.status, "success")
          found.push(...page.data.data)
          next = page.data.next
        }
        assert.deepStrictEqual(found, rows)
      })
    )
  )

  it.effect("4.14 the bare id is also accepted as a link, and a path reads one part", () =>
    reading(listing(), ({ list, read }) =>
      Effect.gen(function* () {
        const { resource_url: url } = yield* list
        const { data } = yield* read({ resource_url: url.slice("artifact://".length), path: "rows[1999].id" })
        assert.deepStrictEqual(data, { kind: "text", total: 6, offset: 0, data: "O-1999" })
      })
    )
  )

  it.effect("4.14 the refusal of a wrong path names the nearest path, and that of a wrong offset names the size", () =>
    reading(listing(), ({ list, read }) =>
      Effect.gen(function* () {
        const { resource_url } = yield* list
        const wrong = (args: object) =>
          Effect.map(read({ resource_url, ...args }), ({ error }) => [error.code, error.next_step, error.message])
        assert.deepStrictEqual(yield* wrong({ path: "row[3].id" }), [
          "unknown_reference",
          "fix_arguments",
          "row does not exist; nearest: rows."
        ])
        assert.deepStrictEqual(yield* wrong({ path: "rows", offset: 2_000 }), [
          "unknown_reference",
          "fix_arguments",
          "offset 2000 is past the end: rows has 2000 elements."
        ])
        for (const args of [{ offset: -1 }, { offset: 1e300 }, { offset: 0.5 }, { limit: 0 }, { limit: -5 }]) {
          assert.strictEqual((yield* wrong(args))[0], "invalid_arguments")
        }
        const deep = `${"a.".repeat(10_000)}a`
        assert.strictEqual((yield* wrong({ path: deep }))[0], "invalid_arguments")
        assert.strictEqual((yield* wrong({ path: "[".repeat(400) }))[0], "unknown_reference")
      })
    )
  )

  it.effect("4.14 names such as __proto__ are ordinary names, and pollute nothing", () => {
    const Any = Schema.Struct({ rows: Schema.Json })
    const value = { rows: [rows, JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}')] }
    return reading(listing(value, { success: Any }), ({ list, read }) =>
      Effect.gen(function* () {
        const { resource_url } = yield* list
        const text = JSON.stringify((yield* read({ resource_url, path: "rows[1]" })).data.data)
        assert.strictEqual(text, '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}')
        const { data } = yield* read({ resource_url, path: "rows[1].__proto__.polluted" })
        assert.strictEqual(data.data, true)
        for (const path of ["__proto__", "constructor", "rows.__proto__", "rows[0].toString"]) {
          assert.strictEqual((yield* read({ resource_url, path })).error.code, "unknown_reference")
        }
        assert.isUndefined(({} as { polluted?: true }).polluted)
      })
    )
  })

  it.effect("4.14, 9.3 another conversation or tenant finds nothing", () => {
    const listed = listing()
    const guard = Guard.layerMemory
    const box = [listed.tool, reader]
    const layers = [listed.layer, Layer.provideMerge(ReadResult.layerGuard, guard)]
    const inTurn = (options: Turn, name: string, args: object) =>
      Guard.turn(
        Effect.map(ask(box, name, JSON.stringify(args)), ({ envelope }) => envelope),
        options
      )
    return Effect.gen(function* () {
      const { resource_url } = yield* inTurn(turn, "list_rows", { q: "a" })
      const strip = ({ error: { trace_id: _, ...error } }: any) => error
      const nothing = strip(yield* inTurn(turn, "read_result", { resource_url: `artifact://${"0".repeat(32)}` }))
      assert.strictEqual(nothing.code, "unknown_reference")
      for (const other of [
        { ...turn, conversation: "another" },
        { ...turn, tenant: "another" }
      ]) {
        assert.deepStrictEqual(strip(yield* inTurn(other, "read_result", { resource_url })), nothing)
      }
      const later = yield* inTurn({ ...turn, turn: "a later one" }, "read_result", { resource_url })
      assert.strictEqual(later.status, "success")
    }).pipe(
      Effect.provide(Layer.mergeAll(...(layers as [Layer.Layer<any>]))),
      (effect) => effect as Effect.Effect<void>
    )
  })

  it.effect("4.14 a stored result expires, and the hint is to repeat the call", () =>
    reading(listing(), ({ list, read }) =>
      Effect.gen(function* () {
        const { resource_url } = yield* Effect.provideService(list, ArtifactLifetime, Duration.minutes(5))
        assert.strictEqual((yield* read({ resource_url })).status, "success")
        yield* TestClock.adjust("5 minutes")
        const { error } = yield* read({ resource_url, path: "rows" })
        assert.strictEqual(error.code, "unknown_reference")
        assert.strictEqual(
          error.hint,
          "Send a resource_url exactly as it appears in this conversation, or repeat the call that returned it."
        )
        const whole = yield* list
        yield* TestClock.adjust("23 hours")
        assert.strictEqual((yield* read({ resource_url: whole.resource_url })).status, "success")
      })
    )
  )

  it.effect("4.14 a text that is not a link finds nothing", () =>
    reading(listing(), ({ read }) =>
      Effect.gen(function* () {
        for (const resource_url of ["x", "artifact://", "https://example.com/a", "../../etc/passwd", "\u0000", "%00"]) {
          assert.strictEqual((yield* read({ resource_url })).error.code, "unknown_reference")
        }
        assert.strictEqual((yield* read({ resource_url: "x".repeat(5_000) })).error.code, "invalid_arguments")
      })
    )
  )

  it.effect("4.14, 4.15 a secret is redacted before the result is stored", () => {
    const { layer, puts } = watched()
    const secret = "ghp_1234567890abcdefghijklmnopqrstuvwxyz"
    const [first, ...others] = rows
    const leaky = {
      rows: [...others, { ...first, note: `token: ${secret}` }, { id: "AKIAIOSFODNN7EXAMPLF", note: "" }]
    }
    return reading(
      listing(leaky),
      ({ list, read }) =>
        Effect.gen(function* () {
          const { resource_url } = yield* list
          assert.lengthOf(puts, 1)
          assert.notInclude(puts[0]?.text, secret)
          assert.include(puts[0]?.text, "[redacted]")
          const { data } = yield* read({ resource_url, path: "rows[1999].note" })
          assert.notInclude(data.data, secret)
          assert.include(data.data, "[redacted]")
        }),
      layer
    )
  })

  it.effect("4.14 a partial result over 10 KB has its link and its continuation", () => {
    const checks = { more: () => Verdict.partial({ narrow: "Ask for one month." }) }
    return reading(listing({ rows }, { checks }), ({ list, read }) =>
      Effect.gen(function* () {
        const { error, preview, resource_url, status } = yield* list
        assert.deepStrictEqual([status, error.error_class], ["partial", "partial_data"])
        assert.deepStrictEqual(preview.structure, { rows: "array of 2000" })
        const { data } = yield* read({ resource_url, path: "rows", offset: 1_999 })
        assert.deepStrictEqual(data.data, [rows[1_999]])
      })
    )
  })

  it.effect("4.14 texts and bytes are read in pages of characters, whatever their content", () =>
    Effect.gen(function* () {
      const text = '\u0000é😀\ud800 "quoted" \\ '.repeat(2_000)
      const bytes = Uint8Array.from({ length: 30_000 }, (_, n) => (n * 31) % 256)
      const cases = [
        [Schema.String, text, text],
        [Schema.Uint8Array, bytes, Buffer.from(bytes).toString("base64")],
        // invalid UTF-8 is read as text with U+FFFD
        [Schema.String, Uint8Array.of(0x61, 0xff, ...new TextEncoder().encode("é".repeat(8_000)), 0xc3), undefined]
      ] as const
      for (const [success, answer, expected] of cases) {
        yield* reading(listing(answer, { success }), ({ list, read }) =>
          Effect.gen(function* () {
            const { preview, resource_url } = yield* list
            assert.match(preview.structure, /^string of \d+ characters$/)
            let found = ""
            for (let next: object | undefined = { resource_url }; next !== undefined;) {
              const page: any = yield* read(next)
              assert.strictEqual(page.data.kind, "text")
              found += page.data.data
              next = page.data.next
            }
            assert.isTrue(found === (expected ?? `a\ufffd${"é".repeat(8_000)}\ufffd`))
          })
        )
      }
    })
  )

  it.effect("4.14 if the store is unavailable or throws, the model reads the preview and why there is no link", () =>
    Effect.gen(function* () {
      const broken = [
        artifacts({ put: () => Effect.fail(new ArtifactsUnavailable({ cause: "down" })) }),
        artifacts({ put: () => Effect.die(new Error("broken")) }),
        artifacts({
          put: () => {
            throw new Error("broken at once")
          }
        })
      ]
      for (const store of broken) {
        yield* reading(
          listing(),
          ({ list }) =>
            Effect.gen(function* () {
              const { preview, resource_url, status } = yield* list
              assert.deepStrictEqual([status, resource_url], ["success", undefined])
              assert.strictEqual(preview.bytes, Utf8.length(JSON.stringify({ rows })))
              assert.deepStrictEqual(preview.first.rows[0], rows[0])
              assert.match(preview.note, /the result is too large, and it could not be stored/)
            }),
          store
        )
      }
    })
  )

  it.effect("4.14 a read is retried if the store does not respond, and then fails as transient", () => {
    let reads = 0
    const read = () =>
      Effect.suspend(() => {
        reads += 1
        return reads < 3 ? Effect.fail(new ArtifactsUnavailable({ cause: "down" })) : Effect.succeed('{"a":1}')
      })
    return reading(
      listing(),
      ({ read }) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(read({ resource_url: "0".repeat(32) }), { startImmediately: true })
          yield* TestClock.adjust("1 minute")
          const { data } = yield* Effect.flatMap(
            Effect.sync(() => fiber.pollUnsafe()),
            (exit) => (exit === undefined ? Effect.die("still waiting") : (exit as Effect.Effect<any>))
          )
          assert.deepStrictEqual([reads, data.data], [3, { a: 1 }])
          reads = -100
          const other = yield* Effect.forkChild(read({ resource_url: "1".repeat(32) }), { startImmediately: true })
          yield* TestClock.adjust("1 minute")
          const { error } = yield* Effect.flatMap(
            Effect.sync(() => other.pollUnsafe()),
            (exit) => (exit === undefined ? Effect.die("still waiting") : (exit as Effect.Effect<any>))
          )
          assert.deepStrictEqual([error.error_class, error.code], ["transient", "unavailable"])
        }),
      artifacts({ read })
    )
  })

  it.effect(
    "4.14 there is no link without the tool read_result, a turn or a store, or if another tool has that name",
    () => {
      const { layer, puts } = watched()
      const listed = listing()
      const guard = Guard.layerMemoryWith(layer)
      const other = define("read_result")
      const plain = "Only the beginning: the result is too large. Ask for less, or for one part at a time."
      const asked = (box: ReadonlyArray<Tool>) =>
        Effect.map(ask(box, "list_rows", { q: "a" }), ({ envelope: { preview, resource_url } }) => {
          assert.deepStrictEqual([preview.note, resource_url], [plain, undefined])
        })
      const outsideOfTurns = Effect.provideService(asked([listed.tool, reader]), CurrentTurn, undefined)
      return Effect.gen(function* () {
        yield* within([listed.layer], guard)(asked([listed.tool]))
        yield* within([listed.layer], guard)(asked([listed.tool, other]))
        yield* within([listed.layer], guard)(outsideOfTurns)
        yield* within([listed.layer], Guard.layerMemoryWith(ArtifactsNone.layer))(asked([listed.tool, reader]))
        assert.lengthOf(puts, 0)
      })
    }
  )

  it.effect("4.14, 5.4 programs receive the result unchanged, and nothing is stored for them", () => {
    const { layer, puts } = watched()
    const listed = listing()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* listed.tool.call({ q: "a" }), { rows })
      assert.lengthOf(puts, 0)
    }).pipe(within([listed.layer], Guard.layerMemoryWith(layer)))
  })

  it.effect("4.14 a result of 10,240 bytes is shown in full, and a result of 10,241 bytes is stored", () =>
    Effect.gen(function* () {
      const { layer, puts } = watched()
      const stage = yield* Effect.provide(limit.make, layer)
      const compiled = compiledOf(define("list_rows"))
      const read = (bytes: number, json: string | undefined) =>
        stage(compiled)({
          outcome: { _tag: "Success", value: "x".repeat(bytes - 2) },
          name: "list_rows",
          traceId: "trace",
          turn,
          context: Context.empty(),
          guardPolicies: Context.empty(),
          tools: new Map([["read_result", reader]]),
          input: {},
          encode: (value) => value,
          json,
          maxResultBytes,
          isDecoded: false,
          kept: undefined,
          text: "",
          shows: "error"
        })
      for (const isWritten of [true, false]) {
        const json = (bytes: number) => (isWritten ? JSON.stringify("x".repeat(bytes - 2)) : undefined)
        const whole = read(10_240, json(10_240))
        assert.isFalse(Effect.isEffect(whole))
        const large = read(10_241, json(10_241))
        assert.isTrue(Effect.isEffect(large))
        const { kept } = yield* large as Effect.Effect<Reading>
        assert.strictEqual(kept?._tag, "Kept")
      }
      assert.deepStrictEqual(
        puts.map(({ text }) => text.length),
        [10_241, 10_241]
      )
    })
  )
})
