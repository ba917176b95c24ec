/**
 * A shop whose order service is behind a gateway that truncates answers, and three models that react differently. This is the
 * default backend of `toolguard run`, and a template for your own.
 *
 * Each start opens separate servers on free ports, with an empty ledger of refunds.
 */
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Backend, Toolbox } from "effect-toolguard"
import * as Gateway from "./Gateway.ts"
import * as Handlers from "./Handlers.ts"
import * as ModelServer from "./models/ModelServer.ts"
import { models } from "./models/Models.ts"
import * as OrderService from "./OrderService.ts"
import { FindRefund, ReadOrder, RefundOrder, SearchOrders } from "./Tools.ts"

/** Starts the service and its gateway, and provides the tools that call the gateway. */
const layer = (gatewayLimit: number) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const service = yield* OrderService.start
      return Handlers.layer(yield* Gateway.start(service, gatewayLimit))
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))

/** Creates the backend that `toolguard run` runs. */
export const backend = ({ gatewayLimit = Gateway.defaultLimit }: Backend.Settings) =>
  Backend.make({
    name: "orders",
    note: `a gateway truncates answers to ${gatewayLimit} bytes, and this is not documented`,
    tools: Toolbox.make(SearchOrders, ReadOrder, FindRefund, RefundOrder),
    layer: layer(gatewayLimit),
    system: "You help the staff of a shop with its orders. Answer in one or two sentences.",
    prompt: "Which orders of customer C-9921 have not arrived yet?",
    models: Object.fromEntries(Object.entries(models).map(([name, model]) => [name, ModelServer.layer(name, model)])),
    compareBare: true
  })
