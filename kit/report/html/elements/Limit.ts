/** Limits the size of the page: renders items until a number of items or characters is reached. */
import type { Html } from "effect-toolguard/internal/domain/text/Html"

/** The rendered items, and the number of omitted ones. */
interface Limited<A> {
  readonly shown: ReadonlyArray<A>
  readonly omitted: number
}

/** Renders items until there are `most`, or until they have `characters` of markup. Always renders at least one. */
export const limited = <A, B>(
  items: ReadonlyArray<A>,
  limit: { readonly most: number; readonly characters: number },
  render: (item: A, index: number) => B,
  sizeOf: (rendered: B) => number
): Limited<B> => {
  const shown: Array<B> = []
  let size = 0
  for (const item of items) {
    if (shown.length >= limit.most) break
    const rendered = render(item, shown.length)
    size += sizeOf(rendered)
    if (size > limit.characters && shown.length > 0) break
    shown.push(rendered)
  }
  return { shown, omitted: items.length - shown.length }
}

/** The length of the markup, in characters. */
export const length = ({ markup }: Html): number => markup.length
