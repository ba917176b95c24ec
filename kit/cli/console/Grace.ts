/** Lets the running calls of a command finish when the process is stopped: the flag `--grace`, and the drain. */
import * as GracefulShutdown from "effect-toolguard/layers/GracefulShutdown"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const grace = Flag.Int("grace").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400 }))),
  Flag.withMetavar("<seconds>"),
  Flag.withDescription("Seconds for running calls to finish after SIGTERM or SIGINT. Default: 30"),
  Flag.withDefault(30)
)

/** Drains a command before an interruption reaches it. */
export const draining = <A, E, R>(
  command: Effect.Effect<A, E, R>,
  { grace }: { readonly grace: number }
): Effect.Effect<A, E, R> => GracefulShutdown.run({ grace: Duration.seconds(grace) })(command)
