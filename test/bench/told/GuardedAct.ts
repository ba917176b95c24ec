/** Creates the guarded tool of a situation, with its lookup and its alternative. */
import * as GuardedTool from "#src/tool/GuardedTool"
import { Effect, Layer, Option, Schema } from "effect"
import { define, handled, type Tool } from "../../pipeline/support.ts"
import type { Ledger } from "./Ledger.ts"
import type { Situation } from "./Situation.ts"
import { type Behaviour, OutOfStock, type Upstream } from "./Upstream.ts"

/** A tool with the layers that its calls need. */
export interface GuardedAct {
  readonly tool: Tool
  readonly layer: Layer.Layer<any>
  readonly ledger: Ledger
}

const shape = { n: { type: "integer" } } as const

/** The timeout of an attempt that the upstream never answers, in real time. Other attempts have the default timeout. */
const patience = "300 millis"

/** Whether the upstream never answers. */
const isSilent = ({ answer: { given } }: Situation): boolean => "http" in given && given.http.ends === "silence"

/** Whether time is virtual: silent upstreams of the callers that use the clock of the benchmark. */
export const hasTestClock = (situation: Situation): boolean =>
  isSilent(situation) && (situation.caller === "program" || situation.caller === "loop")

/** Reports what the ledger has. Reports an action that is half done or still to be done as not settled. */
const lookupOf = (ledger: Ledger) => {
  const tool = define("find_it", {
    description: "Finds what was done. Read-only.",
    success: Schema.Struct({ found: Schema.Array(Schema.Int) }),
    retry: { attempts: 1 }
  })
  const layer = handled(tool, () =>
    Effect.suspend(() =>
      ledger.isPending || ledger.done === 0.5
        ? Effect.fail({ status: 409, message: "not settled" })
        : Effect.succeed({ found: ledger.done === 0 ? [] : [1] })
    )
  )
  return { tool, layer }
}

const alternativeOf = (access: string, ledger: Ledger) => {
  const tool = define("close_elsewhere", { access: access === "read" ? "read" : "write" })
  const layer = handled(tool, () =>
    Effect.sync(() => {
      ledger.elsewhere += 1
      return { n: 2 }
    })
  )
  return { tool, layer }
}

/** Creates the tool of a situation. */
export const make = (situation: Situation, ledger: Ledger, upstream: Upstream): GuardedAct => {
  const { access, answer, policy } = situation
  const honoursKeys = policy === "honoured key"
  const behaviour: Behaviour = { answer, ledger, honoursKeys }
  const handler = upstream.handler(behaviour)
  const time = isSilent(situation) && !hasTestClock(situation) ? { timeout: patience } : {}
  const idempotency =
    policy === "key"
      ? { idempotency: "derived" as const }
      : honoursKeys
        ? { idempotency: { mode: "derived" as const, upstreamHonoursKey: true } }
        : {}
  if (access === "unstated") {
    const tool = GuardedTool.dynamic("close_ticket", {
      description: "Closes one ticket.",
      access: "destructive",
      accessBy: "server",
      parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
      success: { type: "object", properties: shape, required: ["n"] },
      answers: "json",
      handler: handler as never,
      ...time,
      ...idempotency
    } as never)
    // its types are known only at run time
    return { tool: tool as unknown as Tool, layer: Layer.empty as Layer.Layer<any>, ledger }
  }
  const lookup = policy === "reconcile" ? lookupOf(ledger) : undefined
  const alternative = policy === "fallback" ? alternativeOf(access, ledger) : undefined
  const tool = define("close_ticket", {
    description: access === "read" ? "Closes one ticket. Read-only." : "Closes one ticket. Writes.",
    access,
    refusals: [OutOfStock],
    ...time,
    ...idempotency,
    ...(lookup === undefined
      ? {}
      : {
          reconcile: {
            tool: lookup.tool,
            arguments: ({ q }: { readonly q: string }) => ({ q }),
            found: ({ found }: { readonly found: ReadonlyArray<number> }) =>
              Option.map(Option.fromUndefinedOr(found[0]), (n) => ({ n }))
          }
        }),
    ...(alternative === undefined
      ? {}
      : { fallbacks: [{ tool: alternative.tool, arguments: ({ q }: { readonly q: string }) => ({ q }) }] })
  })
  const others = [lookup, alternative].flatMap((other) => (other === undefined ? [] : [other.layer]))
  return { tool, layer: Layer.mergeAll(handled(tool, handler), ...others) as Layer.Layer<any>, ledger }
}
