/** Runs the fewest statements of each step on a SQLite file, PostgreSQL and Redis. Step `i` uses a key of its own. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { hash, randomUUID } from "node:crypto"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import * as Fewest from "./fewest.ts"
import { json, keysPerTurn, outcomeText, rowBody, rowsPerRun, sum } from "./steps.ts"

/** A step of each store. */
export interface RawSteps {
  readonly budgets: (i: number) => Effect.Effect<unknown, unknown>
  readonly keys: (i: number) => Effect.Effect<unknown, unknown>
  readonly journal: (i: number) => Effect.Effect<unknown, unknown>
}

const sha256 = (text: string) => hash("sha256", text, "hex")

let writes = 0

/** What a spend and a settle of budget `i` write: digests, states that differ from each other, and the result. */
const budgetOf = (i: number) => {
  const writeId = () => `${"w".repeat(32)} ${++writes}`
  return {
    turn: sha256(`["bench","bench","${Math.floor(i / keysPerTurn)}"]`),
    key: sha256(`search_orders {"page":${i}}`),
    spent: JSON.stringify({ spent: 1, running: 1, returning: 0, writeId: writeId() }),
    state: JSON.stringify({
      spent: 1,
      running: 0,
      returning: 0,
      digest: sum,
      isAnswered: true,
      answeredEffect: "committed",
      writeId: writeId()
    }),
    result: `{"result":${json},"_tag":"Success","bytes":${json.length}}`
  }
}

/** What a claim of key `i` writes: the digest of its call, and an owner that no other claim has. */
const claimOf = (i: number) => ({
  key: `idem_${i}`,
  binding: sha256(`refund_order {"order":${i}}`),
  owner: randomUUID().replaceAll("-", ""),
  call: `call_${i}`
})

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
        const { key, result, spent, state, turn } = budgetOf(i)
        one(spend, turn, key, spent)
        const rows = settle.all(key, key, state, key, result, key, turn, turn, key, turn, key)
        if (rows.length === 0) throw new Error("A raw statement changed nothing.")
      }),
    keys: (i) =>
      Effect.sync(() => {
        const { binding, call, key, owner } = claimOf(i)
        one(claim, "bench", key, binding, owner, call)
        one(complete, outcomeText, "bench", key, owner)
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
          const ask = asking()
          const { key, result, spent, state, turn } = budgetOf(i)
          return Effect.andThen(
            ask("spend", turn, key, spent),
            ask("settle", state, result, turn, turn, key, turn, turn, key)
          )
        }),
      keys: (i) =>
        Effect.suspend(() => {
          const ask = asking()
          const { binding, call, key, owner } = claimOf(i)
          return Effect.andThen(
            ask("claim", "bench", key, binding, owner, call),
            ask("complete", outcomeText, "bench", key, owner)
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
        const { key, result, spent, state, turn } = budgetOf(i)
        const name = `${prefix}raw:{${turn}}`
        await run(spend, [name], key, spent)
        await run(settle, [name, `${name}:held`], key, state, result)
      }),
    keys: (i) =>
      Effect.promise(async () => {
        const { binding, call, key, owner } = claimOf(i)
        const name = `${prefix}rawkey:${key}`
        await run(claim, [name], binding, call, owner)
        await run(complete, [name], owner, outcomeText)
      })
  }
}
