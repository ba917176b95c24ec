/** The flags `--tenant`, `--conversation` and `--principal`, which select the data that a command reads or erases. */
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
  principal: named("principal", `Principal to ${verb}`)
})

/** Returns the selected scope; `undefined` if no flag is set. Fails if a name is empty. */
export const read = (options: {
  readonly tenant: Option.Option<string>
  readonly conversation: Option.Option<string>
  readonly principal: Option.Option<string>
}): Effect.Effect<ForgetScope | undefined, Problem> => {
  const named = [options.tenant, options.conversation, options.principal].filter(Option.isSome)
  if (named.length === 0) return Effect.undefined
  if (named.some(({ value }) => value === "")) {
    return Effect.fail(misuse("A name is empty.", "Give the tenant, conversation or principal as the host names it."))
  }
  return Effect.succeed({
    tenant: Option.getOrElse(options.tenant, () => "default"),
    conversation: Option.getOrUndefined(options.conversation),
    principal: Option.getOrUndefined(options.principal)
  })
}
