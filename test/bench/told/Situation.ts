/** Generates the situations of the benchmark. Rules leave out combinations. */
import { type Answer, answers } from "./Answer.ts"

/** `unstated`: neither the owner nor the server of the tool states its access, so the tool counts as destructive. */
export const accesses = ["read", "write", "destructive", "unstated"] as const
export type StatedAccess = (typeof accesses)[number]

/** What the upstream did for one request. `later`: after its answer. */
export const deeds = ["nothing", "all", "half", "twice", "later"] as const
export type Deed = (typeof deeds)[number]

/** Who makes the call in this process. */
export const callers = ["program", "loop", "ai", "mcp", "openapi"] as const
export type LocalCaller = (typeof callers)[number]

/** Who makes the call. `proxy`: a client of `toolguard mcp proxy`, which has only tools of MCP servers (`RemoteMcp`). */
export type Caller = LocalCaller | "proxy"

/** `key`: derived, but the upstream ignores it; `honoured key`: derived, and the upstream does each key once. */
export const policies = ["none", "key", "honoured key", "reconcile", "fallback"] as const
export type Policy = (typeof policies)[number]

/** One situation. */
export interface Situation {
  readonly access: StatedAccess
  readonly deed: Deed
  readonly answer: Answer
  readonly caller: Caller
  readonly policy: Policy
}

/** A situation whose caller is in this process. */
export interface LocalSituation extends Situation {
  readonly caller: LocalCaller
}

type Rule = (situation: Situation) => boolean

/** The combinations that are impossible or repeat others, with the reason. */
export const leftOut: Readonly<Record<string, Rule>> = {
  "A read changes nothing.": ({ access, deed }) => access === "read" && deed !== "nothing",
  "A read has neither key nor lookup: such a definition is refused.": ({ access, policy }) =>
    access === "read" && policy !== "none" && policy !== "fallback",
  "Without a connection the upstream cannot act.": ({ answer: { given }, deed }) =>
    "http" in given && given.http.ends === "refused" && deed !== "nothing",
  "A tool of a server has no lookup and no fallback: its definition has no such field.": ({ access, policy }) =>
    access === "unstated" && (policy === "reconcile" || policy === "fallback"),
  "A tool of a server declares no refusals: they are errors of a handler's own language.": ({ access, answer }) =>
    access === "unstated" && "refusal" in answer.given,
  "A tool of a server returns a response that only the guard reads.": ({ access, answer: { given } }) =>
    access === "unstated" && "http" in given && given.http.isRead === true,
  "Causes are read before the report is made: a loop without a policy and with an honoured key suffices.": ({
    answer,
    caller,
    deed,
    policy
  }) => answer.depth > 0 && (caller !== "loop" || !isPlain(deed) || (policy !== "none" && policy !== "honoured key")),
  "A policy acts before the report is made: program and loop suffice.": ({ caller, policy }) =>
    caller !== "program" && caller !== "loop" && policy !== "none",
  "Half, twice and later differ from all for a lookup and a key only: a loop with no other policy suffices.": ({
    caller,
    deed,
    policy
  }) => !isPlain(deed) && (caller !== "loop" || policy === "key" || policy === "fallback")
}

const isPlain = (deed: Deed): boolean => deed === "nothing" || deed === "all"

/** Returns why a combination is left out; `undefined` if it is generated. */
export const reasonAgainst = (situation: Situation): string | undefined =>
  Object.keys(leftOut).find((reason) => leftOut[reason]?.(situation))

const combined = (): ReadonlyArray<LocalSituation> =>
  accesses.flatMap((access) =>
    answers.flatMap((answer) =>
      policies.flatMap((policy) =>
        deeds.flatMap((deed) => callers.map((caller) => ({ access, answer, policy, deed, caller })))
      )
    )
  )

/** All situations. */
export const situations: ReadonlyArray<LocalSituation> = combined().filter((one) => reasonAgainst(one) === undefined)

/** Counts the combinations that each rule leaves out. */
export const omitted = (): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const one of combined()) {
    const reason = reasonAgainst(one)
    if (reason !== undefined) counts[reason] = (counts[reason] ?? 0) + 1
  }
  return counts
}
