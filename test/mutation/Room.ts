/** The rooms whose sources are mutated, and the quick tests that run on their mutants. */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { paths, root, sources } from "../support/sources.ts"

/** A folder of sources, without the folders in it. */
export interface Room {
  /** The path below `src`, such as `domain/turn`. */
  readonly name: string
  /** The paths of its sources that have values. */
  readonly files: ReadonlyArray<string>
  /** The globs of the room's own tests. */
  readonly own: ReadonlyArray<string>
  /** The sources that are measured together; every source is in one part. */
  readonly parts: ReadonlyArray<Part>
  /** The globs of the tests of modules that use the room. */
  readonly callers: ReadonlyArray<string>
}

/** Sources of a room that are measured together, and the globs of the tests that describe them. */
export interface Part {
  /** Identifies the part's results. */
  readonly name: string
  readonly files: ReadonlyArray<string>
  readonly own: ReadonlyArray<string>
}

/** Folders of tables: a mutant of a row shows only that no test repeats the row. */
const tables: ReadonlySet<string> = new Set([
  "domain/classification/codes",
  "domain/classification/phrases",
  "domain/failure/codes"
])

/** The tests of whole calls, which use every room. */
const calls = ["test/pipeline/**/*.test.ts", "test/guard/**/*.test.ts"]

/** Tests of other folders that use a room. */
const users: Readonly<Record<string, ReadonlyArray<string>>> = {
  "domain/approval": ["test/inbox/*.test.ts", "test/live/*.test.ts"],
  "domain/failure": ["test/codes.test.ts"],
  "domain/journal": ["test/agent/**/*.test.ts"],
  "domain/transcript": ["test/agent/**/*.test.ts"],
  "domain/turn": ["test/contracts/{budgets,memory}.test.ts"],
  pipeline: ["test/tool/[!I]*.test.ts", "test/agent/**/*.test.ts"],
  "pipeline/call": ["test/tool/[!I]*.test.ts", "test/{mcp,openapi}/**/*.test.ts", "test/agent/**/*.test.ts"],
  "pipeline/stages": ["test/tool/[!I]*.test.ts", "test/agent/**/*.test.ts"]
}

/** Tests of a room that are outside of its folder, because they make whole calls. */
const whole: Readonly<Record<string, ReadonlyArray<string>>> = {
  "domain/faults": ["test/pipeline/record/ContractAlarm.test.ts"],
  // without Identity.test.ts, whose second copy of the library cannot share the thread
  "domain/tool": ["test/tool/[!I]*.test.ts", "test/guard/{describe,policies}.test.ts"],
  pipeline: [
    "test/agent/{repeatsAfterResume,restoredBudgets,resume,settled,shutdown}.test.ts",
    "test/guard/{Guard,policies,providedServices,sharedIdempotency}.test.ts",
    "test/tool/{admission,contradictions,RemotePolicy}.test.ts"
  ],
  "pipeline/answer": [
    "test/pipeline/{answers,answeredFailures,parts,salvage,statedFailures,advise}.test.ts",
    "test/hostile/encodings.test.ts"
  ],
  "pipeline/call": ["test/pipeline/**/*.test.ts", "test/guard/policies.test.ts"],
  "pipeline/stages": [
    "test/pipeline/{advise,answeredEnvelopes,arguments,brokenCustomCode,codesOfSuccess,declaredErrors}.test.ts",
    "test/pipeline/{Dispatcher,failures,metrics,parts,refusals,renderedOutcomes,Rendering,safety}.test.ts",
    "test/pipeline/{salvage,statedFailures,statedVerdicts,tokens,ToolRegistry,unfinishedClaims}.test.ts",
    "test/guard/sharedApproval.test.ts"
  ],
  "pipeline/record": [
    "test/pipeline/{metrics,advise,brokenCustomCode}.test.ts",
    "test/pipeline/stages/{record,settle,idempotency}.test.ts",
    "test/agent/spans.test.ts"
  ]
}

/** Rooms with folders whose tests test other rooms, or are slow. */
const flat: ReadonlySet<string> = new Set(["domain/answers", "domain/schema"])

/** Sources that are measured together, their own tests in the room's folder, and tests elsewhere. */
type Parts = ReadonlyArray<readonly [sources: string, tests: string, others?: ReadonlyArray<string>]>

/**
 * The stages that are measured together, each with its own tests and those of other files. Every test of a call reaches
 * every stage, so that a mutant that survives would run all tests of the room.
 */
const stages: Parts = [
  ["{loop,SharedRead,DeclaredPoll}", "{loop,loopQuestions,sessionCounts,sharedReads,declaredPoll,drain}"],
  [
    "{recall,WriteLookup,reconcile}",
    "{recall,recalledCalls,repeats,partialWrites,writeLookup,reconcile,forgottenWrites,check}"
  ],
  ["{claim,idempotency}", "{claim,idempotency,heldKeys}", ["pipeline/unfinishedClaims"]],
  ["settle", "{settle,storedOutcomes}", ["pipeline/openActions"]],
  ["fallback", "{fallback,resumedFallbacks,drain}"],
  [
    "{run,LateHandler,concurrency,timeout,deadline,drain,halt,haltAttempt}",
    "{run,handlerContext,attemptLimits,concurrency,drain,halt}",
    ["pipeline/{parts,ownership}"]
  ],
  ["approve", "{approve,approvalAnswers}", ["guard/sharedApproval"]],
  [
    "{locate,parse,authorize,authorizeArguments,decodeArguments,provenance}",
    "{locate,parse,authorize,decodeArguments,provenance}",
    ["pipeline/{arguments,advise}"]
  ],
  ["{budget,quota,circuit}", "{budget,budgetReturns,spending,writeLookup,circuit,refusedAttempts}"],
  ["retry", "{retry,retryDecisions,attemptLimits,drain}"],
  [
    "{classify,check,decodeResult,parseResult}",
    "{classify,classifiedAnswers,parsedAnswers,check}",
    ["pipeline/{salvage,statedFailures,statedVerdicts,codesOfSuccess,declaredErrors,refusals,failures,parts,advise}"]
  ],
  ["escalate", "{escalate,notices}"],
  ["record", "{record,recordedEvents,loop}", ["pipeline/metrics", "guard/pendingResults"]],
  [
    "{limit,redact,render}",
    "{limit,redact}",
    ["pipeline/{renderedOutcomes,Rendering,answeredEnvelopes,safety,parts,refusals}"]
  ]
]

/**
 * The sources of the classifier that are measured together. The tests of hostile errors, of labelled messages and of the
 * prefilter are left out, because they take seconds and run on most mutants.
 */
const classification: Parts = [
  ["{SideEffectEvidence,LinkEvidence,Redirect}", "{SideEffectEvidence,LinkEvidence,Redirect,Classification}"],
  ["{ModelFailure,ModelIncident}", "{ModelFailure,ModelIncident}"],
  ["{UpstreamWords,QuotedError,StackFrame}", "{UpstreamFields,StackFrame,UpstreamWords}"],
  ["{DeclaredError,RefusalReader}", "{DeclaredError,RefusalReader}", ["pipeline/{declaredErrors,refusals}"]],
  [
    "{Collector,Literal,Tokens,Detail,EchoedWords}",
    "{Collector,Literal,Tokens,Classification,ClassificationTokens,ClassificationWords}"
  ],
  [
    "{Classification,Finding,Reference,Rules,StatusRules,TokenRules,CodePattern}",
    "{Finding,Reference,StatedClasses,Tokens,Classification,ClassificationTokens,ClassificationWords,ClassificationPhrases,grammar/Sentence}"
  ]
]

/** The folder of a room's own tests, or of the room above it. */
const ownTests = (name: string): string =>
  !name.includes("/") || existsSync(join(root, "test", name)) ? `test/${name}` : ownTests(dirname(name))

/** True if a source has values. A source that has only types and numbers has no mutants. */
const hasValues = (source: string): boolean => /^(export )?(const|let|class|function) (?!\w+ = [\d_]+$)/m.test(source)

const files = [...sources("src/{domain,pipeline}/**/*.ts")]
  .filter(([, source]) => hasValues(source))
  .map(([path]) => path)

/** The rooms that are measured in parts. */
const parts: Readonly<Record<string, Parts>> = {
  "domain/classification": classification,
  "pipeline/stages": stages
}

/** Returns the parts of a room, by default one that is the room itself. */
const partsOf = (name: string, sources: ReadonlyArray<string>, own: ReadonlyArray<string>): ReadonlyArray<Part> =>
  parts[name]?.map(([pattern, tests, others = []]) => ({
    name: `${name}/${pattern.replace(/[{}]/g, "").replace(/,.*/, "")}`,
    files: paths(`src/${name}/${pattern}.ts`),
    own: [`test/${name}/${tests}.test.ts`, ...others.map((path) => `test/${path}.test.ts`)]
  })) ?? [{ name, files: sources, own }]

/** Every room of `src/domain` and `src/pipeline` that is not a folder of tables. */
export const rooms: ReadonlyArray<Room> = [...new Set(files.map((path) => dirname(path).slice("src/".length)))]
  .filter((name) => !tables.has(name))
  .map((name) => {
    const own = [`${ownTests(name)}/${flat.has(name) ? "" : "**/"}*.test.ts`, ...(whole[name] ?? [])]
    const sources = files.filter((path) => dirname(path) === `src/${name}`)
    return {
      name,
      files: sources,
      own,
      parts: partsOf(name, sources, own),
      callers: [...(users[name] ?? []), ...calls]
    }
  })
