/**
 * What must never reach a model, and the marks that stand for it in a case.
 *
 * - `@token@` and `@key@` are secrets by their shape: neither a result nor a failure may show them.
 * - `@path@` is a path of the host: no failure may show it.
 * - `@hidden@` looks like any word. It is put where no model looks: causes, stacks, headers, the message of a defect.
 *
 * They are put together here when they are needed, so that no scanner of secrets finds one in a source or a printed test.
 */

/** A repeatable row of characters as random tokens have them. */
const characters = (count: number): string => {
  const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
  let state = 20_260_131
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647
    return alphabet[state % alphabet.length]
  }).join("")
}

const random = characters(80)

const planted: Readonly<Record<string, string>> = {
  "@token@": `ghp_${random.slice(0, 36)}`,
  "@key@": `sk-${random.slice(36, 76)}`,
  "@path@": "/home/canary/service/src/orders.ts",
  "@hidden@": `canary${random.slice(40, 60)}`
}

/** A text with what its marks stand for. */
export const expand = (text: string): string =>
  text.includes("@") ? text.replace(/@(?:token|key|path|hidden)@/gu, (mark) => planted[mark] ?? mark) : text

/** How much of a secret is a leak. */
const shortest = 12

/** What is looked for: the beginning and the end of each secret, since a text may be cut in its middle. */
const parts: ReadonlyArray<readonly [mark: string, part: string]> = Object.entries(planted).flatMap(([mark, text]) =>
  mark === "@path@"
    ? [[mark, "/home/canary"] as const]
    : [[mark, text.slice(-shortest)] as const, [mark, text.slice(text.length > 30 ? 6 : 0).slice(0, shortest)] as const]
)

/** The mark of what a text shows that it must not. `isFailure`: it tells of a failure, where paths count too. */
export const leak = (text: string, isFailure: boolean): string | undefined =>
  parts.find(([mark, part]) => (isFailure || mark !== "@path@") && text.includes(part))?.[0]

/** What a mark stands for, in words. */
export const nameOf = (mark: string): string =>
  ({
    "@token@": "a secret",
    "@key@": "a secret",
    "@path@": "a path of the host",
    "@hidden@": "what stands only in causes, stacks and headers"
  })[mark] ?? mark
