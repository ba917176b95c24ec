/** A runner process: `runner.ts OPTIONS`, where OPTIONS is JSON. Prints `ready` when it executes runs. */
import * as GracefulShutdown from "#layers/GracefulShutdown"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { runner, type RunnerOptions } from "./World.ts"

const options = JSON.parse(process.argv[2] ?? "") as RunnerOptions

// this process exits when the process that started it exits
process.stdin.resume().once("end", () => process.exit(1))

const running = Effect.andThen(
  Effect.sync(() => process.stdout.write("ready\n")),
  Effect.never
)
// SIGTERM interrupts the runner, which then gives its shards back
const main = Effect.provide(running, runner(options))
NodeRuntime.runMain(options.drains === true ? GracefulShutdown.run()(main) : main)
