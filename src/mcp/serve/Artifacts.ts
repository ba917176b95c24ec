/** Serves large results as resources: `resources/read` returns the whole result of a `resource_url`. */
import * as McpSchema from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Guard, GuardedTurn } from "#src/guard/Guard"
import * as Caller from "./Caller.ts"
import type { Sessions } from "./Sessions.ts"

const template = new McpSchema.ResourceTemplate({
  uriTemplate: "artifact://{id}",
  name: "Large results",
  description: "A complete result that was too large to return. Valid in the session that received the link.",
  mimeType: "application/json"
})

/** Adds the template to a server. */
export const register = (server: McpServer["Service"], sessions: Sessions): Effect.Effect<void, never, Guard> =>
  Effect.flatMap(GuardedTurn, (guard) => {
    const read = (uri: string) =>
      Effect.flatMap(Caller.current, ({ identity, session }) =>
        sessions.within(session, identity, (turn) =>
          guard.readKept(turn, uri).pipe(
            Effect.mapError(
              () => new McpSchema.InternalError({ message: "The store of large results is unavailable." })
            ),
            Effect.flatMap((text) =>
              text === undefined
                ? // expired links and links that never existed get the same answer
                  Effect.fail(
                    new McpSchema.InvalidParams({
                      message: `${uri.slice(0, 100)} cannot be read: it does not exist, or it has expired.`
                    })
                  )
                : Effect.succeed({ contents: [{ uri, mimeType: "application/json", text }] })
            )
          )
        )
      )
    return server.addResourceTemplate({
      template,
      annotations: Context.empty(),
      routerPath: "artifact:://:id",
      completions: {},
      handle: (uri) => read(uri)
    })
  })
