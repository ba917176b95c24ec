import { Guard } from "#src/guard/Guard"
import * as GuardedTool from "#src/tool/GuardedTool"
import * as Toolbox from "#src/tool/Toolbox"
import { ToolPolicy } from "#services/Policies"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import { brief, define, failureOf, handled, within } from "../pipeline/support.ts"

const answer = (tool: ReturnType<typeof define>) => handled(tool, () => Effect.succeed({ n: 1 }))

/** Returns the message with which a definition of an untyped program is refused. */
const messageOf = (definition: object): string => {
  try {
    void define("wipe_disk", definition)
  } catch (error) {
    assert.instanceOf(error, RangeError)
    return error.message
  }
  return "accepted"
}

/** Policies that only an untyped program can give, with the names in their errors. */
const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
  [null, /a policy must be an object, got null/],
  ["fast", /a policy must be an object, got "fast"/],
  [{ timeot: "1 second" }, /`timeot` is not a field here; did you mean `timeout`\?/],
  [{ access: "read" }, /`access` is not a field here/],
  [{ retry: { jitter: "lots" } }, /`retry.jitter` is "lots"/]
]

describe("the shape of definitions and policies", () => {
  it("2.12 an unknown access is refused, because the tool would count as a write that needs no approval", () => {
    for (const access of ["Destructive", "wrte", undefined]) {
      assert.match(messageOf({ access }), /^wipe_disk: `access` is .*; write "read", "write" or "destructive"\.$/)
    }
  })

  it("2.2 a description that is not a text is refused with the remedy", () => {
    for (const description of [5, null, undefined, " "]) {
      assert.match(
        messageOf({ description }),
        /^wipe_disk: the description is empty or not a string; say what the tool does/
      )
    }
  })

  it("2.12 an unknown level of approval and an unknown mode of idempotency are refused", () => {
    assert.match(messageOf({ access: "destructive", approval: "confrim" }), /`approval` is "confrim"; write "auto", /)
    for (const idempotency of ["derivd", { mode: "x" }]) {
      assert.match(
        messageOf({ access: "write", idempotency }),
        /^wipe_disk: `idempotency(\.mode)?` is .*; write "derived", "key"(, "none" or an object with `mode`, .*| or "none")\.$/
      )
    }
  })

  it("8.1 fields of a key that no call has are refused, because calls with other arguments would be one action", () => {
    const keyed = (fields: ReadonlyArray<string>) =>
      messageOf({ access: "write", idempotency: { mode: "derived", fields } })
    assert.match(keyed([]), /`idempotency.fields` is empty/)
    assert.match(keyed(["q", "order"]), /`idempotency.fields` names "order", which is not a parameter/)
    assert.strictEqual(keyed(["q"]), "accepted")
  })

  it("8.1 an undeclared field of a key is accepted if the parameters are a record, whose fields can have any name", () => {
    const idempotency = { mode: "derived", fields: ["order"] }
    const parameters = Schema.Record(Schema.String, Schema.String)
    assert.strictEqual(messageOf({ access: "write", idempotency, parameters }), "accepted")
  })

  it("2.12 a misspelt setting of a definition is refused with the nearest name", () => {
    assert.strictEqual(messageOf({ timeot: 5 }), "wipe_disk: `timeot` is not a field here; did you mean `timeout`?")
  })

  for (const [policy, message] of wrong) {
    const shown = JSON.stringify(policy)
    it.effect(`2.11 the policy ${shown} around a call fails the call as misconfigured`, () => {
      const search = define("search")
      return Effect.gen(function* () {
        const call = Effect.provideService(search.call({ q: "a" }), ToolPolicy, policy as object)
        const failure = yield* failureOf(call)
        assert.deepStrictEqual(brief(failure), ["Permanent", "misconfigured", "none"])
        assert.match(failure.detail, message)
      }).pipe(within([answer(search)]))
    })

    it.effect(`2.11 the policy ${shown} of a guard fails the guard's layer`, () => {
      const search = define("search")
      const guard = Guard.layerMemory.pipe(Layer.provide(Layer.succeed(ToolPolicy, policy as object)))
      return Effect.gen(function* () {
        const exit = yield* Effect.exit(search.call({ q: "a" }).pipe(within([answer(search)], guard)))
        assert.isTrue(Exit.isFailure(exit))
        if (Exit.isFailure(exit)) assert.match(String(Cause.squash(exit.cause)), message)
      })
    })

    it(`2.11 the policy ${shown} is refused where a tool is used, and for a toolbox`, () => {
      const search = define("search")
      assert.throws(() => GuardedTool.policy(policy as object)(search), message)
      assert.throws(() => Toolbox.policy(policy as object)(Toolbox.make(search as never)), message)
    })
  }
})
