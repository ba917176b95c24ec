import { Guard } from "#src/guard/Guard"
import { EscalationTranscript } from "#layers/EscalationScripted"
import * as EscalationScripted from "#layers/EscalationScripted"
import { Escalation } from "#services/Escalation"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { complete, ask, asked, outside, poll, settled, start, tool, turn, within } from "../support.ts"

const write = (definition: object, ...answers: ReadonlyArray<unknown>) =>
  tool("write_it", { access: "write", budget: 9, ...definition }, ...answers)

const key = "order-7-refund-key"
const other = "order-7-another-key"
const args = (extra: object = {}) => JSON.stringify({ q: "a", ...extra })

describe("idempotency: derived keys", () => {
  it.effect(
    "8.1 the key is idem_ and 32 hex digits, derived from tenant, principal, conversation, turn, tool and arguments",
    () => {
      const one = write({ idempotency: "derived" }, { n: 1 })
      const two = tool("write_two", { access: "write", idempotency: "derived" }, { n: 1 })
      const call = (which: typeof one, q: string, over: object = {}) =>
        Guard.turn(which.tool.call({ q }), { ...turn, ...over })
      return Effect.gen(function* () {
        yield* call(one, "a")
        yield* call(one, "b")
        yield* call(two, "a")
        yield* call(one, "a", { turn: "2" })
        yield* call(one, "a", { conversation: "2" })
        yield* call(one, "a", { tenant: "2" })
        yield* call(one, "a", { principal: "ann" })
        yield* call(one, "a", { principal: "bob" })
        const keys = [...one.calls, ...two.calls].map(({ context }) => context.idempotencyKey)
        for (const key of keys) assert.match(key, /^idem_[0-9a-f]{32}$/)
        assert.strictEqual(new Set(keys).size, 8)
      }).pipe(outside([one.layer, two.layer]))
    }
  )

  for (const idempotency of ["derived", "key", "none"] as const) {
    it.effect(
      `8.2 if the host gives an empty key, the write is refused, and the message says so (${idempotency})`,
      () => {
        const one = write({ idempotency }, { n: 1 })
        return Effect.gen(function* () {
          const answers = yield* Effect.all(
            [1, 2].map(() => ask([one.tool], "write_it", { q: "a" }, { idempotencyKey: "" }))
          )
          for (const { envelope } of answers) {
            assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["misconfigured", "none"])
            assert.include(
              envelope.error.message,
              "The host gave write_it an empty `idempotencyKey`: give the key of the action, or leave the field out."
            )
          }
          assert.strictEqual(one.runs(), 0)
        }).pipe(within([one.layer]))
      }
    )
  }

  it.effect(
    "8.4 the key is the same for a new tool_call_id, another key order, explicit defaults, and after a restart",
    () => {
      const parameters = Schema.Struct({
        q: Schema.String,
        page: Schema.Int.annotate({ default: 1 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))
      })
      const keyOf = (text: string, callId: string) => {
        const fixture = write({ idempotency: "derived", parameters }, { n: 1 })
        return Effect.map(
          ask([fixture.tool], "write_it", text, { callId }).pipe(within([fixture.layer])),
          () => fixture.calls[0]?.context.idempotencyKey
        )
      }
      return Effect.gen(function* () {
        const keys = [
          yield* keyOf('{"q":"a"}', "c1"),
          yield* keyOf('{"page":1,"q":"a"}', "c2"),
          yield* keyOf('{ "q" : "a", "page" : 1.0 }', "c3")
        ]
        assert.strictEqual(new Set(keys).size, 1)
        assert.isDefined(keys[0])
      })
    }
  )

  it.effect("8.1 only the declared fields identify the action", () => {
    const parameters = Schema.Struct({ q: Schema.String, note: Schema.optionalKey(Schema.String) })
    const fixture = write({ parameters, idempotency: { mode: "derived", fields: ["q"] } }, { n: 1 })
    return Effect.gen(function* () {
      yield* fixture.tool.call({ q: "a", note: "x" })
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a", note: "y" })), { n: 1 })
      assert.strictEqual(fixture.runs(), 1)
      yield* fixture.tool.call({ q: "b", note: "y" })
      assert.strictEqual(fixture.runs(), 2)
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.1 outside a turn each call is a separate action", () => {
    const fixture = write({ idempotency: "derived" }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 1 })
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 2 })
    }).pipe(outside([fixture.layer]))
  })

  it.effect("8.1 if repeats are allowed and the model sends no key, each call is a new action with its own key", () => {
    const fixture = write({ idempotency: "key", repeats: "allowed" }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      const answers = [
        yield* ask([fixture.tool], "write_it", args(), { callId: "c1" }),
        yield* ask([fixture.tool], "write_it", args(), { callId: "c2" })
      ]
      assert.deepStrictEqual(
        answers.map(({ envelope }) => envelope),
        [
          { status: "success", data: { n: 1 } },
          { status: "success", data: { n: 2 } }
        ]
      )
      const keys = fixture.calls.map(({ context }) => context.idempotencyKey)
      for (const key of keys) assert.match(key, /^idem_[0-9a-f]{32}$/)
      assert.strictEqual(new Set(keys).size, 2)
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.1 without idempotency there is no key and no replay", () => {
    const none = tool("write_none", { access: "write", idempotency: "none", budget: 2 }, { n: 1 }, { n: 2 })
    const absent = tool("write_absent", { access: "write", budget: 2 }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      for (const { calls, tool } of [none, absent]) {
        assert.deepStrictEqual(yield* settled(tool.call({ q: "a" })), { n: 1 })
        assert.deepStrictEqual(yield* settled(tool.call({ q: "a" })), { n: 2 })
        assert.deepStrictEqual(
          calls.map(({ context }) => context.idempotencyKey),
          ["", ""]
        )
      }
    }).pipe(within([none.layer, absent.layer]))
  })
})

describe("idempotency: replay", () => {
  it.effect("8.2 a completed success is returned again with the mark _idempotent", () => {
    const fixture = write({ idempotency: "key" }, { n: 1 }, { n: 2 })
    const keyed = ask([fixture.tool], "write_it", args({ idempotency_key: key }))
    return Effect.gen(function* () {
      const first = yield* Guard.turn(keyed)
      const second = yield* Guard.turn(keyed)
      assert.deepStrictEqual(first.envelope, { status: "success", data: { n: 1 } })
      assert.deepStrictEqual([second.envelope.data, second.envelope._idempotent, second.attempts], [{ n: 1 }, true, 0])
      assert.strictEqual(fixture.runs(), 1)
    }).pipe(outside([fixture.layer]))
  })

  for (const [whose, callId, mark] of [
    ["a call's own outcome is not a repetition", "one", undefined],
    ["the outcome of another call is a repetition", "two", false]
  ] as const) {
    it.effect(`8.2, 12.2 in a resumed run ${whose}`, () => {
      const write = tool("write_it", { access: "write", idempotency: "derived" }, { n: 1 })
      const call = (callId: string, journal: "new" | "resumed") =>
        ask([write.tool], "write_it", { q: "a" }, { callId, journal })
      return Effect.gen(function* () {
        yield* call("one", "new")
        const { envelope } = yield* call(callId, "resumed")
        assert.deepStrictEqual([envelope.data, envelope.executed], [{ n: 1 }, mark])
        assert.strictEqual(write.runs(), 1)
      }).pipe(within([write.layer]))
    })
  }

  it.effect(
    "8.2, 12.2 in a resumed run, the key of another turn's call gives its outcome, marked as idempotent",
    () => {
      const write = tool("write_it", { access: "write", idempotency: "key" }, { n: 1 })
      const call = (turnId: string, callId: string, journal: "new" | "resumed") =>
        Guard.turn(ask([write.tool], "write_it", { q: "a" }, { callId, journal, idempotencyKey: key }), {
          ...turn,
          turn: turnId
        })
      return Effect.gen(function* () {
        yield* call("1", "one", "new")
        const { envelope } = yield* call("2", "two", "resumed")
        assert.deepStrictEqual([envelope.data, envelope._idempotent], [{ n: 1 }, true])
        assert.strictEqual(write.runs(), 1)
      }).pipe(outside([write.layer]))
    }
  )

  it.effect("4.6 a replay is not progress, so failures are still answered from memory", () => {
    const fixture = write({ idempotency: "derived" }, { n: 1 })
    const read = tool("search", {}, '{"n":"x"}')
    return Effect.gen(function* () {
      yield* fixture.tool.call({ q: "a" })
      yield* asked(read.tool, { q: "a" })
      yield* fixture.tool.call({ q: "a" })
      yield* asked(read.tool, { q: "a" })
      assert.strictEqual(read.runs(), 1)
    }).pipe(within([fixture.layer, read.layer]))
  })

  it.effect("8.2 a failure that did nothing releases the key", () => {
    const fixture = write(
      { idempotency: "derived", retry: { attempts: 1 } },
      Effect.fail(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })),
      { n: 2 }
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), ["Transient", "connection_failed", "none"])
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), { n: 2 })
    }).pipe(within([fixture.layer]))
  })

  for (const [what, timeToLive, millis] of [
    ["8.2 a key is kept until exactly the end of its time to live", "1 hour", 3_600_000],
    ["2.9 a key is kept for 24 hours by default", undefined, 86_400_000]
  ] as const) {
    it.effect(what, () => {
      const fixture = write(
        { idempotency: { mode: "key", ...(timeToLive === undefined ? {} : { timeToLive }) } },
        { n: 1 },
        { n: 2 }
      )
      const call = (conversation: string) =>
        Guard.turn(
          settled(fixture.tool.call({ q: "a", idempotency_key: key } as never /* the tool is loosely typed */)),
          { ...turn, conversation }
        )
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* call("1"), { n: 1 })
        yield* TestClock.adjust(millis - 1)
        assert.deepStrictEqual(yield* call("2"), { n: 1 })
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* call("3"), { n: 2 })
      }).pipe(outside([fixture.layer]))
    })
  }
})

describe("idempotency: keys from the model", () => {
  it.effect(
    "8.1 idempotency_key is advertised as optional, and reaches the handler as the key, not as an argument",
    () => {
      const fixture = write({ idempotency: "key" }, { n: 1 })
      const schema = fixture.tool.jsonSchema as any // the test reads single fields
      assert.deepStrictEqual([schema.properties.idempotency_key.minLength, schema.required], [16, ["q"]])
      return Effect.gen(function* () {
        yield* ask([fixture.tool], "write_it", args({ idempotency_key: key }))
        assert.deepStrictEqual(fixture.calls[0]?.args, { q: "a" })
        assert.match(fixture.calls[0]?.context.idempotencyKey ?? "", /^idem_[0-9a-f]{32}$/)
      }).pipe(within([fixture.layer]))
    }
  )

  for (const [what, bad] of [
    ["too short", "0123456789abcde"],
    ["too long", "x".repeat(201)],
    ["not a string", 7]
  ] as const) {
    it.effect(`8.1 a key that is ${what} is refused, and the hint says that it is optional`, () => {
      const fixture = write({ idempotency: "key" }, { n: 1 })
      return Effect.gen(function* () {
        const { envelope } = yield* ask([fixture.tool], "write_it", args({ idempotency_key: bad }))
        assert.deepStrictEqual(
          [envelope.error.code, envelope.error.fields, envelope.error.hint],
          ["invalid_arguments", ["idempotency_key"], "Leave idempotency_key out; it is optional."]
        )
        assert.strictEqual(fixture.runs(), 0)
      }).pipe(within([fixture.layer]))
    })
  }

  it.effect("8.1 tools without keys refuse the field", () => {
    const fixture = write({ idempotency: "derived" }, { n: 1 })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([fixture.tool], "write_it", args({ idempotency_key: key }))
      assert.deepStrictEqual(envelope.error.fields, ["idempotency_key"])
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.2 the same key with other arguments is refused", () => {
    const fixture = write({ idempotency: "key" }, { n: 1 })
    return Effect.gen(function* () {
      yield* ask([fixture.tool], "write_it", args({ idempotency_key: key }))
      const { envelope } = yield* ask([fixture.tool], "write_it", JSON.stringify({ q: "b", idempotency_key: key }))
      assert.deepStrictEqual([envelope.error.error_class, envelope.error.code], ["tool_arg_error", "key_conflict"])
      assert.strictEqual(fixture.runs(), 1)
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.2 with the scope `principal`, the same key is replayed in a later turn and a later conversation", () => {
    const fixture = write({ idempotency: { mode: "key", scope: "principal" } }, { n: 1 }, { n: 2 })
    const call = (over: object) =>
      Guard.turn(ask([fixture.tool], "write_it", args({ idempotency_key: key })), { ...turn, ...over })
    return Effect.gen(function* () {
      yield* call({})
      assert.strictEqual((yield* call({ turn: "2" })).envelope._idempotent, true)
      assert.strictEqual((yield* call({ conversation: "2" })).envelope._idempotent, true)
      assert.strictEqual(fixture.runs(), 1)
    }).pipe(outside([fixture.layer]))
  })

  it.effect(
    "8.3 the same key of a model in another conversation means another action, with another key for the upstream",
    () => {
      const fixture = write({ idempotency: "key" }, { n: 1 }, { n: 2 })
      const call = (over: object) =>
        Guard.turn(ask([fixture.tool], "write_it", args({ idempotency_key: key })), { ...turn, ...over })
      return Effect.gen(function* () {
        yield* call({})
        assert.strictEqual((yield* call({ turn: "2" })).envelope._idempotent, true)
        assert.deepStrictEqual((yield* call({ conversation: "2" })).envelope, { status: "success", data: { n: 2 } })
        const [one, two] = fixture.calls.map(({ context }) => context.idempotencyKey)
        assert.notStrictEqual(one, two)
      }).pipe(outside([fixture.layer]))
    }
  )

  for (const scope of ["conversation", "principal"] as const)
    it.effect(`8.3 with the scope ${scope}, the upstream gets other keys for other tenants and principals`, () => {
      const fixture = write({ idempotency: { mode: "key", scope } }, { n: 1 })
      const owners = [
        {},
        { tenant: "b" },
        { principal: "ann" },
        { principal: "bob" },
        { tenant: "b", principal: "bob" }
      ]
      return Effect.gen(function* () {
        for (const owner of owners)
          yield* Guard.turn(ask([fixture.tool], "write_it", args({ idempotency_key: key })), { ...turn, ...owner })
        const keys = fixture.calls.map(({ context }) => context.idempotencyKey)
        assert.strictEqual(new Set(keys).size, owners.length)
      }).pipe(outside([fixture.layer]))
    })

  it.effect("8.1 a program's own key reaches the handler unchanged", () => {
    const fixture = write({ idempotency: "key" }, { n: 1 })
    return Effect.gen(function* () {
      yield* fixture.tool.call({ q: "a", idempotency_key: key })
      assert.strictEqual(fixture.calls[0]?.context.idempotencyKey, key)
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.3 the same key of another tenant is a separate key", () => {
    const fixture = write({ idempotency: "key" }, { n: 1 }, { n: 2 })
    const call = (tenant: string) =>
      Guard.turn(ask([fixture.tool], "write_it", args({ idempotency_key: key })), { ...turn, tenant })
    return Effect.gen(function* () {
      assert.deepStrictEqual((yield* call("a")).envelope.data, { n: 1 })
      assert.deepStrictEqual((yield* call("b")).envelope, { status: "success", data: { n: 2 } })
    }).pipe(outside([fixture.layer]))
  })

  it.effect("8.1 the key is left out of the canonical arguments", () => {
    const fixture = write({ idempotency: "key" }, '{"n":"x"}')
    return Effect.gen(function* () {
      yield* ask([fixture.tool], "write_it", args({ idempotency_key: key }))
      const again = yield* ask([fixture.tool], "write_it", args())
      assert.deepStrictEqual([again.envelope.error.side_effect, again.attempts], ["committed", 0])
    }).pipe(within([fixture.layer]))
  })
})

describe("idempotency: principals", () => {
  it.effect(
    "8.3 two principals with the same key of a model get their own results, and do not block each other",
    () => {
      let count = 0
      const voucher = write({ idempotency: "key" }, () => Effect.sync(() => ({ n: (count += 1) })))
      const asked = (principal: string, q = "a") =>
        Guard.turn(ask([voucher.tool], "write_it", JSON.stringify({ q, idempotency_key: key })), {
          ...turn,
          turn: principal,
          principal
        })
      return Effect.gen(function* () {
        assert.deepStrictEqual((yield* asked("alice")).envelope, { status: "success", data: { n: 1 } })
        assert.deepStrictEqual((yield* asked("bob")).envelope, { status: "success", data: { n: 2 } })
        const repeated = yield* asked("alice")
        assert.deepInclude(repeated.envelope, { data: { n: 1 }, _idempotent: true })
        assert.strictEqual((yield* asked("alice", "b")).envelope.error.code, "key_conflict")
        assert.deepStrictEqual((yield* asked("cleo", "b")).envelope, { status: "success", data: { n: 3 } })
      }).pipe(outside([voucher.layer]))
    }
  )

  it.effect("8.3 two principals whose programs chose the same key get their own results, and do not conflict", () => {
    let count = 0
    const voucher = write({ idempotency: "key" }, () => Effect.sync(() => ({ n: (count += 1) })))
    const called = (principal: string, q = "a") =>
      Guard.turn(settled(voucher.tool.call({ q, idempotency_key: key })), { ...turn, principal })
    const hosted = (principal: string, q = "a") =>
      Guard.turn(ask([voucher.tool], "write_it", { q }, { idempotencyKey: other }), { ...turn, principal })
    return Effect.gen(function* () {
      assert.deepStrictEqual([yield* called("alice"), yield* called("bob")], [{ n: 1 }, { n: 2 }])
      assert.deepStrictEqual(yield* called("alice"), { n: 1 })
      assert.deepStrictEqual(yield* called("cleo", "b"), { n: 3 })
      assert.deepStrictEqual((yield* hosted("alice", "c")).envelope, { status: "success", data: { n: 4 } })
      assert.deepStrictEqual((yield* hosted("bob", "c")).envelope, { status: "success", data: { n: 5 } })
      assert.deepStrictEqual((yield* hosted("cleo", "d")).envelope, { status: "success", data: { n: 6 } })
    }).pipe(outside([voucher.layer]))
  })

  it.effect(
    "8.1 a model's idempotency key is part neither of the call's key nor of the arguments that a person reads",
    () => {
      const refund = write({ idempotency: "key", approval: "confirm" }, { n: 1 })
      return Effect.gen(function* () {
        const first = yield* ask([refund.tool], "write_it", args({ idempotency_key: key }))
        const second = yield* ask([refund.tool], "write_it", args({ idempotency_key: other }))
        assert.strictEqual(first.record?.keyDigest, second.record?.keyDigest)
        assert.deepStrictEqual(first.record?.arguments ?? { q: "a" }, { q: "a" })
        const { asked } = yield* EscalationTranscript
        assert.deepStrictEqual(asked[0]?.arguments, { q: "a" })
        assert.notInclude(asked[0]?.shown ?? key, key)
      }).pipe(within([refund.layer], Guard.layerMemoryWith(EscalationScripted.layer(["approve", "approve"]))))
    }
  )
})

describe("idempotency: a second call for the same arguments", () => {
  const scripted = (...script: ReadonlyArray<EscalationScripted.ScriptedAnswer>) =>
    Guard.layerMemoryWith(EscalationScripted.layer(script))

  it.effect("8.1 with another key needs a person in the same turn", () => {
    const fixture = write({ idempotency: "key" }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      yield* ask([fixture.tool], "write_it", args({ idempotency_key: key }))
      const second = yield* ask([fixture.tool], "write_it", args({ idempotency_key: other }))
      assert.strictEqual(second.envelope.error.code, "no_person")
      assert.strictEqual(fixture.runs(), 1)
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.1 with another key runs when the person confirms, and the person reads why", () => {
    const fixture = write({ idempotency: "key", budget: undefined }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      yield* ask([fixture.tool], "write_it", args({ idempotency_key: key }))
      const second = yield* ask([fixture.tool], "write_it", args({ idempotency_key: other }))
      assert.deepStrictEqual(second.envelope.data, { n: 2 })
      const { asked } = yield* EscalationTranscript
      assert.include(asked[0]?.sentence, "The same action was made before under another key.")
    }).pipe(within([fixture.layer], scripted("approve")))
  })

  it.effect("8.1 with a key needs a person even if the first call had a derived key", () => {
    const fixture = write({ idempotency: "key" }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      yield* ask([fixture.tool], "write_it", args())
      const second = yield* ask([fixture.tool], "write_it", args({ idempotency_key: key }))
      assert.strictEqual(second.envelope.error.code, "no_person")
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.4 without a key has the key of the first call", () => {
    const refused = Effect.fail(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }))
    const fixture = write({ idempotency: "key", retry: { attempts: 1 } }, refused, { n: 2 })
    return Effect.gen(function* () {
      yield* ask([fixture.tool], "write_it", args({ idempotency_key: key }))
      const second = yield* complete(ask([fixture.tool], "write_it", args()))
      assert.deepStrictEqual(second.envelope.data, { n: 2 })
      const [first, again] = fixture.calls.map(({ context }) => context.idempotencyKey)
      assert.strictEqual(first, again)
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.1 with another key runs in another turn", () => {
    const fixture = write({ idempotency: "key" }, { n: 1 }, { n: 2 })
    return Effect.gen(function* () {
      yield* Guard.turn(ask([fixture.tool], "write_it", args({ idempotency_key: key })))
      const second = yield* Guard.turn(ask([fixture.tool], "write_it", args({ idempotency_key: other })))
      assert.deepStrictEqual(second.envelope.data, { n: 2 })
    }).pipe(outside([fixture.layer]))
  })
})

describe("idempotency: in flight", () => {
  const slow = () => write({ idempotency: "derived" }, Effect.delay(Effect.succeed({ n: 1 }), "1 second"), { n: 2 })

  it.effect("8.2 equal concurrent calls run the action once, and all receive its result", () => {
    const fixture = slow()
    return Effect.gen(function* () {
      const fibers = yield* Effect.forEach(Array.from({ length: 100 }), () =>
        start(ask([fixture.tool], "write_it", args()))
      )
      yield* TestClock.adjust("1 second")
      const answers = yield* Fiber.joinAll(fibers)
      assert.strictEqual(fixture.runs(), 1)
      assert.deepStrictEqual(new Set(answers.map(({ envelope }) => envelope.data.n)), new Set([1]))
      assert.strictEqual(answers.filter(({ envelope }) => envelope._idempotent === true).length, 99)
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.2 if a person approves two concurrent calls, one runs the action and the other joins it", () =>
    Effect.gen(function* () {
      const decision = yield* Deferred.make<void>()
      const patient = Layer.succeed(Escalation, {
        inform: () => Effect.void,
        ask: () => Effect.as(Deferred.await(decision), { _tag: "Approved", by: "Ada" } as const)
      })
      const fixture = write(
        { idempotency: "derived", approval: "confirm" },
        Effect.delay(Effect.succeed({ n: 1 }), "1 second"),
        { n: 2 }
      )
      yield* Effect.gen(function* () {
        const fibers = yield* Effect.forEach([1, 2], () => start(settled(fixture.tool.call({ q: "a" }))))
        yield* Deferred.succeed(decision, undefined)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* Fiber.joinAll(fibers), [{ n: 1 }, { n: 1 }])
        assert.strictEqual(fixture.runs(), 1)
      }).pipe(within([fixture.layer], Guard.layerMemoryWith(patient)))
    })
  )

  it.effect("8.2 interrupting a joined call does not affect the other calls", () => {
    const fixture = slow()
    return Effect.gen(function* () {
      const first = yield* start(settled(fixture.tool.call({ q: "a" })))
      const joined = yield* start(settled(fixture.tool.call({ q: "a" })))
      const last = yield* start(settled(fixture.tool.call({ q: "a" })))
      yield* Fiber.interrupt(joined)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([poll(first), poll(last), fixture.runs()], [{ n: 1 }, { n: 1 }, 1])
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.4 if the call that runs the action is interrupted, the outcome of joined calls is unknown", () => {
    const fixture = slow()
    return Effect.gen(function* () {
      const first = yield* start(settled(fixture.tool.call({ q: "a" })))
      const joined = yield* start(settled(fixture.tool.call({ q: "a" })))
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(joined), ["HumanReview", "outcome_unknown", "unknown"])
      assert.isTrue(Exit.isFailure(yield* Fiber.await(first)))
      assert.strictEqual(fixture.runs(), 1)
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.2 a call that is interrupted before its handler runs releases the key", () => {
    const fixture = write(
      { idempotency: "derived", concurrency: 1 },
      Effect.delay(Effect.succeed({ n: 1 }), "1 second"),
      {
        n: 2
      }
    )
    return Effect.gen(function* () {
      const hog = yield* start(settled(fixture.tool.call({ q: "hog" })))
      const waiting = yield* start(settled(fixture.tool.call({ q: "a" })))
      yield* Fiber.interrupt(waiting)
      const again = yield* start(settled(fixture.tool.call({ q: "a" })))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([poll(hog), poll(again)], [{ n: 1 }, { n: 2 }])
    }).pipe(within([fixture.layer]))
  })

  it.effect("8.2 a handler that throws keeps the key, and the next call does not repeat the action", () => {
    const fixture = write(
      { idempotency: "derived", approval: "auto" },
      () => {
        throw new Error("boom")
      },
      { n: 2 }
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(fixture.tool.call({ q: "a" })), [
        "HumanReview",
        "outcome_unknown",
        "unknown"
      ])
      const again = yield* start(settled(fixture.tool.call({ q: "a" })))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(poll(again), ["HumanReview", "outcome_unknown", "unknown"])
    }).pipe(within([fixture.layer]))
  })
})
