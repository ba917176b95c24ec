/** What is killed where: shared by the harness and its worker. */

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
 * How the tool may find out what a dead process did: by the key that its upstream honours, by a lookup, or not at all, with
 * a key of its own or without any.
 */
export const modes = ["honoured key", "lookup", "own key", "no key"] as const
export type Mode = (typeof modes)[number]

/** What a worker is told, as JSON in its first argument. */
export interface Order {
  readonly database: string
  readonly service: string
  readonly mode: Mode
  /** Runs to make or go on with. */
  readonly runs: ReadonlyArray<string>
  /** Writes of each run, one a round. */
  readonly writes: number
  /** Where the process kills itself; absent where it goes to the end. */
  readonly point?: Point
  /** Leaves the stage `claim` out, to show that the harness would see it. */
  readonly withoutClaim?: boolean
}

/** What a worker prints of each run that ended. */
export interface Report {
  readonly run: string
  readonly end: string
  /** The transcript as JSON, without the ids of traces. */
  readonly transcript: string
  /** Writes that the model was told of as unknown. */
  readonly unknown: ReadonlyArray<string>
}
