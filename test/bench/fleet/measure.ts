/**
 * Measures what a durable run costs a fleet, beside a bare Effect workflow with as many activities.
 *
 * **Details**
 *
 * - Each program has its own database and its own runner processes, with the default times. Batches of runs of the two
 *   programs alternate. Another process starts the runs. Figures are medians over the batches.
 * - The CPU of the runners is `process.cpuUsage` of their processes, from the start of a batch until all its runs have
 *   ended. The CPU of PostgreSQL is `utime + stime` in `/proc/PID/stat` of the backends of the program's database; it is
 *   missing if PostgreSQL does not run on this machine.
 * - Rows are those of all tables of the database after all runs have ended, before a sweep. Bytes are the sizes of all
 *   tables after `VACUUM FULL`, with and without their indexes. The sizes without runs are subtracted.
 */
import { Effect, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "#layers/Postgres"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { bundle } from "../../support/bundle.ts"
import { freshDatabase } from "../../support/servers.ts"
import { median } from "../measure.ts"
import { type ProgramName, programs } from "./Programs.ts"
import type { Report } from "./runner.ts"

interface Figures {
  readonly program: ProgramName
  readonly runners: number
  /** CPU milliseconds per run. `null`: PostgreSQL does not run on this machine. */
  readonly runnerMillis: number
  readonly postgresMillis: number | null
  readonly rows: number
  /** Bytes of tables, and of tables with their indexes. */
  readonly bytes: number
  readonly bytesWithIndexes: number
}

interface Size {
  readonly rows: number
  readonly bytes: number
  readonly bytesWithIndexes: number
}

interface FleetOptions {
  readonly batches: number
  readonly runsPerBatch: number
}

/** Linux counts the CPU time of processes in hundredths of a second. */
const millisPerTick = 10

/** Returns the CPU milliseconds that a process has used, or undefined if this machine does not have the process. */
const cpuOf = (pid: number): number | undefined => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
    return (Number(fields[11]) + Number(fields[12])) * millisPerTick
  } catch {
    return undefined
  }
}

const firstPort = 34_500

const start = async (program: ProgramName, url: string, port: number): Promise<ChildProcess> => {
  const child = fork(await bundle("test/bench/fleet/runner.ts"), [program, JSON.stringify({ url, port })])
  await once(child, "message")
  return child
}

const report = async (runner: ChildProcess): Promise<Report> => {
  const answer = once(runner, "message")
  runner.send("report")
  const [sent] = await answer
  return sent as Report // the only message that a runner sends after `ready`
}

const total = (reports: ReadonlyArray<Report>): Report => ({
  micros: reports.reduce((sum, { micros }) => sum + micros, 0),
  ended: reports.reduce((sum, { ended }) => sum + ended, 0)
})

/** Starts the runners of one program on a new database. */
const fleet = (program: ProgramName, runners: number, port: number) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(`fleet_${program}`)
    const sql = ManagedRuntime.make(Postgres.layer({ url: Redacted.make(url), maxConnections: 1 }))
    const client = ManagedRuntime.make(programs[program].client(url))
    const children: Array<ChildProcess> = []
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        for (const child of children) child.kill("SIGKILL")
        await client.dispose()
        await sql.dispose()
      })
    )
    const query = <A extends object>(statement: string) =>
      sql.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(statement)))
    const size = async (): Promise<Size> => {
      await query("VACUUM FULL ANALYZE")
      const tables = await query<{ readonly name: string; readonly bytes: string; readonly all: string }>(
        `SELECT relname AS name, pg_table_size(oid) AS bytes, pg_total_relation_size(oid) AS all
         FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
      )
      const counts = await Promise.all(
        tables.map(({ name }) => query<{ readonly rows: string }>(`SELECT COUNT(*) AS rows FROM ${name}`))
      )
      return {
        rows: counts.flat().reduce((sum, { rows }) => sum + Number(rows), 0),
        bytes: tables.reduce((sum, { bytes }) => sum + Number(bytes), 0),
        bytesWithIndexes: tables.reduce((sum, { all }) => sum + Number(all), 0)
      }
    }
    /** Backends that ended keep the time that they had used at the last look. */
    const backends = new Map<number, number>()
    const postgresMillis = async () => {
      const found = await query<{ readonly pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
      )
      const times = found.map(({ pid }) => [pid, cpuOf(pid)] as const)
      for (const [pid, millis] of times) if (millis !== undefined) backends.set(pid, millis)
      return times.every(([, millis]) => millis !== undefined)
        ? [...backends.values()].reduce((sum, millis) => sum + millis, 0)
        : undefined
    }
    const look = async () => ({
      ...total(await Promise.all(children.map(report))),
      postgres: await postgresMillis()
    })
    let started = 0
    /** Executes a batch of runs, and returns the CPU milliseconds per run. */
    const batch = async (runs: number) => {
      const before = await look()
      const names = Array.from({ length: runs }, () => `run ${(started += 1)}`)
      await client.runPromise(
        Effect.forEach(names, (name): Effect.Effect<unknown, unknown, any> => programs[program].start(name), {
          concurrency: 10,
          discard: true
        }) as Effect.Effect<void, unknown, never> // the client provides the engine
      )
      const slept = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
      while (total(await Promise.all(children.map(report))).ended < before.ended + runs) await slept(100)
      await slept(500) // the engine stores the ends
      const after = await look()
      return {
        runner: (after.micros - before.micros) / 1000 / runs,
        postgres:
          after.postgres === undefined || before.postgres === undefined
            ? undefined
            : (after.postgres - before.postgres) / runs
      }
    }
    for (let i = 0; i < runners; i++) children.push(yield* Effect.promise(() => start(program, url, port + i)))
    yield* Effect.promise(() => client.runPromise(Effect.sleep("3 seconds"))) // the runners have their shards
    return { batch, size, runs: () => started }
  })

/** Measures both programs with a number of runners. */
export const measureFleet = (runners: number, { batches, runsPerBatch }: FleetOptions) =>
  Effect.gen(function* () {
    const fleets = [
      { program: "bare", ...(yield* fleet("bare", runners, firstPort)) },
      { program: "agent", ...(yield* fleet("agent", runners, firstPort + 10)) }
    ] as const
    return yield* Effect.promise(async () => {
      const empty = new Map<ProgramName, Size>()
      for (const { batch, program, size } of fleets) {
        empty.set(program, await size())
        await batch(runsPerBatch) // the warm-up
      }
      const spent = new Map(
        fleets.map(({ program }) => [program, [] as Array<{ runner: number; postgres?: number | undefined }>])
      )
      for (let i = 0; i < batches; i++) {
        for (const { batch, program } of fleets) spent.get(program)?.push(await batch(runsPerBatch))
      }
      const figures: Array<Figures> = []
      for (const { program, runs, size } of fleets) {
        const [before, after] = [empty.get(program), await size()]
        const perRun = (of: keyof Size) => (after[of] - (before?.[of] ?? 0)) / runs()
        const costs = spent.get(program) ?? []
        const postgres = costs.flatMap(({ postgres }) => postgres ?? [])
        figures.push({
          program,
          runners,
          runnerMillis: median(costs.map(({ runner }) => runner)),
          postgresMillis: postgres.length === 0 ? null : median(postgres),
          rows: perRun("rows"),
          bytes: perRun("bytes"),
          bytesWithIndexes: perRun("bytesWithIndexes")
        })
      }
      return figures
    })
  }).pipe(Effect.scoped)
