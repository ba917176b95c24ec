/**
 * Thirteen failures of tools and models, each with the calls that the model makes and a verdict on what a host did.
 *
 * A verdict is computed from three observations: how often the handlers ran, what they received, and what the model read
 * as results in its next requests. It never depends on which host is judged.
 */
import * as z from "zod"

/** A tool that each host defines in its own way. */
export interface NeutralTool {
  readonly name: "get_orders" | "pay_invoice"
  readonly description: string
  readonly access: "read" | "write"
  readonly parameters: z.ZodObject
  readonly success: z.ZodType
  readonly execute: (args: unknown, signal: AbortSignal | undefined) => unknown
}

/** A call of the model, with its arguments as the model wrote them. */
export interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** A response of the model: its calls, and whether the output limit cut it. Without calls, it is the final answer. */
export interface ScriptedResponse {
  readonly calls: ReadonlyArray<ScriptedCall>
  readonly isCut?: boolean
}

/** What was seen of a run. */
export interface Observation {
  /** The arguments of each run of a handler, in order. */
  readonly runs: ReadonlyArray<unknown>
  /** The texts that the model read as results, by the id of the call. */
  readonly told: ReadonlyMap<string, string>
  /** Every text of the requests to the model. */
  readonly sent: string
  /** How the run ended: with an answer, or with the error that the host threw, or not within the time limit. */
  readonly end:
    | { readonly _tag: "Answered" }
    | { readonly _tag: "Threw"; readonly message: string }
    | { readonly _tag: "Hung" }
}

/** What a reader of the table learns: whether the host handled the failure, and how, in a few words. */
export interface Verdict {
  readonly isHandled: boolean
  readonly text: string
}

export interface Scenario {
  readonly name: string
  readonly responses: ReadonlyArray<ScriptedResponse>
  /** Runs the handler of the scenario's tools. */
  readonly execute: (name: NeutralTool["name"], args: unknown, signal: AbortSignal | undefined) => unknown
  readonly judge: (seen: Observation) => Verdict
}

const good = '{"customer":"C-1","limit":5,"status":"placed"}'
const orders = { orders: [{ id: "O-1", cents: 4_990 }] }

/** The tools of every scenario. */
export const toolsOf = (execute: Scenario["execute"], ran: (args: unknown) => void): ReadonlyArray<NeutralTool> => {
  const run = (name: NeutralTool["name"]) => (args: unknown, signal: AbortSignal | undefined) => {
    ran(args)
    return execute(name, args, signal)
  }
  return [
    {
      name: "get_orders",
      description: "Lists the orders of a customer. Read-only.",
      access: "read",
      parameters: z.object({
        customer: z.string(),
        limit: z.int().min(1).max(50),
        status: z.enum(["placed", "shipped"])
      }),
      success: z.object({ orders: z.array(z.object({ id: z.string(), cents: z.int() })) }),
      execute: run("get_orders")
    },
    {
      name: "pay_invoice",
      description: "Pays an invoice. Writes.",
      access: "write",
      parameters: z.object({ invoice: z.string(), cents: z.int() }),
      success: z.object({ paid: z.literal(true), receipt: z.string() }),
      execute: run("pay_invoice")
    }
  ]
}

const call = (id: string, args: string = good, name = "get_orders"): ScriptedCall => ({ id, name, arguments: args })
const pay = (id: string): ScriptedCall => call(id, '{"invoice":"I-7","cents":12000}', "pay_invoice")
const one = (each: ScriptedCall): ScriptedResponse => ({ calls: [each] })

const times = (count: number): string => (count === 1 ? "1 run" : `${count} runs`)

/** Describes a run that did not end with an answer; undefined if it did. */
const unanswered = ({ end }: Observation): Verdict | undefined => {
  if (end._tag === "Answered") return undefined
  return { isHandled: false, text: end._tag === "Hung" ? "hangs" : "the run throws" }
}

const read = ({ told }: Observation, id = "c1"): string => told.get(id) ?? ""

const length = (text: string): string => `${text.length.toLocaleString("en")} characters`

/** The promise of a handler that never answers. */
const never = (): Promise<never> => new Promise(() => {})

const longList = {
  orders: Array.from({ length: 40_000 }, (_, index) => ({ id: `O-${index}-${"x".repeat(20)}`, cents: index }))
}

const secret = "hunter2secret"

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "arguments wrong in three fields",
    responses: [one(call("c1", '{"customer":7,"limit":"ten","status":"sent"}'))],
    execute: () => orders,
    judge: (seen) => {
      const named = ["customer", "limit", "status"].filter((field) => new RegExp(`\\b${field}\\b`).test(read(seen)))
      if (seen.runs.length > 0) return { isHandled: false, text: "the handler runs with them" }
      return (
        unanswered(seen) ?? {
          isHandled: named.length === 3 && read(seen).includes("placed"),
          text: `names ${named.length} of 3, ${length(read(seen))}`
        }
      )
    }
  },
  {
    name: "unknown tool",
    responses: [one(call("c1", good, "get_order"))],
    execute: () => orders,
    judge: (seen) => {
      const isNamed = read(seen).includes("get_orders")
      return unanswered(seen) ?? { isHandled: isNamed, text: isNamed ? "names the tools" : "does not name the tools" }
    }
  },
  {
    name: "truncated JSON as the answer",
    responses: [one(call("c1"))],
    execute: () => '{"orders":[{"id":"O-1","cents":49',
    judge: (seen) => {
      const isTold = /truncat|\bcut\b|incomplete|ended early/iu.test(read(seen))
      return (
        unanswered(seen) ?? { isHandled: isTold, text: isTold ? "says what is broken" : "passes it on as a result" }
      )
    }
  },
  {
    name: "schema break after a side effect",
    responses: [one(pay("c1")), one(pay("c2"))],
    execute: () => ({ status: "accepted", receipt: 17 }),
    judge: (seen) => {
      const isDone = /was done|committed|done_unreadable|already/iu.test(read(seen))
      const text = `${times(seen.runs.length)}, ${isDone ? "says that it was done" : "does not say that it was done"}`
      return unanswered(seen) ?? { isHandled: isDone && seen.runs.length === 1, text }
    }
  },
  {
    name: "hang",
    responses: [one(call("c1"))],
    execute: never,
    judge: (seen) => {
      const isTold = /time|respond|answer/iu.test(read(seen))
      return unanswered(seen) ?? { isHandled: isTold, text: isTold ? "times out, and says so" : "ends without a word" }
    }
  },
  {
    name: "a secret in an error",
    responses: [one(call("c1"))],
    execute: () => {
      throw new Error(`login failed for postgres://app:${secret}@10.0.0.5:5432/orders`)
    },
    judge: (seen) => {
      const isLeaked = seen.sent.includes(secret)
      return unanswered(seen) ?? { isHandled: !isLeaked, text: isLeaked ? "the model reads it" : "hidden" }
    }
  },
  {
    name: "a result of 2 MB",
    responses: [one(call("c1"))],
    execute: () => longList,
    judge: (seen) => unanswered(seen) ?? { isHandled: read(seen).length < 50_000, text: length(read(seen)) }
  },
  {
    name: "one of two parallel calls fails",
    responses: [{ calls: [call("c1"), call("c2", '{"customer":"C-2","limit":5,"status":"placed"}')] }],
    execute: (_, args) => {
      if ((args as { readonly customer: string }).customer === "C-2") throw new TypeError("undefined is not a function")
      return orders
    },
    judge: (seen) => {
      const isKept = read(seen).includes("O-1") && seen.told.has("c2")
      return unanswered(seen) ?? { isHandled: isKept, text: isKept ? "both are answered" : "the other is lost" }
    }
  },
  {
    name: "seventeen identical calls",
    responses: Array.from({ length: 17 }, (_, index) => one(call(`c${index + 1}`))),
    execute: () => '{"orders":[{"id":"O-1","cents":49',
    judge: (seen) => unanswered(seen) ?? { isHandled: seen.runs.length <= 1, text: times(seen.runs.length) }
  },
  {
    name: "output cut by the limit",
    responses: [{ calls: [call("c1", '{"customer":"C-1","limit":5,"sta')], isCut: true }],
    execute: () => orders,
    judge: (seen) => {
      const isTold = /truncat|\bcut\b|incomplete/iu.test(read(seen))
      const text = isTold ? "says that it was cut" : read(seen) === "" ? "no answer to the call" : "a parse error"
      return unanswered(seen) ?? { isHandled: isTold && seen.runs.length === 0, text }
    }
  },
  {
    name: "a failure stated in a 200",
    responses: [one(call("c1"))],
    execute: () => ({ error: { code: "NOT_FOUND", message: "customer C-1 does not exist" }, success: false }),
    judge: (seen) => {
      const isError = /"status":"error"|"isError":true|^error/iu.test(read(seen)) && read(seen).includes("C-1")
      return (
        unanswered(seen) ?? {
          isHandled: isError,
          text: isError ? "an error, with its reason" : "passed on as a result"
        }
      )
    }
  },
  {
    name: "a write that times out",
    responses: [one(pay("c1")), one(pay("c2"))],
    execute: never,
    judge: (seen) => {
      const isTold = /unknown|not known|may have been/iu.test(read(seen))
      const text = `${times(seen.runs.length)}, ${isTold ? "says that it is not known" : "does not say that it is not known"}`
      return unanswered(seen) ?? { isHandled: isTold && seen.runs.length === 1, text }
    }
  },
  {
    name: "`__proto__` in the arguments",
    responses: [one(call("c1", '{"customer":"C-1","limit":5,"status":"placed","__proto__":{"isAdmin":true}}'))],
    execute: () => orders,
    judge: (seen) => {
      const isAdmin = seen.runs.some((args) => (args as { readonly isAdmin?: boolean }).isAdmin === true)
      if (isAdmin) return { isHandled: false, text: "the handler reads it" }
      if (seen.runs.length > 0) return unanswered(seen) ?? { isHandled: true, text: "dropped" }
      return unanswered(seen) ?? { isHandled: read(seen) !== "", text: "refused" }
    }
  }
]
