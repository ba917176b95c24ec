/**
 * Tests tools with random definitions: all kinds of schemas, a wide range of policies, and functions that throw or
 * sleep.
 *
 * The guard keeps its promises for each tool. If `checkTool` is stricter than the promises, it fails here first.
 */
import * as Verdict from "#domain/tool/Verdict"
import { checkTool } from "#kit/fuzz/CheckTool"
import * as SeededRandom from "#kit/fuzz/cases/SeededRandom"
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

/** Returns a verdict that depends on the length of the result, and throws for some lengths. */
const byLength = (value: unknown) => {
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

const limits = [
  { timeout: "10 millis" },
  { timeout: "40 seconds" },
  { deadline: "15 millis" },
  { deadline: "2 minutes" },
  { timeout: "10 millis", deadline: "15 millis" },
  { timeout: "1 second", deadline: "3 seconds" },
  { timeout: "40 seconds", deadline: "2 minutes" }
]

const delays = [
  { base: "1 millis" },
  { base: "30 seconds" },
  { cap: "100 millis" },
  { base: "1 millis", cap: "2 seconds" },
  { base: "5 seconds", cap: "30 seconds" }
]

/** Defines a random tool, which depends only on the number. */
const toolOf = (number: number): Tool => {
  const { chance, pick } = SeededRandom.choices(20_260, number)
  const sometimes = (probability: number, fields: () => object): object => (chance(probability) ? fields() : {})
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
  return defineAgreeing(`tool_${number}`, {
    access,
    // a schema of unknown type
    parameters: Schema.Struct({ p: pick(parameters) as any, extra: Schema.optionalKey(Schema.String) }),
    success,
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(hasLookup ? { reconcile } : {}),
    ...sometimes(0.5, () => pick(limits)),
    ...(isRead || hasLookup || idempotency !== undefined
      ? sometimes(0.4, () => ({
          retry: {
            attempts: pick([1, 2, 5, 9]),
            ...pick(delays),
            jitter: pick(["none", "full", "equal", "decorrelated"])
          }
        }))
      : {}),
    ...sometimes(0.2, () => ({
      circuit: pick([false, { minimum: 1, open: "10 seconds", cap: "10 seconds" }, { minimum: 3, open: "100 millis" }])
    })),
    ...sometimes(0.15, () => ({ budget: pick([1, 2, 10]) })),
    ...sometimes(0.15, () => ({ enforce: "advise" })),
    ...sometimes(0.15, () => ({ concurrency: 1 })),
    ...sometimes(0.15, () => ({ poll: { interval: "3 seconds", deadline: "20 seconds", until: () => true } })),
    ...sometimes(0.25, () => ({ checks: { byLength } })),
    ...(isRead ? {} : sometimes(0.3, () => ({ approval: pick<unknown>(approvals) }))),
    ...sometimes(0.2, () => ({ critical: true }))
  })
}

interface RandomFields {
  readonly [field: string]: unknown
  readonly budget?: number
  readonly deadline?: unknown
  readonly idempotency?: unknown
  readonly poll?: object
  readonly retry?: { readonly attempts: number; readonly base?: unknown }
}

/** Defines a tool without those settings that contradict others, because a definition refuses them. */
const defineAgreeing = (name: string, { budget, poll, retry, ...rest }: RandomFields): Tool => {
  const isDerived = JSON.stringify(rest.idempotency ?? "").includes("derived")
  const { base: _, ...withoutBase } = retry ?? { attempts: 4 }
  return define(name, {
    ...rest,
    ...(poll === undefined || isDerived ? {} : { poll }),
    ...(budget === undefined || (retry !== undefined && budget < retry.attempts) ? {} : { budget }),
    ...(retry === undefined ? {} : { retry: rest.deadline === undefined ? retry : withoutBase })
  })
}

describe("checkTool", () => {
  it.effect("13.6 finds no broken promise for random tool definitions", () =>
    Effect.gen(function* () {
      let executions = 0
      for (let number = 0; number < 40; number++) {
        executions += (yield* checkTool(toolOf(number), { runs: 60 })).executions
      }
      assert.isAbove(executions, 1_000)
    })
  )
})
