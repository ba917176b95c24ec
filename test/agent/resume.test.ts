/** Runs that are gone on with: after ends that are not final, by another process, with a store that goes away. */
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import { CheckpointRefused, Checkpoints, CheckpointsUnavailable } from "#services/Checkpoints"
import type { AgentEvent } from "#src/agent/AgentEvent"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Duration, Effect, Fiber, Layer, Result } from "effect"
import { AiError, Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import { tool } from "../pipeline/support.ts"
import { assertSame, begin, byPlace, onStores, resume, storesWith, textOf, type World } from "./processes.ts"
import { call, codes } from "./support.ts"

/** One read a round, of other arguments each time, then an answer. */
const reading = (rounds: number, over: Partial<World> = {}): World & { readonly runs: () => number } => {
  const read = tool("read_it", {}, ({ q }: { readonly q: string }) => Effect.succeed({ n: q.length }))
  const script = Array.from({ length: rounds }, (_, n) => call("read_it", { q: "q".repeat(n + 1) }, `c${n + 1}`))
  return { tools: [read], model: byPlace([...script, "It is done."]), runs: read.runs, ...over }
}

const tags = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) => ("round" in event ? `${event._tag} ${event.round}` : event._tag))

/** Why a run was not gone on with. */
const reason = (run: Effect.Effect<unknown, any, any>) =>
  Effect.map(Effect.flip(run), (error) => (error instanceof CheckpointRefused ? error.reason : error._tag))

const away = AiError.make({
  module: "Provider",
  method: "generateText",
  reason: new AiError.InternalProviderError({ description: "away" })
})
const refusing = AiError.make({
  module: "Provider",
  method: "generateText",
  reason: new AiError.AuthenticationError({ kind: "InvalidKey" })
})

/** A model that fails for as long as it is told to, in place of the answer with this number. */
const failing = (world: World, place: number, error: AiError.AiError) => {
  let isAway = true
  const model: World["model"] = (prompt, index) => {
    const at = prompt.content.filter(({ role }) => role === "assistant").length
    return isAway && at === place ? Effect.fail(error) : world.model(prompt, index)
  }
  return { it: { ...world, model }, back: () => (isAway = false) }
}

const full = Effect.fail(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }))
const filling = () => {
  const read = tool("read_it", {}, full, { n: 1 })
  const twice = [call("read_it", { q: "a" }, "c1"), call("read_it", { q: "a" }, "c2")]
  return { it: { tools: [read], model: byPlace([...twice, "done"]) } satisfies World, runs: read.runs }
}

describe("a run that ended, and is gone on with", () => {
  it.effect("12.2 after a limit, with a higher one: no round is made or told again", () =>
    Effect.gen(function* () {
      const it = reading(4)
      const first = yield* begin(it, { maxRounds: 2 })
      assert.deepStrictEqual(first.end._tag === "LimitReached" && first.end.limit, "rounds")
      assert.deepStrictEqual(
        tags(first.events).filter((tag) => !tag.startsWith("Call") && !tag.startsWith("Attempt")),
        ["RoundStarted 1", "RoundEnded 1", "Checkpointed 1", "RoundStarted 2", "RoundEnded 2", "Checkpointed 2", "End"]
      )
      const same = yield* resume(it, { maxRounds: 2 })
      assertSame(same.end, first.end)
      assert.deepStrictEqual([tags(same.events), same.asked], [["End"], 0])
      const last = yield* resume(it)
      assert.deepStrictEqual(
        [...new Set(last.events.flatMap((event) => ("round" in event ? [event.round] : [])))],
        [3, 4, 5]
      )
      assert.deepStrictEqual([last.asked, it.runs()], [3, 4])
      assertSame(last.end, (yield* begin(reading(4), { run: "without a limit" })).end)
    }).pipe(onStores())
  )

  it.effect(
    "12.2 after its provider failed: who goes on with it has it asked again, and nobody is asked about that",
    () =>
      Effect.gen(function* () {
        for (const [run, error] of [
          ["away", away],
          ["refusing", refusing]
        ] as const) {
          const person = EscalationScripted.layer([])
          const { back, it } = failing(reading(2), 1, error)
          const first = yield* begin({ ...it, person }, { run })
          assert.strictEqual(first.end._tag, "ModelFailed")
          const still = yield* resume({ ...it, person }, { run })
          assert.deepStrictEqual([still.end._tag, still.asked], ["ModelFailed", 1])
          back()
          const last = yield* resume({ ...it, person }, { run })
          assert.strictEqual(last.end._tag, "Answered")
          assert.deepStrictEqual(
            textOf(last.end),
            textOf((yield* begin(reading(2), { run: `${run}, never away` })).end)
          )
          const old = last.events.filter((event) => "round" in event && event.round <= 3)
          assert.deepStrictEqual(old, [])
        }
      }).pipe(onStores())
  )

  it.effect("12.2 after it was interrupted: the call that was, and nothing else, is made again", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      let isSlow = true
      const read = tool("read_it", {}, ({ q }: { readonly q: string }) =>
        q === "slow" && isSlow
          ? Effect.andThen(Deferred.succeed(began, undefined), Effect.never)
          : Effect.succeed({ n: q.length })
      )
      const model = byPlace([[call("read_it", { q: "quick" }, "c1"), call("read_it", { q: "slow" }, "c2")], "done"])
      const it: World = { tools: [read], model }
      const first = yield* begin(it, { interruptWhen: Deferred.await(began) })
      assert.strictEqual(first.end._tag, "Interrupted")
      assert.deepStrictEqual(codes(first.end.transcript), ["success", "interrupted"])
      isSlow = false
      const last = yield* resume(it)
      assert.deepStrictEqual(codes(last.end.transcript), ["success", "success"])
      assert.deepStrictEqual(
        read.calls.map(({ args }) => args.q),
        ["quick", "slow", "slow"]
      )
    }).pipe(onStores())
  )

  it.effect("12.2 after its time was over: it has its time anew", () =>
    Effect.gen(function* () {
      const read = tool("read_it", {}, () => Effect.delay(Effect.succeed({ n: 1 }), "4 seconds"))
      const it: World = { tools: [read], model: byPlace([call("read_it", { q: "a" }, "c1"), "done"]) }
      const first = yield* Effect.forkChild(begin(it, { maxTime: "2 seconds" }), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      const { end } = yield* Fiber.join(first)
      assert.deepStrictEqual(end._tag === "LimitReached" && end.limit, "time")
      const last = yield* Effect.forkChild(resume(it, { maxTime: "1 minute" }), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual([(yield* Fiber.join(last)).end._tag, read.runs()], ["Answered", 2])
    }).pipe(onStores())
  )

  it.effect("12.2 asked for by its id alone, it ends there again: nobody may have heard of that end", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(EscalationScripted.layer(["deny", "deny", "approve", "approve"]))
      const { asked } = Context.get(context, EscalationScripted.EscalationTranscript)
      for (const [run, { it }, tag] of [
        ["refusing", failing(reading(2), 1, refusing), "ModelFailed"],
        ["away", failing(reading(2), 1, away), "ModelFailed"],
        ["full", filling(), "NeedsPerson"]
      ] as const) {
        const world: World = { ...it, person: Layer.succeedContext(context) }
        const first = yield* begin(world, { run })
        const before = asked.length
        const again = yield* begin(world, { run })
        assertSame(again.end, first.end)
        assert.deepStrictEqual([first.end._tag, again.asked, asked.length], [tag, 0, before], run)
      }
      const gone = yield* resume(failing(reading(2), 1, refusing).it, { run: "refusing" })
      assert.deepStrictEqual([gone.end._tag, gone.asked], ["ModelFailed", 1])
    }).pipe(onStores())
  )

  it.effect("10.4 for want of a person: the model reads so, calls again, and the person who is there is asked", () =>
    Effect.gen(function* () {
      const write = tool("drop_it", { access: "destructive", approval: true }, { n: 1 })
      const it: World = {
        tools: [write],
        model: byPlace([call("drop_it", { q: "a" }, "c1"), call("drop_it", { q: "a" }, "c2"), "done"])
      }
      const first = yield* begin(it)
      assert.deepStrictEqual([first.end._tag, codes(first.end.transcript)], ["NeedsPerson", ["no_person"]])
      const last = yield* resume({ ...it, person: EscalationScripted.layer(["approve"]) })
      assert.deepStrictEqual(
        [last.end._tag, codes(last.end.transcript), write.runs()],
        ["Answered", ["no_person", "success"], 1]
      )
    }).pipe(onStores())
  )

  it.effect("10.1 a no stands: who goes on with the run is asked again, and it goes on after a yes", () =>
    Effect.gen(function* () {
      const person = Layer.succeedContext(yield* Layer.build(EscalationScripted.layer(["deny", "deny", "approve"])))
      const { it, runs } = filling()
      const first = yield* begin({ ...it, person })
      assert.strictEqual(first.end._tag, "NeedsPerson")
      const second = yield* resume({ ...it, person })
      assertSame(second.end, first.end)
      assert.deepStrictEqual([second.asked, runs()], [0, 1])
      const third = yield* resume({ ...it, person })
      assert.deepStrictEqual([third.end._tag, codes(third.end.transcript)], ["Answered", ["disk_full", "success"]])
    }).pipe(onStores())
  )

  it.effect("10.1 a yes is not asked again, and who was told is not told again", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(EscalationScripted.layer(["approve"]))
      const { asked, informed } = Context.get(context, EscalationScripted.EscalationTranscript)
      const { back, it } = failing({ ...filling().it, person: Layer.succeedContext(context) }, 1, refusing)
      const first = yield* begin(it)
      assert.deepStrictEqual([first.end._tag, asked.length, informed.length], ["ModelFailed", 1, 1])
      back()
      const { end } = yield* resume(it)
      assert.deepStrictEqual([end._tag, asked.length, informed.length], ["Answered", 1, 1])
    }).pipe(onStores())
  )

  it.effect(
    "7.3 a loop that a person stopped stays stopped: the call is not made again, and nobody is asked again",
    () =>
      Effect.gen(function* () {
        const context = yield* Layer.build(EscalationScripted.layer(["deny", "approve", "approve"]))
        const { asked } = Context.get(context, EscalationScripted.EscalationTranscript)
        const read = tool("read_it", {}, { n: 1 })
        const it: World = {
          tools: [read],
          model: (prompt) => call("read_it", { q: "a" }, `c${prompt.content.length}`),
          person: Layer.succeedContext(context)
        }
        const first = yield* begin(it)
        assert.deepStrictEqual([first.end._tag, asked.length, read.runs()], ["LoopDetected", 1, 2])
        const second = yield* resume(it)
        assert.deepStrictEqual([second.end._tag, second.asked, asked.length, read.runs()], ["LoopDetected", 1, 1, 2])
      }).pipe(onStores())
  )
})

describe("a run's id", () => {
  it.effect("12.2 is one run's: another prompt or turn is refused, while it goes on and when it is completed", () =>
    Effect.gen(function* () {
      const it = reading(2)
      yield* begin(it, { maxRounds: 1 })
      const others = [
        { prompt: "Something else." },
        { turn: { conversation: "another", turn: "turn" } },
        { turn: { conversation: "conversation", turn: "another" } },
        { turn: { conversation: "conversation", turn: "turn", principal: "ana" } }
      ]
      for (const other of others) assert.strictEqual(yield* reason(begin(it, other)), "other_run")
      const { end } = yield* begin(it)
      assert.strictEqual(end._tag, "Answered")
      for (const other of others) assert.strictEqual(yield* reason(begin(it, other)), "other_run")
      assertSame((yield* begin(it)).end, end)
      const elsewhere = { turn: { conversation: "conversation", turn: "turn", tenant: "another" } }
      assert.strictEqual((yield* begin(it, elsewhere)).asked, 3)
    }).pipe(onStores())
  )

  it.effect("12.2 that nobody knows is not gone on with, and not made", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* reason(resume(reading(1))), "unknown_run")
      const store = yield* Checkpoints
      assert.deepStrictEqual(yield* store.list, [])
      // one that died before its first row
      const { owner } = yield* store.open(
        { tenant: "default", run: "run" },
        { mayMake: true, format: 1, lease: Duration.seconds(30), takeOver: false }
      )
      yield* store.close({ tenant: "default", run: "run" }, owner, undefined)
      assert.strictEqual(yield* reason(resume(reading(1))), "unknown_run")
      assert.strictEqual((yield* begin(reading(1))).end._tag, "Answered")
    }).pipe(onStores())
  )

  it.effect("12.2 is a text of 1 to 200 characters, and no path", () =>
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

  it.effect("12.2 a prompt that JSON cannot hold is held as JSON makes it", () =>
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
        Prompt.userMessage({ content: [Prompt.textPart({ text: "Go on." })] })
      ])
      const read = tool("read_it", {}, { n: 1 })
      const it: World = {
        tools: [read],
        model: (sent) =>
          JSON.stringify(sent).includes("h2") ? "done" : call("read_it", { q: "a", no: undefined, n: Number.NaN }, "h2")
      }
      const first = yield* begin(it, { prompt, maxRounds: 1 })
      const last = yield* begin(it, { prompt })
      assert.strictEqual(last.end._tag, "Answered")
      assert.deepStrictEqual(
        last.end.transcript.content.slice(0, first.end.transcript.content.length),
        first.end.transcript.content
      )
    }).pipe(onStores())
  )
})

describe("a run that another process takes over", () => {
  it.effect("12.1 stops where it is when its next sign of life, or its next row, is refused", () =>
    Effect.gen(function* () {
      for (const noticed of ["by its lease", "by its next row"] as const) {
        const run = noticed
        const began = yield* Deferred.make<void>()
        const free = yield* Deferred.make<void>()
        let isFirst = true
        const interrupted: Array<string> = []
        const read = tool("read_it", { timeout: "1 hour", deadline: "1 hour" }, ({ q }: { readonly q: string }) => {
          if (q !== "qq" || !isFirst) return Effect.succeed({ n: q.length })
          isFirst = false
          return Deferred.succeed(began, undefined).pipe(
            Effect.andThen(Deferred.await(free)),
            Effect.as({ n: 2 }),
            Effect.onInterrupt(() => Effect.sync(() => void interrupted.push(q)))
          )
        })
        const it: World = { ...reading(4), tools: [read] }
        const first = yield* Effect.forkChild(Effect.result(begin(it, { run })), { startImmediately: true })
        yield* Deferred.await(began)
        assert.strictEqual(yield* reason(resume(it, { run })), "in_use")
        const second = yield* resume(it, { run, takeOver: true })
        assert.strictEqual(second.end._tag, "Answered")
        if (noticed === "by its lease") yield* TestClock.adjust("10 seconds")
        else yield* Deferred.succeed(free, undefined)
        const lost = yield* Fiber.join(first)
        assert.isTrue(Result.isFailure(lost))
        assert.strictEqual(Result.isFailure(lost) ? lost.failure.reason : "", "in_use")
        assert.deepStrictEqual(interrupted, noticed === "by its lease" ? ["qq"] : [])
        assertSame((yield* resume(it, { run })).end, second.end)
      }
    }).pipe(onStores())
  )

  it.effect("12.1 keeps it for as long as it lives, and loses it when its lease is over", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      let isSlow = true
      const read = tool("read_it", { timeout: "1 hour", deadline: "1 hour" }, () =>
        isSlow ? Effect.andThen(Deferred.succeed(began, undefined), Effect.never) : Effect.succeed({ n: 1 })
      )
      const it: World = { ...reading(1), tools: [read] }
      const first = yield* Effect.forkChild(begin(it), { startImmediately: true })
      yield* Deferred.await(began)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* reason(resume(it)), "in_use")
      yield* Fiber.interrupt(first) // as a process that dies: it lets nothing go
      assert.strictEqual(yield* reason(resume(it)), "in_use")
      isSlow = false
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* resume(it)).end._tag, "Answered")
    }).pipe(onStores())
  )
})

describe("a store that goes away in the middle of a run", () => {
  /** Fails from its nth row on, until it is back. */
  const leaving = (rows: number) => {
    let left = rows
    const layer = Layer.effect(
      Checkpoints,
      Effect.map(Checkpoints, (store) => ({
        ...store,
        append: (...args: Parameters<typeof store.append>) =>
          Effect.suspend(() => {
            left -= 1
            return left < 0
              ? Effect.fail(new CheckpointsUnavailable({ cause: new Error("away") }))
              : store.append(...args)
          })
      }))
    ).pipe(Layer.provide(CheckpointsMemory.layer))
    return { layer: storesWith(layer), back: () => (left = Number.POSITIVE_INFINITY) }
  }

  // the first row says how it began; then a reply, and the calls of its round
  for (const rows of [0, 1, 2, 3, 4, 5, 6]) {
    const { back, layer } = leaving(rows)
    it.effect(`12.1 after row ${rows}: it stops with that error, and goes on when the store is back`, () =>
      Effect.gen(function* () {
        const calls: Array<string> = []
        const write = tool("write_it", { access: "write", idempotency: "derived" }, ({ q }: { readonly q: string }) => {
          calls.push(q)
          return Effect.succeed({ n: q.length })
        })
        const it: World = {
          tools: [write],
          model: byPlace([
            [call("write_it", { q: "a" }, "c1"), call("write_it", { q: "b" }, "c2")],
            call("write_it", { q: "c" }, "c3"),
            "done"
          ])
        }
        assert.strictEqual(yield* reason(begin(it)), "CheckpointsUnavailable")
        // what is not written in the journal has no consequence
        if (rows <= 1) assert.deepStrictEqual(calls, [])
        if (rows === 4) assert.deepStrictEqual(calls.toSorted(), ["a", "b"])
        back()
        const { end } = yield* begin(it, { takeOver: true })
        assert.strictEqual(end._tag, "Answered")
        assert.deepStrictEqual(calls.toSorted(), ["a", "b", "c"])
        assert.deepStrictEqual(codes(end.transcript), ["success", "success", "success"])
      }).pipe(onStores(layer))
    )
  }
})
