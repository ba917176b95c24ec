/**
 * Tests that the shadow guard runs calls without enforcement, and the log records what the guard would have decided.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as CallLogMemory from "#layers/CallLogMemory"
import { Authorizer } from "#services/Authorizer"
import { CallLog } from "#services/CallLog"
import { ToolPolicy } from "#services/Policies"
import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Shadow from "#src/guard/Shadow"
import * as Toolbox from "#src/tool/Toolbox"

class ReadThing extends GuardedTool.Service<ReadThing>()("read_thing", {
  description: "Reads a thing. Read-only.",
  access: "read",
  parameters: Schema.Struct({ id: Schema.String, depth: Schema.optionalKey(Schema.Int) }),
  success: Schema.Struct({ id: Schema.String })
}) {}

class DropThing extends GuardedTool.Service<DropThing>()("drop_thing", {
  description: "Drops a thing. Destructive.",
  access: "destructive",
  parameters: Schema.Struct({ id: Schema.String }),
  success: Schema.Struct({ done: Schema.Boolean })
}) {}

const box = Toolbox.make(ReadThing, DropThing)
const shadow = Shadow.layerWith(CallLogMemory.layerWith({ keep: "full" }))

/** Implements both tools, and lists their calls in `calls`. */
const counted = (answers: { readonly read?: () => Effect.Effect<unknown, unknown> } = {}) => {
  const calls: Array<string> = []
  const layers = Layer.mergeAll(
    ReadThing.layerTest((args) => {
      calls.push(`read ${args.id}`)
      return (answers.read?.() ?? Effect.succeed({ id: args.id })) as Effect.Effect<{ id: string }>
    }),
    DropThing.layerTest((args) => {
      calls.push(`drop ${args.id}`)
      return Effect.succeed({ done: true })
    })
  )
  return { calls, layers }
}

const ask = (name: string, args: unknown, round = 1) =>
  box.answer({ name, arguments: JSON.stringify(args), callId: `call_${round}`, round })

const decisions = Effect.flatMap(CallLog, ({ records }) =>
  Effect.map(records, (all) =>
    all.map((record) => {
      const marks = record.decisions.filter(({ stage }) => stage === "shadow").map(({ decision }) => decision)
      const codes = (record.notEnforced ?? []).map(({ code }) => code)
      return [record.outcome._tag, ...codes, ...marks].join(", ")
    })
  )
)

describe("Shadow", () => {
  it.effect("13.1 makes seventeen identical calls and records that fifteen would have been stopped", () => {
    const { calls, layers } = counted()
    return Effect.gen(function* () {
      const answers = yield* Guard.turn(
        Effect.forEach(
          Array.from({ length: 17 }, (_, n) => n + 1),
          (round) => ask("read_thing", { id: "a" }, round)
        )
      )
      assert.strictEqual(calls.length, 17)
      assert.deepStrictEqual(
        new Set(answers.map(({ text }) => text)),
        new Set([`{"status":"success","data":{"id":"a"}}`])
      )
      assert.deepStrictEqual(yield* decisions, [
        "Success",
        "Success",
        ...Array.from({ length: 15 }, () => "Success, loop_detected, not enforced")
      ])
      const records = yield* Effect.flatMap(CallLog, ({ records }) => records)
      assert.deepStrictEqual(
        records.map(({ attempts }) => attempts.length),
        records.map(() => 1)
      )
    }).pipe(Effect.provide([layers, shadow]))
  })

  it.effect("13.1 passes on invalid arguments and records the refusal", () => {
    const { calls, layers } = counted()
    return Effect.gen(function* () {
      const answer = yield* Guard.turn(ask("read_thing", { id: "a", depth: "two" }))
      assert.strictEqual(calls.length, 1)
      assert.isFalse(answer.isFailure)
      assert.deepStrictEqual(yield* decisions, ["Success, invalid_arguments, not enforced"])
    }).pipe(Effect.provide([layers, shadow]))
  })

  it.effect(
    "13.1 enforces nothing with a policy of the guard or around the call, also with a share of conversations",
    () => {
      const answers = [{ timeout: "2 seconds" }, { enforce: "enforce" }, { enforce: { share: 1 } }] as const
      return Effect.forEach(answers, (policy) => {
        const { calls, layers } = counted()
        const program = Guard.turn(ask("read_thing", { id: "a", depth: "two" }), { conversation: "c" })
        const guard = shadow.pipe(Layer.provide(Layer.succeed(ToolPolicy, policy)))
        return Effect.gen(function* () {
          const ofGuard = yield* Effect.provide(Effect.zip(program, decisions), [layers, guard])
          const around = Effect.provideService(program, ToolPolicy, policy)
          const ofCall = yield* Effect.provide(Effect.zip(around, decisions), [layers, shadow])
          for (const [{ isFailure }, made] of [ofGuard, ofCall]) {
            assert.isFalse(isFailure)
            assert.deepStrictEqual(made, ["Success, invalid_arguments, not enforced"])
          }
          assert.strictEqual(calls.length, 2)
        })
      })
    }
  )

  it.effect("13.1 judges a tool with a share of conversations as if it enforced in all of them", () => {
    const reading = Toolbox.policy({ enforce: { share: 0 } })(box)
    const { layers } = counted({ read: () => Effect.succeed('{"id":7}') })
    return Effect.gen(function* () {
      const answer = yield* Guard.turn(
        reading.answer({ name: "read_thing", arguments: { id: "a" }, callId: "call_1" }),
        { conversation: "c" }
      )
      assert.strictEqual(answer.text, '{"status":"success","data":{"id":7}}')
      assert.deepStrictEqual(yield* decisions, ["Success, invalid_result, not enforced"])
      const [record] = yield* Effect.flatMap(CallLog, ({ records }) => records)
      assert.isUndefined(record?.enforcement)
    }).pipe(Effect.provide([layers, shadow]))
  })

  it.effect("13.1 makes a destructive call without asking a person, and records it as approved", () => {
    const { calls, layers } = counted()
    return Effect.gen(function* () {
      yield* Guard.turn(ask("drop_thing", { id: "a" }))
      assert.deepStrictEqual(calls, ["drop a"])
      const [record] = yield* Effect.flatMap(CallLog, ({ records }) => records)
      assert.deepStrictEqual(
        record?.decisions.map(({ decision, stage }) => `${stage} ${decision}`),
        ["approve approved"]
      )
    }).pipe(Effect.provide([layers, shadow]))
  })

  it.effect("13.1 makes a failing call once, passes on its failure, and classifies it in the record", () => {
    const { calls, layers } = counted({ read: () => Effect.fail(new Error("connect ECONNREFUSED 127.0.0.1:1")) })
    return Effect.gen(function* () {
      const failed = yield* Effect.flip(Guard.turn(ReadThing.call({ id: "a" })))
      assert.strictEqual(failed._tag, "Transient")
      assert.strictEqual(calls.length, 1)
      const [record] = yield* Effect.flatMap(CallLog, ({ records }) => records)
      assert.deepStrictEqual(
        [record?.outcome._tag, record?.attempts.length, record?.attempts[0]?.code],
        ["Failure", 1, "connection_failed"]
      )
    }).pipe(Effect.provide([layers, shadow]))
  })

  it.effect(
    "13.1 passes an answer that breaks `success` to a model, and records what the guard would have reported",
    () => {
      const { layers } = counted({ read: () => Effect.succeed('{"id":null,"more":"kept"}') })
      return Effect.gen(function* () {
        const answer = yield* Guard.turn(ask("read_thing", { id: "a" }))
        assert.strictEqual(answer.text, '{"status":"success","data":{"id":null,"more":"kept"}}')
        const [record] = yield* Effect.flatMap(CallLog, ({ records }) => records)
        assert.deepStrictEqual(record?.outcome, { _tag: "Success", result: { id: null, more: "kept" } })
        assert.deepStrictEqual(record?.notEnforced, [
          {
            class: "SchemaMismatch",
            code: "invalid_result",
            path: "id",
            detail: "The answer of read_thing violates its contract: id: expected string, got null"
          }
        ])
        assert.deepStrictEqual(
          record?.attempts.map(({ outcome }) => outcome),
          ["Success"]
        )
      }).pipe(Effect.provide([layers, shadow]))
    }
  )

  it.effect(
    "13.1 fails a program's call whose answer breaks `success`, because the type of the call promises the schema",
    () => {
      const { layers } = counted({ read: () => Effect.succeed('{"id":null}') })
      return Effect.gen(function* () {
        const failed = yield* Effect.flip(Guard.turn(ReadThing.call({ id: "a" })))
        assert.strictEqual(failed._tag, "SchemaMismatch")
        assert.deepStrictEqual(yield* decisions, ["Failure"])
      }).pipe(Effect.provide([layers, shadow]))
    }
  )

  it.effect("13.1 does not report success to a model for a write whose answer states a failure", () => {
    const drop = DropThing.layerTest(() => Effect.succeed('{"ok":false,"error":"the disk is read-only"}') as never)
    return Effect.gen(function* () {
      const answer = yield* Guard.turn(ask("drop_thing", { id: "a" }))
      assert.isTrue(answer.isFailure)
      assert.strictEqual(JSON.parse(answer.text).error.side_effect, "unknown")
    }).pipe(Effect.provide([drop, ReadThing.layerTest(() => Effect.succeed({ id: "a" })), shadow]))
  })

  it.effect("13.1 refuses unknown tools and unreadable arguments", () => {
    const { calls, layers } = counted()
    return Effect.gen(function* () {
      const answers = yield* Guard.turn(
        Effect.all([
          ask("read_things", { id: "a" }),
          box.answer({ name: "read_thing", arguments: "{", callId: "c", round: 1 })
        ])
      )
      assert.deepStrictEqual(
        answers.map(({ text }) => JSON.parse(text).error.code),
        ["unknown_tool", "truncated_arguments"]
      )
      assert.deepStrictEqual(calls, [])
    }).pipe(Effect.provide([layers, shadow]))
  })

  it.effect("13.1 records the start and duration of a call", () => {
    const { layers } = counted({ read: () => Effect.delay(Effect.succeed({ id: "a" }), 250) })
    return Effect.gen(function* () {
      yield* TestClock.adjust(1_000)
      const fiber = yield* Effect.forkChild(Guard.turn(ask("read_thing", { id: "a" })))
      yield* TestClock.adjust(250)
      yield* Fiber.join(fiber)
      const [record] = yield* Effect.flatMap(CallLog, ({ records }) => records)
      assert.deepStrictEqual(
        record?.attempts.map(({ durationMillis, startedAt }) => [startedAt, durationMillis]),
        [[1_000, 250]]
      )
    }).pipe(Effect.provide([layers, shadow]))
  })

  it.effect("13.1 does not record a refusal for an interrupted call", () => {
    const started = Deferred.makeUnsafe<void>()
    const { layers } = counted({ read: () => Effect.andThen(Deferred.succeed(started, undefined), Effect.never) })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Guard.turn(ask("read_thing", { id: "a" })))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      const records = yield* Effect.flatMap(CallLog, ({ records }) => records)
      assert.deepStrictEqual(
        records.map(({ decisions, outcome }) => [outcome._tag === "Failure" && outcome.failure.code, decisions]),
        [["interrupted", []]]
      )
    }).pipe(Effect.provide([layers, shadow]))
  })

  it.effect("13.1 answers even if the guard's decision never completes", () => {
    const { layers } = counted()
    const hanging = Layer.succeed(Authorizer, {
      authorize: () => Effect.never,
      authorizeArguments: () => Effect.never,
      allowsAll: false
    })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Guard.turn(ask("read_thing", { id: "a" })))
      yield* TestClock.adjust("5 seconds")
      const answer = yield* Fiber.join(fiber)
      assert.strictEqual(answer.text, `{"status":"success","data":{"id":"a"}}`)
    }).pipe(Effect.provide([layers, Shadow.layerWith(hanging)]))
  })
})
