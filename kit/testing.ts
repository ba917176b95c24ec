/**
 * The public module `toolguard/testing`: checks for the tests of a backend. Each check is an Effect that fails with a
 * description of the problem, so it runs in any test runner.
 */
export {
  type CheckOptions,
  checkTool,
  type FuzzAnswer,
  type FuzzCall,
  type FuzzCase,
  FuzzFailure,
  type FuzzReport,
  type PromiseName,
  type Source,
  Unfuzzable
} from "#kit/fuzz/CheckTool"
export type { ComparisonResult, Difference } from "#kit/golden/Comparison"
export { GoldenMismatch, type GoldenOptions, GoldenUnusable, matchGolden } from "#kit/golden/GoldenMatch"
export type { Run } from "#kit/golden/Runs"
