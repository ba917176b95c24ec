/** Chooses what to forget at a limit that applies to all owners together. */

interface Choice<Entry> {
  readonly ownerOf: (entry: Entry) => string
  readonly mayForget: (entry: Entry) => boolean
}

/**
 * Returns the oldest entry of the owner with the most entries, so that no owner displaces the entries of owners that
 * have fewer. Undefined if none may be forgotten.
 *
 * **Details**
 *
 * - `entries` are in order, oldest first.
 * - Owners without an entry that may be forgotten are left out.
 */
export const oldestOfLargest = <Entry>(
  entries: Iterable<Entry>,
  { mayForget, ownerOf }: Choice<Entry>
): Entry | undefined => {
  const owners = new Map<string, { count: number; oldest: Entry | undefined }>()
  for (const entry of entries) {
    const owner = owners.get(ownerOf(entry)) ?? { count: 0, oldest: undefined }
    owners.set(ownerOf(entry), owner)
    owner.count += 1
    if (owner.oldest === undefined && mayForget(entry)) owner.oldest = entry
  }
  let [most, found]: [number, Entry | undefined] = [0, undefined]
  for (const { count, oldest } of owners.values()) {
    if (oldest !== undefined && count > most) [most, found] = [count, oldest]
  }
  return found
}
