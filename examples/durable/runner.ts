/** One runner: `runner.ts DATABASE_URL BANK_URL PORT`. Start one on each machine; the runs are distributed among them. */
import { Effect, Layer, Redacted } from "effect"
import { Guard } from "effect-toolguard"
import * as DurablePostgres from "effect-toolguard/layers/DurablePostgres"
import * as IdempotencyKeysSql from "effect-toolguard/layers/IdempotencyKeysSql"
import * as Postgres from "effect-toolguard/layers/Postgres"
import { model, Payroll, tools } from "./Payroll.ts"

const [database = "", bank = "", port = ""] = process.argv.slice(2)

const runner = Payroll.layer.pipe(
  Layer.provide([Guard.layerMemoryWith(IdempotencyKeysSql.layer), tools(bank), model]),
  // a runner without a heartbeat for 3 seconds counts as dead; the time is short, because the example kills a runner
  Layer.provide(
    DurablePostgres.layer({ host: "127.0.0.1", port: Number(port), lockExpiration: "3 seconds", handOver: "1 second" })
  ),
  Layer.provide(Postgres.layer({ url: Redacted.make(database) }))
)

// exits with its parent process, however the parent ends
process.stdin.resume().once("end", () => process.exit(1))

const running = Effect.andThen(
  Effect.sync(() => process.stdout.write("ready\n")),
  Effect.never
)
await Effect.runPromise(Effect.provide(running, runner))
