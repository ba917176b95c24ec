/** Limits the size of the page by rendering items only up to a number of items or characters. */
import type { Html } from "effect-toolguard/internal/domain/text/Html"

/** The rendered items, and the number of omitted items. */
interface LimitedItems<A> {
  readonly shown: ReadonlyArray<A>
  readonly omitted: number
}

/** Renders at most `items` items with at most `characters` of markup. Always renders the first item. */
export const limited = <A, B>(
  items: ReadonlyArray<A>,
  limit: { readonly items: number; readonly characters: number },
  render: (item: A, index: number) => B,
  sizeOf: (rendered: B) => number
): LimitedItems<B> => {
  const shown: Array<B> = []
  let size = 0
  for (const item of items) {
    if (shown.length >= limit.items) break
    const rendered = render(item, shown.length)
    size += sizeOf(rendered)
    if (size > limit.characters && shown.length > 0) break
    shown.push(rendered)
  }
  return { shown, omitted: items.length - shown.length }
}

/** Returns the length of the markup, in characters. */
export const length = ({ markup }: Html): number => markup.length
