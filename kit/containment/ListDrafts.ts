/** Finds lists that one alternative accepts and another may refuse. */
import type { Lists } from "./Alternative.ts"
import type { Compare, Draft, Reason } from "./Gap.ts"
import { itemAt } from "./Intersection.ts"
import { normal } from "./NormalForm.ts"
import { listsIn, listWith, samples } from "./Samples.ts"

const bound = (keyword: "minItems" | "maxItems", from: number, to: number): Draft["reason"] => ({
  _tag: "Bound",
  keyword,
  from: Number.isFinite(from) ? from : undefined,
  to
})

/** Returns the lists that `lists` accepts and `b` may refuse, one draft for each reason. */
export const drafts = (lists: Lists, b: Lists, compare: Compare): ReadonlyArray<Draft> => {
  const a = { ...lists, most: maxLengthOf(lists) }
  const some = listsIn(a, 0, [b.least - 1, b.most + 1])
  const whole = (reason: Reason, candidates = some): Draft => ({ path: [], reason, candidates })
  return [
    ...(a.least < b.least ? [whole(bound("minItems", a.least, b.least))] : []),
    ...(a.most > b.most ? [whole(bound("maxItems", a.most, b.most))] : []),
    ...(b.isUnique && !a.isUnique && a.most > 1 ? [whole({ _tag: "Unique" }, withRepeatedItem(a))] : []),
    ...itemDrafts(a, b, compare)
  ]
}

/** Returns the maximum possible length: a list ends before the first place that accepts nothing. */
const maxLengthOf = (lists: Lists): number => {
  const end = [...lists.first.keys(), lists.first.length].find((index) => normal(itemAt(lists, index)).length === 0)
  return Math.min(lists.most, end ?? Infinity)
}

/** Returns lists with a repeated item. */
const withRepeatedItem = (a: Lists): ReadonlyArray<unknown> =>
  [0, a.first.length].flatMap((index) =>
    samples(itemAt(a, index))
      .slice(0, 3)
      .flatMap((item) => {
        const list = listWith(
          a,
          [
            [index, item],
            [index + 1, item]
          ],
          0
        )
        return list === undefined ? [] : [list]
      })
  )

const itemDrafts = (a: Lists, b: Lists, compare: Compare): ReadonlyArray<Draft> => {
  const places = Math.max(a.first.length, b.first.length) + 1
  return Array.from({ length: places }, (_, index) => index)
    .filter((index) => index < a.most)
    .flatMap((index) => {
      const isTail = index === places - 1
      return compare(itemAt(a, index), itemAt(b, index)).map(({ path, reason, witness }): Draft => {
        const candidates = witness === undefined ? undefined : listWith(a, [[index, witness.value]], 0)
        return {
          path: [isTail ? "[]" : index, ...path],
          reason,
          candidates: candidates === undefined ? [] : [candidates]
        }
      })
    })
}
