/**
 * Checks the rules of a definition at run time, when a tool is defined and when a policy is overridden.
 *
 * These rules include those that the types express, because the compiler cannot check names that are not literals, or
 * tools of the type `AnyTool`.
 */
import type { Access } from "#domain/tool/Access"
import * as ArrayPaths from "#domain/schema/ArrayPaths"
import { codeOf } from "#domain/tool/DeclaredRefusal"
import * as FallbackCodes from "#domain/tool/FallbackCodes"
import * as ToolId from "#domain/tool/ToolId"
import { isRepeatable, type ToolDefinition, type ToolReference } from "#domain/tool/ToolDefinition"
import { checkCodes } from "#src/checks/CheckCodes"
import * as SchemaAST from "effect/SchemaAST"

/** Returns the definition, or throws a RangeError that names the tool and the remedy. */
export const checked = (definition: ToolDefinition): ToolDefinition => check([...wording, ...safety], definition)

/**
 * Checks a definition like `checked`, except for the name and the description, which come from a server or a toolkit.
 */
export const checkedPolicy = (definition: ToolDefinition): ToolDefinition => check(safety, definition)

const check = (rules: ReadonlyArray<Rule>, definition: ToolDefinition): ToolDefinition => {
  for (const { fault, isBroken } of rules) {
    if (isBroken(definition)) throw new RangeError(`${definition.name}: ${fault(definition)}`)
  }
  return definition
}

interface Rule {
  readonly isBroken: (definition: ToolDefinition) => boolean
  readonly fault: (definition: ToolDefinition) => string
}

/** Providers accept names of at most 64 characters. */
const snakeCase = /^(?=.{1,64}$)[a-z][a-z0-9]*(_[a-z0-9]+)*$/

const severity = { read: 0, write: 1, destructive: 2 } as const

/** Returns a field of `idempotency.fields` that no call can have. */
const unknownField = ({ idempotency: { fields }, parameters }: ToolDefinition): string | undefined => {
  const ast = SchemaAST.toEncoded(parameters.ast)
  if (fields === undefined || !SchemaAST.isObjects(ast) || ast.indexSignatures.length > 0) return undefined
  return fields.find((field) => !ast.propertySignatures.some(({ name }) => name === field))
}

/** Returns the severity of a tool's access. A tool without a declared access counts as destructive. */
const accessOf = (tool: ToolReference & { readonly access?: Access }): number => severity[tool.access ?? "destructive"]

const wording: ReadonlyArray<Rule> = [
  {
    isBroken: ({ name }) => !snakeCase.test(name),
    fault: ({ name }) =>
      `the name of a tool is snake_case and at most 64 characters long, verb first; write ${suggested(name)}.`
  },
  {
    // untyped programs can pass any value
    isBroken: ({ description }) => typeof description !== "string" || description.trim() === "",
    fault: () =>
      "the description is empty or not a string; say what the tool does, whether it reads or writes, when to use it and when not."
  }
]

const safety: ReadonlyArray<Rule> = [
  {
    isBroken: ({ access, idempotency: { mode }, sources: { useSite } }) =>
      access === "read" && (mode !== "none" || useSite?.idempotency !== undefined),
    fault: () => "`idempotency` is for writes, but `access` is read; remove one of them."
  },
  {
    isBroken: ({ access, sources: { tool, useSite } }) =>
      access === "read" && (tool?.repeats ?? useSite?.repeats) !== undefined,
    fault: () => "`repeats` is for writes, but `access` is read; remove one of them."
  },
  {
    isBroken: ({ access, sources: { tool, useSite } }) =>
      access === "read" && (tool?.loop?.repeats ?? useSite?.loop?.repeats) !== undefined,
    fault: () => "`loop.repeats` is for writes, but `access` is read; remove one of them."
  },
  {
    isBroken: ({ defaultRepeats, poll, sources: { tool } }) =>
      poll === undefined &&
      tool?.loop?.repeats !== undefined &&
      tool.repeats === undefined &&
      defaultRepeats === "once",
    fault: () =>
      '`loop.repeats` limits the repeats that are allowed, but `repeats` is unset and once by default; set `repeats: "allowed"`, or remove `loop.repeats`.'
  },
  {
    isBroken: ({ poll, sources: { tool } }) => poll !== undefined && tool?.loop?.repeats !== undefined,
    fault: () =>
      "`poll` repeats a call until its result has arrived, so `loop.repeats` has no effect; remove one of them."
  },
  {
    isBroken: ({ poll, sources: { tool } }) => poll !== undefined && tool?.repeats === "once",
    fault: () => "`poll` repeats a call, but `repeats` is once; remove one of them."
  },
  {
    isBroken: ({ declared, idempotency: { mode }, poll, repeats }) =>
      poll !== undefined && mode === "derived" && declared["idempotency.mode"] !== undefined && repeats !== "allowed",
    fault: () =>
      '`poll` repeats a call, but with `idempotency` derived identical calls run once; remove one of them, or set `repeats: "allowed"`.'
  },
  {
    isBroken: ({ access, reconcile }) => access === "read" && reconcile !== undefined,
    fault: () => "`reconcile` is for writes, but `access` is read; remove one of them."
  },
  {
    isBroken: ({ idempotency: { fields } }) => fields?.length === 0,
    fault: () =>
      "`idempotency.fields` is empty, so calls with different arguments would be one action; name the fields, or remove it."
  },
  {
    isBroken: (definition) => unknownField(definition) !== undefined,
    fault: (definition) =>
      `\`idempotency.fields\` names ${JSON.stringify(unknownField(definition))}, which is not a parameter, so different calls could be one action; name parameters as the model writes them.`
  },
  {
    isBroken: ({ declared, idempotency: { mode } }) => declared["idempotency.scope"] !== undefined && mode !== "key",
    fault: () =>
      '`idempotency.scope` is for keys that a model chooses; set `mode: "key"`, or remove `scope`: a derived key always belongs to its turn.'
  },
  {
    isBroken: ({ declared, idempotency: { mode, upstreamHonoursKey } }) =>
      mode === "none" &&
      (upstreamHonoursKey || ["fields", "timeToLive"].some((name) => declared[`idempotency.${name}`])),
    fault: () =>
      'the settings of `idempotency` are for keys, but its `mode` is none; set `mode: "derived"` or `mode: "key"`, or write `idempotency: "none"`.'
  },
  {
    isBroken: ({ id, name }) => id !== name && !ToolId.isValid(id),
    fault: () => ToolId.fault
  },
  {
    isBroken: ({ salvage }) =>
      salvage !== undefined && salvage.next === undefined && (salvage.narrow ?? "").trim() === "",
    fault: () =>
      "`salvage` must say how to continue; add `next` (the arguments that change) or `narrow` (what to make smaller)."
  },
  {
    isBroken: ({ salvage, success }) => salvage !== undefined && !ArrayPaths.has(success, salvage.path),
    fault: ({ salvage, success }) =>
      `\`salvage.path\` is ${JSON.stringify(salvage?.path)}, where \`success\` has no array; ${arraysOf(success)}.`
  },
  {
    isBroken: (definition) => statedAttempts(definition) > 1 && !isRepeatable(definition),
    fault: () =>
      "a write is retried only with `idempotency` or `reconcile`, because a retry may do it twice; leave out `retry.attempts`: after an attempt that did nothing, it is retried anyway."
  },
  {
    isBroken: ({ fallbacks, name }) => fallbacks.some(({ tool }) => tool.toolName === name),
    fault: () => "a tool cannot be its own fallback; name another tool, or use `retry`."
  },
  {
    isBroken: ({ access, fallbacks }) => fallbacks.some(({ tool }) => accessOf(tool) > severity[access]),
    fault: () => "a fallback's access must not be higher than its tool's; name a tool with at most that access."
  },
  {
    isBroken: (definition) => faultOfFallbacks(definition) !== undefined,
    fault: (definition) => faultOfFallbacks(definition) ?? ""
  },
  {
    isBroken: ({ reconcile }) => reconcile !== undefined && accessOf(reconcile.tool) > severity.read,
    fault: () => "a reconcile lookup must only read; name a tool with access `read`."
  }
]

/** Returns the attempts that the definition or its use site sets; 1 if neither sets them. */
const statedAttempts = ({ sources: { tool, useSite } }: ToolDefinition): number =>
  useSite?.retry?.attempts ?? tool?.retry?.attempts ?? 1

/** Returns the fault in the codes that a fallback names; undefined if there is none. */
const faultOfFallbacks = ({ checks, fallbacks }: ToolDefinition): string | undefined => {
  const own = checks.map(({ name }) => codeOf(name))
  const known = { known: [...checkCodes, "incomplete_result", ...own], mayHaveOthers: own.length > 0 }
  for (const { on, tool } of fallbacks) {
    const fault = on === undefined ? undefined : FallbackCodes.faultOf(on, known)
    if (fault !== undefined) return `\`on\` of the fallback ${tool.toolName} ${fault}`
  }
  return undefined
}

/** Returns the remedy for the wrong path of an array. */
const arraysOf = (success: ToolDefinition["success"]): string => {
  const paths = ArrayPaths.list(success).map((path) => JSON.stringify(path))
  if (paths.length === 0) return "write the path of an array, or remove `salvage`"
  return paths.length === 1 ? `write ${paths[0]}` : `write one of ${paths.join(", ")}`
}

/** Returns a valid name that is similar to an invalid name, or a description of a valid name. */
const suggested = (name: string): string => {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+|_+$/g, "")
    .slice(0, 64)
    .replace(/_+$/, "")
  return words === "" ? "a verb and a noun, such as search_orders" : words
}
