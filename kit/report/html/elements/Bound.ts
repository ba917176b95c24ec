/** Keeps the page small, whatever the report holds: renders the first of many as long as there is room. */
import type { Html } from "effect-toolguard/internal/domain/text/Html"

/** What was rendered, and how many were left out for want of room. */
export interface Within<A> {
  readonly shown: ReadonlyArray<A>
  readonly left: number
}

/** Renders one after the other until `most` of them, or `characters` of markup, are reached. */
export const within = <A, B>(
  items: ReadonlyArray<A>,
  room: { readonly most: number; readonly characters: number },
  render: (item: A, index: number) => B,
  sizeOf: (rendered: B) => number
): Within<B> => {
  const shown: Array<B> = []
  let size = 0
  for (const item of items) {
    if (shown.length >= room.most) break
    const rendered = render(item, shown.length)
    size += sizeOf(rendered)
    if (size > room.characters && shown.length > 0) break
    shown.push(rendered)
  }
  return { shown, left: items.length - shown.length }
}

/** Characters of markup. */
export const length = ({ markup }: Html): number => markup.length
