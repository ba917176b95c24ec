/** A runner of the benchmark: `runner.ts PROGRAM PLACE`. Answers each message with its CPU time and its ended runs. */
import { Effect, References } from "effect"
import { ended, type Place, type ProgramName, programs } from "./Programs.ts"

/** What a runner reports: its CPU time in microseconds since it started, and its ended runs. */
export interface Report {
  readonly micros: number
  readonly ended: number
}

const [, , name, place] = process.argv
// the benchmark starts this program with both arguments
const runner = programs[name as ProgramName].runner(JSON.parse(place ?? "") as Place)

process.on("disconnect", () => process.exit(0))
process.on("message", () => {
  const { system, user } = process.cpuUsage()
  process.send?.({ micros: system + user, ended: ended.count } satisfies Report)
})

await Effect.runPromise(
  Effect.andThen(
    Effect.sync(() => process.send?.("ready")),
    Effect.never
  ).pipe(Effect.provide(runner), Effect.provideService(References.MinimumLogLevel, "Error"))
)
