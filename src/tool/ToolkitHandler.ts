/** Runs the handler that an effect/ai toolkit's layer provides for a tool. */
import * as Compile from "#pipeline/call/ToolCompiler"
import type { HandlerContext, Implementation } from "#pipeline/call/CompiledTool"
import type * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Codec } from "./ToolClass.ts"

/**
 * Returns a function that finds the implementation of a tool in a caller's context; undefined if the toolkit's handlers
 * are not provided.
 */
export const finding = (tool: Tool.Any): ((context: Context.Context<never>) => Implementation | undefined) => {
  const key = Context.Service<Tool.Handler<string>>(tool.id)
  // `fromToolkit` has refused schemas with services, so the others are codecs
  const answerOf = answering(tool.successSchema as unknown as Codec)
  const implementations = new WeakMap<object, Implementation>()
  return (context) => {
    // the type of the context does not say whether it has the handler
    const found = Context.getOrUndefined(context as Context.Context<Tool.Handler<string>>, key)
    if (found === undefined) return undefined
    const known = implementations.get(found)
    if (known !== undefined) return known
    const run = (args: unknown, { callId }: HandlerContext) =>
      Effect.map(found.handler(args, { toolCallId: callId, preliminary: () => Effect.void }), answerOf)
    // the context of the layer or of the caller provides the requirements of the handler
    const running = Compile.implementation(run as Implementation["handler"], found.context)
    implementations.set(found, running)
    return running
  }
}

/**
 * Converts a toolkit's value to the answer of a guarded handler. A guarded handler returns text as encoded JSON unless
 * `success` is text, but a toolkit's handler returns text as the value. Such text is therefore encoded.
 */
const answering = (success: Codec): ((value: unknown) => unknown) => {
  if (Compile.resultCodec(success, "value", false).text !== "json") return (value) => value
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
