/**
 * Finds the examples in the README and in JSDoc, turns their `// =>` comments into assertions, type-checks them and runs them.
 *
 * An example is a block fenced as `ts import.meta.vitest`. `expression // => value` and `const x = … // => value` assert;
 * a long value continues in the following comments, if each begins with three spaces. Imports resolve as in a user's project:
 * "effect-toolguard" is this package, through its exports.
 */
import { parseSync, Visitor } from "oxc-parser"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./sources.ts"
import { node, tsc } from "./tools.ts"

/** A fenced block. `line` is the number of its first line of code, from 1. */
export interface Block {
  readonly path: string
  readonly line: number
  readonly info: string
  readonly code: string
}

const fences = (path: string, text: string, firstLine: number): ReadonlyArray<Block> => {
  const found: Array<Block> = []
  let open:
    | { readonly fence: string; readonly info: string; readonly line: number; readonly code: Array<string> }
    | undefined
  for (const [index, line] of text.split("\n").entries()) {
    const [, fence, info = ""] = /^\s*(`{3,}|~{3,})\s*(.*?)\s*$/.exec(line) ?? []
    if (open === undefined) {
      if (fence !== undefined) open = { fence, info, line: firstLine + index + 1, code: [] }
    } else if (fence !== undefined && info === "" && fence.startsWith(open.fence)) {
      found.push({ path, line: open.line, info: open.info, code: open.code.join("\n") })
      open = undefined
    } else {
      open.code.push(line)
    }
  }
  return found
}

/** Returns all fenced blocks of a Markdown file, or of the JSDoc comments of a TypeScript file. */
export const blocks = (path: string, text: string): ReadonlyArray<Block> => {
  if (!path.endsWith(".ts")) return fences(path, text, 1)
  return parseSync(path, text)
    .comments.filter((comment) => comment.value.startsWith("*"))
    .flatMap((comment) =>
      fences(path, comment.value.replace(/^[ \t]*\* ?/gm, ""), text.slice(0, comment.start).split("\n").length)
    )
}

export const isExample = (block: Block): boolean => block.info === "ts import.meta.vitest"

/** True if an example imports packages that only `test/interop` installs. A test there runs it. */
export const isInteropExample = (block: Block): boolean => block.info === "ts import.meta.vitest interop"

/** True if a block contains code that no test runs. */
export const isUntested = (block: Block): boolean =>
  /^(ts|tsx|mts|typescript|js|jsx|mjs|javascript)\b/i.test(block.info) && !isExample(block) && !isInteropExample(block)

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Returns the value in the comment at `index` and its continuation comments. */
const valueAt = (comments: ReadonlyArray<{ readonly value: string }>, index: number): string => {
  const lines = [comments[index]?.value.slice(" =>".length) ?? ""]
  for (let next = index + 1; comments[next]?.value.startsWith("   "); next++) lines.push(comments[next]?.value ?? "")
  return lines.join(" ").trim()
}

/**
 * Returns a module that runs an example, with the same line numbers. Throws if a `// =>` follows neither an expression nor a
 * declaration.
 */
export const moduleOf = (code: string): string => {
  const { comments, errors, program } = parseSync("example.ts", code)
  if (errors.length > 0) throw new Error(errors.map((error) => error.message).join("\n"))
  const statements = new Map<number, Edit & { readonly name?: string }>()
  new Visitor({
    ExpressionStatement: ({ end, expression }) => {
      statements.set(end, {
        start: expression.start,
        end: expression.end,
        text: code.slice(expression.start, expression.end)
      })
    },
    VariableDeclaration: ({ declarations, end }) => {
      const id = declarations.at(-1)?.id
      if (id?.type === "Identifier") statements.set(end, { start: end, end, text: id.name, name: id.name })
    }
  }).visit(program)
  const edits: Array<Edit> = []
  for (const [index, comment] of comments.entries()) {
    if (comment.type !== "Line" || !comment.value.startsWith(" =>")) continue
    const statement = statements.get(code.slice(0, comment.start).trimEnd().length)
    if (statement === undefined) throw new Error(`There is nothing to assert before "//${comment.value}".`)
    const assertion = `equal(${statement.text}, ${valueAt(comments, index)})`
    edits.push({ ...statement, text: statement.name === undefined ? assertion : `; ${assertion}` })
  }
  let text = code
  for (const edit of edits.reverse()) text = text.slice(0, edit.start) + edit.text + text.slice(edit.end)
  return `import { deepStrictEqual as equal } from "node:assert"; ${text}\nexport {}\n`
}

/**
 * Type-checks and runs examples, each as a separate module below `parent`, whose packages they may import. Returns the
 * errors of each, or an empty text.
 */
export const run = async (
  examples: ReadonlyArray<Block>,
  parent = join(root, "test")
): Promise<ReadonlyArray<string>> => {
  if (examples.length === 0) return []
  const folder = mkdtempSync(join(parent, ".examples-"))
  try {
    const files = examples.map((_, index) => `example${index}.ts`)
    const faults = examples.map((example, index) => {
      try {
        writeFileSync(join(folder, files[index] ?? ""), moduleOf(example.code))
        return ""
      } catch (error) {
        writeFileSync(join(folder, files[index] ?? ""), "export {}\n")
        return String(error)
      }
    })
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.json"), files, exclude: [] })
    )
    const results = join(folder, "results.jsonl")
    const [types, ran] = await Promise.all([
      tsc(["--noEmit", "-p", "."], folder),
      node([join(import.meta.dirname, "runExamples.ts"), results, ...files.map((file) => join(folder, file))])
    ])
    const finished = existsSync(results) ? readFileSync(results, "utf8").trim().split("\n") : []
    return examples.map((example, index) => {
      const compiled = types.stdout.split("\n").flatMap((line) => {
        const [, file, at, message] = /^(example\d+\.ts)\((\d+),\d+\): (.*)/.exec(line) ?? []
        return file === files[index] ? [`line ${example.line + Number(at) - 1}: ${message}`] : []
      })
      const result =
        finished[index] === undefined ? `did not finish: ${ran.stderr}` : (JSON.parse(finished[index]) as string)
      return [faults[index], ...compiled, result].filter((text) => text !== "").join("\n")
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
