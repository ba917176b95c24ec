/** Tests of the events of live runs: buffering, encoding, and several readers. */
import type { AgentEvent } from "#src/agent/AgentEvent"
import * as Agent from "#src/agent/Agent"
import * as EventBuffer from "#src/agent/EventBuffer"
import * as LiveEvent from "#src/live/LiveEvent"
import * as LiveRun from "#src/live/LiveRun"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Result, Scope, Stream } from "effect"
import { LanguageModel } from "effect/ai"
import { TestClock } from "effect/testing"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as ScriptedModel from "#layers/ScriptedModel"
import { poll, start, tool } from "../pipeline/support.ts"
import { call, codes, needs, play, slow, toolbox } from "./support.ts"

const text = (delta: string, round = 1): AgentEvent => ({ _tag: "Text", round, delta })
const round = (number: number): AgentEvent => ({ _tag: "RoundStarted", round: number })
const attempt = (number: number) => ({ _tag: "AttemptStarted", callId: "c", tool: "t", attempt: number }) as const

describe("EventBuffer", () => {
  const limits = { events: 3, characters: 10 }

  it.effect("11.2 joins adjacent pieces of text of the same round", () =>
    Effect.gen(function* () {
      const buffer = EventBuffer.make(limits)
      for (const event of [text("a"), text("b"), round(2), text("c", 2), text("d", 2)]) yield* buffer.offer(event)
      assert.deepStrictEqual(yield* buffer.take, [text("ab"), round(2), text("cd", 2)])
      yield* buffer.offer(text("e", 2))
      yield* buffer.offer(text("f", 3))
      assert.deepStrictEqual(yield* buffer.take, [text("e", 2), text("f", 3)])
    })
  )

  it.effect("11.2 events wait while the buffer is full, and keep their order", () =>
    Effect.gen(function* () {
      const buffer = EventBuffer.make(limits)
      const writer = yield* start(
        Effect.forEach([1, 2, 3, 4, 5], (number) => buffer.offer(round(number)), { discard: true })
      )
      assert.isUndefined(poll(writer))
      assert.deepStrictEqual(yield* buffer.take, [round(1), round(2), round(3)])
      yield* Fiber.join(writer)
      assert.deepStrictEqual(yield* buffer.take, [round(4), round(5)])
    })
  )

  it.effect("11.2 a model that streams faster than the reader reads has to wait", () =>
    Effect.gen(function* () {
      const buffer = EventBuffer.make(limits)
      const writer = yield* start(
        Effect.forEach(Array.from({ length: 100 }), () => buffer.offer(text("12345")), { discard: true })
      )
      assert.isUndefined(poll(writer))
      let read = ""
      while (read.length < 500) {
        const events = yield* buffer.take
        for (const event of events) {
          assert.strictEqual(event._tag, "Text")
          if (event._tag === "Text") {
            assert.isAtMost(event.delta.length, 10)
            read += event.delta
          }
        }
        yield* Effect.yieldNow
      }
      yield* Fiber.join(writer)
      assert.strictEqual(read, "12345".repeat(100))
    })
  )

  it.effect("11.2 a piece that exceeds the limit is accepted if no other text waits", () =>
    Effect.gen(function* () {
      const buffer = EventBuffer.make(limits)
      yield* buffer.offer(text("x".repeat(100)))
      const next = yield* start(buffer.offer(text("y")))
      assert.isUndefined(poll(next))
      yield* buffer.take
      yield* Fiber.join(next)
      assert.deepStrictEqual(yield* buffer.take, [text("y")])
    })
  )

  it.effect("11.2 events inside calls are kept beyond the limit, and the end comes last", () =>
    Effect.gen(function* () {
      const buffer = EventBuffer.make(limits)
      for (let number = 1; number <= 10; number++) buffer.offerUnsafe(attempt(number))
      yield* buffer.end(Exit.void)
      assert.lengthOf(yield* buffer.take, 10)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(buffer.take)))
    })
  )
})

/** Creates a tool whose results differ, so that no loop is detected. */
const counting = () => tool("search", {}, ({ q }: { readonly q: string }) => Effect.succeed({ n: Number(q) }))

describe("Agent.stream with a slow reader", () => {
  it.effect(
    "11.2 a run waits for its reader, and does not lose events",
    () =>
      Effect.gen(function* () {
        const searchTool = counting()
        const scripted = yield* ScriptedModel.make((_, index) =>
          index < 100 ? call("search", { q: `${index}` }) : "Done."
        )
        const events = yield* Agent.stream({
          prompt: "Go.",
          tools: toolbox([searchTool]),
          maxRounds: 200,
          buffer: { events: 4 }
        }).pipe(
          Stream.mapEffect((event) => Effect.as(Effect.yieldNow, [event._tag, searchTool.runs()] as const)),
          Stream.runCollect,
          Effect.provideService(LanguageModel.LanguageModel, scripted.model),
          Effect.provide(needs({ tools: [searchTool] }))
        )
        const started = events.filter(([tag]) => tag === "CallStarted")
        assert.lengthOf(started, 100)
        for (const [index, [, runs]] of started.entries())
          assert.isAtMost(runs, index + 12, "the run is not far ahead of its reader")
      }) as Effect.Effect<void>
  )

  it.effect(
    "11.2 a reader that stops reading pauses the run",
    () =>
      Effect.gen(function* () {
        const searchTool = counting()
        const scripted = yield* ScriptedModel.make((_, index) => call("search", { q: `${index}` }))
        const reading = yield* start(
          Agent.stream({ prompt: "Go.", tools: toolbox([searchTool]), maxRounds: 10_000, buffer: { events: 16 } }).pipe(
            Stream.runForEach(() => Effect.never),
            Effect.provideService(LanguageModel.LanguageModel, scripted.model),
            Effect.provide(needs({ tools: [searchTool] }))
          )
        )
        yield* TestClock.adjust("1 hour")
        assert.isBelow(searchTool.runs(), 20)
        yield* Fiber.interrupt(reading)
      }) as Effect.Effect<void>
  )
})

describe("Agent.streamOf", () => {
  it.effect(
    "11.2, 12.1 a run with a journal also emits its checkpoints, and the stream fails if the run is refused",
    () =>
      Effect.gen(function* () {
        const searchTool = tool("search", {}, { n: 1 })
        const scripted = yield* ScriptedModel.make([call("search", { q: "a" }), "Done."])
        const options = { prompt: "Go.", tools: toolbox([searchTool]) }
        const streamed = (run: string) =>
          Agent.streamOf((onEvent) => Agent.checkpointed({ ...options, run, onEvent })).pipe(
            Stream.provideService(LanguageModel.LanguageModel, scripted.model),
            Stream.provide(needs({ tools: [searchTool] })),
            Stream.provide(CheckpointsMemory.layer)
          )
        const events = yield* Stream.runCollect(streamed("run"))
        assert.deepStrictEqual(
          events
            .map(({ _tag }) => _tag)
            .filter((tag) => tag === "Checkpointed" || tag === "AttemptEnded" || tag === "End"),
          ["AttemptEnded", "Checkpointed", "Checkpointed", "End"]
        )
        const refused = yield* Effect.flip(Stream.runCollect(streamed("")))
        assert.strictEqual((refused as { readonly reason?: string }).reason, "invalid_id")
      }) as Effect.Effect<void>
  )
})

describe("LiveEvent", () => {
  it.effect("11.2 every event of a run can be decoded, and does not contain the prompt", () =>
    Effect.gen(function* () {
      const { events } = yield* play({
        tools: [tool("search", {}, { n: 1 })],
        script: [[call("search", { q: "secret of the prompt" }), call("nothing", {})], "Done."],
        options: { prompt: "SYSTEM WORDS" }
      })
      assert.includeMembers(
        events.map(({ _tag }) => _tag),
        ["RoundStarted", "Text", "CallStarted", "CallEnded", "RoundEnded", "End"]
      )
      for (const event of events) {
        const live = LiveEvent.of(event)
        assert.deepStrictEqual(LiveEvent.decode(LiveEvent.encode(live)), Result.succeed(live))
        assert.notInclude(LiveEvent.encode(live), "SYSTEM WORDS")
      }
    })
  )

  it("11.2 arguments that JSON cannot represent are null, and an invalid event is an error", () => {
    const started: AgentEvent = { _tag: "CallStarted", round: 1, callId: "c", tool: "t", arguments: { n: 1n } }
    assert.deepInclude(LiveEvent.of(started), { arguments: null })
    for (const wrong of ["", "{}", '{"_tag":"Text"}', '{"_tag":"Other","round":1}']) {
      assert.isTrue(Result.isFailure(LiveEvent.decode(wrong)), wrong)
    }
  })
})

/** Creates a run that emits the given events. */
const runOf = (events: ReadonlyArray<AgentEvent>, options: LiveRun.LiveRunOptions = {}) =>
  LiveRun.make(() => Stream.fromIterable(events), options)

/** Returns the numbers of events, and the ranges of missed events. */
const ids = (entries: ReadonlyArray<LiveRun.Entry>) =>
  entries.map((entry) => (entry._tag === "Event" ? entry.id : [entry.from, entry.to]))

describe("LiveRun", () => {
  const ten = Array.from({ length: 10 }, (_, index) => round(index + 1))

  it.effect("11.2 readers can connect after the run has ended, and read from their position", () =>
    Effect.gen(function* () {
      const run = yield* runOf(ten)
      yield* run.over
      assert.deepStrictEqual(ids(yield* Stream.runCollect(run.follow(0))), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      assert.deepStrictEqual(ids(yield* Stream.runCollect(run.follow(7))), [8, 9, 10])
      assert.deepStrictEqual(ids(yield* Stream.runCollect(run.follow(10))), [])
      assert.deepStrictEqual(ids(yield* Stream.runCollect(run.follow(99))), [])
      assert.strictEqual(run.last(), 10)
    }).pipe(Effect.scoped)
  )

  it.effect("11.2 events that are no longer stored are reported by their numbers", () =>
    Effect.gen(function* () {
      const few = yield* runOf(ten, { keepEvents: 3, patience: 0 })
      yield* few.over
      assert.deepStrictEqual(ids(yield* Stream.runCollect(few.follow(2))), [[3, 7], 8, 9, 10])
      const small = yield* runOf(ten, { keepCharacters: 1, patience: 0 })
      yield* small.over
      assert.deepStrictEqual(ids(yield* Stream.runCollect(small.follow(0))), [[1, 9], 10])
    }).pipe(Effect.scoped)
  )

  it.effect("11.2 an event that a reader has not received is not dropped, however large events are", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 100 }, (_, index) => text("x".repeat(1_000), index + 1))
      const run = yield* runOf(long, { keepCharacters: 5_000 })
      const entries = yield* Stream.runCollect(
        Stream.mapEffect(run.follow(0), (entry) => Effect.as(Effect.yieldNow, entry))
      )
      assert.deepStrictEqual(
        ids(entries),
        long.map((_, index) => index + 1)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("11.2 a run with a full history waits for a reader to connect or reconnect, for a limited time", () =>
    Effect.gen(function* () {
      const hundred = Array.from({ length: 100 }, (_, index) => round(index + 1))
      const options = { keepEvents: 10, patience: "5 seconds" } as const
      const awaited = yield* runOf(hundred, options)
      yield* TestClock.adjust("4 seconds")
      assert.lengthOf(yield* Stream.runCollect(Stream.take(awaited.follow(0), 15)), 15)
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(awaited.last())
      assert.deepStrictEqual(ids(yield* Stream.runCollect(awaited.follow(15))).at(0), 16)
      const alone = yield* runOf(hundred, options)
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(alone.last(), 100)
      assert.deepStrictEqual(ids(yield* Stream.runCollect(alone.follow(0))).slice(0, 2), [[1, 90], 91])
    }).pipe(Effect.scoped)
  )

  it.effect("11.2 a run waits for a slow reader and then disconnects it, and the reader can reconnect", () =>
    Effect.gen(function* () {
      let made = 0
      const events = Stream.fromIterable(ten).pipe(
        Stream.tap(() => Effect.sync(() => (made += 1))),
        Stream.rechunk(1)
      )
      const run = yield* LiveRun.make(() => Stream.concat(Stream.fromEffectDrain(Effect.sleep("1 second")), events), {
        lag: 2,
        patience: "5 seconds"
      })
      const stalled = yield* start(Stream.runForEachArray(run.follow(0), () => Effect.sleep("1 hour")))
      yield* TestClock.adjust("2 seconds")
      assert.isBelow(made, 6)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(made, 10)
      yield* run.over
      assert.deepStrictEqual(ids(yield* Stream.runCollect(run.follow(1))), [2, 3, 4, 5, 6, 7, 8, 9, 10])
      yield* Fiber.interrupt(stalled)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "11.2 a run without readers is interrupted after linger, with its handler; a run with a reader is not",
    () =>
      Effect.gen(function* () {
        const hang = slow(() => 3_600_000)
        const searchTool = tool("search", { timeout: "2 hours", deadline: "2 hours" }, hang.handler)
        const scripted = yield* ScriptedModel.make([call("search", { q: "a" }), "Done."])
        const begin = (stop: Effect.Effect<void>) =>
          Agent.stream({ prompt: "Go.", tools: toolbox([searchTool]), interruptWhen: stop }).pipe(
            Stream.provideService(LanguageModel.LanguageModel, scripted.model),
            Stream.provide(needs({ tools: [searchTool] }))
          )
        const run = yield* LiveRun.make(begin, { linger: "30 seconds" })
        const reader = yield* start(Stream.runCollect(run.follow(0)))
        yield* TestClock.adjust("10 minutes")
        assert.deepStrictEqual([hang.started.length, hang.interrupted], [1, []])
        yield* Fiber.interrupt(reader)
        yield* TestClock.adjust("20 seconds")
        const reconnected = yield* start(Stream.runCollect(run.follow(2)))
        yield* TestClock.adjust("10 minutes")
        assert.deepStrictEqual(hang.interrupted, [])
        yield* Fiber.interrupt(reconnected)
        yield* TestClock.adjust("31 seconds")
        assert.deepStrictEqual(hang.interrupted, ["a"])
        yield* run.over
        const [last] = (yield* Stream.runCollect(run.follow(0))).slice(-1)
        assert.include(last?._tag === "Event" ? last.json : "", '"Interrupted"')
      }).pipe(Effect.scoped) as Effect.Effect<void>
  )

  it.effect(
    "11.2 an event that cannot be converted is not sent and does not end the run; a run that dies ends and is logged",
    () =>
      Effect.gen(function* () {
        const logged: Array<unknown> = []
        const logger = Logger.make(({ message }) => void logged.push(message))
        yield* Effect.gen(function* () {
          const show = (event: LiveEvent.LiveEvent) => {
            if (event._tag === "RoundStarted" && event.round === 2) throw new Error("no")
            return event
          }
          const run = yield* runOf(ten, { show })
          yield* run.over
          assert.strictEqual(run.last(), 9)
          const broken = yield* LiveRun.make(() => Stream.concat(Stream.make(round(1)), Stream.die("broken")))
          yield* broken.over
          assert.deepStrictEqual(ids(yield* Stream.runCollect(broken.follow(0))), [1])
        }).pipe(Effect.scoped, Effect.provide(Logger.layer([logger])))
        assert.deepStrictEqual(
          logged.map((message) => String(message).split(",")[0]),
          ["An event (RoundStarted) could not be converted and was not sent", "A run failed before its end"]
        )
      })
  )

  for (const how of ["interrupted", "abandoned by its reader", "shut down"] as const) {
    it.effect(
      `11.2, 3.3 a write that is running when its run is ${how} has an unknown outcome, and is not repeated`,
      () =>
        Effect.gen(function* () {
          const started = yield* Deferred.make<void>()
          const hang = () => Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
          const pay = tool(
            "pay",
            { access: "write", idempotency: "derived", timeout: "1 hour", deadline: "1 hour" },
            hang
          )
          const asked = yield* ScriptedModel.make(() => call("pay", { q: "a" }))
          const shared = yield* Layer.build(needs({ tools: [pay] }))
          const options = { prompt: "Go.", tools: toolbox([pay]), turn: { conversation: "c", turn: "t", tenant: "x" } }
          const begin = (stop: Effect.Effect<void>) =>
            Agent.stream({ ...options, interruptWhen: stop }).pipe(
              Stream.provideService(LanguageModel.LanguageModel, asked.model),
              Stream.provideContext(shared)
            )
          const scope = yield* Scope.make()
          const run = yield* Scope.provide(LiveRun.make(begin), scope)
          const reader = yield* start(Stream.runDrain(run.follow(0)))
          yield* Deferred.await(started)
          if (how === "interrupted") yield* run.interrupt
          if (how === "abandoned by its reader") yield* Fiber.interrupt(reader)
          if (how === "shut down") yield* Scope.close(scope, Exit.void)
          yield* TestClock.adjust("31 seconds")
          yield* run.over
          const end = yield* Agent.run(options).pipe(
            Effect.provideService(LanguageModel.LanguageModel, asked.model),
            Effect.provide(shared)
          )
          assert.deepStrictEqual([end._tag, codes(end.transcript), pay.runs()], ["NeedsPerson", ["outcome_unknown"], 1])
        }).pipe(Effect.scoped) as Effect.Effect<void>
    )
  }

  it.effect("11.2 the option `show` changes and removes events", () =>
    Effect.gen(function* () {
      const show = (event: LiveEvent.LiveEvent) =>
        event._tag === "Text" ? undefined : event._tag === "CallStarted" ? { ...event, arguments: null } : event
      const started: AgentEvent = { _tag: "CallStarted", round: 1, callId: "c", tool: "t", arguments: { q: "hidden" } }
      const run = yield* runOf([text("hidden"), started], { show })
      yield* run.over
      const entries = yield* Stream.runCollect(run.follow(0))
      assert.deepStrictEqual(ids(entries), [1])
      assert.notInclude(JSON.stringify(entries), "hidden")
    }).pipe(Effect.scoped)
  )
})
