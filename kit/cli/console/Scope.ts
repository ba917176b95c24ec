/**
 * Defines the flags `--tenant`, `--conversation`, `--principal` and `--turn`, which select the data that a command
 * reads or erases.
 */
import type { ForgetScope } from "effect-toolguard/services/Forget"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { misuse, type Problem } from "./Problem.ts"

const named = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("<name>"), Flag.withDescription(description), Flag.optional)

/** Creates the flags. `verb` is the action of the command on the selected data, such as `erase`. */
export const flags = (verb: string) => ({
  tenant: named("tenant", `Tenant to ${verb}. If only another name is given: default`),
  conversation: named("conversation", `Conversation to ${verb}`),
  principal: named("principal", `Principal to ${verb}`),
  turn: named("turn", `Turn to ${verb}, with its --conversation and any --principal`)
})

/**
 * Returns the selected scope; `undefined` if no flag is set. Fails if a name is empty, or a turn has no conversation.
 */
export const read = (options: {
  readonly tenant: Option.Option<string>
  readonly conversation: Option.Option<string>
  readonly principal: Option.Option<string>
  readonly turn: Option.Option<string>
}): Effect.Effect<ForgetScope | undefined, Problem> => {
  const named = [options.tenant, options.conversation, options.principal, options.turn].filter(Option.isSome)
  if (named.length === 0) return Effect.undefined
  if (named.some(({ value }) => value === "")) {
    return Effect.fail(misuse("A name is empty.", "Give the tenant, conversation or principal as the host names it."))
  }
  if (Option.isSome(options.turn) && Option.isNone(options.conversation)) {
    return Effect.fail(misuse("--turn needs --conversation.", "The ids of turns are unique within a conversation."))
  }
  return Effect.succeed({
    tenant: Option.getOrElse(options.tenant, () => "default"),
    conversation: Option.getOrUndefined(options.conversation),
    principal: Option.getOrUndefined(options.principal),
    turn: Option.getOrUndefined(options.turn)
  })
}
