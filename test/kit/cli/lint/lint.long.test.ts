/** Runs `toolguard lint` as a process: its sources, formats, exit codes and corrections. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  chmodSync,
  symlinkSync,
  lstatSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { read, root } from "../../../support/sources.ts"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-lint-"))
/** A folder in the project, so that modules resolve the package. */
const modules = mkdtempSync(join(root, "test/.lint-"))
afterAll(() => {
  rmSync(folder, { recursive: true })
  rmSync(modules, { recursive: true })
})

const write = (name: string, content: unknown, where = folder): string => {
  const path = join(where, name)
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2))
  return path
}

const lint = (...args: ReadonlyArray<string>) => toolguard(["lint", ...args])

const goodTool = {
  name: "search_orders",
  description: "Searches the orders of one customer. Read-only. Use it to find order ids, not for details.",
  inputSchema: {
    type: "object",
    properties: {
      customer_id: { type: "string", description: "As list_customers returns it.", pattern: "^C-[0-9]{1,9}$" }
    },
    required: ["customer_id"],
    additionalProperties: false
  }
}

const badTool = {
  name: "orders",
  description: "Searches the orders of one customer.",
  inputSchema: { type: "dict", properties: { id: { type: "string", description: "The customer." } }, required: ["id"] }
}

/** The commands of the guide and their output. */
const guideCommands = [...read("docs/linting.md").matchAll(/^```console\n\$ toolguard (lint [^\n]+)\n([^]*?)\n```$/gm)]

const success = { code: 0, stderr: "" }
const exitOf = ({ code, stderr }: { code: number | null; stderr: string }) => ({ code, stderr })

describe("the guide", () => {
  it("13.3 shows the output of its commands", async () => {
    assert.isAtLeast(guideCommands.length, 1)
    for (const [, command = "", printed] of guideCommands) {
      assert.strictEqual((await toolguard(command.split(" "))).stdout.trimEnd(), printed)
    }
  })
})

describe("toolguard lint", () => {
  it("13.3 prints the cost of a good list, and no finding", async () => {
    const path = write("fine.json", [goodTool])
    assert.deepStrictEqual(await lint(path), {
      ...success,
      stdout: `${path}: 1 tool, 80 tokens in each request\n\n0 errors, 0 warnings, 0 infos.\n`
    })
  })

  it("13.3 prints findings by tool, with line and rule, in lines of at most 100 characters", async () => {
    const { code, stderr, stdout } = await lint(write("poor.json", [goodTool, badTool]), "--level", "info")
    assert.deepStrictEqual(
      { code, stderr },
      { code: 1, stderr: "toolguard: 1 finding has at least the severity error.\nSee the report.\n" }
    )
    const lines = stdout.split("\n").slice(1)
    assert.deepStrictEqual(lines, [
      "",
      "orders",
      "  21:13    warning The name orders does not begin with a verb; begin with the action.",
      "                   (name-verb-first)",
      "  22:20    info    The description says neither when to use the tool nor when not; add what it is",
      "                   for and what it is not for. (description-when)",
      '  23:5     warning The parameters accept undeclared properties; add "additionalProperties": false.',
      "                   (additional-properties)",
      '  24:15    error   Invalid JSON Schema: `type` is "dict", which is not a JSON Schema type; write',
      '                   "object". (schema-valid)',
      "  26:9     info    `id` accepts a string of any length and content; add maxLength, a pattern, a",
      "                   format or an enum. (string-bounds)",
      "",
      "1 error, 2 warnings, 2 infos. --explain RULE says why a rule matters. --fix corrects some of these.",
      ""
    ])
  })

  it("13.3 prints one JSON object, with places and costs", async () => {
    const path = write("poor.json", [badTool])
    const { code, stdout } = await lint(path, "--json")
    assert.strictEqual(code, 1)
    const { changes, files, summary } = JSON.parse(stdout)
    assert.deepStrictEqual(changes, [])
    assert.deepStrictEqual(summary, { error: 1, warning: 2, info: 2, suppressed: 0, tools: 1, tokens: 41 })
    assert.deepStrictEqual(files[0].tools, [{ name: "orders", tokens: 41 }])
    assert.deepStrictEqual(files[0].findings[3], {
      rule: "schema-valid",
      severity: "error",
      category: "schema",
      step: 14,
      tool: "orders",
      message: 'Invalid JSON Schema: `type` is "dict", which is not a JSON Schema type; write "object".',
      pointer: "/0/inputSchema/type",
      line: 6,
      column: 15,
      endLine: 6,
      endColumn: 21
    })
    const sarif = JSON.parse((await lint(path, "--format", "sarif")).stdout)
    assert.deepStrictEqual([sarif.version, sarif.runs[0].results.length], ["2.1.0", 5])
  })

  it("14 fails for every finding with --strict or the preset of the configuration, in text, JSON and SARIF", async () => {
    const path = write("strict.json", [goodTool])
    const config = write("strict-config.json", { preset: "strict" })
    const message = "`customer_id` has no minLength and no maxLength; bound its length."
    for (const flags of [["--strict"], ["--config", config]]) {
      const text = await lint(path, ...flags)
      assert.strictEqual(text.code, 1)
      assert.match(text.stdout, /error {3}`customer_id` has no minLength and no maxLength/u)
      assert.include(text.stdout, "1 error, 0 warnings, 0 infos. The preset is strict.")
      const json = JSON.parse((await lint(path, ...flags, "--json")).stdout)
      assert.deepStrictEqual([json.preset, json.summary.error, json.files[0].findings[0].step], ["strict", 1, 5])
      const [run] = JSON.parse((await lint(path, ...flags, "--sarif")).stdout).runs
      assert.deepStrictEqual(run.tool.properties, { preset: "strict" })
      assert.deepStrictEqual(
        run.results.map((each: { readonly level: string; readonly message: object }) => [each.level, each.message]),
        [["error", { text: `search_orders: ${message}` }]]
      )
      const levels = run.tool.driver.rules.map(
        (rule: { readonly defaultConfiguration: object }) => rule.defaultConfiguration
      )
      assert.deepStrictEqual(
        new Set(levels.map((level: object) => JSON.stringify(level))),
        new Set(['{"level":"error"}'])
      )
    }
    const { customer_id } = goodTool.inputSchema.properties
    const properties = { customer_id: { ...customer_id, minLength: 3, maxLength: 11 } }
    const passing = write("reviewed.json", [{ ...goodTool, inputSchema: { ...goodTool.inputSchema, properties } }])
    assert.deepStrictEqual(exitOf(await lint(passing, "--strict")), success)
    assert.strictEqual(JSON.parse((await lint(passing, "--json")).stdout).preset, "default")
    const wrong = await lint(path, "--config", write("wrong-config.json", { preset: "strickt" }))
    assert.strictEqual(wrong.code, 2)
    assert.include(wrong.stderr, 'preset: expected one of default, strict, got "strickt"; nearest: strict')
  })

  it("13.3 fails by severity, and by the number of warnings", async () => {
    const path = write("warned.json", [{ ...goodTool, name: "orders" }])
    assert.strictEqual((await lint(path)).code, 0)
    assert.deepStrictEqual(exitOf(await lint(path, "--fail-on", "warning")), {
      code: 1,
      stderr: "toolguard: 1 finding has at least the severity warning.\nSee the report.\n"
    })
    assert.strictEqual((await lint(path, "--max-warnings", "1")).code, 0)
    assert.deepStrictEqual(exitOf(await lint(path, "--max-warnings", "0")), {
      code: 1,
      stderr: "toolguard: 1 warning found; --max-warnings is 0.\nSee the report.\n"
    })
  })

  it("13.3 lints several files separately, or together as one list", async () => {
    const [one, two] = [write("one.json", [goodTool]), write("two.json", { tools: [goodTool] })]
    const rules = async (...args: ReadonlyArray<string>) => {
      const { files } = JSON.parse((await lint(one, two, "--json", ...args)).stdout)
      return files.map(({ findings }: any) => findings.map(({ line, pointer, rule }: any) => [rule, pointer, line]))
    }
    assert.deepStrictEqual(await rules(), [[], []])
    assert.deepStrictEqual(await rules("--together"), [[], [["name-collision", "/tools/0/name", 4]]])
  })
})

describe("the configuration of toolguard lint", () => {
  const found = async (...args: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await lint(...args, "--json")
    assert.strictEqual(stderr === "" || stderr.includes("at least the severity"), true, stderr)
    return {
      code,
      rules: JSON.parse(stdout).files.map(({ file, findings }: any) => [
        file.split("/").at(-1),
        ...findings.map(({ rule }: any) => rule)
      ])
    }
  }

  it("13.3 sets levels and options, and suppresses by tool name with a reason; an unused suppression is a finding", async () => {
    const path = write("poor.json", [badTool])
    const config = write("config.json", {
      rules: { "schema-valid": "warning", "description-when": "off", "description-length": { min: 100 } },
      ignore: [
        { tool: "ord*", rules: ["string-bounds"], reason: "Old tools." },
        { tool: "none", rules: ["nesting-depth"], reason: "Gone." }
      ]
    })
    assert.deepStrictEqual(await found(path, "--config", config), {
      code: 0,
      rules: [
        ["poor.json", "name-verb-first", "description-length", "additional-properties", "schema-valid"],
        ["config.json", "suppression-unused"]
      ]
    })
  })

  it("13.3 is the nearest in the folder or its parents, in a separate file or in package.json", async () => {
    const inner = join(folder, "a/b")
    mkdirSync(inner, { recursive: true })
    const path = write("poor.json", [badTool])
    write("a/package.json", { name: "a", toolguard: { lint: { rules: { "schema-valid": "off" } } } })
    const inFolder = (cwd: string) => toolguard(["lint", path], { cwd })
    assert.strictEqual((await inFolder(folder)).code, 1)
    assert.strictEqual((await inFolder(inner)).code, 0)
    write("a/b/toolguard.lint.json", {})
    assert.strictEqual((await inFolder(inner)).code, 1)
  })
})

describe("toolguard lint with modules of guarded tools", () => {
  const source = (name: string, ignores = "") => `
    import { Schema } from "effect"
    import { GuardedTool, lintIgnore, Toolbox } from "../../src/index.ts"
    class Send extends GuardedTool.Service<Send>()("${name}", {
      description: "Sends a note. Writes. Use it once a note is there, not before.",
      access: "write",
      parameters: Schema.Struct({ note: Schema.String.annotate({ description: "The note." }) })${ignores},
      success: Schema.Struct({})
    }) {}
    export const tools = Toolbox.make(Send)
  `

  it("13.3 finds the tool by its name in the module", async () => {
    const path = write("tools.ts", source("send_note"), modules)
    const { code, stdout } = await lint(path, "--json", "--level", "info")
    assert.strictEqual(code, 0)
    const { files } = JSON.parse(stdout)
    assert.deepStrictEqual(
      files[0].findings.map(({ column, line, rule, tool }: any) => [rule, tool, line, column]),
      [
        ["string-bounds", "send_note", 4, 52],
        ["idempotency-key", "send_note", 4, 52]
      ]
    )
  })

  it("13.3 applies the suppressions of a module's schemas", async () => {
    const ignores = `.pipe(lintIgnore({ "idempotency-key": "Notes may be sent twice.", "string-bounds": "Any text." }))`
    const { stdout } = await lint(write("ignoring.ts", source("send_note", ignores), modules), "--json")
    const { summary } = JSON.parse(stdout)
    assert.deepStrictEqual([summary.error, summary.warning, summary.info, summary.suppressed], [0, 0, 0, 2])
  })

  it.each(["examples/orders/Tools.ts", "examples/live/Tools.ts"])(
    "14 %s has no finding with --strict",
    async (file) => {
      const { code, stdout } = await lint(file, "--strict", "--json")
      const { files, summary } = JSON.parse(stdout)
      assert.deepStrictEqual([code, files[0].findings, summary.suppressed], [0, [], 0])
    }
  )

  it("13.3 finds no error in the tools of the example", async () => {
    const { code, stdout } = await lint("examples/orders/Tools.ts", "--json")
    assert.strictEqual(code, 0)
    assert.strictEqual(JSON.parse(stdout).summary.error, 0)
  })
})

describe("toolguard lint --fix", () => {
  it("13.3 corrects the file, prints each change, and changes nothing the second time", async () => {
    const path = write("fix.json", [goodTool, badTool])
    chmodSync(path, 0o640)
    const before = readFileSync(path, "utf8")
    const plan = await lint(path, "--fix", "--dry-run")
    assert.strictEqual(plan.code, 1)
    assert.strictEqual(readFileSync(path, "utf8"), before)
    const { code, stdout } = await lint(path, "--fix")
    assert.strictEqual(code, 0)
    const printed = [
      `${path}:24:15 orders: changed the type "dict" to object`,
      `${path}:23:5 orders: added "additionalProperties": false`
    ]
    assert.deepStrictEqual(stdout.split("\n").slice(0, 4), [...printed, "2 changes made.", ""])
    assert.deepStrictEqual(plan.stdout.split("\n").slice(0, 3), [...printed, "2 changes; nothing was written."])
    assert.deepStrictEqual(JSON.parse(readFileSync(path, "utf8"))[1].inputSchema, {
      ...badTool.inputSchema,
      type: "object",
      additionalProperties: false
    })
    assert.strictEqual(statSync(path).mode & 0o777, 0o640)
    const after = readFileSync(path, "utf8")
    assert.notInclude((await lint(path, "--fix")).stdout, "change")
    assert.strictEqual(readFileSync(path, "utf8"), after)
  })

  it("13.3 corrects the target of a link, and keeps the link", async () => {
    const [path, link] = [write("target.json", [badTool]), join(folder, "link.json")]
    symlinkSync(path, link)
    const { stdout } = await lint(link, "--fix", "--json")
    assert.deepStrictEqual(
      JSON.parse(stdout).changes.map(({ change, tool }: any) => [tool, change]),
      [
        ["orders", 'changed the type "dict" to object'],
        ["orders", 'added "additionalProperties": false']
      ]
    )
    assert.isTrue(lstatSync(link).isSymbolicLink())
    assert.strictEqual(JSON.parse(readFileSync(path, "utf8"))[0].inputSchema.type, "object")
  })
})

describe("the command line of toolguard lint", () => {
  it("13.3 is refused with exit code 1 or 2 and the reason if it is invalid", async () => {
    const path = write("fine.json", [goodTool])
    for (const [args, code, message] of [
      [[], 2, "No file is named."],
      [["--mcp"], 2, "No command is named."],
      [[path, "--dry-run"], 2, "--dry-run needs --fix."],
      [["--mcp", "--fix", "--", "node"], 2, "--fix corrects JSON lists, not the list of a server."],
      [[path, "--json", "--sarif"], 2, "The flags ask for two formats."],
      [["--explain", "nesting"], 2, "There is no rule nesting."],
      [[path, "--config", join(folder, "gone.json")], 2, `There is no file ${join(folder, "gone.json")}.`],
      [["--mcp", "--", join(folder, "gone")], 1, `The command ${join(folder, "gone")} cannot be started.`],
      [[join(folder, "gone.json")], 1, `There is no file ${join(folder, "gone.json")}.`]
    ] as const) {
      const result = await lint(...args)
      assert.deepStrictEqual([result.code, result.stdout], [code, ""], args.join(" "))
      assert.include(result.stderr, message)
      assert.notInclude(result.stderr, "    at ")
    }
  })

  it("13.3 shows the page of a rule, and lists the rules and the help in lines of at most 100 characters", async () => {
    const page = await lint("--explain", "nesting-depth")
    assert.deepStrictEqual(page, { ...success, stdout: readFileSync(join(root, "docs/lint/nesting-depth.md"), "utf8") })
    const rules = await lint("--rules")
    assert.include(rules.stdout, "token-cost  warning\n  A tool's definition costs at most 1,000 tokens.\n")
    const { stdout } = await lint("--help")
    for (const text of [stdout, rules.stdout])
      assert.deepStrictEqual(
        text.split("\n").filter((line) => line.length > 100),
        []
      )
    assert.include(stdout, "Exit codes: 0 no finding reaches")
  })

  it("13.3 escapes the control characters of a list", async () => {
    const path = write("evil.json", [
      { name: "a\u001b[2Jb", description: "x\u202ey", inputSchema: { type: "di\u001b[31mct" } }
    ])
    const { stdout } = await lint(path, "--level", "info")
    assert.notMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u202e]/)
    assert.include(stdout, "a[U+001B][2Jb")
  })
})
