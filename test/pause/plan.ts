/** Defines the tasks and answers that the tests of paused processes exchange with their workers. */

/** The moments at which a process is paused, in the order of one write. */
export const points = [
  "before claim",
  "approval consumed",
  "claim answered",
  "before the check",
  "renewal answered",
  "lookup answered",
  "before the effect",
  "after the effect",
  "before complete"
] as const
export type Point = (typeof points)[number]

/**
 * The tools: with a key that only the guard knows, with a lookup, with a key that the upstream honours, with a lookup and
 * an upstream that refuses a lower fencing token, and with an approval of a person. A checked tool calls `ensureLease`
 * before its effect.
 */
export const modes = [
  "own key",
  "own key, checked",
  "lookup",
  "lookup, checked",
  "honoured key",
  "fencing token",
  "approval"
] as const
export type Mode = (typeof modes)[number]

export const isChecked = (mode: Mode): boolean => mode.endsWith(", checked")

/** True if a lookup finds out whether the effect happened. */
export const isLookedUp = (mode: Mode): boolean => mode.startsWith("lookup") || mode === "fencing token"

/** The task of a worker, as JSON in its first argument. */
export interface Task {
  /** The path of a SQLite file, or the address of PostgreSQL or Redis. */
  readonly store: string
  /** Where the upstreams keep their effects, one file per mode. */
  readonly folder: string
  /** The modes whose tools the process calls, all at once. */
  readonly modes: ReadonlyArray<Mode>
  /** Where the process stops itself when all its calls have arrived; absent if it runs to the end. */
  readonly point?: Point
}

/** The answer to the caller of a tool: `success`, or the code of the failure. */
export type Answers = Readonly<Partial<Record<Mode, string>>>
