/**
 * The orders of the shop: invented, but the same in every run.
 *
 * C-9921 has 47 orders, newest first from O-1047 to O-1001. Five of them have not arrived; two of these five are old.
 */
import type { Order } from "./Tools.ts"

type Texts = readonly [string, ...ReadonlyArray<string>]

const articles: Texts = [
  "Desk lamp with a brass arm and a linen shade",
  "Four stoneware mugs, glazed in dark blue",
  "Woven wool rug for the hallway, grey and white",
  "Folding chair of oiled beech with a canvas seat",
  "Bread knife of forged steel with a walnut handle",
  "Canvas shoulder bag with leather straps, olive",
  "Cast iron casserole of five litres with its lid"
]

const notes: Texts = [
  "The parcel may be handed to the neighbour on the ground floor, as the customer had asked by mail some time ago; the neighbour knows about it and is at home in the afternoon on most days.",
  "The customer asked for delivery on a weekday morning, before ten, and for a call about half an hour before the driver is at the door, since the bell of the house is out of order.",
  "Packed together with an earlier order at the request of the customer, without any plastic, in a box that was used before, as is usual with most of the parcels of this shop.",
  "Wrapped as a gift with a handwritten card in it; the invoice is sent by mail on the same day and will not be found in the parcel, because it is a gift for another person.",
  "The carrier may leave it in the garage beside the house; the customer wants to be told by phone on the same day when it is there, and not by a message to another address."
]

/** Orders of C-9921 that have not arrived, by number. */
const underway: ReadonlyMap<number, Order["status"]> = new Map([
  [1047, "placed"],
  [1046, "packed"],
  [1044, "shipped"],
  [1021, "shipped"],
  [1009, "packed"]
])

const pick = (list: Texts, index: number): string => list[index % list.length] ?? list[0]

/** Returns the day of an order. Orders are three days apart. */
const dayOf = (number: number): string =>
  new Date(Date.UTC(2026, 2, 16) - (1047 - number) * 3 * 86_400_000).toISOString().slice(0, 10)

const order = (customer: string, number: number): Order => ({
  id: `O-${number}`,
  customer_id: customer,
  placed_on: dayOf(number),
  status: underway.get(number) ?? (number % 13 === 0 ? "returned" : "delivered"),
  cents: 1_490 + (number % 9) * 1_250,
  article: pick(articles, number),
  note: pick(notes, number)
})

const numbers = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: from - to + 1 }, (_, index) => from - index)

/** All orders, newest first for each customer. */
export const orders: ReadonlyArray<Order> = [
  ...numbers(1047, 1001).map((number) => order("C-9921", number)),
  ...numbers(2003, 2001).map((number) => order("C-9922", number))
]
