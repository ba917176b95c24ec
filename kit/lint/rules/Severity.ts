/**
 * The severity of a finding: `error` breaks or misleads a model or a provider, `warning` costs calls, `info` is advice.
 */

export const severities = ["info", "warning", "error"] as const

export type Severity = (typeof severities)[number]

/** The levels that a rule can be set to. */
export const levels = ["off", ...severities] as const

export type Level = (typeof levels)[number]

/** True if a severity is at least another one. */
export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  severities.indexOf(severity) >= severities.indexOf(least)
