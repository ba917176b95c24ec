/** Tests what the stage `settle` stores and reads about calls whose side effect is unknown, and for which calls. */
import { type FailedOutcome, failed, type Outcome, success } from "#domain/call/Outcome"
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import * as Failure from "#domain/failure/Failure"
import type { Call } from "#pipeline/call/Call"
import * as Trace from "#pipeline/call/Trace"
import { settle } from "#pipeline/stages/settle"
import { Escalation, type EscalationRequest } from "#services/Escalation"
import { type NewUnknownOutcome, UnknownOutcomes, UnknownOutcomesUnavailable } from "#services/UnknownOutcomes"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { alone, define, start, type Tool, turn } from "../support.ts"

type Store = UnknownOutcomes["Service"]

/** A store that lists what it is told, and has the outcome `latest`. */
const store = (latest?: UnknownOutcome, over: Partial<Store> = {}) => {
  const added: Array<NewUnknownOutcome> = []
  const read: Array<string> = []
  const settled: Array<readonly [id: string, by: string, finding: string]> = []
  const layer = Layer.succeed(UnknownOutcomes, {
    add: (outcome) =>
      Effect.sync(() => {
        added.push(outcome)
        return stored({ code: outcome.code, isAnswered: outcome.isAnswered })
      }),
    settle: (id, { by, finding }) =>
      Effect.sync(() => {
        settled.push([id, by, finding])
        return undefined
      }),
    find: () => Effect.undefined,
    latest: (binding) =>
      Effect.sync(() => {
        read.push(binding)
        return latest
      }),
    open: () => Effect.succeed([]),
    ...over
  })
  return { added, read, settled, layer: Layer.merge(Guard.memory, layer) }
}

const stored = (over: Partial<UnknownOutcome> = {}): UnknownOutcome => ({
  id: "stored",
  binding: "digest",
  isAnswered: false,
  tool: "write_it",
  code: "outcome_unknown",
  sentence: "It is not known.",
  arguments: { q: "a" },
  idempotencyKey: "",
  traceId: "trace",
  at: 0,
  ...over
})

const settlement = (finding: "done" | "not_done") => ({ finding, by: "ana", reason: "", at: 0, result: { n: 7 } })

const failure = (
  sideEffect: Failure.SideEffect,
  code = "outcome_unknown",
  tag: "HumanReview" | "Permanent" = "HumanReview"
) => failed(Failure.make(tag, code, { detail: "d", hint: "h", sideEffect, tool: "write_it", traceId: "trace" }))

const write = define("write_it", { access: "write" })
const keyed = define("write_it", { access: "write", idempotency: "derived" })

/** Ends a call with each outcome in turn. The handler runs for the outcomes of `attempted`. */
const ending = (outcomes: ReadonlyArray<Outcome>, attempted: (outcome: Outcome) => boolean = () => true) => {
  let made = 0
  return (call: Call) =>
    Effect.sync(() => {
      const outcome = outcomes[Math.min(made++, outcomes.length - 1)]!
      if (attempted(outcome)) call.trace.attempts.push({ startedAt: 0, durationMillis: 0, outcome: "Failure" })
      return outcome
    })
}

const never = () => false

/** Runs the stage for one call. */
const made = (
  tool: Tool,
  { layer }: { readonly layer: Layer.Layer<any> },
  next: (call: Call) => Effect.Effect<Outcome>,
  over: Partial<Call> = {},
  key = ""
) =>
  Effect.gen(function* () {
    const trace = Object.assign(over.trace ?? Trace.make(undefined), { idempotencyKey: key })
    const stage = yield* alone(settle, tool, next)
    const result = yield* stage.run({ ...over, trace })
    return { result, trace, passed: stage.passed, decisions: trace.decisions.map(({ decision }) => decision) }
  }).pipe(Effect.provide(layer)) as Effect.Effect<{
    readonly result: Outcome
    readonly trace: Trace.Trace
    readonly passed: ReadonlyArray<Call>
    readonly decisions: ReadonlyArray<string>
  }>

describe("settle: the binding of an unknown outcome", () => {
  const bindings = (tool: Tool, ...calls: ReadonlyArray<readonly [over: Partial<Call>, key?: string]>) =>
    Effect.gen(function* () {
      const keys = store()
      for (const [over, key] of calls) yield* made(tool, keys, ending([failure("unknown")]), over, key)
      assert.lengthOf(keys.added, calls.length)
      return keys.added.map(({ binding }) => binding)
    })
  const isSame = ([first, ...others]: ReadonlyArray<string>) => others.map((other) => other === first)

  it.effect("10.5 without keys is the turn and the arguments", () =>
    Effect.gen(function* () {
      const all = yield* bindings(
        write,
        [{}],
        [{}],
        [{ key: () => 'write_it {"q":"b"}' }],
        [{ turn: { ...turn, turn: "other" } }],
        [{ turn: { ...turn, conversation: "other" } }],
        [{ turn: { ...turn, tenant: "other" } }],
        [{ turn: { ...turn, principal: "ann" } }]
      )
      assert.deepStrictEqual(isSame(all), [true, false, false, false, false, false])
      assert.match(all[0]!, /^[0-9a-f]{64}$/u)
    })
  )

  it.effect("10.5 with keys is the key and the arguments, in every turn of the same tenant and principal", () =>
    Effect.gen(function* () {
      const all = yield* bindings(
        keyed,
        [{}, "k"],
        [{ turn: { ...turn, turn: "other", conversation: "other" } }, "k"],
        [{}, "l"],
        [{ key: () => 'write_it {"q":"b"}' }, "k"],
        [{ turn: { ...turn, tenant: "other" } }, "k"],
        [{ turn: { ...turn, principal: "ann" } }, "k"]
      )
      assert.deepStrictEqual(isSame(all), [true, false, false, false, false])
    })
  )

  it.effect("10.5 outside a turn is the call itself", () =>
    Effect.gen(function* () {
      const all = yield* bindings(
        write,
        [{ turn: undefined, traceId: "a" }],
        [{ turn: undefined, traceId: "a" }],
        [{ turn: undefined, traceId: "b" }]
      )
      assert.deepStrictEqual(isSame(all), [true, false])
    })
  )
})

describe("settle: the calls that are stored", () => {
  for (const [what, tool, outcome, attempted, expected] of [
    ["an unknown outcome of an attempt", write, failure("unknown"), true, 1],
    ["an answered error", write, failure("unknown", "not_found", "Permanent"), true, 1],
    ["a committed failure", write, failure("committed"), true, 0],
    ["a failure that did nothing", write, failure("none"), true, 0],
    ["a success", write, success({ n: 1 }), true, 0],
    ["an unknown outcome of a read", define("read_it"), failure("unknown"), true, 0],
    ["an answered error of an earlier call", write, failure("unknown", "not_found", "Permanent"), false, 0],
    ["an unknown outcome of an earlier call that was not stored", write, failure("unknown"), false, 1]
  ] as const) {
    it.effect(`10.5 ${what} is ${expected === 1 ? "stored" : "not stored"}`, () =>
      Effect.gen(function* () {
        const outcomes = store()
        const { result, trace } = yield* made(
          tool,
          outcomes,
          ending([outcome], () => attempted)
        )
        assert.deepStrictEqual(result, outcome)
        assert.lengthOf(outcomes.added, expected)
        assert.strictEqual(trace.unknownOutcome, expected === 1 ? "stored" : "")
      })
    )
  }

  it.effect("10.5 an action that was taken over is stored although this call made no attempt", () =>
    Effect.gen(function* () {
      const answered = failure("unknown", "not_found", "Permanent")
      for (const [decision, expected] of [
        [{ stage: "claim", decision: "unknown", reason: "" }, 1],
        [{ stage: "claim", decision: "refused", reason: "" }, 0],
        [{ stage: "reconcile", decision: "unknown", reason: "" }, 0]
      ] as const) {
        const outcomes = store()
        const trace = Trace.make(undefined)
        trace.decisions.push(decision)
        yield* made(write, outcomes, ending([answered], never), { trace })
        assert.lengthOf(outcomes.added, expected)
      }
    })
  )

  it.effect("10.5 a recalled outcome is not stored again, although attempts were made before", () =>
    Effect.gen(function* () {
      const outcomes = store(stored())
      const recalled: FailedOutcome = { ...failure("unknown"), recalled: true }
      const { result, trace } = yield* made(write, outcomes, ending([recalled]))
      assert.deepStrictEqual([result, outcomes.added.length, trace.unknownOutcome], [recalled, 0, "stored"])
    })
  )

  it.effect("10.5 an interrupted write is stored only if it may have acted, and if no journal records it", () =>
    Effect.gen(function* () {
      const interrupted = (over: Partial<Call>, isStarted: boolean) =>
        Effect.gen(function* () {
          const outcomes = store()
          const trace = Object.assign(Trace.make(undefined), { isStarted })
          const call = yield* start(made(write, outcomes, () => Effect.never, { ...over, trace }))
          yield* Fiber.interrupt(call)
          return outcomes.added.map(({ code }) => code)
        })
      assert.deepStrictEqual(yield* interrupted({}, true), ["outcome_unknown"])
      assert.deepStrictEqual(yield* interrupted({}, false), [])
      assert.deepStrictEqual(yield* interrupted({ journal: "new" }, true), [])
    })
  )

  it.effect("10.5 a stage that crashes stores nothing here, because `record` reports the crash", () =>
    Effect.gen(function* () {
      const outcomes = store()
      const trace = Object.assign(Trace.make(undefined), { isStarted: true })
      yield* Effect.exit(made(write, outcomes, () => Effect.die("boom"), { trace }))
      assert.lengthOf(outcomes.added, 0)
    })
  )
})

describe("settle: the finding of a person", () => {
  it.effect("10.5 that it was not done makes the call again with a separate budget", () =>
    Effect.gen(function* () {
      const found = stored({ settlement: settlement("not_done") })
      const { decisions, passed, result } = yield* made(
        write,
        store(found),
        ending([{ ...failure("unknown"), recalled: true }, success({ n: 1 })])
      )
      assert.deepStrictEqual([result, decisions], [success({ n: 1 }), ["not done"]])
      assert.deepStrictEqual(
        passed.map(({ occasion, settled }) => [occasion, settled?.id]),
        [
          ["", undefined],
          ["stored", "stored"]
        ]
      )
    })
  )

  it.effect("10.5 that it was not done is used once: if the effect is unknown again, it stays unknown", () =>
    Effect.gen(function* () {
      const found = stored({ settlement: settlement("not_done") })
      const recalled: FailedOutcome = { ...failure("unknown"), recalled: true }
      const { passed, result } = yield* made(write, store(found), ending([recalled]))
      assert.deepStrictEqual([result, passed.length], [recalled, 2])
    })
  )

  it.effect("10.5 that it was done answers the call, and the call counts as done before", () =>
    Effect.gen(function* () {
      const settled = stored({ settlement: settlement("done") })
      const { decisions, passed, result, trace } = yield* made(write, store(), ending([]), { settled })
      assert.deepInclude(result, { _tag: "Success", value: { n: 7 }, idempotent: true })
      assert.deepStrictEqual([decisions, passed.length, trace.wasDoneBefore], [["done"], 0, true])
    })
  )
})

describe("settle: an open action", () => {
  const open: FailedOutcome = { ...failure("unknown"), recalled: true, isOpen: true }
  const reopened = (latest: UnknownOutcome | undefined, then: Outcome, over: Partial<Store> = {}) =>
    Effect.gen(function* () {
      const outcomes = store(latest, over)
      const end = yield* made(keyed, outcomes, ending([open, then]), {}, "k")
      return { ...end, outcomes }
    })

  it.effect("8.3 is repeated, and a repetition that proves the action settles its outcome as done", () =>
    Effect.gen(function* () {
      for (const then of [success({ n: 1 }), failure("committed")]) {
        const { decisions, outcomes, passed, result } = yield* reopened(stored(), then)
        assert.deepStrictEqual([result, decisions], [then, ["again"]])
        assert.deepStrictEqual(
          passed.map(({ mayReopen }) => mayReopen),
          [false, true]
        )
        assert.deepStrictEqual(outcomes.settled, [["stored", "effect-toolguard", "done"]])
      }
    })
  )

  it.effect("8.3 a repetition that proves nothing settles nothing", () =>
    Effect.gen(function* () {
      for (const then of [failure("none"), { ...success({ n: 1 }), isAccepted: true } as const]) {
        const { outcomes, result } = yield* reopened(stored(), then)
        assert.deepStrictEqual([result, outcomes.settled], [then, []])
      }
    })
  )

  it.effect("8.3 without a stored outcome, or with a failing store, the repetition keeps its result", () =>
    Effect.gen(function* () {
      const missing = yield* reopened(undefined, success({ n: 1 }))
      assert.deepStrictEqual([missing.result, missing.outcomes.settled], [success({ n: 1 }), []])
      const failing = () => Effect.fail(new UnknownOutcomesUnavailable({ cause: new Error("down") }))
      const down = yield* reopened(stored(), success({ n: 1 }), { settle: failing })
      assert.deepStrictEqual(down.result, success({ n: 1 }))
    })
  )

  it.effect("10.5 that a person has settled is answered with the finding, and not repeated", () =>
    Effect.gen(function* () {
      const { passed, result } = yield* reopened(stored({ settlement: settlement("done") }), success({ n: 1 }))
      assert.deepInclude(result, { value: { n: 7 }, idempotent: true })
      assert.lengthOf(passed, 1)
    })
  )

  it.effect("8.3 whose repetition stays unknown keeps its stored outcome, and is repeated once", () =>
    Effect.gen(function* () {
      const { outcomes, passed, result, trace } = yield* reopened(stored(), open)
      assert.deepStrictEqual([result, passed.length, outcomes.added.length], [open, 2, 0])
      assert.strictEqual(trace.unknownOutcome, "stored")
    })
  )

  for (const [what, outcome] of [
    ["is not open", { ...failure("unknown"), recalled: true }],
    ["is new", { ...failure("unknown"), isOpen: true }]
  ] as const) {
    it.effect(`8.3 an outcome that ${what} is not repeated`, () =>
      Effect.gen(function* () {
        const { passed } = yield* made(keyed, store(stored()), ending([outcome as Outcome]), {}, "k")
        assert.lengthOf(passed, 1)
      })
    )
  }
})

describe("settle: a person who is present", () => {
  const asking = (over: Partial<Call>, outcome: Outcome = failure("unknown")) =>
    Effect.gen(function* () {
      const requests: Array<EscalationRequest> = []
      const person = Layer.succeed(Escalation, {
        inform: () => Effect.void,
        ask: () => Effect.succeed({ _tag: "NoPerson" }),
        settle: (request) =>
          Effect.sync(() => {
            requests.push(request)
            return undefined
          })
      })
      const { layer } = store()
      const end = yield* made(write, { layer: Layer.merge(layer, person) }, ending([outcome]), over)
      return { ...end, requests }
    })

  it.effect("10.5 reads the stored outcome, and may leave it open", () =>
    Effect.gen(function* () {
      const { requests, result, trace } = yield* asking({})
      const [{ guidance, ...request } = { guidance: undefined }] = requests
      assert.deepStrictEqual(request, {
        level: "confirm",
        reason: "outcome_unknown",
        tool: "write_it",
        sentence: "It is not known.",
        arguments: { q: "a" },
        binding: "digest",
        turn,
        traceId: "trace",
        outcomeId: "stored",
        callId: "call"
      } as object)
      assert.isDefined(guidance)
      assert.deepStrictEqual([requests.length, result, trace.isLeftOpen], [1, failure("unknown"), true])
    })
  )

  it.effect("10.5 is not asked about an answered error", () =>
    Effect.gen(function* () {
      const { requests, trace } = yield* asking({}, failure("unknown", "not_found", "Permanent"))
      assert.deepStrictEqual([requests.length, trace.isLeftOpen], [0, false])
    })
  )
})

describe("settle: where a person settles an outcome", () => {
  it.effect("10.5 is named in a failure that needs a person, and in no other", () =>
    Effect.gen(function* () {
      const inbox = Layer.succeed(Escalation, {
        inform: () => Effect.void,
        ask: () => Effect.succeed({ _tag: "NoPerson" }),
        outcomeUrl: (id) => `https://inbox.example/${id}`
      })
      const urlOf = (outcome: Outcome) =>
        Effect.map(
          made(write, { layer: Layer.merge(store().layer, inbox) }, ending([outcome])),
          ({ result }) => (result as { failure: { approvalUrl?: string } }).failure.approvalUrl
        )
      assert.strictEqual(yield* urlOf(failure("unknown")), "https://inbox.example/stored")
      assert.isUndefined(yield* urlOf(failure("unknown", "not_found", "Permanent")))
    })
  )
})
