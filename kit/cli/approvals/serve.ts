/** `toolguard approvals serve`: serves the inbox on this machine, on the database of the guard's stores. */
import { Approvers } from "effect-toolguard/services/Approvers"
import * as ApproversList from "effect-toolguard/layers/ApproversList"
import * as EscalationHttp from "effect-toolguard/layers/EscalationHttp"
import * as GracefulShutdown from "effect-toolguard/layers/GracefulShutdown"
import { isPublicUrl } from "effect-toolguard/internal/layers/inbox/PublicUrl"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { misuse, problem } from "#kit/cli/console/Problem"
import { inboxStores } from "./Database.ts"
import { database } from "#kit/cli/console/Flags"
import * as ServerBounds from "#kit/cli/console/ServerBounds"

const approvers = Layer.catch(ApproversList.layerConfig, (): Layer.Layer<Approvers, ReturnType<typeof misuse>> =>
  Layer.effect(
    Approvers,
    Effect.fail(
      misuse(
        "TOOLGUARD_APPROVERS is not a list of approvers.",
        "Set it to a JSON array of the entries that toolguard approvals token NAME prints."
      )
    )
  )
)

const port = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 }))

export const serve = Command.make(
  "serve",
  {
    database,
    ...ServerBounds.flags,
    port: Flag.Int("port").pipe(
      Flag.withSchema(port),
      Flag.withMetavar("<n>"),
      Flag.withDescription("Port on 127.0.0.1. Default: 8788"),
      Flag.withDefault(8_788)
    ),
    publicUrl: Flag.String("public-url").pipe(
      Flag.withMetavar("<url>"),
      Flag.withDescription("URL of the inbox for browsers. Default: http://127.0.0.1:PORT"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* (options) {
    const publicUrl = Option.getOrElse(options.publicUrl, () => `http://127.0.0.1:${options.port}`)
    if (!isPublicUrl(publicUrl)) {
      return yield* misuse(`--public-url ${publicUrl} is not an http(s) URL.`, "Write it as https://host/path.")
    }
    const inbox = EscalationHttp.serve({
      port: options.port,
      publicUrl,
      maxConnections: options.maxConnections,
      maxRequests: options.maxRequests,
      receiveTimeout: `${options.receiveTimeout} seconds`
    }).pipe(
      Layer.catchTag("ServeError", () =>
        Layer.effectDiscard(
          Effect.fail(
            problem(
              `Cannot listen on port ${options.port}.`,
              "Another program may use it: choose another port with --port."
            )
          )
        )
      ),
      Layer.provide([inboxStores(options.database), approvers])
    )
    return yield* Effect.scoped(
      Effect.gen(function* () {
        yield* Layer.build(inbox)
        yield* Console.log(`The inbox is at ${publicUrl.replace(/\/+$/u, "")}/approvals. Press Ctrl-C to stop.`)
        return yield* Effect.never
      })
    )
  }, GracefulShutdown.run())
).pipe(
  Command.withShortDescription("Serve the inbox on this machine: pages for people, an API for programs"),
  Command.withDescription(`Serves the inbox on 127.0.0.1: pages for people, an API for programs.

  TOOLGUARD_APPROVERS lists the approvers: a JSON array of the entries that
  toolguard approvals token NAME prints. To reach the inbox from other machines, put a
  TLS proxy in front of it, and pass its URL with --public-url.

  On SIGTERM or SIGINT, decisions in progress are stored, and open pages are disconnected. They
  reconnect when the inbox is available again.`)
)
