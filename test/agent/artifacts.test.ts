/** Tests of large results in the agent loop: the model reads them in parts through a link, and old results are shortened. */
import * as ArtifactsMemory from "#layers/ArtifactsMemory"
import * as ArtifactsNone from "#layers/ArtifactsNone"
import * as ArtifactsSql from "#layers/ArtifactsSql"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as DigestMemory from "#layers/DigestMemory"
import * as PlayedModel from "#layers/internal/model/PlayedModel"
import * as ScriptedModel from "#layers/ScriptedModel"
import * as SqliteNode from "#layers/SqliteNode"
import { Artifacts, ArtifactsUnavailable } from "#services/Artifacts"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import { ReadResult } from "#src/tool/ReadResult"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { LanguageModel, type Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import { tool } from "../pipeline/support.ts"
import { last, listing, readAllPages, Rows, rowsOf, readsAllRows } from "./rowPages.ts"
import { assertValid, call, codes, envelopes, needs, play, playIn, resultsOf, toolbox, turn } from "./support.ts"

const artifacts = (service: Partial<Artifacts["Service"]>) =>
  Layer.succeed(Artifacts, { isKeeping: true, put: () => Effect.succeed(""), read: () => Effect.undefined, ...service })

/** Creates a store of artifacts in memory that records each stored text. */
const recordingArtifacts = () => {
  const texts: Array<string> = []
  const layer = Layer.effect(
    Artifacts,
    Effect.map(Artifacts, (inner) => ({
      ...inner,
      put: (artifact: Parameters<typeof inner.put>[0]) => {
        texts.push(artifact.text)
        return inner.put(artifact)
      }
    }))
  ).pipe(Layer.provide(ArtifactsMemory.layer))
  return { texts, layer }
}

describe("Agent.run, with large results", () => {
  it.effect("4.14 a model reads all of a 200 KB result page by page", () => readsAllRows(1_600, 200_000))

  it.effect("4.14 read_result returns a single value by its path", () =>
    Effect.gen(function* () {
      const rows = rowsOf(15_000)
      const { end } = yield* play({
        script: [
          call("list_rows", { q: "a" }),
          (prompt) => {
            const { resource_url } = last(prompt)
            return [
              call("read_result", { resource_url, path: "rows[14999].id" }),
              call("read_result", { resource_url, path: "rows", offset: 7_000, limit: 2 }),
              call("read_result", { resource_url, path: "row" })
            ]
          },
          "Done."
        ],
        tools: [listing(rows)]
      })
      const [, one, two, wrong] = envelopes(end.transcript)
      assert.strictEqual(one.data.data, "O-14999")
      assert.deepStrictEqual(two.data.data, rows.slice(7_000, 7_002))
      assert.strictEqual(wrong.error.message, "row does not exist; nearest: rows.")
    })
  )

  it.effect("4.14 read_result is offered after the first link, and never if results are not stored", () =>
    Effect.gen(function* () {
      const offered = (rows: ReadonlyArray<unknown>, guard: Layer.Layer<any>) =>
        Effect.gen(function* () {
          const names: Array<string> = []
          const model = yield* PlayedModel.make(({ prompt, tools }, index) => {
            names.push(tools.map(({ name }) => name).join(" "))
            const next = index < 2 ? call("list_rows", { q: String(index) }) : undefined
            return Effect.succeed(
              next === undefined
                ? [{ type: "text", text: `read ${prompt.content.length}` }]
                : [{ type: "tool-call", id: `c${index}`, name: next.name, params: next.arguments }]
            )
          })
          const listed = listing(rows)
          yield* Agent.run({ prompt: "Hello", tools: toolbox([listed]), turn }).pipe(
            Effect.provideService(LanguageModel.LanguageModel, model),
            Effect.provide(needs({ guard, tools: [listed] }))
          )
          return names
        })
      const both = "list_rows read_result"
      assert.deepStrictEqual(yield* offered(rowsOf(500), Guard.layerMemory), ["list_rows", both, both])
      assert.deepStrictEqual(yield* offered(rowsOf(5), Guard.layerMemory), ["list_rows", "list_rows", "list_rows"])
      const none = Guard.layerMemoryWith(ArtifactsNone.layer)
      assert.deepStrictEqual(yield* offered(rowsOf(500), none), ["list_rows", "list_rows", "list_rows"])
    })
  )

  it.effect("4.14 a toolbox with its own tool named read_result keeps that tool, and results contain no links", () =>
    Effect.gen(function* () {
      const own = tool("read_result", {}, { n: 7 })
      const { end } = yield* play({
        script: [call("list_rows", { q: "a" }), call("read_result", { q: "a" }), "Done."],
        tools: [listing(rowsOf(500)), own]
      })
      const [list, answer] = envelopes(end.transcript)
      assert.deepStrictEqual([list.resource_url, answer.data], [undefined, { n: 7 }])
    })
  )

  it.effect(
    "4.14 read_result is offered from the first round if the toolbox contains it",
    () =>
      Effect.gen(function* () {
        const listed = listing(rowsOf(500))
        const { end } = yield* playIn({
          script: readAllPages,
          // the types of the helpers name only the tools of these tests
          tools: [listed, { tool: ReadResult as never, layer: Layer.empty as never }]
        }).pipe(Effect.provide(Layer.provideMerge(ReadResult.layerGuard, needs({ tools: [listed] }))))
        assert.strictEqual(end._tag, "Answered")
      }) as Effect.Effect<void>
  )

  it.effect(
    "4.14 a link can be read in later turns, but not in another conversation",
    () =>
      Effect.gen(function* () {
        const store = SqliteNode.layer({ filename: ":memory:" })
        const listed = listing(rowsOf(500))
        const guard = Guard.layerMemoryWith(Layer.orDie(Layer.provide(ArtifactsSql.layer, store)))
        return yield* Effect.gen(function* () {
          const first = yield* playIn({ script: [call("list_rows", { q: "a" }), "Many."], tools: [listed] })
          const { resource_url } = last(first.end.transcript)
          const script = [call("read_result", { resource_url, path: "rows[499].id" }), "Done."]
          const runAgain = (options: object) => playIn({ script, tools: [listed], options })
          const prompt = first.end.transcript
          const later = yield* runAgain({ prompt, turn: { ...turn, turn: "turn 2" } })
          assert.strictEqual(last(later.end.transcript).data.data, "O-499")
          for (const other of [{ conversation: "another" }, { tenant: "another" }]) {
            const refused = yield* runAgain({ prompt, turn: { ...turn, ...other } })
            assert.deepStrictEqual(codes(refused.end.transcript), ["success", "unknown_reference"])
          }
        }).pipe(Effect.provide(needs({ guard, tools: [listed] })))
      }) as Effect.Effect<void>
  )
})

describe("Agent.run with compaction", () => {
  const large = tool("list_rows", { success: Rows }, (args: any) =>
    Effect.succeed({ rows: rowsOf(args.q.length * 10) })
  )

  /** Scripts five rounds with one listing each, and then the given entries. */
  const fiveRounds = (rest: ReadonlyArray<ScriptedModel.Entry> = ["Done."]) => [
    ...["a", "aa", "aaa", "aaaa", "aaaa "].map((q) => call("list_rows", { q })),
    ...rest
  ]
  const options = { compaction: { maxTokens: 2_500 } }

  it.effect(
    "9.3 old results become previews with links, results of the last rounds stay whole, and an event reports the change",
    () =>
      Effect.gen(function* () {
        const { end, events, prompts } = yield* play({ script: fiveRounds(), tools: [large], options })
        assertValid(end.transcript)
        const results = envelopes(end.transcript)
        assert.deepStrictEqual(
          results.map(({ data, resource_url }) => [data === undefined, resource_url !== undefined]),
          [
            [true, true],
            [true, true],
            [true, true],
            [false, false],
            [false, false]
          ]
        )
        const compactions = events.flatMap((event) => (event._tag === "Compacted" ? [event] : []))
        assert.deepStrictEqual(
          compactions.flatMap(({ callIds }) => callIds),
          resultsOf(end.transcript)
            .slice(0, 3)
            .map(({ id }) => id)
        )
        for (const { tokensAfter, tokensBefore } of compactions) assert.isBelow(tokensAfter, tokensBefore)
        // the model was sent the same messages as in the transcript
        assert.deepStrictEqual(prompts.at(-1)?.content, end.transcript.content.slice(0, -1))
      })
  )

  it.effect("9.3 a shortened result can be read through its link", () =>
    Effect.gen(function* () {
      const readSecond = (prompt: Prompt.Prompt) =>
        call("read_result", { resource_url: envelopes(prompt)[1].resource_url, path: "rows[19].id" })
      const { end } = yield* play({ script: fiveRounds([readSecond, "Done."]), tools: [large], options })
      assert.strictEqual(last(end.transcript).data.data, "O-19")
    })
  )

  it.effect(
    "9.3, 12.2 a resumed run stores no result twice and has the same links",
    () =>
      Effect.gen(function* () {
        const { layer, texts } = recordingArtifacts()
        const script: ScriptedModel.Responder = (_, index) =>
          index < 5 ? call("list_rows", { q: "aaaa".slice(index % 4) }) : "Done."
        const guard = Layer.mergeAll(Guard.layerMemoryWith(layer), CheckpointsMemory.layer, DigestMemory.layer)
        yield* Effect.gen(function* () {
          const run = { run: "job", tools: toolbox([large]), compaction: { maxTokens: 1_000 } }
          const first = yield* Agent.checkpointed({ ...run, prompt: "Hello", maxRounds: 5 })
          assert.deepInclude(first, { _tag: "LimitReached", limit: "rounds" })
          const before = texts.length
          assert.isAbove(before, 0)
          const resumed = yield* Agent.resume(run)
          assert.strictEqual(resumed._tag, "Answered")
          const links = (prompt: Prompt.Prompt) => envelopes(prompt).map(({ resource_url }) => resource_url)
          assert.deepStrictEqual(links(resumed.transcript).slice(0, before), links(first.transcript).slice(0, before))
          assert.strictEqual(texts.length, links(resumed.transcript).filter((url) => url !== undefined).length)
        }).pipe(Effect.provide(Layer.mergeAll(ScriptedModel.layer(script), needs({ guard, tools: [large] }))))
      }) as Effect.Effect<void>
  )

  it.effect("9.3 nothing is shortened unless the option `compaction` is set", () =>
    Effect.gen(function* () {
      const { end, events } = yield* play({ script: fiveRounds(), tools: [large] })
      assert.isTrue(envelopes(end.transcript).every(({ data }) => data !== undefined))
      assert.isFalse(events.some(({ _tag }) => _tag === "Compacted"))
    })
  )

  it.effect("9.3, 4.15 results of a history that the caller provides are redacted before they are stored", () =>
    Effect.gen(function* () {
      const secret = "ghp_1234567890abcdefghijklmnopqrstuvwxyz"
      const { layer: store, texts } = recordingArtifacts()
      const history = [
        { role: "user", content: "Look." },
        {
          role: "assistant",
          content: [{ type: "tool-call", id: "old", name: "list_rows", params: {}, providerExecuted: false }]
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              id: "old",
              name: "list_rows",
              isFailure: false,
              result: `token ${secret}\n`.repeat(500),
              providerExecuted: false
            }
          ]
        },
        { role: "user", content: "Continue." }
        // messages in the encoded form, whose input type is narrower
      ] as unknown as Prompt.RawInput
      const { end } = yield* play({
        script: ["Done."],
        tools: [large],
        guard: Guard.layerMemoryWith(store),
        options: { prompt: history, compaction: { maxTokens: 100, keepRounds: 0 } }
      })
      assert.match(String(resultsOf(end.transcript)[0]?.result), /"resource_url":"artifact:/)
      assert.lengthOf(texts, 1)
      assert.notInclude(texts[0], secret)
    })
  )

  it.effect("9.3 a result that cannot be stored stays whole, and storing it is retried", () =>
    Effect.gen(function* () {
      let puts = 0
      const put = () =>
        Effect.suspend(() => {
          puts += 1
          return Effect.fail(new ArtifactsUnavailable({ cause: "down" }))
        })
      const guard = Guard.layerMemoryWith(artifacts({ put }))
      const { end, events } = yield* play({ script: fiveRounds(), tools: [large], options, guard })
      assert.strictEqual(end._tag, "Answered")
      assert.isTrue(envelopes(end.transcript).every(({ data }) => data !== undefined))
      assert.isFalse(events.some(({ _tag }) => _tag === "Compacted"))
      assert.isAbove(puts, 3)
    })
  )

  it.effect("9.3 without a store, the preview tells the model to call the tool again", () =>
    Effect.gen(function* () {
      const guard = Guard.layerMemoryWith(ArtifactsNone.layer)
      const { end } = yield* play({ script: fiveRounds(), tools: [large], options, guard })
      const [first] = envelopes(end.transcript)
      assert.deepStrictEqual(
        [first.resource_url, first.preview.note],
        [undefined, "Shortened to save room. Call the tool again if you need it."]
      )
    })
  )

  it.effect("9.3 an estimate that throws does not end the run", () =>
    Effect.gen(function* () {
      const estimate = () => {
        throw new Error("no tokens today")
      }
      const { end } = yield* play({
        script: fiveRounds(),
        tools: [large],
        options: { compaction: { maxTokens: 1, estimate } }
      })
      assert.strictEqual(end._tag, "Answered")
    })
  )

  it.effect("9.3 a store that hangs does not delay the end of the run beyond its maxTime", () =>
    Effect.gen(function* () {
      const guard = Guard.layerMemoryWith(artifacts({ put: () => Effect.never }))
      const fiber = yield* Effect.forkChild(
        play({ script: fiveRounds(), tools: [large], guard, options: { ...options, maxTime: "1 minute" } }),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1 minute")
      const { end } = yield* Fiber.join(fiber)
      assert.deepInclude(end, { _tag: "LimitReached", limit: "time" })
    })
  )
})
