/** Tests what the stages `idempotency` and `claim` do with each state of a key, and what they record. */
import { failed, type FailedOutcome, type Outcome, success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import type { Dispatch } from "#pipeline/call/Stage"
import * as Trace from "#pipeline/call/Trace"
import * as StoredOutcome from "#pipeline/record/StoredOutcome"
import { claim } from "#pipeline/stages/claim"
import { claimOf, idempotency } from "#pipeline/stages/idempotency"
import {
  type Claim,
  IdempotencyKeys,
  IdempotencyKeysUnavailable,
  type KeyClaim,
  type KeyState
} from "#services/IdempotencyKeys"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import { alone, callOf, define, start, type Tool } from "../support.ts"

type Store = IdempotencyKeys["Service"]

/** Creates a store whose keys are free, except for the given members, and lists what it is told. */
const store = (over: Partial<Store> = {}) => {
  const told: Array<readonly [event: string, detail?: unknown]> = []
  const claims: Array<KeyClaim> = []
  const tell = <A>(event: string, detail: unknown, value: A): Effect.Effect<A> =>
    Effect.sync(() => {
      told.push([event, detail])
      return value
    })
  const layer = Layer.succeed(IdempotencyKeys, {
    find: (action) =>
      Effect.sync(() => {
        claims.push(action)
        return undefined
      }),
    claim: () => tell("claim", undefined, claimed()),
    renew: () => tell("renew", undefined, true),
    complete: (_action, _owner, outcome, isKept) => tell("complete", { isKept, outcome }, true),
    release: (_action, outcome) => tell("release", outcome, true),
    leave: (_action, outcome) => tell("leave", outcome, undefined),
    ...over
  })
  return { told, claims, layer: Layer.merge(Guard.memory, layer) }
}

const claimed = (lapsed?: { readonly remainingMillis: number }): Claim => ({
  _tag: "Claimed",
  owner: "me",
  fencingToken: 7,
  lapsed
})

const unavailable = Effect.fail(new IdempotencyKeysUnavailable({ cause: new Error("down") }))

const failure = (sideEffect: Failure.SideEffect, tag: "Transient" | "Permanent" | "HumanReview" = "Permanent") =>
  Failure.make(tag, "odd", { detail: "It broke.", hint: "h", sideEffect, tool: "write_it", traceId: "trace" })

const find = define("find_it")
const lookup = {
  tool: find,
  arguments: ({ q }: { readonly q: string }) => ({ q }),
  found: ({ n }: { readonly n: number }) => (n > 0 ? Option.some({ n }) : Option.none())
}
const write = define("write_it", { access: "write", idempotency: "derived" })
const honoured = define("write_it", { access: "write", idempotency: { mode: "derived", upstreamHonoursKey: true } })
const reconciled = define("write_it", { access: "write", idempotency: "derived", reconcile: lookup })

/** Runs one of the two stages for a call. Returns the outcome, the trace and the calls that were passed on. */
const made = (
  stage: typeof claim | typeof idempotency,
  tool: Tool,
  { layer }: ReturnType<typeof store>,
  over: object = {},
  outcome: Outcome = success({ n: 1 }),
  dispatch?: Dispatch
) =>
  Effect.gen(function* () {
    const trace = Trace.make(undefined)
    const run = yield* alone(stage as typeof idempotency, tool, () => Effect.succeed(outcome), dispatch)
    const result = yield* run.run({ trace, idempotencyKey: "k", ...over })
    const decisions = trace.decisions.map(({ decision, reason, stage }): ReadonlyArray<string> => [
      stage,
      decision,
      reason
    ])
    return { result, trace, decisions, passed: run.passed }
  }).pipe(Effect.provide(layer))

const stored = (tool: Tool, outcome: Outcome) => Effect.map(callOf(tool), (call) => StoredOutcome.write(call, outcome))

const codeOf = (outcome: Outcome): string => (outcome._tag === "Success" ? "success" : outcome.failure.code)

describe("idempotency: the state of a key", () => {
  const keyed = define("write_it", { access: "write", idempotency: "key" })
  const found = (state: KeyState | undefined) => store({ find: () => Effect.succeed(state) })
  const done = (outcome: string, callId = "other"): KeyState => ({ _tag: "Done", outcome, callId })

  it.effect("8.2 a stored success is replayed as idempotent, a stored failure as recalled, and both are recorded", () =>
    Effect.gen(function* () {
      for (const [outcome, mark] of [
        [success({ n: 1 }), { idempotent: true }],
        [failed(failure("committed")), { recalled: true }]
      ] as const) {
        const { decisions, passed, result, trace } = yield* made(
          idempotency,
          keyed,
          found(done(yield* stored(keyed, outcome)))
        )
        assert.deepInclude(result, mark)
        assert.strictEqual(result._tag, outcome._tag)
        assert.deepStrictEqual(decisions, [["idempotency", "replayed", "the action was already done under this key"]])
        assert.deepStrictEqual([passed.length, trace.wasDoneBefore, trace.mayHaveRun], [0, false, false])
      }
    })
  )

  it.effect("12.2 a resumed call that its process had completed gets its own outcome, without a mark", () =>
    Effect.gen(function* () {
      const own = claimOf(yield* callOf(keyed)).callId
      const text = yield* stored(keyed, success({ n: 1 }))
      const resumed = yield* made(idempotency, keyed, found(done(text, own)), { journal: "resumed" })
      assert.deepInclude(resumed.result, { value: { n: 1 } })
      assert.notProperty(resumed.result, "idempotent")
      assert.isTrue(resumed.trace.wasDoneBefore)
      assert.deepStrictEqual(resumed.decisions, [
        ["idempotency", "resumed", "this call was completed before its process crashed"]
      ])
      for (const [state, over] of [
        [done(text, "other"), { journal: "resumed" }],
        [done(text, own), {}]
      ] as const)
        assert.deepInclude((yield* made(idempotency, keyed, found(state), over)).result, { idempotent: true })
    })
  )

  it.effect("8.2 a call joins an action of this process, and is refused while another process runs it", () =>
    Effect.gen(function* () {
      for (const [outcome, isMarked] of [
        [success({ n: 1 }), true],
        [failed(failure("none")), false]
      ] as const) {
        const text = yield* stored(keyed, outcome)
        const joined = yield* made(idempotency, keyed, found({ _tag: "InFlight", outcome: Effect.succeed(text) }))
        assert.strictEqual("idempotent" in joined.result || "recalled" in joined.result, isMarked)
        assert.deepStrictEqual(joined.decisions, [["idempotency", "joined", "the action is running under this key"]])
      }
      const refused = yield* made(idempotency, keyed, found({ _tag: "InFlight", outcome: undefined }))
      assert.strictEqual(codeOf(refused.result), "in_progress")
      assert.deepStrictEqual(refused.decisions, [
        ["idempotency", "refused", "the action is running under this key in another process"]
      ])
    })
  )

  it.effect("8.2 a key that was used with other arguments is a conflict, and is recorded", () =>
    Effect.gen(function* () {
      const { decisions, result } = yield* made(idempotency, keyed, found({ _tag: "Conflict" }))
      assert.strictEqual(codeOf(result), "key_conflict")
      assert.deepStrictEqual(decisions, [["idempotency", "refused", "the key was used with other arguments"]])
    })
  )

  it.effect("8.3 an action that was started and not completed counts as started, and may have run", () =>
    Effect.gen(function* () {
      const lapsed = yield* made(idempotency, keyed, found({ _tag: "Lapsed", remainingMillis: 0 }))
      assert.deepStrictEqual([lapsed.passed[0]?.wasStarted, lapsed.trace.mayHaveRun], [true, true])
      const free = yield* made(idempotency, keyed, found(undefined), {
        trace: Object.assign(Trace.make(undefined), { mayHaveRun: true })
      })
      assert.deepStrictEqual([free.passed[0]?.wasStarted, free.passed[0]?.trace.mayHaveRun], [false, false])
    })
  )

  it.effect("12.2 a call that only completes an action is refused if the action was not started", () =>
    Effect.gen(function* () {
      const { decisions, passed, result } = yield* made(idempotency, keyed, found(undefined), { purpose: "completion" })
      assert(result._tag === "Failure")
      assert.deepStrictEqual([result.failure.code, result.failure.detail], ["interrupted", "write_it was not started."])
      assert.deepStrictEqual(decisions, [["idempotency", "refused", "the crashed process had not started it"]])
      assert.strictEqual(passed.length, 0)
    })
  )

  it.effect("10.5 a key whose outcome a person settled as not done is freed, and the call is made", () =>
    Effect.gen(function* () {
      const text = yield* stored(keyed, failed(failure("unknown")))
      const settled = { traceId: "trace" }
      const free = store({ find: () => Effect.succeed(done(text)) })
      const freed = yield* made(idempotency, keyed, free, { settled })
      assert.deepStrictEqual([free.told, freed.passed.length], [[["release", text]], 1])
      for (const [state, over] of [
        [done(text), { settled: { traceId: "another" } }],
        [done(text), {}],
        [done(yield* stored(keyed, success({ n: 1 }))), { settled }]
      ] as const) {
        const kept = store({ find: () => Effect.succeed(state) })
        const { passed } = yield* made(idempotency, keyed, kept, over)
        assert.deepStrictEqual([kept.told, passed.length], [[], 0])
      }
      const down = store({ find: () => Effect.succeed(done(text)), release: () => unavailable })
      const refused = yield* made(idempotency, keyed, down, { settled })
      assert.deepStrictEqual([codeOf(refused.result), refused.passed.length], ["store_unavailable", 0])
    })
  )

  it.effect("10.5 an open action is repeated without another approval, and a closed one is not", () =>
    Effect.gen(function* () {
      const open = yield* stored(keyed, { ...failed(failure("unknown")), isOpen: true })
      const { passed, trace } = yield* made(idempotency, keyed, found(done(open)), { mayReopen: true })
      assert.deepStrictEqual([passed[0]?.wasStarted, passed[0]?.reopened, trace.mayHaveRun], [true, open, true])
      for (const [state, over] of [
        [done(open), {}],
        [done(yield* stored(keyed, failed(failure("unknown")))), { mayReopen: true }],
        [done(yield* stored(keyed, success({ n: 1 }))), { mayReopen: true }],
        [{ _tag: "Conflict" }, { mayReopen: true }]
      ] as const)
        assert.lengthOf((yield* made(idempotency, keyed, found(state), over)).passed, 0)
      const fresh = yield* made(idempotency, keyed, found(undefined), { mayReopen: true })
      assert.isUndefined(fresh.passed[0]?.reopened)
    })
  )

  it.effect("8.2 the record says whether the store does not respond or is full", () =>
    Effect.gen(function* () {
      const full = new IdempotencyKeysUnavailable({ cause: new Error("full"), detail: "Too many keys." })
      for (const [error, reason, detail] of [
        [unavailable, "the store of keys does not respond", "The store of idempotency keys does not respond."],
        [Effect.fail(full), "the store of keys is full", "Too many keys."]
      ] as const) {
        const { decisions, result } = yield* made(idempotency, keyed, store({ find: () => error }))
        assert(result._tag === "Failure")
        assert.strictEqual(result.failure.detail, detail)
        assert.deepStrictEqual(decisions, [["idempotency", "refused", reason]])
      }
    })
  )

  it.effect("8.1 an empty key of the host is refused and recorded", () =>
    Effect.gen(function* () {
      const { decisions, passed, result } = yield* made(idempotency, keyed, store(), { hasEmptyKey: true })
      assert.strictEqual(codeOf(result), "misconfigured")
      assert.deepStrictEqual(decisions, [["idempotency", "refused", "the host gave an empty idempotency key"]])
      assert.lengthOf(passed, 0)
    })
  )
})

describe("idempotency: the action of a call", () => {
  const claims = (tool: Tool, over: object) =>
    Effect.gen(function* () {
      const keys = store()
      const { passed } = yield* made(idempotency, tool, keys, over)
      return { action: keys.claims[0], passed: passed[0] }
    })

  it.effect("8.1 a model's key is used as it is, and without one the key is derived from the action", () =>
    Effect.gen(function* () {
      for (const turn of [undefined, { conversation: "c", turn: "t", tenant: "x" }]) {
        const own = yield* claims(define("write_it", { access: "write", idempotency: "key" }), { turn })
        assert.deepStrictEqual([own.action?.key, own.passed?.idempotencyKey], ["k", "k"])
        const derived = yield* claims(write, { turn, idempotencyKey: "" })
        assert.match(derived.action?.key ?? "", /^idem_[0-9a-f]{32}$/u)
      }
    })
  )

  it.effect("8.1 a read has no key, not even in a run with a journal", () =>
    Effect.gen(function* () {
      const { action, passed } = yield* claims(define("search"), { idempotencyKey: "", journal: "new" })
      assert.deepStrictEqual([action, passed?.idempotencyKey], [undefined, ""])
    })
  )

  it.effect("8.1 a second key for the same arguments needs a person only if the model chooses the keys", () =>
    Effect.gen(function* () {
      const confirmed = (mode: string) =>
        Effect.gen(function* () {
          const stage = yield* alone(idempotency, define("write_it", { access: "write", idempotency: mode }))
          for (const idempotencyKey of ["first", "second"]) yield* stage.run({ idempotencyKey })
          return stage.passed.map(({ confirm, idempotencyKey }) => [idempotencyKey, confirm !== undefined])
        }).pipe(Effect.provide(store().layer))
      assert.deepStrictEqual(yield* confirmed("key"), [
        ["first", false],
        ["second", true]
      ])
      assert.deepStrictEqual(yield* confirmed("derived"), [
        ["first", false],
        ["second", false]
      ])
    })
  )

  it.effect("8.1 a model's key is used although repeats of the write are allowed", () =>
    Effect.gen(function* () {
      const repeatable = define("write_it", { access: "write", idempotency: "key", repeats: "allowed" })
      const { action, passed } = yield* claims(repeatable, { idempotencyKey: "k" })
      assert.deepStrictEqual([action?.key, passed?.idempotencyKey], ["k", "k"])
    })
  )

  it.effect("12.2 without idempotency, only a run with a journal claims its call, under an id of the call", () =>
    Effect.gen(function* () {
      const plain = define("write_it", { access: "write" })
      const none = yield* claims(plain, { idempotencyKey: "" })
      assert.deepStrictEqual([none.action, none.passed?.idempotencyKey], [undefined, ""])
      const keys = yield* Effect.forEach(["a", "a", "b"], (callId) =>
        claims(plain, { idempotencyKey: "", journal: "new", callId })
      )
      const [first, same, other] = keys.map(({ action }) => action?.key)
      assert.match(first ?? "", /^idem_/u)
      assert.strictEqual(first, same)
      assert.notStrictEqual(first, other)
      assert.isUndefined(keys[0]?.passed?.confirm)
    })
  )

  it.effect("12.2 in a run with a journal an outcome is kept for at least 30 days, and a resumed call says so", () =>
    Effect.gen(function* () {
      const of = (over: object, more: object = {}) =>
        Effect.map(
          claims(define("write_it", { access: "write", idempotency: { mode: "derived", ...more } }), over),
          ({ action }) => [Duration.toDays(action!.timeToLive), action?.isResumed]
        )
      assert.deepStrictEqual(yield* of({}), [1, false])
      assert.deepStrictEqual(yield* of({ journal: "new" }), [30, false])
      assert.deepStrictEqual(yield* of({ journal: "resumed" }), [30, true])
      assert.deepStrictEqual(yield* of({ journal: "new" }, { timeToLive: "90 days" }), [90, false])
    })
  )

  it.effect("8.1 the id of a call outside a turn contains its trace", () =>
    Effect.gen(function* () {
      const { action } = yield* claims(write, { turn: undefined })
      assert.strictEqual(action?.callId, '["trace","","call"]')
      assert.strictEqual(action?.tenant, "default")
    })
  )

  it.effect("8.1 fields identify an action only if the arguments are an object", () =>
    Effect.gen(function* () {
      const parameters = Schema.Struct({ q: Schema.String, note: Schema.String })
      const tool = define("write_it", { access: "write", parameters, idempotency: { mode: "derived", fields: ["q"] } })
      const bindings = yield* Effect.forEach(["x", "y"], (note) => claims(tool, { arguments: { q: "a", note } }))
      assert.strictEqual(bindings[0]?.action?.binding, bindings[1]?.action?.binding)
      assert.include(bindings[0]?.action?.binding, '"q":"a"')
      assert.notInclude(bindings[0]?.action?.binding, "note")
    })
  )
})

describe("claim: how the action ends", () => {
  const holding = (lapsed?: { readonly remainingMillis: number }, over: Partial<Store> = {}) =>
    store({ claim: () => Effect.succeed(claimed(lapsed)), ...over })

  it.effect("8.2 a read claims nothing", () => {
    const keys = store()
    return Effect.gen(function* () {
      yield* made(claim, define("search"), keys)
      assert.deepStrictEqual(keys.told, [])
    })
  })

  for (const [outcome, isKept] of [
    [success({ n: 1 }), true],
    [failed(failure("committed")), true],
    [failed(failure("unknown")), true],
    [failed(failure("none")), false]
  ] as const) {
    it.effect(`8.2 ${outcome._tag} ${codeOf(outcome)} ${isKept ? "is kept under" : "frees"} the key`, () => {
      const keys = store()
      return Effect.gen(function* () {
        yield* made(claim, write, keys, {}, outcome)
        assert.deepStrictEqual(keys.told, [
          ["claim", undefined],
          ["complete", { isKept, outcome: yield* stored(write, outcome) }]
        ])
      })
    })
  }

  it.effect("10.3 a call whose approval was used before is not made, and the record says why", () =>
    Effect.gen(function* () {
      const reason = "the approval of the call was already used, or has expired"
      for (const [tool, over] of [
        [write, {}],
        [define("search"), { consume: Effect.succeed(false) }]
      ] as const) {
        const keys = store({ claim: () => Effect.succeed({ _tag: "NotApproved" }) })
        const { decisions, passed, result } = yield* made(claim, tool, keys, over)
        assert.strictEqual(codeOf(result), "requires_human_approval")
        assert.deepStrictEqual(decisions, [["claim", "refused", reason]])
        assert.lengthOf(passed, 0)
      }
    })
  )

  it.effect("12.2 an interrupted action is left to the run that resumes, and completed without a journal", () =>
    Effect.gen(function* () {
      const interrupted = (over: object, isStarted: boolean, lapsed?: { readonly remainingMillis: number }) => {
        const keys = holding(lapsed)
        return Effect.gen(function* () {
          const trace = Object.assign(Trace.make(undefined), { isStarted })
          const stage = yield* alone(claim, honoured, () => Effect.never)
          const call = yield* start(stage.run({ trace, idempotencyKey: "k", ...over }))
          yield* Fiber.interrupt(call)
          return { told: keys.told.map(([event]) => event), reasons: trace.decisions.map(({ reason }) => reason) }
        }).pipe(Effect.provide(keys.layer))
      }
      assert.deepStrictEqual(yield* interrupted({ journal: "new" }, true), { told: ["leave"], reasons: [] })
      assert.deepStrictEqual(yield* interrupted({ journal: "new" }, false), { told: ["complete"], reasons: [] })
      assert.deepStrictEqual(yield* interrupted({}, true), { told: ["complete"], reasons: [] })
      const lapsed = yield* interrupted({}, false, { remainingMillis: 0 })
      assert.deepStrictEqual(lapsed.told, ["complete"])
      assert.include(lapsed.reasons, "it was started before and never completed; the lookup was interrupted")
    })
  )

  it.effect("8.3 an action that was started before and has just ended is not made again", () =>
    Effect.gen(function* () {
      const { decisions, passed, result } = yield* made(claim, write, holding(), { wasStarted: true })
      assert.strictEqual(codeOf(result), "in_progress")
      assert.deepStrictEqual(decisions, [["claim", "refused", "the action that was started before has just ended"]])
      assert.lengthOf(passed, 0)
    })
  )
})

describe("claim: an open action", () => {
  it.effect("10.5 its key is freed first, and it counts as taken over", () => {
    const keys = store()
    return Effect.gen(function* () {
      const { decisions } = yield* made(claim, honoured, keys, { reopened: "stored", wasStarted: true })
      assert.deepStrictEqual(
        keys.told.map(([event]) => event),
        ["release", "claim", "complete"]
      )
      assert.deepStrictEqual(keys.told[0], ["release", "stored"])
      assert.strictEqual(decisions[0]?.[1], "again")
    })
  })

  it.effect("10.5 it waits as long as the claim that it takes over", () => {
    const keys = store({ claim: () => Effect.succeed(claimed({ remainingMillis: 1_000 })) })
    const dispatch: Dispatch = () => Effect.succeed(success({ n: 3 }))
    return Effect.gen(function* () {
      const call = yield* start(made(claim, reconciled, keys, { reopened: "stored" }, success({ n: 1 }), dispatch))
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual((yield* Fiber.join(call)).result, success({ n: 3 }))
    })
  })

  it.effect("10.5 a key that another call has claimed in the meantime is not taken over", () => {
    const keys = store({ claim: () => Effect.succeed({ _tag: "Conflict" }) })
    return Effect.gen(function* () {
      const { passed, result } = yield* made(claim, honoured, keys, { reopened: "stored" })
      assert.deepStrictEqual([codeOf(result), passed.length], ["key_conflict", 0])
    })
  })

  it.effect("10.5 if its effect stays unknown, the outcome that a person can settle is kept", () =>
    Effect.gen(function* () {
      for (const [outcome, over, isSame] of [
        [failed(failure("unknown", "HumanReview")), { reopened: "stored" }, true],
        [failed(failure("committed")), { reopened: "stored" }, false],
        [success({ n: 1 }), { reopened: "stored" }, false],
        [failed(failure("unknown", "HumanReview")), {}, false]
      ] as const) {
        const keys = store()
        yield* made(claim, honoured, keys, over, outcome)
        const [, told] = keys.told.at(-1) ?? []
        assert.strictEqual((told as { readonly outcome: string }).outcome === "stored", isSame)
      }
    })
  )
})

describe("claim: an action that was started before", () => {
  const lapsed = (over: Partial<Store> = {}) =>
    store({ claim: () => Effect.succeed(claimed({ remainingMillis: 0 })), ...over })
  const looked =
    (outcome: Outcome): Dispatch =>
    () =>
      Effect.succeed(outcome)
  const before = "it was started before and never completed"

  it.effect("8.3 is unknown if the tool declares no lookup, and is not made", () =>
    Effect.gen(function* () {
      const { decisions, passed, result } = yield* made(claim, write, lapsed())
      assert.deepStrictEqual([codeOf(result), passed.length], ["outcome_unknown", 0])
      assert.deepStrictEqual(decisions, [["claim", "unknown", `${before}; the tool declares no lookup`]])
    })
  )

  it.effect("8.3 is not made again if the lookup finds its effect", () =>
    Effect.gen(function* () {
      const { decisions, passed, result, trace } = yield* made(
        claim,
        reconciled,
        lapsed(),
        {},
        success({ n: 1 }),
        looked(success({ n: 9 }))
      )
      assert.deepStrictEqual(result, success({ n: 9 }))
      assert.deepStrictEqual([passed.length, trace.wasDoneBefore], [0, true])
      assert.deepStrictEqual(decisions, [["claim", "committed", "it was started before; find_it found its effect"]])
    })
  )

  it.effect("8.3 is made with a renewed claim and a separate budget if the lookup finds no effect", () => {
    const keys = lapsed()
    const trace = Object.assign(Trace.make(undefined), { mayHaveRun: true })
    return Effect.gen(function* () {
      const { passed } = yield* made(claim, reconciled, keys, { trace }, success({ n: 1 }), looked(success({ n: 0 })))
      assert.deepStrictEqual(
        passed.map(({ doubt, occasion, takenFrom }) => [occasion, takenFrom, doubt]),
        [["taken over 7", "", undefined]]
      )
      assert.deepStrictEqual(
        keys.told.map(([event]) => event),
        ["renew", "complete"]
      )
      assert.isFalse(trace.mayHaveRun)
      assert.deepStrictEqual(
        trace.decisions.map(({ decision, reason }) => [decision, reason]),
        [["again", "it was started before; find_it found no effect"]]
      )
    })
  })

  for (const [what, renew, code, decision] of [
    [
      "was lost during the lookup",
      () => Effect.succeed(false),
      "in_progress",
      ["refused", "another process has taken the action over"]
    ],
    [
      "cannot be renewed",
      () => unavailable,
      "outcome_unknown",
      ["unknown", `${before}; the store of keys does not respond`]
    ]
  ] as const) {
    it.effect(`8.3 is not made if its claim ${what}`, () =>
      Effect.gen(function* () {
        const { decisions, passed, result } = yield* made(
          claim,
          reconciled,
          lapsed({ renew }),
          {},
          success({ n: 1 }),
          looked(success({ n: 0 }))
        )
        assert(result._tag === "Failure")
        assert.deepStrictEqual([result.failure.code, passed.length], [code, 0])
        assert.include(result.failure.detail, "write_it")
        const last: ReadonlyArray<string> | undefined = decisions.at(-1)?.slice(1)
        assert.deepStrictEqual(last, decision)
      })
    )
  }

  for (const [what, outcome, code, isOpen] of [
    ["succeeds", success({ n: 1 }), "success", undefined],
    ["was done", failed(failure("committed")), "odd", undefined],
    ["is already unknown", failed(failure("unknown", "HumanReview")), "odd", undefined],
    ["needs a person", failed(failure("none", "HumanReview")), "outcome_unknown", undefined],
    ["is refused", failed(failure("none")), "outcome_unknown", undefined],
    ["fails transiently", failed(failure("none", "Transient")), "outcome_unknown", true]
  ] as const) {
    it.effect(`8.3 with an upstream that honours the key, a repetition that ${what} ends as ${code}`, () =>
      Effect.gen(function* () {
        const { decisions, passed, result } = yield* made(claim, honoured, lapsed(), {}, outcome)
        assert.strictEqual(codeOf(result), code)
        assert.strictEqual((result as FailedOutcome).isOpen, isOpen)
        assert.deepStrictEqual(decisions[0]?.slice(1), [
          "again",
          "the action was started before and never completed, and the upstream honours the key"
        ])
        assert.strictEqual(passed[0]?.occasion, "taken over 7")
      })
    )
  }
})

describe("claim: an action that another process has taken over", () => {
  const lost = (found?: Effect.Effect<KeyState | undefined, IdempotencyKeysUnavailable>) =>
    store({ complete: () => Effect.succeed(false), ...(found === undefined ? {} : { find: () => found }) })

  it.effect("8.3 an unknown outcome names the failure of this call", () =>
    Effect.gen(function* () {
      const first = failure("committed")
      const { result } = yield* made(claim, write, lost(), {}, failed(failure("unknown")))
      assert.deepStrictEqual((result as FailedOutcome).original, failure("unknown"))
      const kept = yield* made(claim, write, lost(), {}, { ...failed(failure("unknown")), original: first })
      assert.strictEqual((kept.result as FailedOutcome).original, first)
      assert.isFalse("original" in (yield* made(claim, write, lost())).result)
    })
  )

  it.effect("8.3 a success remains only if the upstream honours the key, and the record says so", () =>
    Effect.gen(function* () {
      const { decisions, result } = yield* made(claim, honoured, lost())
      assert.deepStrictEqual(result, success({ n: 1 }))
      assert.deepStrictEqual(decisions, [
        ["claim", "taken over", "another process repeated the action, and the upstream honours the key"]
      ])
      const failedOnce = yield* made(claim, honoured, lost(), {}, failed(failure("committed")))
      assert.strictEqual(codeOf(failedOnce.result), "outcome_unknown")
    })
  )

  it.effect("8.3 a call that did nothing is in progress while the store does not say otherwise", () =>
    Effect.gen(function* () {
      const nothing = failed(failure("none"))
      for (const [found, code] of [
        [unavailable, "in_progress"],
        [Effect.succeed<KeyState>({ _tag: "Lapsed", remainingMillis: 0 }), "in_progress"],
        [Effect.succeed<KeyState>({ _tag: "Conflict" }), "in_progress"],
        [Effect.succeed(undefined), "odd"]
      ] as const) {
        const { decisions, result } = yield* made(claim, write, lost(found), {}, nothing)
        assert.strictEqual(codeOf(result), code)
        assert.deepStrictEqual(
          decisions,
          code === "odd" ? [] : [["claim", "refused", "another process has taken the action over"]]
        )
      }
    })
  )
})
