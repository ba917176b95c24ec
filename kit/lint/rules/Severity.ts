/**
 * Defines the severities of findings. An `error` breaks or misleads a model or a provider, a `warning` costs calls or
 * tokens, and an `info` is advice.
 */

export const severities = ["info", "warning", "error"] as const

export type Severity = (typeof severities)[number]

/** The levels that a rule can be set to. */
export const levels = ["off", ...severities] as const

export type Level = (typeof levels)[number]

/** True if a severity is at least as high as `least`. */
export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  severities.indexOf(severity) >= severities.indexOf(least)

/** The presets of levels. `strict` makes every finding an error, and some rules check more. */
export const presets = ["default", "strict"] as const

export type Preset = (typeof presets)[number]
