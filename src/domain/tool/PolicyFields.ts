/**
 * Lists every field of a tool's policy as data: its meaning, its default, the stages that read it, and its value in a
 * definition [2.12]. `Toolbox.describe`, `toolguard describe` and docs/policy.md are generated from this list.
 *
 * The table has more than 300 lines, because it is one table, in the order in which the fields are shown.
 */
import * as Duration from "effect/Duration"
import type { ToolDefinition } from "./ToolDefinition.ts"

/** The value of a field; `null` if the field has no effect on the tool. */
export type FieldValue = string | number | boolean | ReadonlyArray<string> | null

/** A field of a tool's policy. */
export interface PolicyField {
  /** The path of the field as users write it: `retry.attempts`. */
  readonly field: string
  /** The unit of a number; absent for counts. */
  readonly unit?: "ms" | "bytes" | "characters" | "levels"
  /** The meaning of the field, as one clause. */
  readonly meaning: string
  /** The default in words. */
  readonly byDefault: string
  /** The stages that read the field. */
  readonly stages: ReadonlyArray<string>
  readonly value: (definition: ToolDefinition) => FieldValue
}

/** Every field, in the order in which they are shown. */
export const policyFields: ReadonlyArray<PolicyField> = [
  {
    field: "access",
    meaning: "the kind of change that a call makes: `read` (none), `write`, `destructive`",
    byDefault: "required",
    stages: ["approve", "retry", "recall"],
    value: ({ access }) => access
  },
  {
    field: "critical",
    meaning: "whether a person is notified of permanent failures",
    byDefault: "false",
    stages: ["escalate"],
    value: ({ critical }) => critical
  },
  {
    field: "enforce",
    meaning:
      "whether violations of parameters, `success` and checks fail the call, or are only recorded (`advise`); `{ share: 0.1 }` fails them in a tenth of the conversations; `success` always holds for programs",
    byDefault: "enforce",
    stages: ["decodeArguments", "check", "classify"],
    value: ({ enforce }) =>
      typeof enforce === "string" ? enforce : `${Number((100 * enforce.share).toFixed(4))} % of conversations`
  },
  {
    field: "timeout",
    unit: "ms",
    meaning: "the time limit of one attempt",
    byDefault: "5 s, or the deadline if that is shorter",
    stages: ["timeout"],
    value: ({ attemptMillis }) => attemptMillis
  },
  {
    field: "deadline",
    unit: "ms",
    meaning: "the time limit of all attempts and waits, except for approval",
    byDefault: "30 s, or longer if timeout and retries need it",
    stages: ["deadline"],
    value: ({ deadlineMillis }) => deadlineMillis
  },
  {
    field: "retry.attempts",
    meaning:
      "executions in total, including the first; a write without idempotency or reconcile is repeated only after attempts that did nothing",
    byDefault: "4, or the budget if that is smaller and a failed attempt may be repeated",
    stages: ["retry"],
    value: ({ retry }) => retry.attempts
  },
  {
    field: "retry.base",
    unit: "ms",
    meaning: "the first delay, which then doubles",
    byDefault: "1 s, or the cap if that is shorter",
    stages: ["retry"],
    value: ({ retry }) => retry.baseMillis
  },
  {
    field: "retry.cap",
    unit: "ms",
    meaning: "the longest delay",
    byDefault: "20 s, or the base if that is longer",
    stages: ["retry"],
    value: ({ retry }) => retry.capMillis
  },
  {
    field: "retry.jitter",
    meaning: "how delays are randomised: `equal`, `full`, `decorrelated`, `none`",
    byDefault: "equal",
    stages: ["retry"],
    value: ({ retry }) => retry.jitter
  },
  {
    field: "budget",
    meaning:
      "attempts without progress per turn and arguments; at least `retry.attempts` if a failed attempt may be repeated; polls are not counted",
    byDefault:
      "for reads and for writes with idempotency or reconcile 3, or `retry.attempts` if that is larger; otherwise 1",
    stages: ["budget"],
    value: ({ budget }) => budget
  },
  {
    field: "repeats",
    meaning:
      "whether a model may repeat a successful write with the same arguments in a turn: `once`, `allowed` (10 times)",
    byDefault:
      '`allowed` for MCP and OpenAPI tools that are not declared idempotent and with `idempotency: "none"`, otherwise `once`',
    stages: ["recall"],
    value: ({ access, poll, repeats }) =>
      access === "read" || (poll !== undefined && repeats === "once") ? null : (repeats ?? null)
  },
  {
    field: "concurrency",
    meaning: "the maximum number of handlers that run at once; tenants whose calls wait take turns",
    byDefault: "16",
    stages: ["concurrency"],
    value: ({ concurrency }) => concurrency
  },
  {
    field: "circuit.share",
    meaning: "the share of failures among the latest attempts that opens the circuit; `circuit: false` disables it",
    byDefault: "0.5",
    stages: ["circuit"],
    value: ({ circuit }) => circuit?.share ?? null
  },
  {
    field: "circuit.window",
    meaning: "the number of latest attempts that the circuit counts",
    byDefault: "20, or the minimum if that is larger",
    stages: ["circuit"],
    value: ({ circuit }) => circuit?.window ?? null
  },
  {
    field: "circuit.minimum",
    meaning: "attempts below which the circuit stays closed",
    byDefault: "5, or the window if that is smaller",
    stages: ["circuit"],
    value: ({ circuit }) => circuit?.minimum ?? null
  },
  {
    field: "circuit.open",
    unit: "ms",
    meaning: "the first open time, which then doubles; half of it is random",
    byDefault: "1 s, or the cap if that is shorter",
    stages: ["circuit"],
    value: ({ circuit }) => circuit?.openMillis ?? null
  },
  {
    field: "circuit.cap",
    unit: "ms",
    meaning: "the longest open time",
    byDefault: "2 s, or `circuit.open` if that is longer",
    stages: ["circuit"],
    value: ({ circuit }) => circuit?.capMillis ?? null
  },
  {
    field: "limits.argumentBytes",
    unit: "characters",
    meaning: "the largest arguments",
    byDefault: "1,000,000",
    stages: ["parse"],
    value: ({ argumentLimits }) => argumentLimits.maxBytes
  },
  {
    field: "limits.argumentDepth",
    unit: "levels",
    meaning: "the maximum nesting of arguments",
    byDefault: "64",
    stages: ["parse"],
    value: ({ argumentLimits }) => argumentLimits.maxDepth
  },
  {
    field: "limits.resultBytes",
    unit: "bytes",
    meaning: "the largest answer that is read",
    byDefault: "10,000,000",
    stages: ["run", "parseResult"],
    value: ({ resultLimits }) => resultLimits.maxBytes
  },
  {
    field: "limits.resultDepth",
    unit: "levels",
    meaning: "the maximum nesting of an answer",
    byDefault: "200",
    stages: ["parseResult"],
    value: ({ resultLimits }) => resultLimits.maxDepth
  },
  {
    field: "limits.shownBytes",
    unit: "bytes",
    meaning: "the largest result that a model reads whole",
    byDefault: "`ResultLimit`, 10,240",
    stages: ["limit"],
    value: ({ shownBytes }) => shownBytes ?? null
  },
  {
    field: "loop.identical",
    meaning: "identical calls with the same result at which the model is notified; a person is asked at the next",
    byDefault: "2",
    stages: ["loop", "record"],
    value: ({ loop }) => loop.identical
  },
  {
    field: "loop.cycles",
    meaning: "how many times in a row two to four calls must occur to count as a cycle, at most 10",
    byDefault: "3",
    stages: ["record"],
    value: ({ loop }) => loop.cycles
  },
  {
    field: "loop.sameFailure",
    meaning: "equal failures with different arguments at which the model is notified",
    byDefault: "4",
    stages: ["record"],
    value: ({ loop }) => loop.sameFailure
  },
  {
    field: "loop.noProgress",
    meaning: "consecutive calls without progress at which the model is notified",
    byDefault: "8",
    stages: ["record"],
    value: ({ loop }) => loop.noProgress
  },
  {
    field: "loop.repeats",
    meaning: "successes of one write in a turn, if its repeats are allowed and it is not polled",
    byDefault: "10",
    stages: ["recall"],
    value: ({ access, loop, poll, repeats }) =>
      access !== "read" && poll === undefined && repeats === "allowed" ? loop.repeats : null
  },
  {
    field: "approval",
    meaning:
      "whether a person is asked before the call runs: a level, or a function of the arguments; the strictest of all sources applies",
    byDefault: "`EscalationPolicy`: `confirm` for destructive tools, otherwise `auto`",
    stages: ["approve"],
    value: ({ approval }) => (typeof approval === "function" ? "by the arguments" : (approval ?? null))
  },
  {
    field: "idempotency.mode",
    meaning: "where the key of a write comes from: `derived`, `key`, `none`",
    byDefault: "none",
    stages: ["idempotency", "claim"],
    value: ({ idempotency }) => idempotency.mode
  },
  {
    field: "idempotency.fields",
    meaning: "the arguments that identify the action",
    byDefault: "all",
    stages: ["idempotency"],
    value: ({ idempotency }) => (idempotency.mode === "none" ? null : (idempotency.fields ?? "all"))
  },
  {
    field: "idempotency.scope",
    meaning:
      "where a key that a model chooses identifies one action: in its `conversation`, or in all conversations of its `principal`",
    byDefault: "`conversation`; `principal` if the host names no conversation",
    stages: ["decodeArguments"],
    value: ({ idempotency }) => (idempotency.mode === "key" ? idempotency.scope : null)
  },
  {
    field: "idempotency.upstreamHonoursKey",
    meaning: "whether the upstream executes a keyed action once",
    byDefault: "false",
    stages: ["retry", "claim"],
    value: ({ idempotency }) => idempotency.upstreamHonoursKey
  },
  {
    field: "idempotency.timeToLive",
    unit: "ms",
    meaning: "how long the result of a completed action is returned again",
    byDefault: "24 hours",
    stages: ["idempotency"],
    value: ({ idempotency }) => (idempotency.mode === "none" ? null : Duration.toMillis(idempotency.timeToLive))
  },
  {
    field: "reconcile",
    meaning: "the tool that looks up whether an action happened",
    byDefault: "none",
    stages: ["reconcile", "claim"],
    value: ({ reconcile }) => reconcile?.tool.toolName ?? null
  },
  {
    field: "fallbacks",
    meaning: "the fallbacks, in the order in which they are tried, and the codes after which each is tried",
    byDefault: "none; without codes, after Permanent, SchemaMismatch and Transient failures",
    stages: ["fallback"],
    value: ({ fallbacks }) =>
      fallbacks.map(({ on, tool }) => (on === undefined ? tool.toolName : `${tool.toolName} on ${on.join(", ")}`))
  },
  {
    field: "refusals",
    meaning: "the refusals that the handler may declare: it decided, and did nothing",
    byDefault: "none",
    stages: ["classify"],
    value: ({ refusals }) => refusals.map(({ code }) => code)
  },
  {
    field: "checks",
    meaning: "the checks of a decoded result",
    byDefault: "none",
    stages: ["check"],
    value: ({ checks }) => checks.map(({ name }) => name)
  },
  {
    field: "salvage.path",
    meaning: "the array of a truncated answer whose complete rows are kept",
    byDefault: "none",
    stages: ["parseResult"],
    value: ({ salvage }) => salvage?.path ?? null
  },
  {
    field: "poll.interval",
    unit: "ms",
    meaning: "the minimum time between two polls; `poll: false` never polls",
    byDefault: "none: a read is polled while its result is the status of unfinished work",
    stages: ["loop"],
    value: ({ poll }) => poll?.intervalMillis ?? null
  },
  {
    field: "poll.deadline",
    unit: "ms",
    meaning: "the time limit of polling, from the first call",
    byDefault: "not polled",
    stages: ["loop"],
    value: ({ poll }) => poll?.deadlineMillis ?? null
  },
  {
    field: "answers",
    meaning: "`json` parses text even if `success` is a string",
    byDefault: "value",
    stages: ["parseResult"],
    value: ({ answers }) => answers
  }
]
