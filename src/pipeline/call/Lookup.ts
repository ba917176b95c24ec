/** [3.3] Asks a tool's lookup whether its effect happened. */
import type { Reconcile } from "#domain/tool/ToolDefinition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Call } from "./Call.ts"
import { lineOf } from "./Crash.ts"
import type { Dispatch } from "./Stage.ts"

type LookupResult =
  /** The effect happened, and this is its result. */
  | { readonly _tag: "Found"; readonly value: unknown }
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Unknown"; readonly reason: string }

/** Calls the lookup as a guarded call. If the lookup fails, the effect stays unknown. */
export const lookUp = (
  call: Call,
  { arguments: map, found, tool }: Reconcile,
  dispatch: Dispatch
): Effect.Effect<LookupResult> =>
  Effect.suspend(() => dispatch(tool, map(call.arguments, call.idempotencyKey), call, "lookup")).pipe(
    Effect.map((answer): LookupResult => {
      if (answer._tag === "Failure") {
        return { _tag: "Unknown", reason: `${tool.toolName} failed: ${answer.failure.code}` }
      }
      const effect = found(answer.value, call.arguments)
      return Option.isSome(effect) ? { _tag: "Found", value: effect.value } : { _tag: "Absent" }
    }),
    Effect.catchDefect((error) =>
      Effect.succeed<LookupResult>({ _tag: "Unknown", reason: `the tool's reconcile failed: ${lineOf(error)}` })
    )
  )
