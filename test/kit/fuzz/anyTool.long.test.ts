/**
 * Tools of random definitions: schemas of every kind, policies from one end to the other, functions that throw or wait.
 *
 * The guard keeps its promises for each; and a check that asks for more than is promised would show here first.
 */
import * as Verdict from "#domain/tool/Verdict"
import { checkTool } from "#kit/fuzz/CheckTool"
import * as Seeded from "#kit/fuzz/cases/Seeded"
import { Approval } from "#src/index"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { choices, containers, keys, numbers, texts } from "../../support/fieldSchemas.ts"
import { define, type Tool } from "../../pipeline/support.ts"

const parameters: ReadonlyArray<unknown> = [choices, containers, keys, numbers, texts].flatMap((group) =>
  Object.values(group)
)
const results: ReadonlyArray<any> = [choices, containers, numbers, texts].flatMap((group) =>
  Object.values<unknown>(group)
)

/** Says something else of results of different lengths, and throws at some. */
const judge = (value: unknown) => {
  const length = JSON.stringify(value)?.length ?? 0
  if (length % 5 === 0) throw new Error("the check throws")
  if (length % 3 === 0) return Verdict.garbage({ code: "odd_length", detail: "an odd length" })
  return length % 4 === 0 ? Verdict.partial({ narrow: "Ask for less." }) : Verdict.ok
}

const idempotencies = [
  undefined,
  "derived",
  "key",
  { mode: "derived", upstreamHonoursKey: true },
  { mode: "derived", fields: ["p"] },
  { mode: "key", upstreamHonoursKey: true }
]

const approvals = [
  "confirm",
  "auto",
  "inform",
  "block",
  () => Approval.auto,
  () => Approval.confirm("Do it?"),
  () => Effect.fail("no answer"),
  () => Effect.as(Effect.sleep("1 minute"), Approval.auto)
]

/** The tool of a number. */
const toolOf = (number: number): Tool => {
  const { chance, pick } = Seeded.choices(20_260, number)
  const some = (share: number, fields: () => object): object => (chance(share) ? fields() : {})
  const access = pick(["read", "write", "destructive"])
  const isRead = access === "read"
  const result = pick(results)
  const success = pick([
    result,
    Schema.Struct({ r: result }),
    Schema.Struct({ rows: Schema.Array(Schema.Struct({ result })) })
  ])
  const idempotency = isRead ? undefined : pick(idempotencies)
  const hasLookup = !isRead && chance(0.3)
  const lookup = define("look_it_up", {
    parameters: Schema.Struct({ key: Schema.String }),
    success: Schema.Struct({ rows: Schema.Array(success) })
  })
  const reconcile = {
    tool: lookup,
    arguments: (args: unknown, key: string) => ({ key: key || JSON.stringify(args) }),
    found: ({ rows }: { readonly rows: ReadonlyArray<unknown> }) => Option.fromUndefinedOr(rows[0])
  }
  return define(`tool_${number}`, {
    access,
    parameters: Schema.Struct({ p: pick(parameters) as any, extra: Schema.optionalKey(Schema.String) }),
    success,
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(hasLookup ? { reconcile } : {}),
    ...some(0.3, () => ({ timeout: pick(["10 millis", "1 second", "40 seconds"]) })),
    ...some(0.3, () => ({ deadline: pick(["15 millis", "3 seconds", "2 minutes"]) })),
    ...(isRead || hasLookup || idempotency !== undefined
      ? some(0.4, () => ({
          retry: {
            attempts: pick([1, 2, 5, 9]),
            base: pick(["1 millis", "5 seconds"]),
            cap: pick(["2 seconds", "30 seconds"]),
            jitter: pick(["none", "full", "equal", "decorrelated"])
          }
        }))
      : {}),
    ...some(0.2, () => ({
      circuit: pick([false, { failures: 1, openFor: "10 seconds" }, { failures: 3, openFor: "100 millis" }])
    })),
    ...some(0.15, () => ({ budget: pick([1, 2, 10]) })),
    ...some(0.15, () => ({ enforce: "advise" })),
    ...some(0.15, () => ({ concurrency: 1 })),
    ...some(0.15, () => ({ poll: { interval: "3 seconds", deadline: "20 seconds", until: () => true } })),
    ...some(0.25, () => ({ checks: { judge } })),
    ...(isRead ? {} : some(0.3, () => ({ approval: pick<unknown>(approvals) }))),
    ...some(0.2, () => ({ critical: true }))
  })
}

describe("checkTool", () => {
  it.effect("13.6 asks no more of any tool than the guard promises", () =>
    Effect.gen(function* () {
      let executions = 0
      for (let number = 0; number < 40; number++) {
        executions += (yield* checkTool(toolOf(number), { runs: 60 })).executions
      }
      assert.isAbove(executions, 1_000)
    })
  )
})
