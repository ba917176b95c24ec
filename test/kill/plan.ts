/** The tasks and reports that the harness and its workers exchange. */

/** The moments at which a process is killed, in the order of one write. */
export const points = [
  "before claim",
  "after claim",
  "effect sent",
  "effect done, before its answer",
  "before complete",
  "in commit",
  "before the journal"
] as const
export type Point = (typeof points)[number]

/**
 * How the tool learns whether a killed process completed a write: by a key that its upstream honours, by a lookup, or not
 * at all, with a derived key or without a key.
 */
export const modes = ["honoured key", "lookup", "own key", "no key"] as const
export type Mode = (typeof modes)[number]

/** Returns the beginning of the names of a task's keys in Redis. `folder` is the folder of the task's databases. */
export const redisPrefix = (folder: string): string => `toolguard-kill-${folder}:`

/** The task of a worker, as JSON in its first argument. */
export interface Task {
  readonly database: string
  /** The address of the Redis that keeps the keys; absent if they are in the database, with the journal. */
  readonly redis?: string
  readonly service: string
  readonly mode: Mode
  /** The runs to start or resume. */
  readonly runs: ReadonlyArray<string>
  /** The number of writes of each run, one per round. */
  readonly writes: number
  /** Where the process kills itself; absent if it runs to the end. */
  readonly point?: Point
  /** Removes the stage `claim`, to show that the harness detects its absence. */
  readonly withoutClaim?: boolean
}

/** The line of JSON that a worker prints for each run that ended. */
export interface Report {
  readonly run: string
  readonly end: string
  /** The transcript as JSON, without trace ids. */
  readonly transcript: string
  /** Writes that were reported to the model as unknown. */
  readonly unknown: ReadonlyArray<string>
}
