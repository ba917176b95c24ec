/** Defines the flags of an order, which say who gives the order and why, and checks its texts. */
import { type HaltOrder, longestName, longestReason } from "effect-toolguard/internal/domain/tool/Halt"
import { systemUser } from "effect-toolguard/internal/layers/terminal/SystemUser"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { misuse, type Problem } from "#kit/cli/console/Problem"

/** `--by`: who gives the order. */
export const by = Flag.String("by").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("Name stored with the order; the model reads it. Default: the user of this machine"),
  Flag.optional
)

/** `--reason`: why the order is given. */
export const reason = Flag.String("reason").pipe(
  Flag.withAlias("r"),
  Flag.withMetavar("<text>"),
  Flag.withDescription("Reason, which the model reads if a halt refuses its call. Default: none"),
  Flag.withDefault("")
)

/** Creates an order. Fails if the tool's name or `--by` is empty, or if a text is too long. */
export const make = (tool: string, by: Option.Option<string>, reason: string): Effect.Effect<HaltOrder, Problem> => {
  const name = Option.getOrElse(by, systemUser)
  if (tool.trim() === "") return misuse("The name of the tool is empty.", "Name the tool as the model calls it.")
  if (name.trim() === "") return misuse("--by is empty.", "Name who gives the order, or leave the flag out.")
  if (name.length > longestName) {
    return misuse(`--by has ${name.length} characters.`, `Write at most ${longestName}.`)
  }
  if (reason.length > longestReason) {
    return misuse(`The reason has ${reason.length} characters.`, `Write at most ${longestReason}.`)
  }
  return Effect.succeed({ tool, by: name, reason })
}
