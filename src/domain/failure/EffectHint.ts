/** Hints of failures after which an action was done, or may have been: they never ask for a repetition [3.3]. */

/** The hint of a failure after an action that was done. */
export const done = "The action was done. Do not call again."

/** Returns the hint of a failure that leaves the effect unknown. `lookup` names a tool that can look whether it was done. */
export const uncertain = (lookup?: string): string => {
  const instead = lookup === undefined ? "ask the user." : `look with ${lookup} whether it was done.`
  return `The tool reported a failure; it is not known whether anything was done. Do not repeat the call; ${instead}`
}
