/** A runner process: `runner.ts OPTIONS`, as JSON. Says `ready` when it takes runs, and goes on until it is killed. */
import { Effect } from "effect"
import { runner, type RunnerOptions } from "./World.ts"

const options = JSON.parse(process.argv[2] ?? "") as RunnerOptions

// ends with the process that has started it, however that ends
process.stdin.resume().once("end", () => process.exit(1))

const running = Effect.andThen(
  Effect.sync(() => process.stdout.write("ready\n")),
  Effect.never
)
await Effect.runPromise(Effect.provide(running, runner(options)))
