/**
 * One runner: `runner.ts DATABASE_URL BANK_URL PORT`. All runners of the example are processes of this machine, and the
 * runs are distributed among them.
 */
import { Effect, Layer, Redacted } from "effect"
import { Guard } from "effect-toolguard"
import * as DurablePostgres from "effect-toolguard/layers/DurablePostgres"
import * as IdempotencyKeysSql from "effect-toolguard/layers/IdempotencyKeysSql"
import * as Postgres from "effect-toolguard/layers/Postgres"
import { model, Payroll, tools } from "./Payroll.ts"

const [database = "", bank = "", port = ""] = process.argv.slice(2)

const runner = Payroll.layer.pipe(
  Layer.provide([Guard.layerMemoryWith(IdempotencyKeysSql.layer), tools(bank), model]),
  // a runner counts as dead after 3 seconds without a heartbeat: short, because the example kills a runner.
  // In production, use the default: a busy machine sends heartbeats late
  Layer.provide(
    DurablePostgres.layer({ host: "127.0.0.1", port: Number(port), lockExpiration: "3 seconds", handOver: "1 second" })
  ),
  Layer.provide(Postgres.layer({ url: Redacted.make(database) }))
)

// this process exits when its parent process ends, even if the parent is killed
process.stdin.resume().once("end", () => process.exit(1))

const running = Effect.andThen(
  Effect.sync(() => process.stdout.write("ready\n")),
  Effect.never
)
await Effect.runPromise(Effect.provide(running, runner))
