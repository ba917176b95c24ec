/** Which calls of a log are identical: the same tool, and the same arguments whatever the order of their fields. */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import type { RecordedCall } from "#kit/traffic/Conversation"
import { parsed } from "#kit/traffic/Timeline"

/** Equal for identical calls, as the guard compares them. Arguments that cannot be read are compared as written. */
export const keyOf = ({ arguments: args, name }: Pick<RecordedCall, "arguments" | "name">): string => {
  const value = parsed(args)
  return value === undefined && typeof args === "string" ? `${name} ${args}` : CallKey.of(name, value)
}
