/** Handles a question for the example's models: the first call, the following calls, and the final answer. */
import { type Call, type Exchange, type Fields, fieldsOf, objectIn } from "./Conversation.ts"

const find = (pattern: RegExp, text: string): string | undefined => pattern.exec(text)?.[0]

/** Returns the first call for a question, or undefined if the question names neither an order nor a customer. */
export const firstCall = (question: string): Call | undefined => {
  const order = find(/\bO-\d{4}\b/u, question)
  if (order !== undefined) return { name: "read_order", arguments: { order_id: order } }
  const customer = find(/\bC-\d{4}\b/u, question)
  return customer === undefined ? undefined : { name: "search_orders", arguments: { customer_id: customer } }
}

const dataOf = ({ answer }: Exchange): Fields => {
  const whole = objectIn(answer) ?? {}
  return fieldsOf(whole["data"] ?? whole)
}

/** Returns the call after a useful answer; undefined if the question can be answered. */
export const nextCall = (question: string, last: Exchange): Call | undefined => {
  if (last.call.name !== "read_order" || !/\brefund/iu.test(question)) return undefined
  const { cents, id } = dataOf(last)
  const reason = find(/damaged|lost|late|returned/u, question) ?? "returned"
  return { name: "refund_order", arguments: { order_id: id, cents, reason } }
}

const count = (list: ReadonlyArray<unknown>): string => `${list.length} ${list.length === 1 ? "order" : "orders"}`

const describe = (order: Fields): string => `${String(order["id"])} (${String(order["status"])})`

/**
 * Answers the question from all results so far. `isWhole` is true if no result is known to be missing. The answer is
 * empty if results are missing and no order was read.
 */
export const answer = (exchanges: ReadonlyArray<Exchange>, isWhole: boolean): string => {
  const rows = new Map<unknown, Fields>()
  for (const exchange of exchanges) {
    const { orders } = dataOf(exchange)
    for (const order of Array.isArray(orders) ? orders.map(fieldsOf) : []) rows.set(order["id"], order)
  }
  const last = exchanges.at(-1)
  const found = last === undefined ? {} : dataOf(last)
  if (typeof found["refund_id"] === "string") {
    return `Order ${String(found["order_id"])} was refunded: ${found["refund_id"]}, ${String(found["cents"])} cents.`
  }
  if (typeof found["status"] === "string" && typeof found["id"] === "string") return `Order ${describe(found)}.`
  if (!isWhole && rows.size === 0) return ""
  const underway = [...rows.values()].filter(({ status }) => status !== "delivered" && status !== "returned")
  const seen = isWhole
    ? `All ${count([...rows.values()])} were read`
    : `Only ${count([...rows.values()])} could be read`
  return underway.length === 0
    ? `${seen}; none of them is on its way.`
    : `${seen}; ${underway.length} ${underway.length === 1 ? "has" : "have"} not arrived: ${underway.map(describe).join(", ")}.`
}
