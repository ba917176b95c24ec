/** Tests of resumed runs: after ends that are not final, in another process, and with a store that becomes unavailable. */
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import { CheckpointRefused, Checkpoints, CheckpointsUnavailable } from "#services/Checkpoints"
import type { AgentEvent } from "#src/agent/AgentEvent"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Duration, Effect, Fiber, Layer, Result, Schema } from "effect"
import { AiError, Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import { tool } from "../pipeline/support.ts"
import { assertSame, begin, byPlace, onStores, resume, storesWith, textOf, type World } from "./processes.ts"
import { call, codes, envelopes } from "./support.ts"

/** Creates a world with one read per round, each with different arguments, and then an answer. */
const reading = (rounds: number, overrides: Partial<World> = {}): World & { readonly runs: () => number } => {
  const read = tool("read_it", {}, ({ q }: { readonly q: string }) => Effect.succeed({ n: q.length }))
  const script = Array.from({ length: rounds }, (_, n) => call("read_it", { q: "q".repeat(n + 1) }, `c${n + 1}`))
  return { tools: [read], model: byPlace([...script, "It is done."]), runs: read.runs, ...overrides }
}

const tags = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) => ("round" in event ? `${event._tag} ${event.round}` : event._tag))

/** Returns why a run was not resumed. */
const reason = (run: Effect.Effect<unknown, any, any>) =>
  Effect.map(Effect.flip(run), (error) => (error instanceof CheckpointRefused ? error.reason : error._tag))

const unavailable = AiError.make({
  module: "Provider",
  method: "generateText",
  reason: new AiError.InternalProviderError({ description: "unavailable" })
})
const refusing = AiError.make({
  module: "Provider",
  method: "generateText",
  reason: new AiError.AuthenticationError({ kind: "InvalidKey" })
})

/** Creates a world whose model fails at the reply with this number until `recover` is called. */
const failing = (world: World, place: number, error: AiError.AiError) => {
  let isFailing = true
  const model: World["model"] = (prompt, index) => {
    const at = prompt.content.filter(({ role }) => role === "assistant").length
    return isFailing && at === place ? Effect.fail(error) : world.model(prompt, index)
  }
  return { world: { ...world, model }, recover: () => (isFailing = false) }
}

const full = Effect.fail(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }))
const exhausted = () => {
  const read = tool("read_it", {}, full, { n: 1 })
  const twice = [call("read_it", { q: "a" }, "c1"), call("read_it", { q: "a" }, "c2")]
  return { world: { tools: [read], model: byPlace([...twice, "done"]) } satisfies World, runs: read.runs }
}

describe("a run that is resumed after its end", () => {
  it.effect("12.2 continues after a limit if it is resumed with a higher limit, and repeats no round or event", () =>
    Effect.gen(function* () {
      const world = reading(4)
      const first = yield* begin(world, { maxRounds: 2 })
      assert.deepStrictEqual(first.end._tag === "LimitReached" && first.end.limit, "rounds")
      assert.deepStrictEqual(
        tags(first.events).filter((tag) => !tag.startsWith("Call") && !tag.startsWith("Attempt")),
        ["RoundStarted 1", "RoundEnded 1", "Checkpointed 1", "RoundStarted 2", "RoundEnded 2", "Checkpointed 2", "End"]
      )
      const same = yield* resume(world, { maxRounds: 2 })
      assertSame(same.end, first.end)
      assert.deepStrictEqual([tags(same.events), same.asked], [["Resumed 2", "End"], 0])
      const last = yield* resume(world)
      assert.deepStrictEqual(last.events[0], { _tag: "Resumed", run: "run", round: 2, calls: 2 })
      assert.deepStrictEqual(
        [...new Set(last.events.slice(1).flatMap((event) => ("round" in event ? [event.round] : [])))],
        [3, 4, 5]
      )
      assert.deepStrictEqual([last.asked, world.runs()], [3, 4])
      assertSame(last.end, (yield* begin(reading(4), { run: "without a limit" })).end)
    }).pipe(onStores())
  )

  it.effect(
    "11.2, 12.2 first emits `Resumed`, with the last stored round and the number of stored calls, but only if it resumes",
    () =>
      Effect.gen(function* () {
        const resumedOf = ({ events }: { readonly events: ReadonlyArray<AgentEvent> }) =>
          events.flatMap((event, index) =>
            event._tag === "Resumed" ? [[index, event.run, event.round, event.calls]] : []
          )
        const world = reading(3)
        const run = "job 17"
        assert.deepStrictEqual(resumedOf(yield* begin(world, { run, maxRounds: 1 })), [])
        const second = yield* begin(world, { run, maxRounds: 2 })
        assert.deepStrictEqual(resumedOf(second), [[0, run, 1, 1]])
        const third = yield* resume(world, { run })
        assert.deepStrictEqual([resumedOf(third), third.end._tag], [[[0, run, 2, 2]], "Answered"])
        assert.deepStrictEqual((yield* resume(world, { run })).events, [])
      }).pipe(onStores())
  )

  it.effect("12.2 resumes at round 0 if its process ended before the first reply", () =>
    Effect.gen(function* () {
      const world = reading(1)
      const started = yield* Deferred.make<void>()
      const model = () => Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
      const fiber = yield* Effect.forkChild(begin({ ...world, model }))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      const { end, events } = yield* resume(world, { takeOver: true })
      assert.deepStrictEqual(events[0], { _tag: "Resumed", run: "run", round: 0, calls: 0 })
      assert.deepStrictEqual([tags(events)[1], end._tag], ["RoundStarted 1", "Answered"])
    }).pipe(onStores())
  )

  it.effect("4.6, 12.2 does not repeat a write that succeeded before the interruption", () =>
    Effect.gen(function* () {
      const write = tool("add_item", { access: "write" }, { n: 1 }, { n: 2 })
      const again = [1, 2].map((n) => call("add_item", { q: "a" }, `c${n}`))
      const world: World = { tools: [write], model: byPlace([...again, "done"]) }
      assert.strictEqual((yield* begin(world, { maxRounds: 1 })).end._tag, "LimitReached")
      const { end } = yield* resume(world)
      assert.deepStrictEqual(codes(end.transcript), ["success", "success unchanged"])
      assert.deepStrictEqual(
        [envelopes(end.transcript)[1].executed, envelopes(end.transcript)[1].data],
        [false, { n: 1 }]
      )
      assert.strictEqual(write.runs(), 1)
    }).pipe(onStores())
  )

  it.effect("4.6, 12.2 counts the repeats of a write before the interruption", () =>
    Effect.gen(function* () {
      const write = tool("add_item", { access: "write", repeats: "allowed" }, { n: 1 })
      const again = Array.from({ length: 11 }, (_, n) => call("add_item", { q: "a" }, `c${n + 1}`))
      const world: World = { tools: [write], model: byPlace([...again, "done"]) }
      assert.strictEqual((yield* begin(world, { maxRounds: 6 })).end._tag, "LimitReached")
      const { end } = yield* resume(world)
      assert.deepStrictEqual(codes(end.transcript), [...Array(10).fill("success"), "success unchanged"])
      assert.strictEqual(write.runs(), 10)
    }).pipe(onStores())
  )

  it.effect("7.2, 12.2 reads the status of unfinished work at the time that was stated before the interruption", () =>
    Effect.gen(function* () {
      const read = tool(
        "read_it",
        { success: Schema.Struct({ done: Schema.Boolean }) },
        { done: false },
        { done: true }
      )
      const again = [1, 2].map((n) => call("read_it", { q: "a" }, `c${n}`))
      const world: World = { tools: [read], model: byPlace([...again, "done"]) }
      yield* begin(world, { maxRounds: 1 })
      const last = yield* Effect.forkChild(resume(world), { startImmediately: true })
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(read.runs(), 1)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(codes((yield* Fiber.join(last)).end.transcript), ["success", "success"])
      assert.strictEqual(read.runs(), 2)
    }).pipe(onStores())
  )

  it.effect("12.2 asks the model again after its provider failed, without asking a person", () =>
    Effect.gen(function* () {
      for (const [run, error] of [
        ["unavailable", unavailable],
        ["refusing", refusing]
      ] as const) {
        const person = EscalationScripted.layer([])
        const { recover, world } = failing(reading(2), 1, error)
        const first = yield* begin({ ...world, person }, { run })
        assert.strictEqual(first.end._tag, "NeedsPerson")
        const still = yield* resume({ ...world, person }, { run })
        assert.deepStrictEqual([still.end._tag, still.asked], ["NeedsPerson", 1])
        recover()
        const last = yield* resume({ ...world, person }, { run })
        assert.strictEqual(last.end._tag, "Answered")
        assert.deepStrictEqual(
          textOf(last.end),
          textOf((yield* begin(reading(2), { run: `${run}, never unavailable` })).end)
        )
        const [resumed, ...later] = last.events
        assert.deepStrictEqual(resumed, { _tag: "Resumed", run, round: 3, calls: 1 })
        const old = later.filter((event) => "round" in event && event.round <= 3)
        assert.deepStrictEqual(old, [])
      }
    }).pipe(onStores())
  )

  it.effect("12.2 repeats only the interrupted call after an interruption", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      let isSlow = true
      const read = tool("read_it", {}, ({ q }: { readonly q: string }) =>
        q === "slow" && isSlow
          ? Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
          : Effect.succeed({ n: q.length })
      )
      const model = byPlace([[call("read_it", { q: "quick" }, "c1"), call("read_it", { q: "slow" }, "c2")], "done"])
      const world: World = { tools: [read], model }
      const first = yield* begin(world, { interruptWhen: Deferred.await(started) })
      assert.strictEqual(first.end._tag, "Interrupted")
      assert.deepStrictEqual(codes(first.end.transcript), ["success", "interrupted"])
      isSlow = false
      const last = yield* resume(world)
      assert.deepStrictEqual(codes(last.end.transcript), ["success", "success"])
      assert.deepStrictEqual(
        read.calls.map(({ args }) => args.q),
        ["quick", "slow", "slow"]
      )
    }).pipe(onStores())
  )

  it.effect("12.2 has its full maxTime again after the time limit", () =>
    Effect.gen(function* () {
      const read = tool("read_it", {}, () => Effect.delay(Effect.succeed({ n: 1 }), "4 seconds"))
      const world: World = { tools: [read], model: byPlace([call("read_it", { q: "a" }, "c1"), "done"]) }
      const first = yield* Effect.forkChild(begin(world, { maxTime: "2 seconds" }), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      const { end } = yield* Fiber.join(first)
      assert.deepStrictEqual(end._tag === "LimitReached" && end.limit, "time")
      const last = yield* Effect.forkChild(resume(world, { maxTime: "1 minute" }), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual([(yield* Fiber.join(last)).end._tag, read.runs()], ["Answered", 2])
    }).pipe(onStores())
  )

  it.effect("12.2 returns the same end again if checkpointed is called with its id", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(EscalationScripted.layer(["deny", "deny", "deny", "approve", "approve"]))
      const { asked } = Context.get(context, EscalationScripted.EscalationTranscript)
      for (const [run, { world: base }, tag] of [
        ["refusing", failing(reading(2), 1, refusing), "NeedsPerson"],
        ["unavailable", failing(reading(2), 1, unavailable), "NeedsPerson"],
        ["full", exhausted(), "NeedsPerson"]
      ] as const) {
        const world: World = { ...base, person: Layer.succeedContext(context) }
        const first = yield* begin(world, { run })
        const before = asked.length
        const second = yield* begin(world, { run })
        assertSame(second.end, first.end)
        assert.deepStrictEqual([first.end._tag, second.asked, asked.length], [tag, 0, before], run)
      }
      const resumed = yield* resume(failing(reading(2), 1, refusing).world, { run: "refusing" })
      assert.deepStrictEqual([resumed.end._tag, resumed.asked], ["NeedsPerson", 1])
    }).pipe(onStores())
  )

  it.effect("10.4 asks a person at the next call if no person was available at the first call", () =>
    Effect.gen(function* () {
      const write = tool("drop_it", { access: "destructive", approval: "confirm" }, { n: 1 })
      const world: World = {
        tools: [write],
        model: byPlace([call("drop_it", { q: "a" }, "c1"), call("drop_it", { q: "a" }, "c2"), "done"])
      }
      const first = yield* begin(world)
      assert.deepStrictEqual([first.end._tag, codes(first.end.transcript)], ["NeedsPerson", ["no_person"]])
      const last = yield* resume({ ...world, person: EscalationScripted.layer(["approve"]) })
      assert.deepStrictEqual(
        [last.end._tag, codes(last.end.transcript), write.runs()],
        ["Answered", ["no_person", "success"], 1]
      )
    }).pipe(onStores())
  )

  it.effect("10.1 asks the person again after a denial, and continues after an approval", () =>
    Effect.gen(function* () {
      const person = Layer.succeedContext(yield* Layer.build(EscalationScripted.layer(["deny", "deny", "approve"])))
      const { runs, world } = exhausted()
      const first = yield* begin({ ...world, person })
      assert.strictEqual(first.end._tag, "NeedsPerson")
      const second = yield* resume({ ...world, person })
      assertSame(second.end, first.end)
      assert.deepStrictEqual([second.asked, runs()], [0, 1])
      const third = yield* resume({ ...world, person })
      assert.deepStrictEqual([third.end._tag, codes(third.end.transcript)], ["Answered", ["disk_full", "success"]])
    }).pipe(onStores())
  )

  it.effect("10.1 does not ask for an approval or send a notification a second time", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(EscalationScripted.layer(["approve"]))
      const { asked, informed } = Context.get(context, EscalationScripted.EscalationTranscript)
      const { recover, world } = failing({ ...exhausted().world, person: Layer.succeedContext(context) }, 1, refusing)
      const first = yield* begin(world)
      // the provider's refusal is a second question, and becomes a notice because no person answers
      assert.deepStrictEqual([first.end._tag, asked.length, informed.length], ["NeedsPerson", 2, 1])
      const same = yield* begin(world)
      assert.deepStrictEqual([same.end._tag, asked.length, informed.length], ["NeedsPerson", 2, 1])
      recover()
      const { end } = yield* resume(world)
      assert.deepStrictEqual([end._tag, asked.length, informed.length], ["Answered", 2, 1])
    }).pipe(onStores())
  )

  it.effect("10.3, 12.2 replays a person's words, so that the resumed conversation is the same", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(EscalationScripted.layer([{ answer: "Use /data2." }]))
      const { asked } = Context.get(context, EscalationScripted.EscalationTranscript)
      const world = { ...exhausted().world, person: Layer.succeedContext(context) }
      assert.strictEqual((yield* begin(world, { maxRounds: 2 })).end._tag, "LimitReached")
      const { end } = yield* resume(world)
      assert.deepStrictEqual([end._tag, asked.length], ["Answered", 1])
      assert.include(JSON.stringify(textOf(end)), "Use /data2.")
      const other = yield* Layer.build(EscalationScripted.layer([{ answer: "Use /data2." }]))
      const whole = yield* begin({ ...exhausted().world, person: Layer.succeedContext(other) }, { run: "whole" })
      assert.deepStrictEqual(textOf(end), textOf(whole.end))
    }).pipe(onStores())
  )

  it.effect("7.3 ends again with a loop that a person stopped, without another call or question", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(EscalationScripted.layer(["deny", "approve", "approve"]))
      const { asked } = Context.get(context, EscalationScripted.EscalationTranscript)
      const read = tool("read_it", {}, { n: 1 })
      const world: World = {
        tools: [read],
        model: (prompt) => call("read_it", { q: "a" }, `c${prompt.content.length}`),
        person: Layer.succeedContext(context)
      }
      const first = yield* begin(world)
      assert.deepStrictEqual([first.end._tag, asked.length, read.runs()], ["LoopDetected", 1, 2])
      const second = yield* resume(world)
      assert.deepStrictEqual([second.end._tag, second.asked, asked.length, read.runs()], ["LoopDetected", 1, 1, 2])
    }).pipe(onStores())
  )
})

describe("a run's id", () => {
  it.effect("12.2 belongs to one run: another prompt or turn is refused, before and after the run is completed", () =>
    Effect.gen(function* () {
      const world = reading(2)
      yield* begin(world, { maxRounds: 1 })
      const others = [
        { prompt: "Something else." },
        { turn: { conversation: "another", turn: "turn" } },
        { turn: { conversation: "conversation", turn: "another" } }
      ]
      for (const other of others) assert.strictEqual(yield* reason(begin(world, other)), "other_run")
      const { end } = yield* begin(world)
      assert.strictEqual(end._tag, "Answered")
      for (const other of others) assert.strictEqual(yield* reason(begin(world, other)), "other_run")
      assertSame((yield* begin(world)).end, end)
      const otherTenant = { turn: { conversation: "conversation", turn: "turn", tenant: "another" } }
      assert.strictEqual((yield* begin(world, otherTenant)).asked, 3)
      const otherPrincipal = { turn: { conversation: "conversation", turn: "turn", principal: "ana" } }
      assert.strictEqual((yield* begin(world, otherPrincipal)).asked, 3)
    }).pipe(onStores())
  )

  it.effect("12.2 is refused if it is unknown, and no run is created", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* reason(resume(reading(1))), "unknown_run")
      const store = yield* Checkpoints
      assert.deepStrictEqual(yield* store.list, [])
      // a run whose process crashed before its first row
      const { owner } = yield* store.open(
        { tenant: "default", run: "run" },
        { mayMake: true, format: 1, lease: Duration.seconds(30), takeOver: false }
      )
      yield* store.close({ tenant: "default", run: "run" }, owner, undefined)
      assert.strictEqual(yield* reason(resume(reading(1))), "unknown_run")
      assert.strictEqual((yield* begin(reading(1))).end._tag, "Answered")
    }).pipe(onStores())
  )

  it.effect("12.2 is a string of 1 to 200 arbitrary characters", () =>
    Effect.gen(function* () {
      for (const run of ["", "x".repeat(201)]) {
        assert.strictEqual(yield* reason(begin(reading(1), { run })), "invalid_id")
        assert.strictEqual(yield* reason(resume(reading(1), { run })), "invalid_id")
        assert.strictEqual(yield* reason(resume(reading(1), { tenant: run })), "invalid_id")
      }
      for (const run of ["../../etc/passwd", "a\u0000b", "'; --", "👩‍👩‍👧‍👦", "x".repeat(200)]) {
        yield* begin(reading(2), { run, maxRounds: 1 })
        assert.strictEqual((yield* resume(reading(2), { run })).end._tag, "Answered")
      }
    }).pipe(onStores())
  )

  it.effect("12.2 a prompt that JSON cannot represent is stored as converted by JSON", () =>
    Effect.gen(function* () {
      const prompt = Prompt.fromMessages([
        Prompt.userMessage({ content: [Prompt.textPart({ text: "Go." })] }),
        Prompt.assistantMessage({
          content: [
            Prompt.toolCallPart({
              id: "h1",
              name: "read_it",
              params: { q: "a", at: new Date(0), no: undefined, n: 1n },
              providerExecuted: false
            })
          ]
        }),
        Prompt.toolMessage({
          content: [
            Prompt.toolResultPart({
              id: "h1",
              name: "read_it",
              isFailure: false,
              result: undefined,
              providerExecuted: false
            })
          ]
        }),
        Prompt.userMessage({ content: [Prompt.textPart({ text: "Continue." })] })
      ])
      const read = tool("read_it", {}, { n: 1 })
      const world: World = {
        tools: [read],
        model: (sent) =>
          JSON.stringify(sent).includes("h2") ? "done" : call("read_it", { q: "a", no: undefined, n: Number.NaN }, "h2")
      }
      const first = yield* begin(world, { prompt, maxRounds: 1 })
      const last = yield* begin(world, { prompt })
      assert.strictEqual(last.end._tag, "Answered")
      assert.deepStrictEqual(
        last.end.transcript.content.slice(0, first.end.transcript.content.length),
        first.end.transcript.content
      )
    }).pipe(onStores())
  )
})

describe("a run that another process takes over", () => {
  it.effect("12.1 stops in the first process when its next renewal or its next row is refused", () =>
    Effect.gen(function* () {
      for (const noticed of ["by its lease", "by its next row"] as const) {
        const run = noticed
        const started = yield* Deferred.make<void>()
        const free = yield* Deferred.make<void>()
        let isFirst = true
        const interrupted: Array<string> = []
        const read = tool("read_it", { timeout: "1 hour", deadline: "1 hour" }, ({ q }: { readonly q: string }) => {
          if (q !== "qq" || !isFirst) return Effect.succeed({ n: q.length })
          isFirst = false
          return Deferred.succeed(started, undefined).pipe(
            Effect.andThen(Deferred.await(free)),
            Effect.as({ n: 2 }),
            Effect.onInterrupt(() => Effect.sync(() => void interrupted.push(q)))
          )
        })
        const world: World = { ...reading(4), tools: [read] }
        const first = yield* Effect.forkChild(Effect.result(begin(world, { run })), { startImmediately: true })
        yield* Deferred.await(started)
        assert.strictEqual(yield* reason(resume(world, { run })), "in_use")
        const second = yield* resume(world, { run, takeOver: true })
        assert.strictEqual(second.end._tag, "Answered")
        if (noticed === "by its lease") yield* TestClock.adjust("10 seconds")
        else yield* Deferred.succeed(free, undefined)
        const result = yield* Fiber.join(first)
        assert.isTrue(Result.isFailure(result))
        assert.strictEqual(Result.isFailure(result) ? result.failure.reason : "", "in_use")
        assert.deepStrictEqual(interrupted, noticed === "by its lease" ? ["qq"] : [])
        assertSame((yield* resume(world, { run })).end, second.end)
      }
    }).pipe(onStores())
  )

  it.effect("12.1 is held while its process renews the lease, and can be resumed when the lease expires", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      let isSlow = true
      const read = tool("read_it", { timeout: "1 hour", deadline: "1 hour" }, () =>
        isSlow ? Effect.andThen(Deferred.succeed(started, undefined), Effect.never) : Effect.succeed({ n: 1 })
      )
      const world: World = { ...reading(1), tools: [read] }
      const first = yield* Effect.forkChild(begin(world), { startImmediately: true })
      yield* Deferred.await(started)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* reason(resume(world)), "in_use")
      const store = yield* Checkpoints
      const key = { tenant: "default", run: "run" }
      // a process that takes the run over and crashes: the lease is not released
      yield* store.open(key, { mayMake: false, format: 0, lease: Duration.seconds(30), takeOver: true })
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* reason(resume(world)), "in_use")
      isSlow = false
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* resume(world)).end._tag, "Answered")
    }).pipe(onStores())
  )
})

describe("a run that is interrupted", () => {
  it.effect(
    "12.1 a run that is interrupted in the middle of a call is resumed by another process immediately, before the lease ends",
    () =>
      Effect.gen(function* () {
        const started = yield* Deferred.make<void>()
        let isSlow = true
        const read = tool("read_it", { timeout: "1 hour", deadline: "1 hour" }, () =>
          isSlow ? Effect.andThen(Deferred.succeed(started, undefined), Effect.never) : Effect.succeed({ n: 1 })
        )
        const world: World = { ...reading(1), tools: [read] }
        const first = yield* Effect.forkChild(begin(world), { startImmediately: true })
        yield* Deferred.await(started)
        yield* Fiber.interrupt(first)
        isSlow = false
        assert.strictEqual((yield* resume(world)).end._tag, "Answered")
      }).pipe(onStores())
  )
})

describe("a store that becomes unavailable during a run", () => {
  /** Creates a store that accepts a number of rows, and then fails until `recover` is called. */
  const failingAfter = (rows: number) => {
    let left = rows
    const layer = Layer.effect(
      Checkpoints,
      Effect.map(Checkpoints, (store) => ({
        ...store,
        append: (...args: Parameters<typeof store.append>) =>
          Effect.suspend(() => {
            left -= 1
            return left < 0
              ? Effect.fail(new CheckpointsUnavailable({ cause: new Error("unavailable") }))
              : store.append(...args)
          })
      }))
    ).pipe(Layer.provide(CheckpointsMemory.layer))
    return { layer: storesWith(layer), recover: () => (left = Number.POSITIVE_INFINITY) }
  }

  // the first row is the start of the run; a reply and the calls of its round follow
  for (const rows of [0, 1, 2, 3, 4, 5, 6]) {
    const { layer, recover } = failingAfter(rows)
    it.effect(
      `12.1 after row ${rows}: the run stops with the store's error, and resumes when the store is available`,
      () =>
        Effect.gen(function* () {
          const calls: Array<string> = []
          const write = tool(
            "write_it",
            { access: "write", idempotency: "derived" },
            ({ q }: { readonly q: string }) => {
              calls.push(q)
              return Effect.succeed({ n: q.length })
            }
          )
          const world: World = {
            tools: [write],
            model: byPlace([
              [call("write_it", { q: "a" }, "c1"), call("write_it", { q: "b" }, "c2")],
              call("write_it", { q: "c" }, "c3"),
              "done"
            ])
          }
          assert.strictEqual(yield* reason(begin(world)), "CheckpointsUnavailable")
          // a reply that is not in the journal starts no call
          if (rows <= 1) assert.deepStrictEqual(calls, [])
          if (rows === 4) assert.deepStrictEqual(calls.toSorted(), ["a", "b"])
          recover()
          const { end } = yield* begin(world, { takeOver: true })
          assert.strictEqual(end._tag, "Answered")
          assert.deepStrictEqual(calls.toSorted(), ["a", "b", "c"])
          assert.deepStrictEqual(codes(end.transcript), ["success", "success", "success"])
        }).pipe(onStores(layer))
    )
  }
})
