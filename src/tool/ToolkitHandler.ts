/** Runs the handler that an effect/ai toolkit's layer provides for a tool. */
import * as Compile from "#pipeline/call/ToolCompiler"
import type { HandlerContext, Implementation } from "#pipeline/call/CompiledTool"
import type * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Codec } from "./ToolClass.ts"

/** Finds the implementation of a tool in a caller's context; undefined if the toolkit's handlers are not provided. */
export const finding = (tool: Tool.Any): ((context: Context.Context<never>) => Implementation | undefined) => {
  const key = Context.Service<Tool.Handler<string>>(tool.id)
  const valueOf = answering(tool.successSchema as unknown as Codec)
  const made = new WeakMap<object, Implementation>()
  return (context) => {
    const found = Context.getOrUndefined(context as Context.Context<Tool.Handler<string>>, key)
    if (found === undefined) return undefined
    const known = made.get(found)
    if (known !== undefined) return known
    const run = (args: unknown, { callId }: HandlerContext) =>
      Effect.map(found.handler(args, { toolCallId: callId, preliminary: () => Effect.void }), valueOf)
    // the handler's requirements are met by its layer's context or its caller's
    const running = Compile.implementation(run as Implementation["handler"], found.context)
    made.set(found, running)
    return running
  }
}

/**
 * The value as a guarded handler would return it. There, text is encoded JSON unless `success` is text; here it is always
 * the value, so it is encoded.
 */
const answering = (success: Codec): ((value: unknown) => unknown) => {
  if (Compile.resultCodec(success, "value").text !== "json") return (value) => value
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(success))
  return (value) => {
    if (typeof value !== "string") return value
    try {
      return JSON.stringify(encode(value))
    } catch {
      return value
    }
  }
}
