/** Overriding a policy where a tool is used keeps the tool's identity and type. */
import type { Effect } from "effect"
import { type CallFailure, type Guard, GuardedTool, type PartialData, Toolbox, Verdict } from "effect-toolguard"
import { assertType, type Equals } from "./kit.ts"
import { base, Cancel, type Orders, Paged, Search, type Sent } from "./tools.ts"

const quick = Search.pipe(GuardedTool.timeout("2 seconds"))
assertType<Equals<typeof quick, typeof Search>>()

const careful = Cancel.pipe(GuardedTool.policy({ deadline: "1 minute", concurrency: 1, circuit: false, budget: 2 }))
assertType<Equals<typeof careful, typeof Cancel>>()

const insistent = Search.pipe(GuardedTool.retry({ attempts: 5 }), GuardedTool.timeout("1 second"))
assertType<Equals<typeof insistent, typeof Search>>()

const called = insistent.call({ customer_id: "C-1" })
assertType<Equals<Effect.Services<typeof called>, Search | Guard>>()

// a fallback adds its failures and its service; its mapping is typed

const saved = Search.pipe(
  GuardedTool.fallback(Paged, ({ customer_id, page }) => ({ customer_id, page: page + 1 })),
  GuardedTool.timeout("1 second")
)
const withFallback = saved.call({ customer_id: "C-1" })
assertType<Equals<Effect.Success<typeof withFallback>, Orders>>()
assertType<Equals<Effect.Error<typeof withFallback>, CallFailure | PartialData<Orders, Sent>>>()
assertType<Equals<Effect.Services<typeof withFallback>, Search | Paged | Guard>>()

// a write falls back to a read

const safe = Cancel.pipe(GuardedTool.fallback(Search, (args) => args))
const safely = safe.call({ customer_id: "C-1" })
assertType<Equals<Effect.Services<typeof safely>, Search | Cancel | Guard>>()

// a fallback names codes of the guard; the fallback of a tool with checks may name any code

export class OnMissing extends GuardedTool.Service<OnMissing>()("on_missing", {
  ...base,
  access: "read",
  fallbacks: [{ tool: Search, on: ["not_found", "empty_result"], arguments: (args) => args }]
}) {}
export class OnChecked extends GuardedTool.Service<OnChecked>()("on_checked", {
  ...base,
  access: "read",
  checks: { whole: () => Verdict.ok },
  fallbacks: [{ tool: Search, on: ["not_found", "no_rows"], arguments: (args) => args }]
}) {}
export const onMissing = Search.pipe(GuardedTool.fallback(Paged, (args) => args, { on: ["not_found"] }))

// for all tools of a toolbox

const box = Toolbox.policy({ timeout: "1 second", repeats: "allowed" })(Toolbox.make(quick, Cancel))
assertType<Equals<typeof box, Toolbox.Toolbox<typeof Search | typeof Cancel>>>()
