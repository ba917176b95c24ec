/** A user's module that does not import the library. Its emitted declarations must still name the library's types. */
import { Effect } from "effect"
import { desk, findDesk, ListRefunds, RefundOrder, sameOrder, SearchOrders, tools, withFallback } from "./consumer.js"

export const box = tools
export const toolkit = tools.toolkit
export const handlers = tools.handlers
export const answered = tools.answer({ name: "search_orders", arguments: "{}", callId: "1" })
export const deskToolkit = desk.toolkit
export const desks = desk
export const found = findDesk
export const called = tools.call("search_orders", {})
export const orders = SearchOrders.call({ customer_id: "C-1", page: 1 })
export const derived = withFallback
export const layer = SearchOrders.layerTest(() => Effect.succeed({ orders: [], page: 1, has_more: false }))
export const check = sameOrder
export const verdict = sameOrder({ id: "A" }, { arguments: { order_id: "A" }, previous: [], nowMillis: 0 })
export const all = [SearchOrders, RefundOrder, ListRefunds]
export const failures = ListRefunds.failureSchema
export const ai = ListRefunds.ai
export const service = Effect.map(ListRefunds, (tool) => tool)
