/** Tests actions that a crashed process left unfinished. */
import { type Claim, IdempotencyKeys, type KeyClaim, type KeyState } from "#services/IdempotencyKeys"
import { CallLog } from "#services/CallLog"
import * as CallLogMemory from "#layers/CallLogMemory"
import { Guard } from "#src/guard/Guard"
import * as OutcomeText from "#domain/call/OutcomeText"
import { success } from "#domain/call/Outcome"
import * as Failure from "#domain/failure/Failure"
import * as EscalationScripted from "#layers/EscalationScripted"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Drain } from "#services/Drain"
import { Escalation } from "#services/Escalation"
import * as GracefulShutdown from "#layers/GracefulShutdown"
import { ask, settled, start, poll, tool, within } from "./support.ts"

/** The calls that a store received. */
interface StoreLog {
  readonly claims: Array<KeyClaim>
  readonly left: Array<string>
  readonly completed: Array<{ readonly outcome: string; readonly isKept: boolean }>
}

/** Creates a store in which a crashed process has started the action. */
const lapsed = (
  over: { readonly found?: KeyState | undefined; readonly claim?: Claim; readonly until?: number } = {}
) => {
  const log: StoreLog = { claims: [], left: [], completed: [] }
  const layer = Layer.succeed(IdempotencyKeys, {
    find: () => Effect.succeed("found" in over ? over.found : { _tag: "Lapsed", remainingMillis: over.until ?? 0 }),
    claim: (claim, consume = Effect.succeed(true)) =>
      Effect.map(consume, (isApproved): Claim => {
        log.claims.push(claim)
        if (!isApproved) return { _tag: "NotApproved" }
        return (
          over.claim ?? { _tag: "Claimed", owner: "me", fencingToken: 1, lapsed: { remainingMillis: over.until ?? 0 } }
        )
      }),
    renew: () => Effect.succeed(true),
    complete: (_, __, outcome, isKept) => Effect.sync(() => log.completed.push({ outcome, isKept }) > 0),
    release: () => Effect.succeed(true),
    leave: (_, outcome) => Effect.sync(() => void log.left.push(outcome))
  })
  return { layer, log }
}

const write = (over: object, ...answers: ReadonlyArray<unknown>) =>
  tool("write_it", { access: "write", idempotency: "derived", ...over }, ...answers)

describe("claim: an action that was started before", () => {
  it.effect("8.3 is not repeated without a lookup, and its outcome is unknown", () => {
    const { layer, log } = lapsed()
    const fixture = write({}, { n: 1 })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
      assert.deepStrictEqual(
        [envelope.error.error_class, envelope.error.code, envelope.error.side_effect],
        ["human_review", "outcome_unknown", "unknown"]
      )
      assert.strictEqual(fixture.runs(), 0)
      assert.deepStrictEqual(
        log.completed.map(({ isKept }) => isKept),
        [true]
      )
    }).pipe(within([fixture.layer], Guard.layerMemoryWith(layer)))
  })

  for (const [how, claim] of [
    ["crashes", Effect.die(new Error("boom"))],
    ["hangs until the caller is interrupted", Effect.interruptible(Effect.never)]
  ] as const) {
    it.effect(`8.3 is recorded as unknown if the store's claim ${how}`, () => {
      const layer = Layer.succeed(IdempotencyKeys, {
        find: () => Effect.succeed<KeyState>({ _tag: "Lapsed", remainingMillis: 0 }),
        claim: () => claim,
        renew: () => Effect.succeed(true),
        complete: () => Effect.succeed(true),
        release: () => Effect.succeed(true),
        leave: () => Effect.void
      })
      const fixture = write({}, { n: 1 })
      return Effect.gen(function* () {
        const calling = yield* start(settled(fixture.tool.call({ q: "a" })))
        yield* Fiber.interrupt(calling)
        const { records } = yield* CallLog
        assert.deepStrictEqual(
          (yield* records).map(({ attempts, sideEffect }) => [attempts, sideEffect]),
          [[[], "unknown"]]
        )
        assert.strictEqual(fixture.runs(), 0)
      }).pipe(within([fixture.layer], Guard.layerMemoryWith(Layer.merge(layer, CallLogMemory.layer))))
    })
  }

  it.effect("8.3 an answered error under its key does not settle what an earlier process did", () => {
    const { layer } = lapsed()
    const fixture = write({ idempotency: { mode: "derived", upstreamHonoursKey: true } }, Effect.fail(new Error("hm")))
    return Effect.gen(function* () {
      const { envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
      assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["outcome_unknown", "unknown"])
    }).pipe(within([fixture.layer], Guard.layerMemoryWith(layer)))
  })

  it.effect(
    "8.3 is attempted in the same turn, although its budget counts the attempt of the crashed process as running",
    () => {
      let claims = 0
      const layer = Layer.succeed(IdempotencyKeys, {
        find: () => Effect.sync(() => (claims === 0 ? undefined : { _tag: "Lapsed", remainingMillis: 0 })),
        claim: () =>
          Effect.sync((): Claim => {
            claims += 1
            const lapsed = claims === 1 ? undefined : { remainingMillis: 0 }
            return { _tag: "Claimed", owner: "me", fencingToken: claims, lapsed }
          }),
        renew: () => Effect.succeed(true),
        complete: () => Effect.succeed(true),
        release: () => Effect.succeed(true),
        leave: () => Effect.void
      })
      const fixture = write(
        { idempotency: { mode: "derived", upstreamHonoursKey: true } },
        Effect.never,
        Effect.never,
        { n: 1 }
      )
      return Effect.gen(function* () {
        const dead = () => start(ask([fixture.tool], "write_it", { q: "a" }))
        yield* dead()
        // a process that took over the action, and crashed too
        yield* dead()
        const { envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
        assert.deepStrictEqual([envelope.status, envelope.data, fixture.runs()], ["success", { n: 1 }, 3])
      }).pipe(within([fixture.layer], Guard.layerMemoryWith(layer)))
    }
  )

  it.effect("4.7, 8.3 may be made again in the turn after another process took it over and did nothing", () => {
    let claims = 0
    const layer = Layer.succeed(IdempotencyKeys, {
      find: () => Effect.sync(() => (claims === 1 ? { _tag: "Lapsed", remainingMillis: 0 } : undefined)),
      claim: () =>
        Effect.sync((): Claim => {
          claims += 1
          const lapsed = claims === 2 ? { remainingMillis: 0 } : undefined
          return { _tag: "Claimed", owner: "me", fencingToken: claims, lapsed }
        }),
      renew: () => Effect.succeed(true),
      complete: () => Effect.succeed(true),
      release: () => Effect.succeed(true),
      leave: () => Effect.void
    })
    const lookup = tool("look_up", { access: "read" }, { n: 0 })
    const refused = Effect.fail(Object.assign(new Error("no"), { code: "ECONNREFUSED" }))
    const fixture = write(
      {
        reconcile: { tool: lookup.tool, arguments: () => ({ q: "key" }), found: () => Option.none() },
        retry: { attempts: 1 }
      },
      Effect.never,
      refused,
      { n: 1 }
    )
    return Effect.gen(function* () {
      const called = () => ask([fixture.tool], "write_it", { q: "a" })
      yield* start(called())
      assert.strictEqual((yield* called()).envelope.error.side_effect, "none")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual((yield* called()).envelope.data, { n: 1 })
    }).pipe(within([fixture.layer, lookup.layer], Guard.layerMemoryWith(layer)))
  })

  it.effect("8.3 is repeated under its key if the upstream honours keys", () => {
    const fixture = write({ idempotency: { mode: "derived", upstreamHonoursKey: true } }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 1 })
      assert.strictEqual(fixture.runs(), 1)
    }).pipe(within([fixture.layer], Guard.layerMemoryWith(lapsed().layer)))
  })

  it.effect("8.3 stays unknown if the repetition fails before it does anything", () => {
    const { layer, log } = lapsed()
    const refused = Effect.fail(Object.assign(new Error("no"), { code: "ECONNREFUSED" }))
    const fixture = write(
      { idempotency: { mode: "derived", upstreamHonoursKey: true }, retry: { attempts: 1 } },
      refused
    )
    return Effect.gen(function* () {
      const { envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
      assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["outcome_unknown", "unknown"])
      assert.deepStrictEqual([fixture.runs(), log.completed.map(({ isKept }) => isKept)], [1, [true]])
    }).pipe(within([fixture.layer], Guard.layerMemoryWith(layer)))
  })

  it.effect("8.3 stays unknown if the call is interrupted before the lookup", () => {
    const lookup = tool("look_up", { access: "read" }, { n: 0 })
    const fixture = write(
      { reconcile: { tool: lookup.tool, arguments: () => ({ q: "key" }), found: () => Option.none() } },
      { n: 1 }
    )
    const { layer, log } = lapsed({ until: 35_000 })
    return Effect.gen(function* () {
      const calling = yield* start(fixture.tool.call({ q: "a" }))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(calling)
      assert.deepStrictEqual(
        log.completed.map(({ isKept, outcome }) => [isKept, outcome.includes('"outcome_unknown"')]),
        [[true, true]]
      )
    }).pipe(within([fixture.layer, lookup.layer], Guard.layerMemoryWith(layer)))
  })

  it.effect("8.3 has a lease that covers the claim, the deadline, and a last attempt after the deadline", () => {
    const { layer, log } = lapsed({
      found: undefined,
      claim: { _tag: "Claimed", owner: "me", fencingToken: 1, lapsed: undefined }
    })
    const fixture = write({ timeout: "2 seconds", deadline: "10 seconds" }, { n: 1 })
    return Effect.gen(function* () {
      yield* settled(fixture.tool.call({ q: "a" }))
      assert.deepStrictEqual(
        log.claims.map(({ lease }) => Duration.toSeconds(lease)),
        [5 + 10 + 2]
      )
    }).pipe(within([fixture.layer], Guard.layerMemoryWith(layer)))
  })

  for (const [what, found, runs, result] of [
    [
      "is not repeated if the lookup finds it, and has the result that the lookup found",
      Option.some({ n: 7 }),
      0,
      { n: 7 }
    ],
    ["is made if the lookup does not find it", Option.none(), 1, { n: 1 }]
  ] as const) {
    it.effect(`8.3 ${what}`, () => {
      const lookup = tool("look_up", { access: "read" }, { n: 0 })
      const fixture = write(
        { reconcile: { tool: lookup.tool, arguments: () => ({ q: "key" }), found: () => found } },
        { n: 1 }
      )
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), result)
        assert.deepStrictEqual([fixture.runs(), lookup.runs()], [runs, 1])
      }).pipe(within([fixture.layer, lookup.layer], Guard.layerMemoryWith(lapsed().layer)))
    })
  }

  it.effect("8.3 is looked up only after the earlier request can no longer arrive", () => {
    const lookup = tool("look_up", { access: "read" }, { n: 0 })
    const fixture = write({
      reconcile: { tool: lookup.tool, arguments: () => ({ q: "key" }), found: () => Option.some({ n: 7 }) }
    })
    const { layer } = lapsed({ until: 35_000 })
    return Effect.gen(function* () {
      const calling = yield* start(fixture.tool.call({ q: "a" }))
      yield* TestClock.adjust("34999 millis")
      assert.deepStrictEqual([lookup.runs(), poll(calling)], [0, undefined])
      yield* TestClock.adjust("1 millis")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([lookup.runs(), poll(calling)], [1, { n: 7 }])
    }).pipe(within([fixture.layer, lookup.layer], Guard.layerMemoryWith(layer)))
  })

  for (const [what, more, code, completed, left] of [
    [
      "a run with a journal leaves it to the process that resumes the run",
      { journal: "resumed" },
      "shutting_down",
      0,
      1
    ],
    ["its outcome is unknown without a journal", {}, "outcome_unknown", 1, 0]
  ] as const) {
    it.effect(`8.3, 12.7 is not waited for while the process shuts down: ${what}`, () => {
      const lookup = tool("look_up", { access: "read" }, { n: 0 })
      const fixture = write({
        reconcile: { tool: lookup.tool, arguments: () => ({ q: "key" }), found: () => Option.none() }
      })
      const { layer, log } = lapsed({ until: 35_000 })
      return Effect.gen(function* () {
        const drain = yield* GracefulShutdown.make()
        yield* Effect.gen(function* () {
          const calling = yield* start(ask([fixture.tool], "write_it", { q: "a" }, more))
          yield* TestClock.adjust("1 second")
          yield* drain.drain
          const { outcome } = yield* Fiber.join(calling)
          assert.strictEqual(outcome._tag === "Failure" && outcome.failure.code, code)
          assert.strictEqual(log.completed.filter(({ isKept }) => isKept).length, completed)
          assert.deepStrictEqual([log.left.length, lookup.runs(), fixture.runs()], [left, 0, 0])
        }).pipe(
          within(
            [fixture.layer, lookup.layer],
            Guard.layerMemoryWith(Layer.mergeAll(layer, Layer.succeed(Drain, drain)))
          )
        )
      })
    })
  }

  for (const [who, isOwn, code, left] of [
    ["its own process shuts down", true, "shutting_down", 1],
    ["its upstream shuts down", false, "outcome_unknown", 0]
  ] as const) {
    it.effect(`8.3, 12.7 fails with ${code} if its upstream honours the key, but ${who}`, () => {
      const fixture = write(
        {
          concurrency: 1,
          idempotency: { mode: "derived", upstreamHonoursKey: true },
          retry: { attempts: 1 }
        },
        isOwn
          ? Effect.as(Effect.sleep("10 seconds"), { n: 1 })
          : Effect.fail(
              new Failure.Transient({
                tool: "t",
                code: "shutting_down",
                detail: "down",
                hint: "",
                sideEffect: "none",
                traceId: ""
              })
            )
      )
      const { layer, log } = lapsed()
      return Effect.gen(function* () {
        const drain = yield* GracefulShutdown.make()
        yield* Effect.gen(function* () {
          if (isOwn) yield* start(settled(fixture.tool.call({ q: "b" })))
          const calling = yield* start(ask([fixture.tool], "write_it", { q: "a" }, { journal: "resumed" }))
          if (isOwn) yield* start(drain.drain)
          yield* TestClock.adjust("10 seconds")
          const { outcome } = yield* Fiber.join(calling)
          assert.strictEqual(outcome._tag === "Failure" && outcome.failure.code, code)
          assert.deepStrictEqual([log.left.length, fixture.runs()], [left, 1])
        }).pipe(within([fixture.layer], Guard.layerMemoryWith(Layer.mergeAll(layer, Layer.succeed(Drain, drain)))))
      })
    })
  }

  it.effect("8.3 stays unknown if the lookup fails", () => {
    const lookup = tool("look_up", { access: "read", retry: { attempts: 1 } }, new Error("503"))
    const fixture = write({
      reconcile: { tool: lookup.tool, arguments: () => ({ q: "key" }), found: () => Option.none() }
    })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
      assert.strictEqual(envelope.error.code, "outcome_unknown")
      assert.strictEqual(fixture.runs(), 0)
    }).pipe(within([fixture.layer, lookup.layer], Guard.layerMemoryWith(lapsed().layer)))
  })

  it.effect("10.3 is repeated without a second approval", () => {
    const fixture = write({ approval: "confirm", idempotency: { mode: "derived", upstreamHonoursKey: true } }, { n: 1 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 1 })
    }).pipe(
      within([fixture.layer], Guard.layerMemoryWith(Layer.merge(lapsed().layer, EscalationScripted.layer(["deny"]))))
    )
  })

  it.effect(
    "10.3 is not repeated if it ended between lookup and claim, because no approval covers a new action",
    () => {
      const fixture = write({ approval: "confirm" }, { n: 1 })
      const { layer, log } = lapsed({ claim: { _tag: "Claimed", owner: "me", fencingToken: 1, lapsed: undefined } })
      return Effect.gen(function* () {
        const { envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
        assert.strictEqual(envelope.error.code, "in_progress")
        assert.strictEqual(fixture.runs(), 0)
        assert.deepStrictEqual(
          log.completed.map(({ isKept }) => isKept),
          [false]
        )
      }).pipe(within([fixture.layer], Guard.layerMemoryWith(layer)))
    }
  )

  it.effect("8.2 is refused, and not joined, while it runs in another process", () => {
    const fixture = write({}, { n: 1 })
    const { layer, log } = lapsed({ found: { _tag: "InFlight", outcome: undefined } })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([fixture.tool], "write_it", { q: "a" })
      assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["in_progress", "none"])
      assert.deepStrictEqual([fixture.runs(), log.claims.length], [0, 0])
    }).pipe(within([fixture.layer], Guard.layerMemoryWith(layer)))
  })

  it.effect("8.2 has a stored result that the tool's schema decodes, and counts as done even if decoding fails", () => {
    const fixture = write({}, { n: 1 })
    const kept = (value: unknown): KeyState => ({
      _tag: "Done",
      outcome: OutcomeText.write(success(value), (it) => it),
      callId: "another"
    })
    return Effect.gen(function* () {
      for (const [found, expected] of [
        [kept({ n: 4 }), { n: 4 }],
        [kept({ m: 4 }), "done_unreadable"],
        [{ _tag: "Done", outcome: "damaged", callId: "another" }, "done_unreadable"]
      ] as const) {
        const answer = yield* ask([fixture.tool], "write_it", { q: "a" }).pipe(
          within([fixture.layer], Guard.layerMemoryWith(lapsed({ found }).layer))
        )
        const { envelope } = answer
        assert.deepStrictEqual(envelope.status === "success" ? envelope.data : envelope.error.code, expected)
        if (envelope.status === "error") assert.strictEqual(envelope.error.side_effect, "committed")
      }
      assert.strictEqual(fixture.runs(), 0)
    })
  })
})

describe("claim: consuming an approval", () => {
  const approving = (consume: Effect.Effect<boolean>) =>
    Layer.succeed(Escalation, {
      inform: () => Effect.void,
      ask: () => Effect.succeed({ _tag: "Approved", by: "ann", consume })
    })

  for (const idempotency of ["derived", "none"] as const) {
    it.effect(`10.3 starts one call, and the same approval starts no other call (idempotency: ${idempotency})`, () => {
      const fixture = tool(
        "write_it",
        { access: "write", approval: "confirm", idempotency, budget: 9 },
        { n: 1 },
        { n: 2 }
      )
      let uses = 0
      const consume = Effect.sync(() => (uses += 1) === 1)
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 1 })
        const { envelope } = yield* ask([fixture.tool], "write_it", { q: "b" })
        assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["requires_human_approval", "none"])
        assert.strictEqual(fixture.runs(), 1)
      }).pipe(within([fixture.layer], Guard.layerMemoryWith(approving(consume))))
    })
  }

  it.effect("10.3 happens before the handler runs", () => {
    const order: Array<string> = []
    const fixture = tool("write_it", { access: "write", approval: "confirm" }, () => {
      order.push("handler")
      return Effect.succeed({ n: 1 })
    })
    const consume = Effect.sync(() => order.push("consume") > 0)
    return Effect.gen(function* () {
      yield* settled(fixture.tool.call({ q: "a" }))
      assert.deepStrictEqual(order, ["consume", "handler"])
    }).pipe(within([fixture.layer], Guard.layerMemoryWith(approving(consume))))
  })
})
