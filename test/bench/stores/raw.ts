/** Runs the fewest statements of each step on a SQLite file, PostgreSQL and Redis. Step `i` uses a key of its own. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import * as Fewest from "./fewest.ts"
import { keysPerTurn, outcomeText, rowBody, rowsPerRun, sum } from "./steps.ts"

/** A step of each store. */
export interface RawSteps {
  readonly budgets: (i: number) => Effect.Effect<unknown, unknown>
  readonly keys: (i: number) => Effect.Effect<unknown, unknown>
  readonly journal: (i: number) => Effect.Effect<unknown, unknown>
}

/** A state of a budget, as long as those of the store. */
const state = JSON.stringify({
  spent: 1,
  running: 0,
  returning: 0,
  digest: sum,
  isAnswered: true,
  answeredEffect: "committed",
  writeId: `${"w".repeat(32)} 1`
})
const spentState = JSON.stringify({ spent: 1, running: 1, returning: 0, writeId: `${"w".repeat(32)} 1` })

const turnOf = (i: number) => String(Math.floor(i / keysPerTurn)).padStart(64, "0")
const keyOf = (i: number) => String(i).padStart(64, "0")

interface RawRun {
  readonly id: string
  count: number
}

/** Creates the function that lends a run, so that concurrent steps write to different runs. */
const runs = () => {
  const free: Array<RawRun> = []
  let made = 0
  return {
    take: (): RawRun => free.pop() ?? { id: `run_${++made}`, count: 0 },
    put: (run: RawRun): void => {
      if (run.count < rowsPerRun) free.push(run)
    }
  }
}

const must = (rows: { readonly length: number }) => {
  if (rows.length !== 1) throw new Error("A raw statement changed nothing.")
}

/** Runs the statements of SQLite, prepared once, on a file of their own with the pragmas of the store. */
export const onSqlite = (filename: string): RawSteps & { readonly close: () => void } => {
  const db = new DatabaseSync(filename)
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  for (const table of Fewest.tables) db.exec(table)
  const prepare = (text: string): StatementSync => db.prepare(text.replaceAll("$", "?"))
  const [spend, settle] = [prepare(Fewest.sqlite.spend), prepare(Fewest.sqlite.settle)]
  const [claim, complete] = [prepare(Fewest.sqlite.claim), prepare(Fewest.sqlite.complete)]
  const [own, row, newRun] = [prepare(Fewest.sqlite.own), prepare(Fewest.sqlite.row), prepare(Fewest.newRun)]
  const [begin, commit] = [prepare("BEGIN IMMEDIATE"), prepare("COMMIT")]
  const one = (statement: StatementSync, ...values: ReadonlyArray<SQLInputValue>) => must(statement.all(...values))
  const lent = runs()
  const append = (run: RawRun) => {
    begin.run()
    one(own, sum, "bench", run.id, "owner", run.count)
    row.run("bench", run.id, ++run.count, rowBody, sum)
    commit.run()
  }
  return {
    budgets: (i) =>
      Effect.sync(() => {
        const [turn, key] = [turnOf(i), keyOf(i)]
        one(spend, turn, key, spentState)
        const rows = settle.all(key, key, state, key, outcomeText, key, turn, turn, key, turn, key)
        if (rows.length === 0) throw new Error("A raw statement changed nothing.")
      }),
    keys: (i) =>
      Effect.sync(() => {
        const key = `idem_${i}`
        one(claim, "bench", key, sum, sum.slice(32), `call_${i}`)
        one(complete, outcomeText, "bench", key, sum.slice(32))
      }),
    journal: () =>
      Effect.sync(() => {
        const run = lent.take()
        if (run.count === 0) newRun.run(run.id)
        append(run)
        append(run)
        lent.put(run)
      }),
    close: () => db.close()
  }
}

/** Runs the statements of PostgreSQL on connections of the driver, prepared by their text. */
export const onPostgres = (connections: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const table of Fewest.tables) yield* sql.unsafe(table)
    const free = yield* Effect.forEach(Array.from({ length: connections }), () => sql.reserve)
    const texts = Object.fromEntries(
      Object.entries({ ...Fewest.postgres, newRun: Fewest.newRun }).map(([name, text]) => [name, Fewest.numbered(text)])
    ) as Readonly<Record<keyof typeof Fewest.postgres | "newRun", string>>
    const lent = runs()
    let next = 0
    /** Uses a connection for each step. A connection runs one statement after the other. */
    const asking = () => {
      const connection = free[next++ % connections]
      return (name: keyof typeof texts, ...values: ReadonlyArray<unknown>) =>
        connection === undefined
          ? Effect.die("no connection")
          : Effect.map(connection.execute(texts[name], values, undefined), must)
    }
    const steps: RawSteps = {
      budgets: (i) =>
        Effect.suspend(() => {
          const [ask, turn, key] = [asking(), turnOf(i), keyOf(i)]
          return Effect.andThen(
            ask("spend", turn, key, spentState),
            ask("settle", state, outcomeText, turn, turn, key, turn, turn, key)
          )
        }),
      keys: (i) =>
        Effect.suspend(() => {
          const [ask, key] = [asking(), `idem_${i}`]
          return Effect.andThen(
            ask("claim", "bench", key, sum, sum.slice(32), `call_${i}`),
            ask("complete", outcomeText, "bench", key, sum.slice(32))
          )
        }),
      journal: () =>
        Effect.suspend(() => {
          const [ask, run] = [asking(), lent.take()]
          const append = Effect.suspend(() =>
            ask("append", sum, "bench", run.id, "owner", run.count, "bench", run.id, ++run.count, rowBody, sum)
          )
          const made = run.count === 0 ? ask("newRun", run.id) : Effect.void
          return Effect.ensuring(
            Effect.andThen(made, Effect.andThen(append, append)),
            Effect.sync(() => lent.put(run))
          )
        })
    }
    return steps
  })

/** Runs the scripts of Redis, loaded once. */
export const onRedis = async (
  client: { readonly sendCommand: (command: Array<string>) => Promise<unknown> },
  prefix: string
): Promise<Pick<RawSteps, "budgets" | "keys">> => {
  const load = async (lua: string) => String(await client.sendCommand(["SCRIPT", "LOAD", lua]))
  const [spend, settle] = [await load(Fewest.redis.spend), await load(Fewest.redis.settle)]
  const [claim, complete] = [await load(Fewest.redis.claim), await load(Fewest.redis.complete)]
  const run = async (sha: string, keys: ReadonlyArray<string>, ...values: ReadonlyArray<string>) => {
    if ((await client.sendCommand(["EVALSHA", sha, String(keys.length), ...keys, ...values])) === 0)
      throw new Error("A raw script changed nothing.")
  }
  return {
    budgets: (i) =>
      Effect.promise(async () => {
        const [turn, key] = [`${prefix}raw:{${turnOf(i)}}`, keyOf(i)]
        await run(spend, [turn], key, spentState)
        await run(settle, [turn, `${turn}:held`], key, state, outcomeText)
      }),
    keys: (i) =>
      Effect.promise(async () => {
        const key = `${prefix}rawkey:idem_${i}`
        await run(claim, [key], sum, `call_${i}`, sum.slice(32))
        await run(complete, [key], sum.slice(32), outcomeText)
      })
  }
}
