/** Registers the tools of a toolbox with an MCP server. Each call passes the guard in the turn of its client. */
import { compiledOf } from "#pipeline/call/CompiledTool"
import { type Guard, GuardedTurn } from "#src/guard/Guard"
import type { Toolbox } from "#src/tool/Toolbox"
import type { AnyTool, RequirementsOf } from "#src/tool/ToolClass"
import type { McpRequestContext } from "effect/ai/McpSchema"
import { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Artifacts from "./Artifacts.ts"
import * as Caller from "./Caller.ts"
import * as CallResult from "./CallResult.ts"
import * as Elicitation from "./Elicitation.ts"
import * as Progress from "./Progress.ts"
import * as ServedNames from "./ServedNames.ts"
import * as ServedTool from "./ServedTool.ts"
import * as Sessions from "./Sessions.ts"

/**
 * Registers a toolbox. `silence` is the time without a call after which a client's turn ends. Dies with a `RangeError` if
 * two tools cannot be kept apart [2.10].
 */
export const register = <Tools extends AnyTool>(
  box: Toolbox<Tools>,
  silence: Duration.Input
): Effect.Effect<void, never, McpServer | RequirementsOf<Tools> | Guard> =>
  Effect.gen(function* () {
    const server = yield* McpServer
    const guard = yield* GuardedTurn
    yield* ServedNames.add(server, box.tools.values())
    yield* guard.admit(box.tools.values())
    // the services of the serving layer, to which the services of each request are added
    const services = yield* Effect.context<RequirementsOf<Tools> | Guard>()
    const sessions = yield* Sessions.make(silence)
    const questions = Elicitation.questions()
    for (const tool of box.tools.values()) {
      const compiled = compiledOf(tool)
      const call = (args: unknown) =>
        Effect.gen(function* () {
          const { identity, request, session } = yield* Caller.current
          const answer = sessions.within(session, identity, (turn) =>
            Effect.tap(box.answer({ name: tool.toolName, arguments: args ?? {}, callId: "" }), ({ text }) =>
              guard.saw(turn, text)
            )
          )
          const reported = Progress.withProgress(server, request.requestMetadata, answer)
          const result = Effect.map(reported, (it) => CallResult.toResult(compiled, it, request.protocolVersion))
          return yield* Elicitation.asking(questions, request, result)
        }).pipe(Effect.updateContext((context: Context.Context<McpRequestContext>) => Context.merge(services, context)))
      yield* server.addTool({
        tool: ServedTool.of(tool),
        annotations: Context.empty(),
        // the type of `handle` allows no requirements; the merged context provides those of the tools
        handle: call as unknown as Parameters<typeof server.addTool>[0]["handle"]
      })
    }
    yield* Artifacts.register(server, sessions)
  })
