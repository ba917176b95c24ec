/** Tests that the pipeline passes on images, files and texts that accompany a result. */
import type { PartLimits as Limits } from "#domain/parts/ShownPart"
import * as ArtifactsNone from "#layers/ArtifactsNone"
import { PartLimits } from "#services/Policies"
import { CurrentTurn } from "#services/CurrentTurn"
import { Guard, GuardedTurn } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import { ReadResult } from "#src/tool/ReadResult"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ask, outside, response, settled, tool, within } from "./support.ts"

const png = (bytes = 4): GuardedTool.Part => ({
  type: "file",
  mediaType: "image/png",
  data: new Uint8Array(bytes).fill(1),
  fileName: "a.png"
})
const note = (text: string): GuardedTool.TextPart => ({ type: "text", text })
const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

const limited = (limits: Partial<Limits>) =>
  Effect.provideService(PartLimits, { textBytes: 10_240, fileBytes: 3_750_000, ...limits })

/** Adds to a guard the tool with which a model reads stored results. */
const reading = (guard: Layer.Layer<Guard>) => ReadResult.layerGuard.pipe(Layer.provideMerge(guard))

/** Reads the stored value of a link. */
const readLink = (url: unknown) =>
  Effect.gen(function* () {
    const guard = yield* GuardedTurn
    const turn = yield* CurrentTurn
    return JSON.parse((turn && (yield* guard.readKept(turn, String(url)))) ?? "null") as unknown
  })

describe("parts of a result", () => {
  it.effect("5.6 accompany the envelope of a value, a text or a response; a program receives only the value", () => {
    const parts = [png(), note("seen")]
    const value = tool("value", {}, GuardedTool.withParts({ n: 1 }, parts))
    const text = tool("text", {}, GuardedTool.withParts('{"n":1}', parts))
    const http = tool("http", {}, () => Effect.succeed(GuardedTool.withParts(response(200, '{"n":1}'), parts)))
    const all = [value, text, http]
    return Effect.gen(function* () {
      for (const { tool } of all) {
        const answer = yield* ask([tool], tool.toolName, { q: "a" })
        assert.strictEqual(answer.text, '{"status":"success","data":{"n":1}}')
        assert.deepStrictEqual(answer.parts, [
          { type: "file", mediaType: "image/png", data: "AQEBAQ==", fileName: "a.png" },
          { type: "text", text: "seen" }
        ])
        assert.deepStrictEqual(yield* settled(tool.call({ q: "b" })), { n: 1 })
      }
    }).pipe(within(all.map(({ layer }) => layer)))
  })

  it.effect("5.6 an invalid part violates the contract, and a write with such a part counts as committed", () => {
    const bad = GuardedTool.withParts({ n: 1 }, [{ type: "file", mediaType: "image/png", data: "%" }])
    const look = tool("look", {}, bad)
    const save = tool("save", { access: "write" }, bad)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(look.tool.call({ q: "a" })), ["SchemaMismatch", "invalid_result", "none"])
      assert.deepStrictEqual(yield* settled(save.tool.call({ q: "a" })), [
        "SchemaMismatch",
        "done_unreadable",
        "committed"
      ])
    }).pipe(within([look.layer, save.layer]))
  })

  it.effect(
    "4.15, 5.6 secrets in texts and text files are removed, and addresses that contain a secret are not shown",
    () => {
      const csv = { type: "file", mediaType: "text/csv", data: new TextEncoder().encode(`a,${secret}`) } as const
      const there = {
        type: "file",
        mediaType: "image/png",
        data: new URL(`https://example.org/a?token=${secret}`)
      } as const
      const { layer, tool: look } = tool("look", {}, GuardedTool.withParts({ n: 1 }, [note(`x ${secret}`), csv, there]))
      return Effect.gen(function* () {
        const { parts = [] } = yield* ask([look], "look", { q: "a" })
        assert.notInclude(JSON.stringify(parts), secret)
        assert.deepStrictEqual(parts[0], note("x [redacted]"))
        assert.deepStrictEqual(parts[1]?.type === "file" && atob(parts[1].data), "a,[redacted]")
        assert.strictEqual(parts[2]?.type, "text")
      }).pipe(within([layer]))
    }
  )

  it.effect("4.14, 5.6 a part that is too large becomes a link to the complete part", () => {
    const answer = GuardedTool.withParts({ n: 1 }, [png(5), note("long text"), png(4), note("s")])
    const { layer, tool: look } = tool("look", {}, answer)
    return Effect.gen(function* () {
      const { envelope, parts } = yield* limited({ textBytes: 5, fileBytes: 8 })(
        ask([look, ReadResult], "look", { q: "a" })
      )
      const [shown, short] = parts ?? []
      assert.deepStrictEqual(short, { type: "text", text: "s" })
      assert.strictEqual(shown?.type === "file" && shown.data, "AQEBAQE=")
      assert.deepStrictEqual(
        envelope.parts.map(({ resource_url: _, ...rest }: any) => rest),
        [
          { type: "text", bytes: 9 },
          { type: "file", media_type: "image/png", file_name: "a.png", bytes: 4 }
        ]
      )
      assert.deepStrictEqual(yield* readLink(envelope.parts[0].resource_url), "long text")
      const kept = { media_type: "image/png", file_name: "a.png", base64: "AQEBAQ==" }
      assert.deepStrictEqual(yield* readLink(envelope.parts[1].resource_url), kept)
      assert.deepStrictEqual(yield* readLink(shown?.resourceUrl), { ...kept, base64: "AQEBAQE=" })
    }).pipe(within([layer], reading(Guard.layerMemory)))
  })

  it.effect("4.14, 5.6 without a store the envelope says what was omitted", () => {
    const { layer, tool: look } = tool("look", {}, GuardedTool.withParts({ n: 1 }, [png(5)]))
    return Effect.gen(function* () {
      const { envelope, parts } = yield* limited({ fileBytes: 4 })(ask([look, ReadResult], "look", { q: "a" }))
      assert.isUndefined(parts)
      assert.deepStrictEqual(envelope.parts, [{ type: "file", media_type: "image/png", file_name: "a.png", bytes: 5 }])
    }).pipe(within([layer], reading(Guard.layerMemoryWith(ArtifactsNone.layer))))
  })

  it.effect(
    "4.7, 7.3 a result with a different image is different, and a result with an identical image is unchanged",
    () => {
      const look = tool(
        "look",
        {},
        GuardedTool.withParts({ n: 1 }, [png(1)]),
        GuardedTool.withParts({ n: 1 }, [png(2)]),
        GuardedTool.withParts({ n: 1 }, [png(2)])
      )
      return Effect.gen(function* () {
        const marks: Array<unknown> = []
        for (let at = 0; at < 3; at++) marks.push((yield* ask([look.tool], "look", { q: "a" })).envelope.unchanged)
        assert.deepStrictEqual(marks, [undefined, undefined, true])
      }).pipe(within([look.layer]))
    }
  )

  it.effect("4.7 a result that is returned again has its parts", () => {
    const look = tool("look", { budget: 1, retry: { attempts: 1 } }, GuardedTool.withParts({ n: 1 }, [png()]))
    return Effect.gen(function* () {
      const first = yield* ask([look.tool], "look", { q: "a" })
      const second = yield* ask([look.tool], "look", { q: "a" })
      assert.strictEqual(look.runs(), 1)
      assert.deepStrictEqual(second.parts, first.parts)
    }).pipe(within([look.layer]))
  })

  it.effect("4.6, 8.2 the result of a replayed action, or of a write that is not made again, has its parts", () => {
    const definition = { access: "write", idempotency: "key" }
    const save = tool("save", definition, GuardedTool.withParts({ n: 1 }, [png(), note("done")]))
    return Effect.gen(function* () {
      const args = { q: "a", idempotency_key: "0123456789abcdef" }
      const first = yield* Guard.turn(ask([save.tool], "save", args))
      const again = yield* Guard.turn(ask([save.tool], "save", args))
      const repeated = yield* Guard.turn(
        Effect.andThen(ask([save.tool], "save", { q: "b" }), ask([save.tool], "save", { q: "b" }))
      )
      assert.deepStrictEqual([repeated.envelope.executed, repeated.parts], [false, first.parts])
      assert.strictEqual(save.runs(), 2)
      assert.isTrue(again.envelope._idempotent)
      assert.lengthOf(first.parts ?? [], 2)
      assert.deepStrictEqual(again.parts, first.parts)
    }).pipe(outside([save.layer]))
  })

  it.effect("4.10, 4.12 partial results and fallbacks keep their parts", () => {
    const partial = () => ({ _tag: "Partial", narrow: "Ask for less." })
    const look = tool("look", { checks: { partial } }, GuardedTool.withParts({ n: 1 }, [png()]))
    const other = tool("other", {}, GuardedTool.withParts({ n: 2 }, [note("from the cache")]))
    const broken = tool("broken", { fallbacks: [{ tool: other.tool, arguments: ({ q }: any) => ({ q }) }] }, "no JSON")
    return Effect.gen(function* () {
      const first = yield* ask([look.tool], "look", { q: "a" })
      assert.deepStrictEqual([first.envelope.status, first.parts?.length], ["partial", 1])
      const second = yield* ask([broken.tool], "broken", { q: "a" })
      assert.deepStrictEqual([second.envelope.used_fallback, second.parts], ["other", [note("from the cache")]])
    }).pipe(within([look.layer, other.layer, broken.layer]))
  })

  it.effect("3.3 parts of a late attempt are dropped, and parts of the next attempt are kept", () => {
    const slow = tool(
      "slow",
      { retry: { attempts: 2 } },
      () => Effect.delay(Effect.succeed(GuardedTool.withParts({ n: 1 }, [note("late")])), "10 seconds"),
      GuardedTool.withParts({ n: 2 }, [note("in time")])
    )
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(ask([slow.tool], "slow", { q: "a" }), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      const { parts } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(parts, [note("in time")])
    }).pipe(within([slow.layer]))
  })

  it.effect("5.6 a tool whose success is text or bytes can have parts too", () => {
    const say = tool("say", { success: Schema.String }, GuardedTool.withParts("hello", [png()]))
    const load = tool("load", { success: Schema.Uint8Array }, GuardedTool.withParts(Uint8Array.of(1), [png()]))
    return Effect.gen(function* () {
      for (const [{ tool }, data] of [
        [say, "hello"],
        [load, "AQ=="]
      ] as const) {
        const { envelope, parts } = yield* ask([tool], tool.toolName, { q: "a" })
        assert.deepStrictEqual([envelope.data, parts?.length], [data, 1])
      }
    }).pipe(within([say.layer, load.layer]))
  })
})
