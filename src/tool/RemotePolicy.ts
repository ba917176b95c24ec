/**
 * The policy of a tool whose server is remote (MCP, OpenAPI), as its owner states it in code or in a configuration.
 *
 * **Details**
 *
 * - The owner's statement takes precedence over the server's statements about the tool.
 * - `check` refuses unknown settings, invalid values, and settings of one policy that contradict each other.
 * - A policy can cover several tools, and several policies can cover a tool. A setting that has no effect on one of the
 *   tools is left out for that tool (`forTool`).
 */
import { isJsonObject } from "#domain/json/JsonObject"
import type { Access } from "#domain/tool/Access"
import type { Level } from "#domain/tool/EscalationPolicy"
import * as FieldKind from "#domain/tool/FieldKind"
import * as EffectivePolicy from "#domain/tool/EffectivePolicy"
import * as PollCondition from "#domain/tool/PollCondition"
import type { PolicyInput } from "#domain/tool/PolicyInput"
import * as ToolId from "#domain/tool/ToolId"
import * as NearestName from "#domain/text/NearestName"
import type * as Duration from "effect/Duration"
import type { PollInput } from "./Definition.ts"
import { resolvePoll } from "./ToolProperties.ts"

/** How a remote tool is polled. Identical calls wait for the interval and are not a loop. */
export interface RemotePoll {
  /** The minimum time between two identical calls. */
  readonly interval: Duration.Input
  /** The maximum time to poll, from the first call. */
  readonly deadline: Duration.Input
  /** Says whether the awaited result has arrived: a field and its values, or a function of the result's data. */
  readonly until: PollCondition.PollCondition | ((data: unknown) => boolean)
}

/** The policy of a remote tool, in addition to the statements of its server. */
export interface RemotePolicy extends PolicyInput {
  /** Identifies the tool outside the process. Default: its name, with the prefix. */
  readonly id?: string
  /** The access of the tool. Default: derived from the server's statements; `destructive` if it makes none. */
  readonly access?: Access
  /** The approval level of calls. Default: the level of the escalation policy, which confirms destructive calls. */
  readonly approval?: Level
  /** `derived`: equal arguments are one action, executed once. Default: `none`. */
  readonly idempotency?: "none" | "derived"
  /**
   * How the tool is polled. Default: a read is a poll while its result is the status of unfinished work [7.2]. `false`:
   * the tool is not a poll.
   */
  readonly poll?: RemotePoll | false
}

/** The settings that have no effect on some tools. */
interface RepeatSettings extends Pick<RemotePolicy, "loop" | "repeats"> {
  readonly idempotency?: unknown
}

/**
 * Returns the policy without the settings that have no effect on a tool: on a read, those that only writes have; on a
 * polled tool, those that forbid or limit repeats; and the limit of repeats if repeats are not allowed.
 */
export const forTool = <P extends RepeatSettings>(
  { access, isPolled }: { readonly access: Access; readonly isPolled: boolean },
  policy: P
): P => {
  const { idempotency, loop, repeats, ...rest } = policy
  const isWrite = access !== "read"
  const { repeats: most, ...thresholds } = loop ?? {}
  const kept = isPolled && repeats === "once" ? undefined : repeats
  const areAllowed = (kept ?? (idempotency === "none" ? "allowed" : "once")) === "allowed"
  const isLimited = isWrite && !isPolled && areAllowed && most !== undefined
  return {
    ...rest,
    ...(isWrite && idempotency !== undefined && !(isPolled && idempotency === "derived") ? { idempotency } : {}),
    ...(isWrite && kept !== undefined ? { repeats: kept } : {}),
    ...(loop === undefined ? {} : { loop: isLimited ? loop : thresholds })
    // only optional fields are left out
  } as P
}

/** True if a policy or a definition declares a poll. */
export const isPolled = (poll: object | false | undefined): boolean => poll !== undefined && poll !== false

/** The settings of a policy, each with its allowed texts, or undefined if it has no fixed list of texts. */
const settings: { readonly [Setting in keyof Required<RemotePolicy>]: ReadonlyArray<string> | undefined } = {
  access: ["read", "write", "destructive"],
  approval: ["auto", "inform", "confirm", "block"],
  budget: undefined,
  circuit: undefined,
  concurrency: undefined,
  critical: undefined,
  deadline: undefined,
  enforce: undefined,
  id: undefined,
  idempotency: ["none", "derived"],
  limits: undefined,
  loop: undefined,
  poll: undefined,
  repeats: ["once", "allowed"],
  retry: undefined,
  timeout: undefined
}

const pollSettings = ["interval", "deadline", "until"]

/**
 * Checks a policy. Throws a RangeError that names the tool or pattern, the setting and the remedy.
 *
 * `merged` is the policy with the settings of all other patterns that apply to the same tools.
 */
export const check = (name: string, policy: RemotePolicy, merged: RemotePolicy = policy): void => {
  const given: unknown = policy
  if (!isJsonObject(given)) {
    throw new RangeError(
      `${name}: a policy must be an object, got ${FieldKind.shown(given)}; write { access: "read" } or remove it.`
    )
  }
  FieldKind.checkValues(name, "", policy, { id: FieldKind.text('a string such as "production/search"') })
  // the name of a tool is an id, whatever its characters
  if (policy.id !== undefined && policy.id !== name && !ToolId.isValid(policy.id)) {
    throw new RangeError(`${name}: ${ToolId.fault}`)
  }
  for (const [setting, value] of Object.entries(policy)) {
    if (!Object.hasOwn(settings, setting)) throw unknown(name, setting, Object.keys(settings))
    const allowed = settings[setting as keyof RemotePolicy]
    if (value === undefined || allowed === undefined || allowed.includes(value)) continue
    throw new RangeError(`${name}: \`${setting}\` must be one of ${allowed.join(", ")}.`)
  }
  for (const { fault, isBroken } of contradictions) {
    if (isBroken(policy)) throw new RangeError(`${name}: ${fault}`)
  }
  if (isUnsafeRetry(merged)) {
    const fault = "a write is retried only with `idempotency`, because a retry may do it twice"
    const remedy = "add it, or remove `retry`: after an attempt that did nothing, the write is retried anyway"
    throw new RangeError(`${name}: ${fault}; ${remedy}.`)
  }
  EffectivePolicy.resolve(name, policy, true, "in its policy")
  EffectivePolicy.fill(name, merged, true)
  pollOf(name, merged.poll)
}

interface Contradiction {
  readonly isBroken: (policy: RemotePolicy) => boolean
  readonly fault: string
}

const contradictions: ReadonlyArray<Contradiction> = [
  {
    isBroken: ({ access, idempotency }) => access === "read" && idempotency === "derived",
    fault: "`idempotency` is derived, but `access` is read, which changes nothing; remove one of them."
  },
  {
    isBroken: ({ idempotency, poll }) => isPolled(poll) && idempotency === "derived",
    fault: "`poll` repeats a call, but with `idempotency` derived identical calls run once; remove one of them."
  },
  {
    isBroken: ({ poll, repeats }) => isPolled(poll) && repeats === "once",
    fault: "`poll` repeats a call, but `repeats` is once; remove one of them."
  },
  {
    isBroken: ({ access, repeats }) => access === "read" && repeats === "once",
    fault: "`repeats` is about writes, but `access` is read; remove one of them."
  },
  {
    isBroken: ({ access, loop }) => access === "read" && loop?.repeats !== undefined,
    fault: "`loop.repeats` is for writes, but `access` is read; remove one of them."
  },
  {
    isBroken: ({ loop, poll }) => isPolled(poll) && loop?.repeats !== undefined,
    fault: "`poll` repeats a call until its result has arrived, so `loop.repeats` has no effect; remove one of them."
  }
]

const isUnsafeRetry = ({ access, idempotency, retry }: RemotePolicy): boolean =>
  access !== undefined && access !== "read" && idempotency !== "derived" && (retry?.attempts ?? 1) > 1

const unknown = (name: string, setting: string, known: ReadonlyArray<string>): RangeError => {
  const [near] = NearestName.nearest(setting, known)
  const remedy = near === undefined ? `the settings are ${known.join(", ")}` : `did you mean \`${near}\`?`
  return new RangeError(`${name}: \`${setting}\` is not a setting; ${remedy}`)
}

/**
 * Returns the poll of a definition. `dataOf` returns the data of a result that a condition reads; by default the
 * result. Throws a RangeError if the poll cannot work.
 */
export const pollOf = (
  name: string,
  poll: RemotePolicy["poll"],
  dataOf: (result: unknown) => unknown = (result) => result
): PollInput<unknown> | false | undefined => {
  if (poll === undefined || poll === false) return poll
  if (!isJsonObject(poll)) throw new RangeError(`${name}: \`poll\` must be an object, or false.`)
  for (const setting of Object.keys(poll)) {
    if (!pollSettings.includes(setting))
      throw unknown(
        name,
        `poll.${setting}`,
        pollSettings.map((each) => `poll.${each}`)
      )
  }
  const { until } = poll
  if (typeof until !== "function") {
    if (typeof until !== "object" || until === null) {
      throw new RangeError(
        `${name}: \`poll.until\` is missing; write a field and its values, such as { path: "status", in: ["done"] }.`
      )
    }
    PollCondition.check(name, until)
  }
  const input: PollInput<unknown> = {
    interval: poll.interval,
    deadline: poll.deadline,
    until:
      typeof until === "function"
        ? (result) => until(dataOf(result))
        : (result) => PollCondition.isMet(until, dataOf(result))
  }
  resolvePoll(name, input)
  return input
}
