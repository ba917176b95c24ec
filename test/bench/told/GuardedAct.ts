/** Creates the guarded tool of a situation, with its lookup and its fallback. */
import { Effect, Layer, Option, Schema } from "effect"
import { define, handled, type Tool } from "../../pipeline/support.ts"
import type { Ledger } from "./Ledger.ts"
import * as ServedTool from "./ServedTool.ts"
import type { Situation } from "./Situation.ts"
import { type Behaviour, OutOfStock, type Upstream } from "./Upstream.ts"

/** A tool with the layers that its calls need. */
export interface GuardedAct {
  readonly tool: Tool
  readonly layer: Layer.Layer<any>
  readonly ledger: Ledger
}

/** The timeout of an attempt that the upstream never answers, in real time. */
const patience = "300 millis" as const

/** The timeout of such an attempt in virtual time, which is the default of a tool. */
const virtualPatience = "5 seconds" as const

/** True if the upstream never answers. */
const isSilent = ({ answer: { given } }: Situation): boolean => "http" in given && given.http.ends === "silence"

/** True if time is virtual: the upstream never answers, and the caller uses the clock of the benchmark. */
export const hasTestClock = (situation: Situation): boolean =>
  isSilent(situation) && (situation.caller === "program" || situation.caller === "loop")

/** Creates a lookup that reads the ledger. The lookup fails for an action that is half done or still to be done. */
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
  const time = isSilent(situation) ? { timeout: hasTestClock(situation) ? virtualPatience : patience } : {}
  if (access === "unstated") {
    const isKeyed = policy === "key" || honoursKeys
    return { ...ServedTool.make(behaviour, upstream, { ...time, isKeyed }), ledger }
  }
  const handler = upstream.handler(behaviour)
  const idempotency =
    policy === "key"
      ? { idempotency: "derived" as const }
      : honoursKeys
        ? { idempotency: { mode: "derived" as const, upstreamHonoursKey: true } }
        : {}
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
