/**
 * The id of the turn of a durable run. It contains the names of the agent and of the run, so that idempotency keys are
 * the same on every runner.
 */

/** Returns the id of the turn. A slash separates the names; slashes within the agent's name are escaped. */
export const idOf = (agent: string, run: string): string =>
  `${agent.replaceAll("%", "%25").replaceAll("/", "%2F")}/${run}`

/** Reads the names in the id of a turn; returns undefined if it has no slash. */
export const read = (turn: string): { readonly agent: string; readonly run: string } | undefined => {
  const at = turn.indexOf("/")
  if (at < 0) return undefined
  return { agent: turn.slice(0, at).replaceAll("%2F", "/").replaceAll("%25", "%"), run: turn.slice(at + 1) }
}
