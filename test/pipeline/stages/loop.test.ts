import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as EscalationScripted from "#layers/EscalationScripted"
import { EscalationTranscript } from "#layers/EscalationScripted"
import { EscalationPolicy } from "#services/Policies"
import { volatile } from "#domain/schema/VolatileField"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { Escalation } from "#services/Escalation"
import { TestClock } from "effect/testing"
import { ask, asked, settled, outside, poll, start, tool, turn, within } from "../support.ts"

const scripted = (...script: ReadonlyArray<EscalationScripted.ScriptedAnswer>) =>
  Guard.layerMemoryWith(EscalationScripted.layer(script))
const questions = Effect.map(EscalationTranscript, ({ asked }) => asked)
const stopped = ["HumanReview", "loop_detected", "none"]

/** Makes the same call in several rounds, and returns what the model reads. */
const repeat = (times: number, search: ReturnType<typeof tool>, args = '{"q":"a"}') =>
  Effect.forEach(
    Array.from({ length: times }, (_, n) => n + 1),
    (round) =>
      Effect.map(ask([search.tool], search.tool.toolName, args, { round, callId: `c${round}` }), ({ envelope }) =>
        envelope.status === "error" ? envelope.error.code : envelope.unchanged === true ? "unchanged" : envelope.data.n
      )
  )

/** Different results, so that the calls of a tool make progress. */
const newResults = Array.from({ length: 3_000 }, (_, n) => ({ n }))

describe("loop: the ladder for identical calls", () => {
  for (const [name, sideEffect, make] of [
    ["a write that was done", "committed", () => tool("save", { access: "write" }, { n: 1 })],
    [
      "a write whose effect is unknown",
      "unknown",
      () => tool("save", { access: "write" }, Effect.fail(new Error("it broke")))
    ],
    [
      "a write that did nothing",
      "none",
      () => tool("save", { access: "write" }, Effect.fail(GuardedTool.nothingDone(new Error("it broke"))))
    ]
  ] as const) {
    it.effect(`7.3 [3.3] refuses ${name} when it is repeated, and says ${sideEffect}`, () => {
      const save = make()
      return Effect.gen(function* () {
        const read = yield* Effect.forEach([1, 2, 3, 4], (round) =>
          ask([save.tool], save.tool.toolName, '{"q":"a"}', { round, callId: `c${round}` })
        )
        const refused = read.slice(2).map(({ envelope }) => [envelope.error.code, envelope.error.side_effect])
        assert.deepStrictEqual(refused, [
          ["loop_detected", sideEffect],
          ["loop_detected", sideEffect]
        ])
      }).pipe(within([save.layer], scripted()))
    })
  }

  it.effect(
    "7.3 the second call is marked, and the third asks a person and is refused if no person can be reached",
    () => {
      const search = tool("search", {}, { n: 1 })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* repeat(5, search), [
          1,
          "unchanged",
          "loop_detected",
          "loop_detected",
          "loop_detected"
        ])
        assert.strictEqual(search.runs(), 2)
        const requests = yield* questions
        assert.deepStrictEqual(
          requests.map(({ level, reason, sentence, tool }) => [tool, reason, level, sentence]),
          [
            [
              "search",
              "loop_detected",
              "confirm",
              "The model called search 3 times with the same arguments, and the result did not change. Make it again?"
            ]
          ]
        )
      }).pipe(within([search.layer], scripted()))
    }
  )

  it.effect(
    "7.3 an unchanged read is not made a third time, even with 1,000 different calls before each repeat",
    () => {
      const [search, other] = [tool("search", {}, { n: 1 }), tool("other", {}, ...newResults)]
      return Effect.gen(function* () {
        const results: Array<unknown> = []
        for (let time = 0; time < 3; time += 1) {
          results.push(...(yield* repeat(1, search)))
          for (let n = 0; n < 1_000; n += 1) {
            const callId = `${time} ${n}`
            yield* ask([other.tool], "other", `{"q":"${callId}"}`, { round: 2 + n, callId })
          }
        }
        assert.deepStrictEqual(results, [1, "unchanged", "loop_detected"])
        assert.deepStrictEqual([search.runs(), other.runs()], [2, 3_000])
      }).pipe(Guard.turn, within([search.layer, other.layer], scripted()))
    }
  )

  it.effect("4.6 a write that was done once is not made again after 1,000 other calls and writes of its turn", () => {
    const once = { access: "write", repeats: "once" }
    const [save, other] = [tool("save", once, { n: 1 }), tool("other", once, ...newResults)]
    const read = tool("read", {}, ...newResults)
    const box = [save.tool, other.tool, read.tool]
    return Effect.gen(function* () {
      yield* ask(box, "save", '{"q":"a"}', { round: 1, callId: "first" })
      for (let n = 0; n < 1_000; n += 1) {
        yield* ask(box, n % 2 === 0 ? "other" : "read", `{"q":"${n}"}`, { round: 2 + n, callId: `c${n}` })
      }
      const { attempts, envelope } = yield* ask(box, "save", '{"q":"a"}', { round: 2_000, callId: "again" })
      // the turn no longer holds the first result, so the call is refused instead of answered with it
      assert.deepInclude(envelope.error, { side_effect: "committed", retryable: false, next_step: "stop" })
      assert.include(envelope.error.message, "It was not made again.")
      assert.deepStrictEqual([attempts, save.runs()], [0, 1])
      assert.deepStrictEqual([other.runs(), read.runs()], [500, 500])
    }).pipe(Guard.turn, within([save.layer, other.layer, read.layer], scripted()))
  })

  it.effect("7.3 a person's approval resets the counts", () => {
    const search = tool("search", { budget: 9 }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repeat(5, search), [1, "unchanged", "unchanged", "unchanged", "loop_detected"])
      assert.strictEqual(search.runs(), 4)
    }).pipe(within([search.layer], scripted("approve", "deny")))
  })

  it.effect("7.3 after a denial no person is asked again in the turn", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* repeat(9, search)
      assert.strictEqual((yield* questions).length, 1)
    }).pipe(within([search.layer], scripted("deny", "approve", "approve")))
  })

  it.effect("10.4 calls are refused while a question is pending, and join the question", () => {
    const search = tool("search", { budget: 9 }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repeat(4, search), [1, "unchanged", "loop_detected", "unchanged"])
      const [first, second] = yield* questions
      assert.strictEqual(first?.binding, second?.binding)
    }).pipe(within([search.layer], scripted("pending", "approve")))
  })

  it.effect("7.1 a changed result resets the count", () => {
    const search = tool("search", {}, { n: 1 }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      yield* repeat(2, search)
      yield* asked(search.tool, { q: "b" })
      assert.deepStrictEqual(yield* repeat(1, search), ["loop_detected"])
      const other = tool("other", {}, { n: 1 }, { n: 2 }, { n: 1 }, { n: 2 })
      assert.deepStrictEqual(yield* repeat(4, other).pipe(Effect.provide(other.layer)), [1, 2, 1, 2])
    }).pipe(within([search.layer]))
  })

  it.effect("7.1 volatile fields do not make a result different", () => {
    const success = Schema.Struct({ n: Schema.Int, at: volatile(Schema.Int) })
    const search = tool("search", { success }, { n: 1, at: 1 }, { n: 1, at: 2 }, { n: 1, at: 3 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repeat(3, search), [1, "unchanged", "loop_detected"])
    }).pipe(within([search.layer]))
  })

  it.effect("7.1 a successful write of another tool resets the count", () => {
    const search = tool("search", {}, { n: 1 })
    const write = tool("write_it", { access: "write" }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      yield* repeat(2, search)
      yield* write.tool.call({ q: "a" })
      assert.deepStrictEqual(yield* repeat(2, search), [1, "unchanged"])
    }).pipe(within([search.layer, write.layer]))
  })

  it.effect("7.1 a replayed write is not progress", () => {
    const search = tool("search", {}, { n: 1 })
    const write = tool("write_it", { access: "write", idempotency: "derived" }, { n: 1 })
    return Effect.gen(function* () {
      yield* write.tool.call({ q: "a" })
      yield* repeat(2, search)
      yield* write.tool.call({ q: "a" })
      assert.deepStrictEqual(yield* repeat(1, search), ["loop_detected"])
    }).pipe(within([search.layer, write.layer]))
  })

  it.effect(
    "7.1 recalled failures count, so that the third identical failing call is stopped after one attempt",
    () => {
      const search = tool("search", {}, '{"n":"x"}')
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* repeat(4, search), [
          "invalid_result",
          "invalid_result",
          "loop_detected",
          "loop_detected"
        ])
        assert.strictEqual(search.runs(), 1)
      }).pipe(within([search.layer]))
    }
  )

  it.effect("7.1 a new message of the user starts a turn: counts restart, and the read is made", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      for (const name of ["1", "2", "3"]) {
        assert.deepStrictEqual(yield* Guard.turn(repeat(3, search), { ...turn, turn: name }), [
          1,
          "unchanged",
          "loop_detected"
        ])
      }
      assert.strictEqual(search.runs(), 6)
    }).pipe(outside([search.layer], scripted()))
  })

  it.effect("7.1 another conversation is not affected", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* repeat(2, search)
      assert.deepStrictEqual(yield* Guard.turn(asked(search.tool, { q: "a" }), { conversation: "other" }), {
        n: 1
      })
    }).pipe(within([search.layer]))
  })

  it.effect("7.1 consecutive pages are not a loop, nor is the same page with other rows", () => {
    const more = { more: (result: { n: number }) => ({ _tag: "Partial", next: { q: String(result.n) } }) }
    const search = tool("search", { checks: more }, { n: 1 }, { n: 2 }, { n: 3 }, { n: 4 })
    return Effect.gen(function* () {
      for (const q of ["a", "a", "a", "a"]) {
        const { envelope } = yield* ask([search.tool], "search", JSON.stringify({ q }))
        assert.strictEqual(envelope.status, "partial")
      }
    }).pipe(within([search.layer]))
  })

  it.effect("7.1 the same partial result again is a loop", () => {
    const more = { more: () => ({ _tag: "Partial", next: { q: "b" } }) }
    const search = tool("search", { checks: more }, { n: 1 })
    return Effect.gen(function* () {
      for (let n = 0; n < 2; n++) yield* ask([search.tool], "search", '{"q":"a"}')
      assert.deepStrictEqual(yield* asked(search.tool, { q: "a" }), stopped)
    }).pipe(within([search.layer]))
  })
})

describe("loop: other patterns", () => {
  it.effect("7.1 the same failure with other arguments is marked at the fourth call and stopped at the fifth", () => {
    const search = tool("search", { circuit: false }, '{"n":"x"}')
    return Effect.gen(function* () {
      const verdicts = []
      for (const [round, q] of ["a", "b", "c", "d", "e"].entries()) {
        const { outcome } = yield* ask([search.tool], "search", JSON.stringify({ q }), { round })
        verdicts.push(outcome.loop?._tag)
      }
      assert.deepStrictEqual(verdicts, [undefined, undefined, undefined, "Tell", "Stop"])
    }).pipe(within([search.layer]))
  })

  it.effect("7.1 the calls of one round are marked, but not stopped", () => {
    const search = tool("search", {}, '{"n":"x"}')
    return Effect.gen(function* () {
      const verdicts = []
      for (const q of ["a", "b", "c", "d", "e", "f"]) {
        const { outcome } = yield* ask([search.tool], "search", JSON.stringify({ q }), { round: 1 })
        verdicts.push(outcome.loop?._tag)
      }
      assert.deepStrictEqual(verdicts, [undefined, undefined, undefined, "Tell", "Tell", "Tell"])
    }).pipe(within([search.layer]))
  })

  it.effect("7.1 two alternating calls with the same results are a loop", () => {
    const one = tool("one", { budget: 99 }, { n: 1 })
    const two = tool("two", { budget: 99 }, { n: 2 })
    return Effect.gen(function* () {
      const outcomes = []
      for (let round = 0; round < 4; round++) {
        for (const { tool } of [one, two]) {
          const { envelope } = yield* ask([tool], tool.toolName, '{"q":"a"}', { round: round * 2 + 1 })
          outcomes.push(envelope.status === "error" ? envelope.error.code : "ok")
        }
      }
      // the identical calls are stopped before the cycle is complete
      assert.deepStrictEqual(outcomes.slice(0, 5), ["ok", "ok", "ok", "ok", "loop_detected"])
    }).pipe(within([one.layer, two.layer]))
  })

  it.effect("7.3 calls whose arguments do not decode are also counted", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      const verdicts = []
      for (let round = 1; round <= 3; round++) {
        const { outcome } = yield* ask([search.tool], "search", '{"q":1}', { round })
        verdicts.push(outcome.loop?._tag)
      }
      assert.deepStrictEqual(verdicts, [undefined, "Tell", "Stop"])
    }).pipe(within([search.layer]))
  })
})

describe("loop: the level of the policy", () => {
  for (const [level, expected] of [
    ["auto", { n: 1 }],
    ["inform", { n: 1 }],
    ["block", stopped]
  ] as const) {
    it.effect(`10.2 ${level} ${level === "block" ? "stops the call" : "lets the call run"}`, () => {
      const search = tool("search", {}, { n: 1 })
      return Effect.gen(function* () {
        yield* repeat(2, search)
        assert.deepStrictEqual(yield* asked(search.tool, { q: "a" }), expected)
        const transcript = yield* EscalationTranscript
        const [asks, notices] = [transcript.asked, transcript.informed]
        assert.deepStrictEqual([notices.length, asks.length], [level === "inform" ? 1 : 0, level === "block" ? 1 : 0])
      }).pipe(
        Effect.provideService(EscalationPolicy, (event) => (event._tag === "LoopDetected" ? level : "auto")),
        within([search.layer], scripted())
      )
    })
  }

  it.effect("10.1 a call is stopped if the escalation service breaks", () => {
    const search = tool("search", {}, { n: 1 })
    const broken = Layer.succeed(Escalation, { inform: () => Effect.die("boom"), ask: () => Effect.die("boom") })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repeat(3, search), [1, "unchanged", "loop_detected"])
    }).pipe(within([search.layer], Guard.layerMemoryWith(broken)))
  })
})

describe("loop: polls", () => {
  const success = Schema.Struct({ done: Schema.Boolean })
  const definition = (over: object = {}) => ({
    success,
    poll: { interval: "10 seconds", deadline: "1 minute", until: (result: { done: boolean }) => result.done, ...over }
  })

  it.effect("7.2 a poll can have the same result many times, and each repetition waits for the interval", () => {
    const job = tool("get_job", definition(), { done: false })
    return Effect.gen(function* () {
      for (let n = 0; n < 6; n++) {
        const fiber = yield* start(asked(job.tool, { q: "a" }))
        if (n > 0) {
          yield* TestClock.adjust("9999 millis")
          assert.strictEqual(poll(fiber), undefined)
          yield* TestClock.adjust("1 millis")
        }
        assert.deepStrictEqual(yield* Fiber.join(fiber), { done: false })
      }
      assert.deepStrictEqual(
        job.calls.map(({ at }) => at),
        [0, 10_000, 20_000, 30_000, 40_000, 50_000]
      )
    }).pipe(within([job.layer]))
  })

  it.effect("7.2 a repetition after the interval does not wait", () => {
    const job = tool("get_job", definition(), { done: false })
    return Effect.gen(function* () {
      yield* asked(job.tool, { q: "a" })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* asked(job.tool, { q: "a" }), { done: false })
    }).pipe(within([job.layer]))
  })

  it.effect("7.2 a repetition after the deadline of the poll counts", () => {
    const job = tool("get_job", definition(), { done: false })
    return Effect.gen(function* () {
      yield* asked(job.tool, { q: "a" })
      yield* TestClock.adjust("61 seconds")
      const outcomes = yield* Effect.forEach([1, 2, 3], () => asked(job.tool, { q: "a" }))
      assert.deepStrictEqual(outcomes, [{ done: false }, { done: false }, stopped])
    }).pipe(within([job.layer]))
  })

  it.effect("7.2 a repetition after the poll has ended counts, and does not wait", () => {
    const job = tool("get_job", definition(), { done: true })
    return Effect.gen(function* () {
      const outcomes = yield* Effect.forEach([1, 2, 3, 4], () => asked(job.tool, { q: "a" }))
      assert.deepStrictEqual(outcomes, [{ done: true }, { done: true }, { done: true }, stopped])
    }).pipe(within([job.layer]))
  })

  it.effect("7.2 a poll with other arguments does not wait", () => {
    const job = tool("get_job", definition(), { done: false })
    return Effect.gen(function* () {
      yield* asked(job.tool, { q: "a" })
      assert.deepStrictEqual(yield* asked(job.tool, { q: "b" }), { done: false })
      assert.deepStrictEqual(
        job.calls.map(({ at }) => at),
        [0, 0]
      )
    }).pipe(within([job.layer]))
  })

  it.effect("7.2 concurrent polls wait one after another", () => {
    const job = tool("get_job", definition(), { done: false })
    return Effect.gen(function* () {
      const fibers = yield* Effect.forEach([1, 2, 3], () => start(asked(job.tool, { q: "a" })))
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(
        job.calls.map(({ at }) => at),
        [0, 10_000, 20_000]
      )
    }).pipe(within([job.layer]))
  })

  it.effect("7.2 a poll whose `until` throws does not wait, and the call does not crash", () => {
    const job = tool(
      "get_job",
      definition({
        until: () => {
          throw new Error("boom")
        }
      }),
      { done: false }
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(job.tool, { q: "a" }), { done: false })
      assert.deepStrictEqual(yield* asked(job.tool, { q: "a" }), { done: false })
    }).pipe(within([job.layer]))
  })
})

describe("loop: the status of unfinished work, without a declared poll", () => {
  const success = Schema.Struct({ status: Schema.String })
  const running = { status: "running" }
  /** Makes a model's call and returns what the model reads. */
  const read = ({ tool }: ReturnType<typeof define>, round: number) =>
    Effect.map(ask([tool], tool.toolName, '{"q":"a"}', { round, callId: `c${round}` }), ({ envelope }) =>
      envelope.status === "error"
        ? envelope.error.code
        : [envelope.data.status, ...(envelope.unchanged === true ? ["unchanged"] : [])].join(" ")
    )
  const define = (definition: object, ...answers: ReadonlyArray<unknown>) =>
    tool("get_job", { success, ...definition }, ...answers)
  /** Makes calls, each as soon as the previous call is answered, for at most `seconds`. */
  const immediately = (job: ReturnType<typeof define>, times: number, seconds: number) =>
    Effect.gen(function* () {
      const fiber = yield* start(Effect.forEach(Array.from({ length: times }), (_, round) => read(job, round + 1)))
      for (let second = 0; second < seconds; second++) yield* TestClock.adjust("1 second")
      return yield* Fiber.join(fiber)
    })
  const secondsOf = (job: ReturnType<typeof define>) => job.calls.map(({ at }) => at / 1_000)

  it.effect(
    "7.2 a status that is polled is read until the work is done, and the guard waits for the stated time",
    () => {
      const job = define({}, running, running, running, running, { status: "done" })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* immediately(job, 5, 20), ["running", "running", "running", "running", "done"])
        assert.deepStrictEqual(secondsOf(job), [0, 1, 3, 7, 15])
      }).pipe(within([job.layer]))
    }
  )

  it.effect("7.2 the model reads when to call again", () => {
    const job = define({}, running)
    return Effect.gen(function* () {
      const { envelope } = yield* ask([job.tool], "get_job", '{"q":"a"}')
      assert.deepStrictEqual(envelope, {
        status: "success",
        data: running,
        notice: "Not finished yet. Call again after 1 second for a new status."
      })
      yield* TestClock.adjust("1 second")
      const second = yield* ask([job.tool], "get_job", '{"q":"a"}')
      assert.include(second.envelope.notice, "after 2 seconds")
    }).pipe(within([job.layer]))
  })

  it.effect(
    "7.2 the guard waits at most ten seconds, and a call that comes sooner gets the last status and climbs the ladder",
    () => {
      const job = define({}, running)
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* immediately(job, 9, 120), [
          ...Array(5).fill("running"), // at 0, 1, 3, 7 and 15 seconds; then 16 seconds are stated
          "running unchanged", // after 10 of them
          "running", // after 16; then 30 are stated
          "running unchanged",
          "loop_detected"
        ])
        assert.deepStrictEqual(secondsOf(job), [0, 1, 3, 7, 15, 31])
      }).pipe(within([job.layer], scripted()))
    }
  )

  it.effect(
    "7.2, 16 seventeen immediate calls of a status make one attempt at each stated time, and none sooner",
    () => {
      const job = define({}, running)
      return Effect.gen(function* () {
        yield* immediately(job, 17, 300)
        const at = secondsOf(job)
        assert.deepStrictEqual(
          at.slice(1).map((second, n) => second - (at[n] ?? 0)),
          [1, 2, 4, 8, 16, 30, 30, 30]
        )
      }).pipe(within([job.layer], scripted()))
    }
  )

  it.effect("7.2, 16 seventeen immediate calls that answer only `pending` make one attempt, without a wait", () => {
    const job = define({}, { status: "pending" })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* immediately(job, 17, 0), [
        "pending",
        "pending unchanged",
        ...Array(15).fill("loop_detected")
      ])
      assert.deepStrictEqual(secondsOf(job), [0])
    }).pipe(within([job.layer], scripted()))
  })

  for (const [what, success, result] of [
    ["the word pending", Schema.String, "pending"],
    ["the word running", Schema.String, "running"],
    ["the words In progress", Schema.String, "In progress…"],
    ["a status in another case", Schema.Struct({ status: Schema.String }), { status: "In-Progress" }],
    ["a pending status in JSON text", Schema.String, '{"state":"PENDING"}']
  ] as const) {
    it.effect(`7.2, 16 seventeen immediate calls that return ${what} make one attempt`, () => {
      const job = tool("get_job", { success }, result)
      return Effect.gen(function* () {
        for (let round = 1; round <= 17; round++) yield* ask([job.tool], "get_job", '{"q":"a"}', { round })
        assert.strictEqual(job.runs(), 1)
      }).pipe(within([job.layer], scripted()))
    })
  }

  it.effect(
    "7.2 an immediate repeat of a pending result reads when to call again, and a call at that time is made",
    () => {
      const job = define({}, { status: "pending" }, { status: "pending" }, { status: "done" })
      return Effect.gen(function* () {
        const first = yield* ask([job.tool], "get_job", '{"q":"a"}', { round: 1 })
        assert.deepStrictEqual(first.envelope, { status: "success", data: { status: "pending" } })
        yield* TestClock.adjust("300 millis")
        const { attempts, envelope, record } = yield* ask([job.tool], "get_job", '{"q":"a"}', { round: 2 })
        assert.deepStrictEqual(envelope, {
          status: "success",
          data: { status: "pending" },
          unchanged: true,
          notice: "Not finished yet. Call again after 1 second for a new status."
        })
        assert.strictEqual(attempts, 0)
        assert.deepInclude(record?.decisions[0], { stage: "loop", decision: "answered again" })
        yield* TestClock.adjust("700 millis")
        assert.strictEqual(yield* read(job, 3), "pending unchanged")
        assert.strictEqual(yield* read(job, 4), "loop_detected")
        assert.deepStrictEqual(secondsOf(job), [0, 1])
      }).pipe(within([job.layer], Guard.layerMemoryWith(CallLogMemory.layerWith({ keep: "full" }))))
    }
  )

  it.effect("7.2 a pending result that has changed by the stated time is read, and counts restart", () => {
    const job = define({}, { status: "pending" }, { status: "paid" })
    return Effect.gen(function* () {
      assert.deepStrictEqual([yield* read(job, 1), yield* read(job, 2)], ["pending", "pending unchanged"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* read(job, 3), yield* read(job, 4)], ["paid", "paid unchanged"])
    }).pipe(within([job.layer], scripted()))
  })

  it.effect("7.2 a pending result after another call, a write or a new message of the user is read again", () => {
    const job = define({}, { status: "pending" })
    const look = tool("look", {}, { n: 1 })
    const write = tool("write", { access: "write" }, Effect.fail(new Error("500")))
    return Effect.gen(function* () {
      yield* Guard.turn(
        Effect.gen(function* () {
          yield* read(job, 1)
          yield* ask([look.tool], "look", '{"q":"b"}', { round: 2 })
          yield* read(job, 3)
        }),
        { conversation: "c", turn: "1" }
      )
      assert.strictEqual(job.runs(), 2)
      yield* Guard.turn(
        Effect.gen(function* () {
          yield* read(job, 1)
          yield* ask([write.tool], "write", '{"q":"b"}', { round: 2 })
          yield* read(job, 3)
        }),
        { conversation: "c", turn: "2" }
      )
      assert.strictEqual(job.runs(), 4)
    }).pipe(within([job.layer, look.layer, write.layer]))
  })

  it.effect("7.2 the threshold of identical calls holds for immediate repeats of a pending result", () => {
    const job = define({ loop: { identical: 4 } }, { status: "pending" })
    return Effect.gen(function* () {
      const seen = yield* Effect.forEach([1, 2, 3, 4, 5], (round) => read(job, round))
      assert.deepStrictEqual(seen, ["pending", "pending", "pending", "pending unchanged", "loop_detected"])
      assert.strictEqual(job.runs(), 1)
    }).pipe(within([job.layer], scripted()))
  })

  it.effect("4.7 a program's calls that return a pending status are all made", () => {
    const job = define({}, { status: "pending" })
    return Effect.gen(function* () {
      for (let n = 0; n < 17; n++) yield* settled(job.tool.call({ q: "a" }))
      assert.strictEqual(job.runs(), 17)
    }).pipe(within([job.layer]))
  })

  it.effect("7.2 a model that waits between its calls reads the status until the work is done", () => {
    const job = define({}, running)
    return Effect.gen(function* () {
      for (let round = 1; round <= 30; round++) {
        assert.strictEqual(yield* read(job, round), "running")
        yield* TestClock.adjust("30 seconds")
      }
      assert.strictEqual(job.runs(), 30)
    }).pipe(within([job.layer], scripted()))
  })

  it.effect("7.2 a status in JSON text is read again, even if two results alternate", () => {
    const job = tool(
      "get_job",
      { success: Schema.String },
      ...["a", "b", "a", "b", "a"].map((step) => `{"done":false,"step":"${step}"}`)
    )
    return Effect.gen(function* () {
      for (let round = 1; round <= 5; round++) {
        const { envelope } = yield* ask([job.tool], "get_job", '{"q":"a"}', { round })
        assert.deepStrictEqual([envelope.status, envelope.unchanged], ["success", undefined])
        yield* TestClock.adjust("30 seconds")
      }
      assert.strictEqual(job.runs(), 5)
    }).pipe(within([job.layer]))
  })

  it.effect("7.2 a read of the status spends no budget", () => {
    const job = define({ budget: 1, retry: { attempts: 1 } }, running)
    return Effect.gen(function* () {
      for (let round = 1; round <= 4; round++) {
        assert.strictEqual(yield* read(job, round), "running")
        yield* TestClock.adjust("30 seconds")
      }
    }).pipe(within([job.layer]))
  })

  it.effect("7.2 after a transient failure of a read, the status is read again", () => {
    const lost = Effect.fail(Object.assign(new Error("reset"), { code: "ECONNRESET" }))
    const job = define({ retry: { attempts: 1 }, circuit: false }, running, lost, running, { status: "done" })
    return Effect.gen(function* () {
      const seen = []
      for (let round = 1; round <= 4; round++) {
        seen.push(yield* read(job, round))
        yield* TestClock.adjust("30 seconds")
      }
      assert.deepStrictEqual(seen, ["running", "connection_lost", "running", "done"])
    }).pipe(within([job.layer]))
  })

  for (const [what, definition, result, runs] of [
    ["`poll: false`", { poll: false }, running, 2],
    ["pending with `poll: false`", { poll: false }, { status: "pending" }, 2],
    ["only `pending`", {}, { status: "pending" }, 1],
    ["a finished status", {}, { status: "done" }, 2]
  ] as const) {
    it.effect(`7.2 ${what} is not a poll, so the ladder applies`, () => {
      const job = define(definition, result)
      return Effect.gen(function* () {
        const seen = yield* Effect.forEach([1, 2, 3], (round) => read(job, round))
        assert.deepStrictEqual(seen, [result.status, `${result.status} unchanged`, "loop_detected"])
        assert.strictEqual(job.runs(), runs)
      }).pipe(within([job.layer], scripted()))
    })
  }

  it.effect("7.2 a write is not a poll", () => {
    const job = define({ access: "write" }, running)
    return Effect.gen(function* () {
      yield* read(job, 1)
      assert.strictEqual(yield* read(job, 2), "running unchanged")
      assert.strictEqual(job.runs(), 1)
    }).pipe(within([job.layer]))
  })

  it.effect("7.2 a call that comes too soon is refused if the last status is too large to hold", () => {
    const job = tool(
      "get_job",
      { success: Schema.Struct({ done: Schema.Boolean, log: Schema.String }) },
      { done: false, log: "x".repeat(300_000) }
    )
    return Effect.gen(function* () {
      for (let round = 1; round <= 6; round++) {
        const fiber = yield* start(ask([job.tool], "get_job", '{"q":"a"}', { round }))
        yield* TestClock.adjust("8 seconds")
        yield* Fiber.join(fiber)
      }
      const fiber = yield* start(ask([job.tool], "get_job", '{"q":"a"}', { round: 7 }))
      yield* TestClock.adjust("10 seconds")
      const { envelope } = yield* Fiber.join(fiber)
      assert.deepInclude(envelope.error ?? envelope, { code: "retry_budget_exceeded" })
    }).pipe(within([job.layer]))
  })

  it.effect("4.7 a program's reads of the status neither wait nor count", () => {
    const job = define({}, running)
    return Effect.gen(function* () {
      for (let n = 0; n < 17; n++) assert.deepStrictEqual(yield* settled(job.tool.call({ q: "a" })), running)
      assert.strictEqual(job.runs(), 17)
    }).pipe(within([job.layer]))
  })
})
