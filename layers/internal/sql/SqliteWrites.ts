/**
 * Commits the concurrent writes of a process to one SQLite file together: they share one transaction, and therefore one
 * flush of the disk.
 *
 * **Details**
 *
 * - The first write of a turn of the event loop runs at once, and so do the next writes of the same fiber, each a step
 *   with a timeout or not. The writes of other fibers wait for the end of the turn, when all of them are known.
 * - A write gets its answer only after the transaction is on disk.
 * - Statements keep their order: a write sees the writes before it, and so does every other statement.
 * - If a statement fails, the transaction is rolled back, and each of its writes runs in a transaction of its own, so
 *   that only the failing write fails. If the transaction itself fails, all its writes fail, and none is on disk.
 * - An interrupted write that has not run is not run.
 * - A transaction of a `SqlClient` holds the connection: writes wait until it ends.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { DatabaseSync } from "node:sqlite"
import * as Timeout from "#layers/internal/stores/Timeout"

/** The text of a statement, and its parameters. */
type Compiled = readonly [sql: string, params: ReadonlyArray<unknown>]

/** Runs a statement now, and returns its rows. Throws the error of the driver. */
type RunNow = (statement: Compiled, isBigInt: boolean) => ReadonlyArray<never>

/** The writes of one file. */
export interface SqliteWrites {
  /**
   * Runs a statement and returns its rows. If it returned a row, `also` runs in the same transaction. Must not be used
   * within a transaction.
   */
  readonly write: (statement: Compiled, also?: Compiled) => Effect.Effect<ReadonlyArray<never>, SqlError>
  /**
   * Runs the waiting writes now. Must be called before any other statement uses the connection, so that statements keep
   * their order.
   */
  readonly flush: () => void
}

const writesByClient = new WeakMap<SqlClient.SqlClient, SqliteWrites>()

/** Returns the writes of the file that a client uses; undefined for another client. */
export const of = (client: SqlClient.SqlClient): SqliteWrites | undefined => writesByClient.get(client)

/** Names the writes of the file that a client uses. */
export const register = (client: SqlClient.SqlClient, writes: SqliteWrites): void =>
  void writesByClient.set(client, writes)

interface Write {
  readonly statement: Compiled
  readonly also: Compiled | undefined
  readonly isBigInt: boolean
}

interface Waiting extends Write {
  readonly resume: (answer: Effect.Effect<ReadonlyArray<never>, SqlError>) => void
}

/** The maximum number of writes in one transaction, which bounds how long the thread is blocked. */
const maxWrites = 256

/** Creates the writes of a file. `semaphore` guards its connection. */
export const make = (
  db: DatabaseSync,
  semaphore: Semaphore.Semaphore,
  runNow: RunNow,
  failure: (cause: unknown) => SqlError
): SqliteWrites => {
  const waiting: Array<Waiting> = []
  const control = (text: string) => void runNow([text, []], false)

  const runOne = ({ also, isBigInt, statement }: Write): ReadonlyArray<never> => {
    const rows = runNow(statement, isBigInt)
    if (also !== undefined && rows.length > 0) runNow(also, isBigInt)
    return rows
  }
  /** Runs writes in one transaction. Returns undefined if a statement failed, and throws if the transaction failed. */
  const together = (writes: ReadonlyArray<Write>): ReadonlyArray<ReadonlyArray<never>> | undefined => {
    control("BEGIN IMMEDIATE")
    let answers: ReadonlyArray<ReadonlyArray<never>> | undefined
    try {
      answers = writes.map(runOne)
    } catch {
      // the writes run again one by one, and the failing write reports its error
    }
    try {
      if (answers !== undefined) control("COMMIT")
      return answers
    } finally {
      if (db.isTransaction) control("ROLLBACK")
    }
  }
  /** Runs a write in a transaction of its own. One statement needs no other statements for that. */
  const alone = (write: Write): ReadonlyArray<never> => {
    if (write.also === undefined) return runOne(write)
    control("BEGIN IMMEDIATE")
    try {
      const rows = runOne(write)
      control("COMMIT")
      return rows
    } finally {
      if (db.isTransaction) control("ROLLBACK")
    }
  }
  const answerOf = (write: Write): Effect.Effect<ReadonlyArray<never>, SqlError> => {
    try {
      return Effect.succeed(alone(write))
    } catch (cause) {
      return Effect.fail(failure(cause))
    }
  }
  const answersOf = (writes: ReadonlyArray<Write>): ReadonlyArray<Effect.Effect<ReadonlyArray<never>, SqlError>> => {
    try {
      // a rollback that failed is tried again
      if (db.isTransaction) control("ROLLBACK")
      if (writes.length === 1) return writes.map(answerOf)
      return together(writes)?.map((rows) => Effect.succeed(rows)) ?? writes.map(answerOf)
    } catch (cause) {
      const failed = Effect.fail(failure(cause))
      return writes.map(() => failed)
    }
  }
  const flush = () => {
    // an answer may continue a caller that adds writes, which run later
    for (let left = waiting.length; left > 0 && waiting.length > 0;) {
      const writes = waiting.splice(0, Math.min(left, maxWrites))
      left -= writes.length
      const answers = answersOf(writes)
      for (const [i, answer] of answers.entries()) writes[i]?.resume(answer)
    }
  }
  /** Whose writes run at once in this turn: those of the first fiber that writes, of one fiber, or of none. */
  let leader: "first" | "none" | number = "first"
  let isScheduled = false
  const endTurn = Effect.sync(() => {
    isScheduled = false
    // the callers that continue now write at the same time
    leader = "none"
    flush()
    if (!isScheduled) leader = "first"
  })
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      if (waiting.length > 0) return void Effect.runFork(semaphore.withPermit(endTurn))
      isScheduled = false
      leader = "first"
    })
  }
  const later = (write: Write) =>
    Effect.callback<ReadonlyArray<never>, SqlError>((resume) => {
      const one: Waiting = { ...write, resume }
      waiting.push(one)
      schedule()
      return Effect.sync(() => {
        const at = waiting.indexOf(one)
        if (at >= 0) waiting.splice(at, 1)
      })
    })
  /** Runs a write now, after the writes that wait. */
  const now = (write: Write): Effect.Effect<ReadonlyArray<never>, SqlError> => {
    flush()
    return answersOf([write])[0] ?? Effect.succeed([])
  }
  return {
    flush,
    write: (statement, also) =>
      Effect.withFiber((fiber) => {
        const write = { statement, also, isBigInt: Context.get(fiber.context, SqlClient.SafeIntegers) }
        const caller = Timeout.callerOf(fiber)
        if (leader !== "first" && leader !== caller) return later(write)
        leader = caller
        schedule()
        return Effect.flatMap(
          semaphore.withPermitsIfAvailable(1)(Effect.suspend(() => now(write))),
          Option.match({ onNone: () => later(write), onSome: (rows) => Effect.succeed(rows) })
        )
      })
  }
}
