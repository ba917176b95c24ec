/**
 * A shop whose order service stands behind a gateway that cuts answers, and three models that deal with that in their own
 * ways. It is what `toolguard run` runs when it is given no backend, and a pattern for backends of your own.
 *
 * Each start has servers of its own on free ports, and an empty ledger of refunds.
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

/** The service, the gateway before it, and the tools that speak to the gateway. */
const layer = (gatewayLimit: number) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const service = yield* OrderService.start
      return Handlers.layer(yield* Gateway.start(service, gatewayLimit))
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))

/** The backend that `toolguard run` runs. */
export const backend = ({ gatewayLimit = Gateway.defaultLimit }: Backend.Settings) =>
  Backend.make({
    name: "orders",
    note: `a gateway cuts answers after ${gatewayLimit} bytes, and nobody wrote that down`,
    tools: Toolbox.make(SearchOrders, ReadOrder, FindRefund, RefundOrder),
    layer: layer(gatewayLimit),
    system: "You help the staff of a shop with its orders. Answer in one or two sentences.",
    prompt: "Which orders of customer C-9921 have not arrived yet?",
    models: Object.fromEntries(Object.entries(models).map(([name, model]) => [name, ModelServer.layer(name, model)])),
    compareBare: true
  })
