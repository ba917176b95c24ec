/**
 * Shows a run live in a browser: start `node examples/live/main.ts`, then open the address that it prints.
 *
 * The model is scripted; set OPENAI_API_KEY or OPENAI_BASE_URL to use a real model. `PORT` sets the port (default 8080), `PACE` the
 * milliseconds between two words (default 60).
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, Redacted } from "effect"
import * as GracefulShutdown from "effect-toolguard/layers/GracefulShutdown"
import * as OpenAiCompatible from "effect-toolguard/layers/OpenAiCompatible"
import { FetchHttpClient, HttpRouter } from "effect/http"
import { createServer } from "node:http"
import * as Model from "./Model.ts"
import { routes, token } from "./Server.ts"

const { OPENAI_API_KEY = "", OPENAI_BASE_URL = "", PACE = "60", PORT = "8080" } = process.env
const url = `http://127.0.0.1:${PORT}`
const model =
  OPENAI_API_KEY + OPENAI_BASE_URL === ""
    ? Model.layer(Number(PACE))
    : Layer.orDie(OpenAiCompatible.layerConfig).pipe(Layer.provide(FetchHttpClient.layer))

const server = HttpRouter.serve(routes({ url, model }), { disableListenLog: true, disableLogger: true }).pipe(
  Layer.provide(
    NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: Number(PORT), gracefulShutdownTimeout: "1 second" })
  )
)

NodeRuntime.runMain(
  Effect.andThen(
    Layer.build(server),
    Effect.andThen(
      Console.log(`Watch a run: ${url}\nDecide at ${url}/approvals with ${Redacted.value(token)}`),
      Effect.never
    )
  ).pipe(Effect.scoped, GracefulShutdown.run({ grace: "5 seconds" }))
)
