/**
 * Prerequisites of tests outside this repository: a server, recorded data, a browser, packages of other projects.
 *
 * If a prerequisite is absent, its tests are skipped, and `SkippedTests.ts` prints the reason at the end of the run. If it
 * is required as well, the test file fails with the reason.
 */
import type { TestOptions } from "vitest"

export interface Prerequisite {
  /** Why the prerequisite cannot be used, and what to do; `undefined` if it can be used. */
  readonly absent: string | undefined
  /** Whether its absence is an error. */
  readonly isRequired: boolean
}

declare module "vitest" {
  interface TaskMeta {
    /** Why a test or a suite is skipped. */
    skipped?: string
  }
}

/** Returns the options of a test or a suite that needs all of these prerequisites. */
export const needs = (...prerequisites: ReadonlyArray<Prerequisite>): TestOptions => {
  const missing = prerequisites.find(({ absent }) => absent !== undefined)
  if (missing?.absent === undefined) return {}
  if (missing.isRequired) throw new Error(missing.absent)
  return { skip: true, meta: { skipped: missing.absent } }
}

/** True if an environment variable makes the absence of prerequisites an error. */
export const isSet = (variable: "REQUIRE_DATA" | "REQUIRE_SERVERS"): boolean => process.env[variable] === "1"

/** The platform that a test is written for. */
export const linux: Prerequisite = {
  absent: process.platform === "linux" ? undefined : `it needs Linux, and this is ${process.platform}`,
  isRequired: false
}
